// The centre of the window: both runs on one time axis, with zooming, panning, measuring and selecting.
//
// TimelinePanel has many public functions because each command on the timeline (app/ui/shell/app_commands.cpp) is one:
// they all act on what lies in the layout under the pointer, the cursor or the selection.
//
// Threads: the UI's.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "app/gfx/layer.h"
#include "app/timeline/timeline.h"
#include "app/ui/state/app_state.h"
#include "app/ui/timeline/hover_card.h"
#include "app/ui/timeline/minimap.h"
#include "app/ui/timeline/op_details.h"
#include "app/ui/timeline/search_bar.h"
#include "app/ui/timeline/wait_details_lookup.h"
#include "app/ui/timeline/why_overlay.h"
#include "app/ui/widgets/text_measure.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class TimelinePanel {
public:
    TimelinePanel(AppState& state, Ui& ui) : state_(state), ui_(ui), measure_(ui.fonts), search_(ui), minimap_(ui) {}

    // Where the card of what is hovered or selected is drawn: at the pointer, or by draw_docked_card().
    enum class CardPlace : std::uint8_t { pointer, docked };
    // `cards_to`: a card at the pointer extends at most down to this y.
    void draw(ImVec2 min, ImVec2 max, CardPlace place, float cards_to);
    bool draw_docked_card(ImVec2 min, ImVec2 max);  // after draw(); false: nothing is hovered or selected
    // Call once a frame, after the panels: a timeline that was not drawn shows no runs, and keys find nothing in it.
    void end_frame();

    // Commands for keys, called only when no text field has the focus.
    void fit_selection_or_all();
    void clear();                           // Esc: the measure, then the selection
    void select_neighbour(int direction);   // the op before or after, in its lane
    void select_dependency(bool forwards);  // one of its dependencies, or an op that depends on it
    void select_matching_op();              // the same op in the other run
    void zoom_at_pointer(double factor);
    void pan_by_share(double share);
    void open_search() { search_.open(); }
    void close_search() { search_.close(); }
    void search_step(int direction);  // to the next or the previous result
    [[nodiscard]] const SearchBar& search() const { return search_; }

    // The moment that the other panels show: the time under the pointer, else the view's end (while following: now), in
    // the run's time.
    [[nodiscard]] Moment moment() const;
    void show_alive(int run, double ns, int device = -1);  // `ns` is on the axis
    void show_alive_here();  // at the pointer or the cursor, else at the run's memory peak
    // 0: B, or the only run; 1: A. Null when there is no such run. It exists at least until the end of the frame, even
    // if the session has dropped it since it was drawn.
    [[nodiscard]] const model::Run* run_at(int index) const;
    // Selects an op and brings it into view; `zoom` fits the view to it.
    void choose(int run, core::OpId op, bool zoom);

    [[nodiscard]] const figure::TimelineLayout& layout() const { return layout_; }
    [[nodiscard]] float scroll() const { return painted_scroll_; }  // px that the rows are scrolled down by
    // A lookup goes on over several frames: the window must draw the next one without waiting for input.
    [[nodiscard]] bool computing() const {
        return op_details_.busy() || wait_details_.busy() || why_.working() || search_.busy();
    }

    void measure_chosen();  // the selected op's execution, or the view
    void measure(double from_ns, double to_ns);
    // The moment nearest to `ns` at which something in the row at `y` begins or ends, if it is close on the screen. In
    // rows without spans: something in any row.
    struct Snapped {
        double ns = 0;
        bool edge = false;
        RowPlace row{};
    };
    [[nodiscard]] Snapped snapped(double ns, float y) const;

    // The keyboard cursor moves by a hundredth of the view, or to the next edge in its row; `measures` extends the
    // measured range from where the cursor was.
    void move_cursor(int direction, bool to_edge, bool measures);
    void move_cursor_row(int direction);
    void choose_at_cursor();

    // Bookmarks: of the run at this index, in their order.
    void add_bookmark();  // over the measured range, else at the pointer or the cursor; then asks for the note
    void edit_bookmark(int run, std::size_t index);
    void remove_bookmark(int run, std::size_t index);
    void go_to_bookmark(int run, std::size_t index);
    void step_bookmark(int direction);  // to the next, or the previous one
    void remove_bookmark_at_cursor();

    // Rows: the one that the cursor is in.
    void shift_row(int direction);
    void pin_row();  // to the top of its run, or back
    void collapse_row();
    void resize_row(float factor);
    void rename_row();
    void reset_rows();  // all rows
    [[nodiscard]] bool asks_for_note() const { return editing_.has_value(); }
    void keep_note() { finish_note(true); }  // the one that is being typed, if any

    [[nodiscard]] int run_count() const { return static_cast<int>(runs_.size()); }
    [[nodiscard]] char letter_of(int run) const { return runs_[static_cast<std::size_t>(run)].letter; }

