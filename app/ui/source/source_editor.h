// The editor's view: lines with their numbers and breakpoints at the left, what each cost at the right, the code
// between them, which scrolls. What is edited is the document's; here it is drawn and fed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class SourceEditor {
public:
    SourceEditor(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Draws the document of the state, which must be there.
    void draw(ImVec2 min, ImVec2 max);
    // Names of the columns, above draw()'s right edge.
    void draw_heads(float right, float baseline);
    // Keys go to the editor from now on.
    void focus();
    [[nodiscard]] bool focused() const { return focused_; }
    [[nodiscard]] std::uint32_t caret_line() const;  // from 1
    // Selects the next or the one before of what is looked for; false: it is not there.
    bool find(const std::string& what, bool forward, bool from_selection_begin = false);

private:
    struct Cost {
        double issue = 0, blocked = 0;  // shares of the line that cost most, 0 to 1
        model::LineCost of;
    };
    // Pixels of this frame.
    struct Frame {
        ImVec2 min, max;  // the view
        float code_left, code_right;
        float top;  // of line 1, scrolled
        float scroll_x;
        std::uint32_t first, last;                // lines that are in view, from 0, `last` behind them
        std::uint32_t current, failed, selected;  // lines that are marked, from 1; 0: none
    };
    void weigh();
    void measure();
    void draw_line(const Frame& f, std::uint32_t index);
    void draw_code(const Frame& f, std::uint32_t index, float baseline);
    void draw_selection(const Frame& f, std::uint32_t index, float y);
    void draw_costs(const Frame& f, std::uint32_t index, float y);
    void draw_gutter(const Frame& f, std::uint32_t index, float y);
    void draw_caret(const Frame& f);
    void mouse_on_code(const Frame& f);
    void mouse_on_gutter(const Frame& f);
    void keep_in_view(const Frame& f);
    // source_keys.cpp
    void keys(std::uint32_t page_lines);
    void edit_keys();
    void move_keys(std::uint32_t page_lines);
    void clipboard_keys();

    [[nodiscard]] editor::Document& document() const { return *state_.document(); }
    [[nodiscard]] float x_of(const std::string& line, std::size_t byte);  // from the code's left, not scrolled
    [[nodiscard]] std::uint32_t byte_at(const std::string& line, float x);
    [[nodiscard]] editor::Position position_at(const Frame& f, ImVec2 mouse);
    [[nodiscard]] float indent_px(const std::string& line) const;  // by which it is drawn further left
    [[nodiscard]] float gutter_px() const;
    [[nodiscard]] float costs_px(float width) const;

    AppState& state_;
    Ui& ui_;
    const editor::Document* shown_ = nullptr;
    float row_ = 20, cell_ = 8, width_ = 0, costs_width_ = 0;
    float space_ = 8, measured_space_ = 0;  // of the spaces that a line begins with
    bool focused_ = false, wants_focus_ = false, dragging_ = false;
    double touched_ = 0;  // when the caret last moved: it is lit then
    editor::Position seen_caret_;
    std::uint64_t measured_ = ~std::uint64_t{0}, measured_fonts_ = 0;
    float longest_ = 0;
    std::unordered_map<std::uint32_t, Cost> costs_;  // by line of the run
    std::uint64_t weighed_ = 0, weighed_run_ = 0;
    std::uint32_t seen_line_ = 0, seen_selected_ = 0;
    std::uint64_t seen_costs_ = 0, seen_failed_ = 0;
    bool reveal_ = false;
};

}  // namespace headway::ui
