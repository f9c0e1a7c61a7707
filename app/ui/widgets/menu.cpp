#include "app/ui/widgets/menu.h"

#include <algorithm>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

bool menu_row(Ui& ui, const std::string& id, std::string_view title, std::string_view detail, bool enabled, float width,
              const figure::Rgba* dot) {
    const figure::Theme& t = *ui.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float indent = ui.px(dot != nullptr ? 30 : 14);
    const float detail_height = detail.empty() ? 0
                                               : draw_wrapped(ui, nullptr, at, width - indent - ui.px(14),
                                                              Face::regular, 12.5f, 17, t.dim, detail);
    const float height = ui.px(32) + (detail.empty() ? 0 : detail_height + ui.px(4));
    ImGui::PushID(id.c_str());
    const bool chosen = ImGui::InvisibleButton("row", {width, height}) && enabled;
    ImGui::PopID();
    register_item(ui, id, enabled);
    if (ImGui::IsItemHovered() && enabled) {
        list->AddRectFilled(at, {at.x + width, at.y + height}, colour(figure::mixed(t.raised, t.text, 0.08)),
                            ui.exact_px(5));
    }
    if (dot != nullptr) {
        list->AddCircleFilled({at.x + ui.px(16), at.y + ui.px(16)}, ui.exact_px(4.5f), colour(*dot));
    }
    draw_text(ui, list, at.x + indent, at.y + ui.px(21), Face::medium, 14, enabled ? t.text : t.faint, title,
              width - indent - ui.px(8));
    if (!detail.empty()) {
        draw_wrapped(ui, list, {at.x + indent, at.y + ui.px(29)}, width - indent - ui.px(14), Face::regular, 12.5f, 17,
                     t.dim, detail);
    }
    if (chosen) {
        ImGui::CloseCurrentPopup();
    }
    return chosen;
}

bool begin_menu(Ui& ui, const char* id, ImVec2 at, float row_width) {
    const float room = ImGui::GetIO().DisplaySize.x - row_width - ui.px(2 * 6 + 8);
    ImGui::SetNextWindowPos({std::max(0.0F, std::min(at.x, room)), at.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(6), ui.px(6)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ui.px(2)});
    const bool open = ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove);
    if (!open) {
        ImGui::PopStyleVar(2);
    }
    return open;
}

void end_menu() {
    ImGui::EndPopup();
    ImGui::PopStyleVar(2);
}

}  // namespace headway::ui
