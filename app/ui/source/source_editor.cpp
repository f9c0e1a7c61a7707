#include "app/ui/source/source_editor.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/render/utf8.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kEditorRow = 20, kEditorText = 13.5f;
constexpr std::size_t kTabColumns = 4;

// Each byte is one cell wide. Very long lines are treated as such, whatever they contain.
bool plain(const std::string& line) {
    constexpr std::size_t kLong = 20'000;
    return line.size() > kLong || std::all_of(line.begin(), line.end(),
                                              [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\t'; });
}

}  // namespace

float SourceEditor::gutter_px() const {
    const std::size_t digits = std::max<std::size_t>(2, std::to_string(document().text.lines().size()).size());
    return ui_.px(26) + std::ceil(static_cast<float>(digits) * cell_);
}

void SourceEditor::focus() {
    focused_ = true;
    touched_ = ImGui::GetTime();
    // Takes the focus from any text field.
    ImGui::ClearActiveID();
}

std::uint32_t SourceEditor::caret_line() const {
    return state_.source.document() != nullptr ? document().text.caret().line + 1 : 0;
}

bool SourceEditor::find(const std::string& what, bool forward, bool from_selection_begin) {
    auto& text = document().text;
    const editor::Range selection = text.selection();
    const bool begin = from_selection_begin || !forward;
    const auto found = text.find(what, begin ? selection.begin : selection.end, forward);
    if (found) {
        text.select(*found);
        reveal_ = true;
    }
    return found.has_value();
}

// Finds the longest line.
void SourceEditor::measure() {
    const std::uint64_t revision = document().text.revision();
    if (measured_ == revision && measured_fonts_ == ui_.fonts.generation() && shown_ == state_.source.document()) {
        return;
    }
    const bool fresh = shown_ != state_.source.document();
    shown_ = state_.source.document();
    measured_ = revision;
    measured_fonts_ = ui_.fonts.generation();
    longest_ = 0;
    for (const auto& line : document().text.lines()) {
        const bool ascii = plain(line);
        if (!ascii) {
            ui_.fonts.cover(line);
        }
        longest_ = std::max(longest_, x_of(line, line.size()));
    }
    if (fresh) {
        seen_caret_ = document().text.caret();
        seen_line_ = 0;
        dragging_ = false;
        costs_of_revision_ = ~std::uint64_t{0};
    }
}

float SourceEditor::x_of(const std::string& line, std::size_t byte) {
    if (plain(line)) {
        return static_cast<float>(byte) * cell_;
    }
    float x = 0;
    for (std::size_t at = 0; at < byte && at < line.size();) {
        if (line[at] == '\t') {
            const float stop = static_cast<float>(kTabColumns) * cell_;
            x = (std::floor(x / stop + 0.01f) + 1) * stop;
            ++at;
            continue;
        }
        const std::size_t bytes = editor::character_bytes(line, at);
        x += static_cast<unsigned char>(line[at]) < 0x80
                 ? cell_
                 : text_width(ui_, Face::mono, kEditorText, std::string_view(line).substr(at, bytes));
        at += bytes;
    }
    return x;
}

std::uint32_t SourceEditor::byte_at(const std::string& line, float x) {
    std::size_t at = 0;
    float left = 0;
    while (at < line.size()) {
        const std::size_t next = at + editor::character_bytes(line, at);
        const float right = x_of(line, next);
        if (x < (left + right) / 2) {
            break;
        }
        left = right;
        at = next;
    }
    return static_cast<std::uint32_t>(at);
}

editor::Position SourceEditor::position_at(const Frame& f, ImVec2 mouse) {
    const auto& lines = document().text.lines();
    const float row = std::clamp((mouse.y - f.top) / row_, 0.0f, static_cast<float>(lines.size() - 1));
    const auto line = static_cast<std::uint32_t>(row);
    return {line, byte_at(lines[line], mouse.x - f.code_left + f.scroll_x)};
}

void SourceEditor::draw_code(const Frame& f, std::uint32_t index, float baseline) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string& line = document().text.lines()[index];
    const bool ascii = plain(line);
    const float origin = f.code_left - f.scroll_x;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const auto put = [&](std::size_t begin, std::size_t end, figure::Rgba c, Face face = Face::mono) {
        begin = std::max(begin, indent);
        if (begin >= end) {
            return;
        }
        if (ascii) {
            // Draws only the visible part: a line may be very long.
            const float from = std::max(0.0f, std::floor((f.code_left - origin) / cell_));
            const float to = std::ceil((f.code_right - origin) / cell_);
            begin = std::max(begin, static_cast<std::size_t>(from));
            end = std::min(end, static_cast<std::size_t>(std::max(0.0f, to)));
            if (begin < end) {
                draw_text(ui_, list, origin + static_cast<float>(begin) * cell_, baseline, face, kEditorText, c,
                          std::string_view(line).substr(begin, end - begin));
            }
            return;
        }
        // Parts without a tab, each at its own position.
        while (begin < end) {
            const std::size_t tab = std::min(line.find('\t', begin), end);
            if (tab > begin) {
                draw_text(ui_, list, origin + x_of(line, begin), baseline, face, kEditorText, c,
                          std::string_view(line).substr(begin, tab - begin));
            }
            begin = tab + 1;
        }
    };
    std::size_t at = 0;
    if (index < document().colours.size()) {
        for (const auto& span : document().colours.spans(index)) {
            put(at, std::min<std::size_t>(span.begin, line.size()), t.text);
            figure::Rgba c = t.text;
            Face face = Face::mono;
            switch (span.token) {
                case editor::Token::keyword:
                    c = t.issue;
                    break;
                case editor::Token::name:
                    face = Face::mono_bold;
                    break;
                case editor::Token::number:
                    c = t.run_b;
                    break;
                case editor::Token::string:
                    c = t.good;
                    break;
                case editor::Token::comment:
                    c = t.dim;
                    break;
                case editor::Token::prose:
                    c = t.faint;
                    break;
                case editor::Token::plain:
                    break;
            }
            put(std::min<std::size_t>(span.begin, line.size()), std::min<std::size_t>(span.end, line.size()), c, face);
            at = std::min<std::size_t>(span.end, line.size());
        }
    }
    put(at, line.size(), t.text);
}

