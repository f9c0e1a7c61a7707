// The centre of the window: both runs on one time axis, with the hands' ways of moving in it.
#pragma once

#include <optional>

#include "app/figure/timeline.h"
#include "app/figure/timeline_why.h"
#include "app/ui/app_state.h"
#include "app/ui/hover_card.h"
#include "app/ui/search_bar.h"
#include "app/ui/text_measure.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

class TimelinePanel {
public:
    TimelinePanel(AppState& state, Ui& ui) : state_(state), ui_(ui), measure_(ui.fonts), search_(ui) {}

    void draw(ImVec2 min, ImVec2 max);

    // Keys, when no text field has them.
    void fit_selection_or_all();
    void clear();                           // Esc: the measure, then the selection
    void select_neighbour(int direction);   // the op before or after, in its lane
    void select_dependency(bool forwards);  // an op that it followed, or one that followed it
    void zoom_at_pointer(double factor);
    void pan_by_share(double share);
    void open_search() { search_.open(); }
    void search_step(int direction);  // to the next that was found, or the one before
    [[nodiscard]] const SearchBar& search() const { return search_; }

    // What the eye is on: the time under the pointer, else the view's end (while following: now), in the run's time.
    struct Moment {
        int run = 0;
        std::int64_t ns = 0;
        core::OpId op = 0;  // pointed at
    };
    [[nodiscard]] Moment moment() const;
    // Null when there is no such run.
    [[nodiscard]] const model::Run* run_at(int index) const;
    // Chooses an op and brings it into view; `zoom` fits the view to it.
    void choose(int run, core::OpId op, bool zoom);

    [[nodiscard]] const figure::TimelineLayout& layout() const { return layout_; }
    [[nodiscard]] bool has_measure() const { return measure_span_.has_value(); }

private:
    struct Key {
        figure::TimelineView view;
        figure::Box area;
        std::uint64_t a = 0, b = 0, started = 0, fonts = 0;
        const void* theme = nullptr;
        float scale = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };
    void lay_out(figure::Box area);
    void add_why(figure::DisplayList& to);
    void draw_empty(ImVec2 min, ImVec2 max);
    void handle_mouse(bool hovered, ImVec2 at);
    void draw_cursor(ImDrawList* list, ImVec2 at, float scroll);
    void draw_measure(ImDrawList* list, float scroll);
    void select(int run, core::OpId op, bool show);
    void bring_into_view();
    void draw_found(ImDrawList* list, float scroll) const;
    void draw_search(ImVec2 min, ImVec2 max);

    AppState& state_;
    Ui& ui_;
    TextMeasure measure_;
    figure::TimelineLayout layout_;
    Key key_;
    std::vector<figure::TimelineRun> runs_;
    // Of each run that is shown and over; worked out when it is first asked for.
    std::vector<std::shared_ptr<const figure::WhyOfRun>> why_;
    figure::TimelineOptions options_;
    std::optional<figure::Hit> hover_;
    // What the card says is worked out once per thing pointed at: causes may take a while to find.
    const Card& card_of(const model::Run& run, const figure::Hit& hit);
    Card card_;
    figure::Hit card_hit_;
    std::uint64_t card_revision_ = 0;
    struct Span {
        double from_ns = 0, to_ns = 0;
    };
    std::optional<Span> measure_span_;
    bool measuring_ = false, panning_ = false;
    double pointer_ns_ = 0;
    SearchBar search_;
};

}  // namespace headway::ui
