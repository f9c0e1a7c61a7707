#include "app/ui/source/source_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using editor::Document;

constexpr float kBarRow = 30, kStrip = 34;

}  // namespace

bool SourcePanel::small_button(const char* id, const char* label, float& right, float y, const char* help,
                               const char* command, bool enabled, bool selected) {
    ButtonLook look{.enabled = enabled, .height = ui_.px(24), .text_px = 12.5f};
    look.kind = selected ? ButtonKind::selected : ButtonKind::plain;
    look.width = std::ceil(text_width(ui_, Face::semibold, 12.5f, label)) + ui_.px(16);
    right -= look.width;
    const bool clicked = button(ui_, id, label, {right, y}, look);
    tooltip_of_command(ui_, help, command);
    right -= ui_.px(4);
    return clicked;
}

// The file's name, and buttons for what can be done with it.
float SourcePanel::draw_title(ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Document& document = *state_.source.document();
    float right = at.x + width;
    if (small_button("source/open", "Open…", right, at.y, "Open a program or a lesson from disk", "source.open")) {
        ui_.run_command("source.open");
    }
    const bool modified = document.modified() && !document.read_only();
    if (!document.read_only() && !document.of_lesson()) {
        if (small_button("source/save", "Save", right, at.y, "Write the file", "source.save", modified)) {
            state_.source.save();
        }
    }
    const bool own = document.of_lesson() && document.differs_from_lesson();
    if (own &&
        small_button("source/revert", "Revert", right, at.y, "Discard your copy and show the lesson's program")) {
        state_.source.revert();
    }
    const float baseline = at.y + ui_.px(17);
    draw_tabs(at, right);
    float x = at.x + ui_.px(12);
    const float room = right - x - ui_.px(4);
    const char* remark = own ? "your copy" : document.read_only() ? "read only" : modified ? "not saved" : "";
    const float remark_width = *remark != '\0' ? text_width(ui_, Face::medium, 12, remark) + ui_.px(8) : 0;
    const float name_width = text_width(ui_, Face::mono, 13, document.name());
    const bool both = name_width + remark_width <= room;
    x += draw_text(ui_, list, x, baseline, Face::mono, 13, t.dim, document.name(), std::max(1.0f, room)) + ui_.px(8);
    if (both && *remark != '\0') {
        draw_text(ui_, list, x, baseline, Face::medium, 12, own || modified ? t.run_b : t.faint, remark);
    } else if (*remark != '\0') {
        list->AddCircleFilled({at.x + ui_.px(4), at.y + ui_.px(12)}, ui_.exact_px(3), colour(t.run_b));
    }
    ImGui::SetCursorScreenPos({at.x, at.y});
    ImGui::InvisibleButton("source/name", {std::max(1.0f, right - at.x), ui_.px(24)});
    register_item(ui_, "source/name");
    std::string help = document.path().string();
    if (own) {
        help = "Your copy of the lesson's program. It is saved in " + help;
    } else if (document.of_lesson()) {
        help = "The lesson's own program. Your changes are saved as your own copy.";
    } else if (document.read_only()) {
        help = document.read_only_reason();
    } else if (modified) {
        help += ", with edits that are not saved";
    }
    tooltip(ui_, help);
    return ui_.px(kBarRow);
}

// The dialects of the program, at the right of the row; `right` moves to their left.
void SourcePanel::draw_tabs(ImVec2 at, float& right) {
    const auto& tabs = state_.source.tabs();
    if (tabs.size() < 2) {
        return;
    }
    std::vector<std::string> labels;
    int selected = -1;
    for (const auto& tab : tabs) {
        selected = tab.id == state_.source.tab() ? static_cast<int>(labels.size()) : selected;
        labels.push_back(tab.label);
    }
    constexpr float kText = 12.5f;
    const float room = right - at.x - ui_.px(70);  // the file's name keeps the rest
    float padding = 10;
    while (padding > 4 && segments_width(ui_, labels, kText, padding) > room) {
        padding -= 1;
    }
    const float width = segments_width(ui_, labels, kText, padding);
    right -= width + ui_.px(8);
    const int clicked =
        segments(ui_, "tab", labels, selected, {right + ui_.px(4), at.y}, ui_.theme->issue, kText, ui_.px(24), padding);
    right -= ui_.px(4);
    if (clicked >= 0) {
        state_.source.set_tab(tabs[static_cast<std::size_t>(clicked)].id);
    }
}