void SourceEditor::draw_selection(const Frame& f, std::uint32_t index, float y) {
    const editor::Range range = document().text.selection();
    if (range.empty() || index < range.begin.line || index > range.end.line) {
        return;
    }
    const std::string& line = document().text.lines()[index];
    const float from = index == range.begin.line ? x_of(line, range.begin.byte) : 0;
    const float to = index == range.end.line ? x_of(line, range.end.byte) : x_of(line, line.size()) + cell_ / 2;
    const float left = f.code_left - f.scroll_x;
    ImGui::GetWindowDrawList()->AddRectFilled({left + from, y}, {left + to, y + row_},
                                              colour(figure::faded(ui_.theme->issue, focused_ ? 0.35 : 0.2)));
}

void SourceEditor::draw_gutter(const Frame& f, std::uint32_t index, float y) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::uint32_t number = index + 1;
    const float gutter = gutter_px();
    const bool steps = state_.lines.can_step();
    const bool hovered = steps && ImGui::IsWindowHovered() &&
                         ImGui::IsMouseHoveringRect({f.min.x, y}, {f.min.x + gutter - ui_.px(4), y + row_});
    const bool marked = document().breakpoints().count(number) != 0;
    if (marked || hovered) {
        list->AddCircleFilled({f.min.x + ui_.px(11), y + row_ / 2}, ui_.exact_px(4.5f),
                              colour(marked ? t.warning : figure::faded(t.warning, 0.35)));
    }
    const bool here = f.current == number || (focused_ && document().text.caret().line == index);
    draw_text_right(ui_, list, f.min.x + gutter - ui_.px(8), y + ui_.px(15), Face::mono, 12.5f, here ? t.text : t.faint,
                    std::to_string(number));
    if (steps) {
        ui_.rects.insert_or_assign("gutter/" + std::to_string(number),
                                   WidgetRect{f.min.x, y, f.min.x + gutter - ui_.px(4), y + row_});
    }
    ui_.rects.insert_or_assign("line/" + std::to_string(number), WidgetRect{f.code_left, y, f.code_right, y + row_});
}

