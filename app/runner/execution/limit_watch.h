// Watches what a run takes (app/confinement/limits.h) and ends it when it exceeds a limit: the program is asked to
// stop, its child processes are killed, and if it has not ended a second later, so is its process. What was recorded is
// kept.
//
// Threads: one of its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "app/confinement/limits.h"
#include "engine/trace/format.h"

namespace headway::runner {

class LimitWatch {
public:
    // Exit status of a process that did not end when it was asked to.
    static constexpr int kStatus = 1;

    // Records the sentence, on the watch's thread, when the program does not end: the frontend is stuck.
    using Record = std::function<void(const std::string& reached)>;

    // Starts no thread if there are no limits. Time counts from here, without pauses.
    LimitWatch(const confinement::Limits& limits, trace::Control& control, Record record);
    // Ends the watch. The sentence about the limit that was exceeded, or "".
    std::string end();

private:
    void watch(const std::stop_token& done, const confinement::Limits& limits, trace::Control& control);

    Record record_;
    std::string reached_;  // written by the thread, read after its end
    std::jthread thread_;
};

}  // namespace headway::runner
