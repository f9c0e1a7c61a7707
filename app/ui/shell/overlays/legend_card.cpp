#include "app/ui/shell/overlays/legend_card.h"

#include <cmath>

#include "app/figure/legend.h"
#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/text_measure.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void draw_legend_card(Ui& ui, gfx::Layer& layer, bool& shown) {
    if (!shown) {
        return;
    }
    const figure::Theme& t = *ui.theme;
    const ImVec2 frame = ImGui::GetIO().DisplaySize;
    const TextMeasure measure(ui.fonts);
    const figure::DisplayList legend = figure::whole_legend(t, measure, ui.fonts.scale());
    const float pad = ui.px(20), head = ui.px(40);
    const ImVec2 size{legend.width_px + 2 * pad, legend.height_px + head + pad};
    // At the lower right, so that the timeline stays visible.
    const ImVec2 a{std::floor(frame.x - size.x - ui.px(18)), std::floor(std::max(0.0f, frame.y - size.y - ui.px(44)))};
    const ImVec2 b{a.x + size.x, a.y + size.y};
    ImGui::SetNextWindowPos(a);
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    ImGui::Begin("legend", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBackground);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_card(ui, list, a, b, t.raised, 10);
    ui.rects.insert_or_assign("legend", WidgetRect{a.x, a.y, b.x, b.y});
    draw_text(ui, list, a.x + pad, a.y + ui.px(28), Face::bold, 15, t.text, "Colours and shapes");
    layer.begin({a.x, a.y, b.x, b.y}, 0);
    paint(legend, layer, ui.fonts, {a.x + pad, a.y + head});
    layer.end();
    layer.show(list);
    ImGui::SetCursorScreenPos(a);
    if (ImGui::InvisibleButton("close", size)) {
        shown = false;
    }
    ImGui::End();
}

}  // namespace headway::ui