void SourceEditor::draw_line(const Frame& f, std::uint32_t index) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float y = f.top + static_cast<float>(index) * row_;
    const bool here = f.current == index + 1, failed = f.failed == index + 1;
    if (here || failed) {
        const figure::Rgba tone = failed ? t.warning : t.run_b;
        list->AddRectFilled({f.min.x, y}, {f.max.x, y + row_}, colour(figure::faded(tone, 0.16)));
        list->AddRectFilled({f.min.x, y}, {f.min.x + ui_.px(3), y + row_}, colour(tone));
    } else if (f.selected == index + 1) {
        list->AddRectFilled({f.min.x, y}, {f.max.x, y + row_}, colour(figure::faded(t.issue, 0.14)));
        list->AddRectFilled({f.min.x, y}, {f.min.x + ui_.px(3), y + row_}, colour(t.issue));
    } else if (focused_ && document().text.caret().line == index && !document().text.has_selection()) {
        list->AddRectFilled({f.code_left, y}, {f.code_right, y + row_}, colour(figure::faded(t.text, 0.05)));
    }
    draw_gutter(f, index, y);
    draw_costs(f, index, y);
    list->PushClipRect({f.code_left - ui_.px(2), f.min.y}, {f.code_right, f.max.y}, true);
    draw_selection(f, index, y);
    draw_code(f, index, y + ui_.px(15));
    list->PopClipRect();
}

void SourceEditor::draw_caret(const Frame& f) {
    if (!focused_) {
        return;
    }
    const double since = ImGui::GetTime() - touched_;
    if (std::fmod(since, 1.0) > 0.55) {
        return;
    }
    const editor::Position caret = document().text.caret();
    const float x = f.code_left - f.scroll_x + x_of(document().text.lines()[caret.line], caret.byte);
    const float y = f.top + static_cast<float>(caret.line) * row_;
    if (x >= f.code_left - ui_.px(2) && x <= f.code_right && y + row_ > f.min.y && y < f.max.y) {
        ImGui::GetWindowDrawList()->AddRectFilled({std::round(x), y + ui_.px(2)},
                                                  {std::round(x) + std::max(1.0f, ui_.px(1.5f)), y + row_ - ui_.px(2)},
                                                  colour(ui_.theme->text));
    }
}

void SourceEditor::mouse_on_code(const Frame& f) {
    ImGui::SetCursorScreenPos({f.code_left, f.min.y});
    ImGui::InvisibleButton("code", {std::max(1.0f, f.code_right - f.code_left), std::max(1.0f, f.max.y - f.min.y)});
    const ImGuiIO& io = ImGui::GetIO();
    auto& text = document().text;
    if (ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    }
    if (ImGui::IsItemActivated()) {
        focused_ = true;
        touched_ = ImGui::GetTime();
        const editor::Position at = position_at(f, io.MousePos);
        const int clicks = io.MouseClickedCount[0];
        dragging_ = clicks == 1;
        if (clicks == 1) {
            text.place(at, io.KeyShift);
        } else if (clicks == 2) {
            text.select_word(at);
        } else {
            text.select_line(at.line);
        }
    } else if (ImGui::IsItemActive() && dragging_ && ImGui::IsMouseDragging(0, 2)) {
        text.place(position_at(f, io.MousePos), true);
        touched_ = ImGui::GetTime();
    }
    // A click anywhere else ends the focus.
    if (focused_ && ImGui::IsMouseClicked(0) && !ImGui::IsItemActive()) {
        focused_ = false;
    }
}

void SourceEditor::mouse_on_gutter(const Frame& f) {
    if (!state_.lines.can_step()) {
        return;
    }
    ImGui::SetCursorScreenPos(f.min);
    const float width = gutter_px() - ui_.px(4);
    if (ImGui::InvisibleButton("gutter", {width, std::max(1.0f, f.max.y - f.min.y)})) {
        const float row = (ImGui::GetIO().MousePos.y - f.top) / row_;
        if (row >= 0 && row < static_cast<float>(document().text.lines().size())) {
            const std::uint32_t line = static_cast<std::uint32_t>(row) + 1;
            state_.lines.set_breakpoint(line, document().breakpoints().count(line) == 0);
        }
    }
    tooltip_of_command(ui_, "Click: the program stops before this line", "step.breakpoint");
}