// The file on disk differs from the text, which has unsaved edits: says so and offers choices.
float SourcePanel::draw_disk(ImVec2 at, float width) {
    Document& document = *state_.source.document();
    if (document.disk() == Document::Disk::same) {
        return 0;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool gone = document.disk() == Document::Disk::gone;
    const char* words = gone ? "The file was deleted on disk; this text exists only here."
                             : "The file has changed on disk, and you have unsaved edits.";
    const float text_height = draw_wrapped(ui_, nullptr, {}, width - ui_.px(28), Face::medium, 13, 18, t.text, words);
    const float height = text_height + ui_.px(38);
    list->AddRectFilled(at, {at.x + width, at.y + height},
                        colour(figure::mixed(t.panel, t.warning, t.dark ? 0.16 : 0.1)), ui_.exact_px(6));
    list->AddRectFilled(at, {at.x + ui_.px(4), at.y + height}, colour(t.warning), ui_.exact_px(2));
    draw_wrapped(ui_, list, {at.x + ui_.px(14), at.y + ui_.px(5)}, width - ui_.px(28), Face::medium, 13, 18, t.text,
                 words);
    float right = at.x + width - ui_.px(6);
    const float y = at.y + text_height + ui_.px(9);
    ui_.rects.insert_or_assign("source/disk", WidgetRect{at.x, at.y, at.x + width, at.y + height});
    if (gone) {
        if (small_button("disk/save", "Save it again", right, y, "Write the text to the file's old path")) {
            state_.source.save();
        }
    } else {
        if (small_button("disk/mine", "Keep mine", right, y, "Keep your edits; saving overwrites the file")) {
            document.keep_mine();
        }
        if (small_button("disk/take", "Take the file's", right, y,
                         "Load the text from disk; Ctrl Z restores your edits")) {
            document.take_disk();
        }
    }
    return height + ui_.px(6);
}

float SourcePanel::draw_find(ImVec2 at, float width) {
    if (wants_find_) {
        finding_ = true;
        const auto& text = state_.source.document()->text;
        const auto selection = text.selection();
        if (!selection.empty() && selection.begin.line == selection.end.line) {
            needle_ = text.text(selection);
        }
    }
    if (!finding_) {
        return 0;
    }
    const figure::Theme& t = *ui_.theme;
    std::array<char, 256> buffer{};
    std::strncpy(buffer.data(), needle_.c_str(), buffer.size() - 1);
    float right = at.x + width;
    bool forward = true, go = false, close = false;
    close = small_button("find/close", "Done", right, at.y + ui_.px(2), "Esc");
    if (small_button("find/next", "Next", right, at.y + ui_.px(2), "F3, Enter")) {
        go = true;
    }
    if (small_button("find/previous", "Previous", right, at.y + ui_.px(2), "Shift F3, Shift Enter")) {
        go = true;
        forward = false;
    }
    ImGui::SetCursorScreenPos({at.x, at.y + ui_.px(1)});
    ImGui::SetNextItemWidth(right - at.x - ui_.px(2));
    if (wants_find_) {
        ImGui::SetKeyboardFocusHere();
        wants_find_ = false;
    }
    bool entered = false;
    {
        const FontScope font(ui_, Face::mono, 13);
        ImGui::PushStyleColor(ImGuiCol_Text, colour4(not_found_ ? t.warning : t.text));
        entered = ImGui::InputTextWithHint("##find", "Find", buffer.data(), buffer.size(),
                                           ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
        ImGui::PopStyleColor();
    }
    register_item(ui_, "find/field");
    const bool typing = ImGui::IsItemActive();
    if (buffer.data() != needle_) {
        needle_ = buffer.data();
        not_found_ = !needle_.empty() && !editor_.find(needle_, true, true);
    } else if (entered) {
        forward = !ImGui::GetIO().KeyShift;
        go = true;
        ImGui::SetKeyboardFocusHere(-1);  // so that Enter finds the next one
    }
    if (go) {
        find_next(forward);
    }
    if (close || (typing && gfx::key_pressed(gfx::Key::escape)) ||
        (ImGui::IsItemDeactivated() && gfx::key_pressed(gfx::Key::escape))) {
        finding_ = false;
        editor_.focus();
    }
    return ui_.px(kStrip);
}

void SourcePanel::find_next(bool forward) {
    if (!available() || needle_.empty()) {
        return;
    }
    not_found_ = !editor_.find(needle_, forward);
}

void SourcePanel::toggle_breakpoint() {
    if (available()) {
        const std::uint32_t line = editor_.caret_line();
        state_.lines.set_breakpoint(line, state_.source.document()->breakpoints().count(line) == 0);
    }
}

void SourcePanel::draw(ImVec2 min, ImVec2 max, float covered) {
    const float width = max.x - min.x;
    float y = min.y;
    y += draw_title({min.x, y}, width);
    if (!available()) {
        return;  // a button has opened another document
    }
    y += draw_disk({min.x, y}, width);
    y += draw_find({min.x, y}, width);
    // The step controls share their row with the headings of the cost columns.
    const float controls = steps_.draw({min.x, y}, width - editor_.costs_px(width) - ui_.px(10), editor_.caret_line());
    editor_.draw_heads(min.x, max.x, y + controls - ui_.px(kBarRow - 18));
    y += controls;
    if (!available()) {
        return;
    }
    editor_.draw({min.x, y}, {max.x, std::max(max.y, y + ui_.px(40))}, covered);
}

}  // namespace headway::ui
