// Watches what a run takes (app/confinement/limits.h) and ends it when it exceeds a limit: the program is asked to
// stop, its child processes are killed, and if it has not ended a second later, so is its process. What was recorded is
// kept. It watches until the program's process ends, so exit handlers and threads that go on have the same limits.
// A process that has no watch any more is ended by its supervisor (commands/limit_guard.h).
//
// Threads: one of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "app/confinement/limits.h"
#include "engine/core/result.h"
#include "engine/trace/format.h"

namespace headway::runner {

// The error of a run that was ended for this reason, and an error as a recording holds it.
[[nodiscard]] core::Error limit_error(const std::string& reached);
[[nodiscard]] std::string error_json(const core::Error& error);

class LimitWatch {
public:
    // Exit status of a process that did not end when it was asked to.
    static constexpr int kStatus = 1;

    // Records the sentence, on the watch's thread, when the program does not end: the frontend is stuck.
    using Record = std::function<void(const std::string& reached)>;

    // Starts no thread if there are no limits. Time counts from here, without pauses.
    LimitWatch(const confinement::Limits& limits, trace::Control& control, Record record);
    // The sentence about the limit that was exceeded, or "".
    [[nodiscard]] std::string reached() const { return is_reached_.load() ? reached_ : std::string(); }

private:
    void watch(const std::stop_token& done, const confinement::Limits& limits, trace::Control& control);

    Record record_;
    std::string reached_;  // written by the thread, before is_reached_
    std::atomic<bool> is_reached_{false};
    std::jthread thread_;
};

}  // namespace headway::runner