private:
    struct Key {
        figure::TimelineView view;
        figure::Box area;
        session::RunsVersion runs;
        std::uint64_t fonts = 0, bookmarks = 0, rows = 0;
        const void* theme = nullptr;
        float scale = 0;
        std::string earlier{}, program_of_b{}, program_of_a{};
        bool stopped = false;  // the learner has paused the run
        Mode mode{};
        friend bool operator==(const Key&, const Key&) = default;
    };
    bool lay_out(figure::Box area);  // true: the layout has changed
    void forget();                   // the runs, and what lies in the layout
    void paint_layout(ImDrawList* list, const gfx::PixelBox& bounds, float scroll, bool anew);
    [[nodiscard]] std::vector<const session::Execution*> shown() const;  // in the order of runs_, from the top
    void add_why(figure::DisplayList& to);
    void look_at(const figure::Hit& pointed);
    void draw_empty(ImVec2 min, ImVec2 max);
    void handle_mouse(bool hovered, ImVec2 at);
    void draw_cursor(ImDrawList* list, ImVec2 at, float scroll);
    void draw_measure(ImDrawList* list, float scroll);
    void draw_playhead(ImDrawList* list, float scroll);
    void draw_keyboard_cursor(ImDrawList* list, float scroll);
    void draw_alive_moment(ImDrawList* list, float scroll);
    void end_measure();
    [[nodiscard]] const figure::RowBox* row_at(const RowPlace& place) const;  // null: not shown
    // The keyboard cursor, created if there is none.
    Cursor& hold_cursor();
    [[nodiscard]] std::optional<figure::Hit> hit_at_cursor() const;
    void act_on(const figure::Hit& hit);
    [[nodiscard]] model::Arrangement whole_arrangement() const;
    void change_row(std::size_t row, const std::function<void(model::RowSetting&)>& change);
    void move_row(std::size_t row, std::size_t before);
    bool handle_labels(bool hovered, ImVec2 at);  // true: the mouse is over the labels
    void draw_label_drag(ImDrawList* list, float scroll);
    void draw_lane_menu();
    void draw_lane_items();
    void draw_renaming(float scroll);
    [[nodiscard]] std::optional<std::pair<int, std::size_t>> bookmark_at_cursor() const;
    void finish_note(bool keep);
    void say(const std::string& problem);
    void draw_note(ImVec2 min, ImVec2 max);
    void select(int run, core::OpId op, bool show);
    void show_wait(const model::Run& run, const model::Wait& wait);
    // The selection, as a hit: without an op or a wait that its run does not have.
    [[nodiscard]] figure::Hit chosen() const;
    // Boxes on the screen of the rectangles and texts from item `first` on.
    [[nodiscard]] std::vector<figure::Box> boxes_of(const figure::DisplayList& list, std::size_t first,
                                                    float scroll) const;
    void add_highlights(const figure::Hit& hit, figure::DisplayList& to);
    void bring_into_view();
    void draw_found(ImDrawList* list, float scroll) const;
    void draw_search(float right, float top);

    AppState& state_;
    Ui& ui_;
    TextMeasure measure_;
    figure::TimelineLayout layout_;
    gfx::Layer layer_, highlights_layer_;  // the layout, and the highlights in it
    float painted_scroll_ = 0;
    Key key_;
    std::vector<figure::TimelineRun> runs_;
    std::vector<std::shared_ptr<const model::Run>> kept_;  // those of runs_ and layout_
    std::size_t last_count_ = 0;                           // of runs_, when it was last laid out
    int drawn_in_ = -1;                                    // the frame
    WhyOverlay why_;
    figure::TimelineOptions options_;
    std::optional<figure::Hit> hover_;
    std::optional<figure::Point> rests_at_;  // the pointer's place when a key last selected something
    // The card's text is computed once per hovered thing: finding causes may take a while.
    const Card& card_of(const model::Run& run, const figure::Hit& hit);
    struct CardKey {
        session::RunsVersion runs;
        std::uint64_t bookmarks = 0, op_found = 0, wait_found = 0;
        figure::Hit hit;
        friend bool operator==(const CardKey&, const CardKey&) = default;
    };
    Card card_, docked_card_;
    CardKey card_key_;
    OpDetails op_details_;
    WaitDetailsLookup wait_details_;
    // What to scroll into view in the next frame: the selected op, or the cursor's row.
    enum class Reveal : std::uint8_t { nothing, op, row } reveal_ = Reveal::nothing;
    void reveal(float height);
    struct LabelDrag {
        std::size_t row = 0, before = 0;  // of the layout
        float from_y = 0, height = 0;
        bool resize = false, moved = false;
    };
    std::optional<LabelDrag> label_drag_;
    bool lane_menu_wanted_ = false;
    struct Renaming {
        std::size_t row = 0;
        std::string text;
        bool focus = false;
    };
    std::optional<Renaming> renaming_;
    // The note being edited.
    struct Editing {
        const model::Run* run = nullptr;
        std::size_t index = 0;
        std::string text;
        bool fresh = false;  // its bookmark is new
        bool focus = false;
    };
    std::optional<Editing> editing_;
    bool panning_ = false;
    double pointer_ns_ = 0;
    SearchBar search_;
    Minimap minimap_;
    std::uint64_t last_started_ = 0;
};

}  // namespace headway::ui
