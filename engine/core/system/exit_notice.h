// Notifies the waiting parent process that this process ended where it meant to, and not by an exit() in the middle:
// writes one byte to a pipe whose descriptor number is in the environment.
//
// Threads: create one object before other threads start.
#pragma once

namespace headway::core {

class ExitNotice {
public:
    static constexpr const char* kVariable = "HEADWAY_LAST_WORD";  // holds the descriptor's number

    ExitNotice();      // removes the variable from the environment, so that child processes do not notify
    void say() const;  // does nothing if no process waits

private:
    int fd_ = -1;
};

}  // namespace headway::core
