#include "app/ui/widgets/slider.h"

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::optional<double> slider(Ui& ui, const std::string& id, ImVec2 at, float width, double share,
                             const SliderLook& look) {
    const figure::Theme& t = *ui.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float half = ui.px(12), knob = ui.exact_px(7), thick = ui.exact_px(4);
    ImGui::SetCursorScreenPos({at.x - knob, at.y - half});
    ImGui::PushID(id.c_str());
    ImGui::InvisibleButton("slider", {std::max(width + 2 * knob, 1.0f), 2 * half});
    ImGui::PopID();
    register_item(ui, id);
    const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
    const auto place = [&](double of) { return at.x + width * static_cast<float>(std::clamp(of, 0.0, 1.0)); };
    const auto draw_track = [&](double from, double to, figure::Rgba ink) {
        list->AddRectFilled({place(from), at.y - thick / 2}, {place(to), at.y + thick / 2}, colour(ink), thick / 2);
    };
    draw_track(0, 1, figure::mixed(t.background, t.text, 0.2));
    if (look.set && look.filled) {
        draw_track(0, share, look.ink);
    }
    if (look.right) {
        draw_track(look.right->from, look.right->to, t.good);
        const float x = place(look.right->middle), thin = ui.exact_px(1), tall = ui.px(9);
        list->AddRectFilled({x - thin, at.y - tall}, {x + thin, at.y + tall}, colour(t.good));
    }
    const float radius = active || hovered ? knob + ui.exact_px(1) : knob;
    if (look.set) {
        list->AddCircleFilled({place(share), at.y}, radius, colour(look.ink));
    } else {
        list->AddCircleFilled({place(share), at.y}, radius, colour(t.panel));
        list->AddCircle({place(share), at.y}, radius, colour(hovered ? t.text : t.dim), 24,
                        std::max(1.0f, ui.exact_px(1.5f)));
    }
    if (!active) {
        return std::nullopt;
    }
    return std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - at.x) / std::max(width, 1.0f)), 0.0, 1.0);
}

}  // namespace headway::ui
