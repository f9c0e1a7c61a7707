#include "app/ui/details/bookmark_panel.h"

#include <optional>

#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

std::size_t BookmarkPanel::count() const {
    std::size_t n = 0;
    for (int r = 0; r < timeline_.run_count(); ++r) {
        n += state_.bookmarks.of(timeline_.run_at(r)).size();
    }
    return n;
}

void BookmarkPanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    draw_card(ui_, ImGui::GetWindowDrawList(), min, max, t.raised, 8);
    ui_.rects.insert_or_assign("bookmarks", WidgetRect{min.x, min.y, max.x, max.y});
    const float pad = ui_.px(14), row = ui_.px(26);
    draw_text(
        ui_, ImGui::GetWindowDrawList(), min.x + pad, min.y + ui_.px(20), Face::regular, 12.5f, t.faint,
        state_.bookmarks.folder.empty()
            ? "M adds a bookmark at the pointer or over the measured range. They are not saved."
            : "M adds a bookmark at the pointer or over the measured range. Saved on this computer for this recording.",
        max.x - min.x - 2 * pad);
    ImGui::SetCursorScreenPos({min.x, min.y + ui_.px(28)});
    ImGui::BeginChild("bookmarks", {max.x - min.x, max.y - min.y - ui_.px(32)}, false);
    ImDrawList* list = ImGui::GetWindowDrawList();
    std::optional<std::pair<int, std::size_t>> go, edit, drop;
    float y = ImGui::GetCursorScreenPos().y;
    const float right = max.x - pad - ImGui::GetStyle().ScrollbarSize;
    for (int r = 0; r < timeline_.run_count(); ++r) {
        const auto& bookmarks = state_.bookmarks.of(timeline_.run_at(r));
        for (std::size_t i = 0; i < bookmarks.size(); ++i, y += row) {
            const std::string id = "bookmarks/" + std::to_string(r) + "/" + std::to_string(i);
            const float buttons = right - ui_.px(96);
            ImGui::SetCursorScreenPos({min.x + ui_.px(6), y});
            ImGui::PushID(id.c_str());
            if (ImGui::InvisibleButton("go", {buttons - min.x - ui_.px(12), row})) {
                go = {r, i};
            }
            ImGui::PopID();
            register_item(ui_, id);
            if (ImGui::IsItemHovered()) {
                list->AddRectFilled({min.x + ui_.px(6), y}, {buttons - ui_.px(6), y + row},
                                    colour(figure::mixed(t.raised, t.text, 0.06)), ui_.exact_px(4));
            }
            float x = min.x + pad;
            const float base = y + ui_.px(18);
            if (timeline_.run_count() > 1) {
                const char letter = timeline_.letter_of(r);
                draw_text(ui_, list, x, base, Face::bold, 13, letter == 'A' ? t.run_a : t.run_b,
                          std::string(1, letter));
                x += ui_.px(20);
            }
            draw_text(
                ui_, list, x, base, Face::mono_medium, 13, t.text,
                figure::place_text(static_cast<double>(bookmarks[i].begin_ns), timeline_.layout().map.ns_per_px()));
            x += ui_.px(118);
            if (bookmarks[i].end_ns > bookmarks[i].begin_ns) {
                draw_text(
                    ui_, list, x, base, Face::mono, 13, t.dim,
                    "+" + figure::duration_text(static_cast<double>(bookmarks[i].end_ns - bookmarks[i].begin_ns)));
            }
            x += ui_.px(92);
            draw_text(ui_, list, x, base, Face::regular, 13.5f, bookmarks[i].text.empty() ? t.faint : t.text,
                      bookmarks[i].text.empty() ? "no note" : bookmarks[i].text,
                      std::max(1.0f, buttons - ui_.px(10) - x));
            const ButtonLook look{.kind = ButtonKind::quiet, .height = ui_.px(22), .text_px = 12.5f};
            if (button(ui_, (id + "/note").c_str(), "Note", {buttons, y + ui_.px(2)}, look)) {
                edit = {r, i};
            }
            ButtonLook cross = look;
            cross.width = ui_.px(26);
            if (button(ui_, (id + "/delete").c_str(), "×", {right - ui_.px(28), y + ui_.px(2)}, cross)) {
                drop = {r, i};
            }
        }
    }
    ImGui::EndChild();
    if (go) {
        timeline_.go_to_bookmark(go->first, go->second);
    } else if (edit) {
        timeline_.go_to_bookmark(edit->first, edit->second);
        timeline_.edit_bookmark(edit->first, edit->second);
    } else if (drop) {
        timeline_.remove_bookmark(drop->first, drop->second);
    }
}

}  // namespace headway::ui
