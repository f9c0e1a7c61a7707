// The progress of work that takes long, as a notice that the learner closes to cancel the work.
//
// Threads: the UI's.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "app/ui/state/view/notices.h"

namespace headway::ui {

class ProgressNotice {
public:
    // `kind`: of this work alone.
    ProgressNotice(Notices& notices, Notice::Kind kind) : notices_(notices), kind_(kind) {}

    void begin() {
        notices_.take_closed(kind_);
        begun_ = std::chrono::steady_clock::now();
        text_.clear();
        cancelled_ = false;
    }
    // Call once a frame while the work goes on; `what` is being done. Calls cancel() once, if the notice was closed.
    // True if the notice is new.
    template <class Cancel>
    bool show(const std::string& what, int percent, Cancel cancel, const std::string& hint = "close this to cancel") {
        if (std::chrono::steady_clock::now() - begun_ < kPatience) {
            return false;
        }
        if (notices_.take_closed(kind_)) {
            cancel();
            cancelled_ = true;
        }
        std::string text = what + ": " + std::to_string(percent) + " % (" + hint + ")";
        if (cancelled_ || text == text_) {
            return false;
        }
        text_ = std::move(text);
        notices_.add(kind_, Notice::Tone::info, text_);
        return true;
    }
    void end() { notices_.dismiss(kind_); }

private:
    static constexpr std::chrono::milliseconds kPatience{400};  // work that is done by then shows no progress

    Notices& notices_;
    Notice::Kind kind_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::string text_;  // of the notice; empty: there is none yet
    bool cancelled_ = false;
};

}  // namespace headway::ui
