#include "app/ui/shell/notice_strip.h"

#include <algorithm>
#include <optional>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

namespace {

constexpr float kNoticeGap = 6;

float room_of(Ui& ui, float width) {
    return width - ui.px(20 + 44);
}

float height_of(Ui& ui, const Notice& notice, float room) {
    return draw_wrapped(ui, nullptr, {}, room, Face::medium, 14, 20, ui.theme->text, notice.text) + ui.px(16);
}

}  // namespace

float height_of_notices(AppState& state, Ui& ui, float width) {
    float all = 0;
    for (const auto& notice : state.notices.all()) {
        ui.fonts.cover(notice.text);
        all += height_of(ui, notice, room_of(ui, width)) + ui.px(kNoticeGap);
    }
    return all;
}

void draw_notices(AppState& state, Ui& ui, ImVec2 at, float width) {
    if (state.notices.all().empty()) {
        return;
    }
    const figure::Theme& t = *ui.theme;
    const float room = room_of(ui, width), all = height_of_notices(state, ui, width);
    // A window of its own, above the panels that it covers.
    ImGui::SetCursorScreenPos(at);
    ImGui::BeginChild("notices", {width, all}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
    ImDrawList* list = ImGui::GetWindowDrawList();
    float y = at.y;
    std::optional<Notice::Kind> closed;
    for (const auto& notice : state.notices.all()) {
        const figure::Rgba accent = notice.tone == Notice::Tone::bad    ? t.warning
                                    : notice.tone == Notice::Tone::good ? t.good
                                                                        : t.issue;
        const float height = height_of(ui, notice, room);
        const ImVec2 a{at.x, y}, b{at.x + width, y + height};
        list->AddRectFilled(a, b, colour(figure::mixed(t.panel, accent, t.dark ? 0.16 : 0.1)), ui.exact_px(6));
        list->AddRect(a, b, colour(figure::mixed(t.panel, accent, 0.4)), ui.exact_px(6));
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
        y += height + ui.px(kNoticeGap);
    }
    ImGui::EndChild();
    if (closed) {
        state.notices.close(*closed);
    }
}

}  // namespace headway::ui
