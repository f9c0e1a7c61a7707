// Which time range the timeline shows, and how it moves. The wheel zooms at the pointer, drags pan, and during a run
// the view follows it until the user moves it.
//
// Threads: one. No ImGui, no clock: advance() takes the time that has passed.
#pragma once

#include <vector>

#include "app/timeline/timeline.h"

namespace headway::ui {

class ViewControl {
public:
    using View = figure::TimelineView;

    // The whole range; what fit and follow show. While following, the view grows with it.
    void set_whole(View whole);
    [[nodiscard]] View whole() const { return whole_; }

    // `at_ns` stays at its place on the screen; factor < 1 zooms in. Eased; further calls move the target.
    void zoom(double at_ns, double factor);
    void pan(double by_ns, bool eased);
    void bring_in(double at_ns);  // pans it to the middle, but not past the ends of the range; eased
    void fit();                   // the whole range, eased
    void show(View view);         // a range, with some margin on both sides, eased
    void follow();                // the whole range, following the run from now on
    void restart();               // a new run: the whole range, at once, following
    [[nodiscard]] bool following() const { return following_; }

    // Undoes and redoes the user's moves of the view. A series of zooms is one move, and so is a pan from press to
    // release.
    void back();
    void forth();
    [[nodiscard]] bool can_go_back() const { return !past_.empty(); }
    [[nodiscard]] bool can_go_forth() const { return !future_.empty(); }
    void begin_pan();  // a drag begins: the pan() calls until the next begin_pan() are one move

    // True while the view is moving.
    bool advance(double seconds);
    [[nodiscard]] View view() const { return now_; }
    [[nodiscard]] View target() const { return target_; }

private:
    void aim(View target);
    // To the last view of `from`; the present one is added to `to`.
    void go(std::vector<View>& from, std::vector<View>& to);
    void remember();  // stores the resting view before the user moves it
    [[nodiscard]] View within_reach(View view) const;

    static constexpr double kSeconds = 0.3;
    View whole_{0, 1e6}, now_{0, 1e6}, from_{0, 1e6}, target_{0, 1e6};
    double elapsed_ = kSeconds;
    bool following_ = true;
    static constexpr std::size_t kMostRemembered = 200;
    std::vector<View> past_, future_;
};

}  // namespace headway::ui
