// The progress of work that takes long, as a notice that the learner closes to cancel the work.
//
// Threads: the UI's.
#pragma once

#include <chrono>
#include <string>

#include "app/ui/state/view/notices.h"

namespace headway::ui {

class ProgressNotice {
public:
    // `kind`: of this work alone.
    ProgressNotice(Notices& notices, Notice::Kind kind) : notices_(notices), kind_(kind) {}

    void begin() {
        notices_.take_closed(kind_);
        begun_ = std::chrono::steady_clock::now();
        percent_ = -1;
        cancelled_ = false;
    }
    // Call once a frame while the work goes on; `what` is being done. Calls cancel() once, if the notice was closed.
    // True if the notice is new.
    template <class Cancel>
    bool show(const std::string& what, int percent, Cancel cancel) {
        if (std::chrono::steady_clock::now() - begun_ < kPatience) {
            return false;
        }
        if (notices_.take_closed(kind_)) {
            cancel();
            cancelled_ = true;
        }
        if (cancelled_ || percent_ == percent) {
            return false;
        }
        percent_ = percent;
        notices_.add(kind_, Notice::Tone::info, what + ": " + std::to_string(percent) + " % (close this to cancel)");
        return true;
    }
    void end() { notices_.dismiss(kind_); }

private:
    static constexpr std::chrono::milliseconds kPatience{400};  // work that is done by then shows no progress

    Notices& notices_;
    Notice::Kind kind_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    int percent_ = -1;  // in the notice; -1: there is none yet
    bool cancelled_ = false;
};

}  // namespace headway::ui
