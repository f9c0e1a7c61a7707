#include "app/ui/widgets/slider.h"

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::optional<double> slider(Ui& ui, const std::string& id, ImVec2 at, float width, double share, figure::Rgba ink) {
    const figure::Theme& t = *ui.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = ui.px(11), knob = ui.exact_px(7), thick = ui.exact_px(4);
    ImGui::SetCursorScreenPos({at.x - knob, at.y - half});
    ImGui::PushID(id.c_str());
    ImGui::InvisibleButton("slider", {width + 2 * knob, 2 * half});
    ImGui::PopID();
    mark_item(ui, id);
    const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
    const float x = at.x + width * static_cast<float>(std::clamp(share, 0.0, 1.0));
    list->AddRectFilled({at.x, at.y - thick / 2}, {at.x + width, at.y + thick / 2},
                        colour(figure::mixed(t.background, t.text, 0.2)), thick / 2);
    list->AddRectFilled({at.x, at.y - thick / 2}, {x, at.y + thick / 2}, colour(ink), thick / 2);
    list->AddCircleFilled({x, at.y}, active || hovered ? knob + ui.exact_px(1) : knob, colour(ink));
    if (!active) {
        return std::nullopt;
    }
    return std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - at.x) / std::max(width, 1.0f)), 0.0, 1.0);
}

}  // namespace headway::ui
