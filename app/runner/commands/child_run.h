// A run in a process of its own, so that neither its memory nor its threads are in the way of the next one.
//
// Threads: the main thread.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::runner {

// A descriptor that is closed.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

struct ChildRun {
    Descriptor recording;
    int status = 0;  // the child's exit status; it has said why
};

// Runs the program to its end with these options of `headway run`. Its output, its errors and Ctrl-C are the child's as
// well as ours. Fails when it cannot be started.
core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options);

}  // namespace headway::runner
