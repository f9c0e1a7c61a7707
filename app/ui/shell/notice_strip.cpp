#include "app/ui/shell/notice_strip.h"

#include <algorithm>
#include <optional>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

float draw_notices(AppState& state, Ui& ui, ImVec2 at, float width) {
    const figure::Theme& t = *ui.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    float y = at.y;
    std::optional<Notice::Kind> closed;
    for (const auto& notice : state.notices.all()) {
        const figure::Rgba accent = notice.tone == Notice::Tone::bad    ? t.warning
                                    : notice.tone == Notice::Tone::good ? t.good
                                                                        : t.issue;
        ui.fonts.cover(notice.text);
        const float room = width - ui.px(20 + 44);
        const float text_height = draw_wrapped(ui, nullptr, {}, room, Face::medium, 14, 20, t.text, notice.text);
        const float height = text_height + ui.px(16);
        const ImVec2 a{at.x, y}, b{at.x + width, y + height};
        list->AddRectFilled(a, b, colour(figure::mixed(t.panel, accent, t.dark ? 0.16 : 0.1)), ui.exact_px(6));
        list->AddRectFilled(a, {a.x + ui.px(4), b.y}, colour(accent), ui.exact_px(2));
        draw_wrapped(ui, list, {a.x + ui.px(18), y + ui.px(8)}, room, Face::medium, 14, 20, t.text, notice.text);
        const std::string id = "notice/" + std::to_string(static_cast<int>(notice.kind)) + "/close";
        const ImVec2 cross{b.x - ui.px(34), y + ui.px(4)};
        if (button(ui, id.c_str(), "", cross, {.kind = ButtonKind::quiet, .width = ui.px(28), .height = ui.px(28)})) {
            closed = notice.kind;
        }
        const ImVec2 c{cross.x + ui.px(14), cross.y + ui.px(14)};
        const float r = ui.exact_px(4.5f);
        list->AddLine({c.x - r, c.y - r}, {c.x + r, c.y + r}, colour(t.dim), ui.exact_px(1.6f));
        list->AddLine({c.x - r, c.y + r}, {c.x + r, c.y - r}, colour(t.dim), ui.exact_px(1.6f));
        ui.rects.insert_or_assign("notice", WidgetRect{a.x, a.y, b.x, b.y});
        y += height + ui.px(6);
    }
    if (closed) {
        state.notices.dismiss(*closed);
    }
    return y - at.y;
}

}  // namespace headway::ui
