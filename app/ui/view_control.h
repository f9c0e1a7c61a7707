// Which stretch of time the timeline shows, and how it moves there: the wheel zooms at the pointer, hands pan, and
// while a run goes on the view follows it until a hand touches it.
//
// Threads: one. No ImGui, no clock: advance() is told how much time has passed.
#pragma once

#include "app/figure/timeline.h"

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
    void fit();            // everything, eased
    void show(View view);  // a stretch, with some room on both sides, eased
    void follow();         // everything, and on with the run
    void restart();        // a new run: everything, at once, following
    [[nodiscard]] bool following() const { return following_; }

    // True while the view is moving.
    bool advance(double seconds);
    [[nodiscard]] View view() const { return now_; }
    [[nodiscard]] View target() const { return target_; }

private:
    void aim(View target);
    [[nodiscard]] View within_reach(View view) const;

    static constexpr double kSeconds = 0.3;
    View whole_{0, 1e6}, now_{0, 1e6}, from_{0, 1e6}, target_{0, 1e6};
    double elapsed_ = kSeconds;
    bool following_ = true;
};

}  // namespace headway::ui
