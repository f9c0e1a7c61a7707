// The editor's view. From the left: line numbers and breakpoints, the code (which scrolls), and each line's costs.
// Draws the document and passes input to it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

// What is shown when the mouse is on the costs of a line: "line 3: 2 ops, issued in …".
[[nodiscard]] std::string text_of(std::uint32_t line, const model::LineCost& cost);

class SourceEditor {
public:
    SourceEditor(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Draws the state's current document, which must not be null. Lines are scrolled to above the lower end that is
    // covered (a height in pixels).
    void draw(ImVec2 min, ImVec2 max, float covered);
    // The headings of the cost columns of an editor that is drawn from `left` to `right`. Call before draw().
    void draw_heads(float left, float right, float baseline);
    // Width of these columns in an editor of this width.
    [[nodiscard]] float costs_px(float width) const;
    // Moves the keyboard focus to the editor.
    void focus();
    [[nodiscard]] std::uint32_t caret_line() const;  // from 1
    // Selects the next or the previous match; false: there is none.
    bool find(const std::string& what, bool forward, bool from_selection_begin = false);

private:
    struct Cost {
        double issue = 0, blocked = 0;  // relative to the line with the highest cost, 0 to 1
        model::LineCost of;
    };
    // Places in the current frame, in pixels.
    struct Frame {
        ImVec2 min, max;  // the view
        float clear;      // its height that is not covered
        float code_left, code_right;
        float top;  // top of line 1, including scrolling
        float scroll_x;
        std::uint32_t first, last;                // visible lines, counted from 0; `last` is exclusive
        std::uint32_t current, failed, selected;  // highlighted lines, counted from 1; 0: none
    };
    void measure();
    void draw_line(const Frame& f, std::uint32_t index);
    void draw_code(const Frame& f, std::uint32_t index, float baseline);
    void draw_selection(const Frame& f, std::uint32_t index, float y);
    void draw_gutter(const Frame& f, std::uint32_t index, float y);
    void draw_caret(const Frame& f);
    void mouse_on_code(const Frame& f);
    void mouse_on_gutter(const Frame& f);
    void keep_in_view(const Frame& f);
    // source_costs.cpp
    void compute_cost_shares();
    void draw_costs(const Frame& f, std::uint32_t index, float y);
    // source_keys.cpp
    void keys(std::uint32_t page_lines);
    void edit_keys();
    void move_keys(std::uint32_t page_lines);
    void clipboard_keys();

    [[nodiscard]] editor::Document& document() const { return *state_.source.document(); }
    // from the left edge of the code, without scrolling
    [[nodiscard]] float x_of(const std::string& line, std::size_t byte);
    [[nodiscard]] std::uint32_t byte_at(const std::string& line, float x);
    [[nodiscard]] editor::Position position_at(const Frame& f, ImVec2 mouse);
    [[nodiscard]] float gutter_px() const;

    AppState& state_;
    Ui& ui_;
    const editor::Document* shown_ = nullptr;
    float row_ = 20, cell_ = 8, width_ = 0, costs_width_ = 0;
    bool focused_ = false, wants_focus_ = false, dragging_ = false;
    double touched_ = 0;  // time of the caret's last move; it does not blink right after one
    editor::Position seen_caret_;
    std::uint64_t measured_ = ~std::uint64_t{0}, measured_fonts_ = 0;
    float longest_ = 0;
    std::unordered_map<std::uint32_t, Cost> costs_;  // by the run's line numbers
    std::uint64_t costs_of_revision_ = 0, costs_of_run_ = 0;
    std::uint32_t seen_line_ = 0, seen_selected_ = 0;
    std::uint64_t seen_costs_ = 0, seen_failed_ = 0;
    float seen_clear_ = 0;
    bool reveal_ = false;
};

}  // namespace headway::ui