// Scrolls to the current line, and to the caret after it has moved.
void SourceEditor::keep_in_view(const Frame& f) {
    const float height = f.clear, width = f.code_right - f.code_left;
    const float scroll = ImGui::GetScrollY();
    const auto show = [&](std::uint32_t line, bool middle) {
        const float y = static_cast<float>(line) * row_;
        if (y < scroll) {
            ImGui::SetScrollY(std::max(0.0f, middle ? y - height / 2 : y));
        } else if (y + 2 * row_ > scroll + height) {
            ImGui::SetScrollY(std::max(0.0f, middle ? y - height / 2 : y + 2 * row_ - height));
        }
    };
    const std::uint32_t current = f.current;
    if (!state_.session.stopped() && !state_.replay.on()) {
        seen_line_ = 0;
    } else if (current != 0 && current != seen_line_) {
        show(current - 1, true);
        seen_line_ = current;
    }
    const std::uint64_t started = state_.session.started();
    if (!state_.session.live() && !costs_.empty() && seen_costs_ != started) {
        seen_costs_ = started;
        std::uint32_t line = ~std::uint32_t{0};
        for (const auto& [run_line, cost] : costs_) {
            line = std::min(line, run_line);
        }
        // Does not scroll while the learner is editing.
        if (line = document().line_of_run(line); line != 0 && !focused_ && f.failed == 0) {
            show(line - 1, true);
        }
    }
    const bool less_room = f.clear < seen_clear_;
    seen_clear_ = f.clear;
    // Also while editing: this line is what needs fixing.
    if (f.failed != 0 && (seen_failed_ != started || less_room)) {
        seen_failed_ = started;
        show(f.failed - 1, true);
    }
    if (f.selected != seen_selected_) {
        seen_selected_ = f.selected;
        if (f.selected != 0) {
            show(f.selected - 1, true);
        }
    }
    const editor::Position caret = document().text.caret();
    if (caret != seen_caret_ || reveal_) {
        show(caret.line, reveal_);
        seen_caret_ = caret;
        reveal_ = false;
        touched_ = ImGui::GetTime();
        const float x = x_of(document().text.lines()[caret.line], caret.byte), margin = 4 * cell_;
        if (x < f.scroll_x + margin) {
            ImGui::SetScrollX(std::max(0.0f, x - margin));
        } else if (x > f.scroll_x + width - margin) {
            ImGui::SetScrollX(x - width + margin);
        }
    }
}

void SourceEditor::draw(ImVec2 min, ImVec2 max, float covered) {
    row_ = ui_.px(kEditorRow);
    cell_ = text_width(ui_, Face::mono, kEditorText, "0000000000") / 10;
    const figure::Theme& t = *ui_.theme;
    draw_ground_card(ui_, ImGui::GetWindowDrawList(), min, max, sunken(t));
    ui_.rects.insert_or_assign("source", WidgetRect{min.x, min.y, max.x, max.y});
    const float edge = ui_.px(3);
    ImGui::SetCursorScreenPos({min.x + ui_.px(1), min.y + edge});
    const float lines = static_cast<float>(document().text.lines().size());
    ImGui::SetNextWindowContentSize({width_, row_ * (lines + 0.5f) + covered});
    ImGui::BeginChild("source", {max.x - min.x - ui_.px(2), max.y - min.y - 2 * edge}, false,
                      ImGuiWindowFlags_HorizontalScrollbar);
    measure();
    compute_cost_shares();
    ImGuiWindow* window = ImGui::GetCurrentWindow();
    Frame f{};
    f.min = window->InnerRect.Min;
    f.max = window->InnerRect.Max;
    f.clear = std::max(f.max.y - f.min.y - covered, 3 * row_);
    f.code_left = f.min.x + gutter_px();
    f.code_right = std::max(f.code_left + 1, f.max.x - costs_width_ - ui_.px(4));
    ui_.rects.insert_or_assign("source/code", WidgetRect{f.code_left, f.min.y, f.code_right, f.max.y});
    // Wide enough to scroll the longest line's end up to the cost columns.
    width_ = std::ceil(gutter_px() + longest_ + 3 * cell_ + costs_width_);
    f.top = f.min.y - ImGui::GetScrollY();
    f.scroll_x = ImGui::GetScrollX();
    if (focused_) {
        keys(static_cast<std::uint32_t>(std::max(1.0f, f.clear / row_ - 1)));
        if (state_.source.document() == nullptr || shown_ != state_.source.document()) {
            ImGui::EndChild();  // a key has opened another document
            return;
        }
        document().settle();
    }
    f.current = state_.lines.current();
    f.failed = state_.lines.failed();
    f.selected = state_.lines.selected();
    const auto count = static_cast<std::uint32_t>(document().text.lines().size());
    f.first = std::min(count, static_cast<std::uint32_t>(std::max(0.0f, (f.min.y - f.top) / row_)));
    f.last = std::min(count, f.first + static_cast<std::uint32_t>((f.max.y - f.min.y) / row_) + 2);
    for (std::uint32_t i = f.first; i < f.last; ++i) {
        draw_line(f, i);
    }
    draw_caret(f);
    mouse_on_gutter(f);
    mouse_on_code(f);
    keep_in_view(f);
    if (focused_) {
        GImGui->WantTextInputNextFrame = 1;
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
