// The last word of a process to the one that waits for it: that it ended where it meant to, and not by an exit() in the
// middle. A byte in a pipe whose descriptor stands in the environment.
//
// Threads: one object, made before others start.
#pragma once

namespace headway::core {

class ExitNotice {
public:
    static constexpr const char* kVariable = "HEADWAY_LAST_WORD";  // holds the descriptor's number

    ExitNotice();      // takes the descriptor out of the environment: children do not speak for us
    void say() const;  // without effect where nobody waits

private:
    int fd_ = -1;
};

}  // namespace headway::core
