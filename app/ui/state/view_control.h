// Which stretch of time the timeline shows, and how it moves there: the wheel zooms at the pointer, hands pan, and
// while a run goes on the view follows it until a hand touches it.
//
// Threads: one. No ImGui, no clock: advance() is told how much time has passed.
#pragma once

#include <vector>

#include "app/timeline/timeline.h"

namespace headway::ui {

class ViewControl {
public:
    using View = figure::TimelineView;

    // Everything there is to see; what fit and follow show. While following, the view grows with it.
    void set_whole(View whole);
    [[nodiscard]] View whole() const { return whole_; }

    // The view keeps `at_ns` where it is on the screen; factor < 1 zooms in. Eased; further calls move the target.
    void zoom(double at_ns, double factor);
    void pan(double by_ns, bool eased);
    void bring_in(double at_ns);  // pans it to the middle, though not past an end of everything; eased
    void fit();                   // everything, eased
    void show(View view);         // a stretch, with some room on both sides, eased
    void follow();                // everything, and on with the run
    void restart();               // a new run: everything, at once, following
    [[nodiscard]] bool following() const { return following_; }

    // Back to where the view was before the last move of a hand, and forth again. A series of zooms, or a pan from the
    // press of the button to its release, is one move.
    void back();
    void forth();
    [[nodiscard]] bool can_go_back() const { return !past_.empty(); }
    [[nodiscard]] bool can_go_forth() const { return !future_.empty(); }
    void begin_pan();  // a hand has taken hold: what pan() does until the next one is one move

    // True while the view is moving.
    bool advance(double seconds);
    [[nodiscard]] View view() const { return now_; }
    [[nodiscard]] View target() const { return target_; }

private:
    void aim(View target);
    void remember();  // where the view was at rest, before a hand moves it
    [[nodiscard]] View within_reach(View view) const;

    static constexpr double kSeconds = 0.3;
    View whole_{0, 1e6}, now_{0, 1e6}, from_{0, 1e6}, target_{0, 1e6};
    double elapsed_ = kSeconds;
    bool following_ = true;
    static constexpr std::size_t kMostRemembered = 200;
    std::vector<View> past_, future_;
};

}  // namespace headway::ui
