// A run in its own process, so that its memory and threads do not affect the next run.
//
// Threads: the main thread.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::runner {

// Owns a file descriptor.
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
    int status = 0;  // the child's exit status; the child has reported any error
};

// Runs the program with these options of `headway run` and waits for it to end. The child shares our stdout and stderr,
// and Ctrl-C reaches both. Fails when the child cannot be started.
core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options);

}  // namespace headway::runner
