// Owns a file descriptor and closes it.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace headway::core {

class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) noexcept : fd_(fd) {}  // negative: none
    UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        reset(other.release());
        return *this;
    }
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    // Gives up ownership.
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        if (fd_ >= 0) {
            ::close(fd_);
        }
        fd_ = fd;
    }
    // For files that were written to, whose last error may be reported only now. Returns the errno, or 0.
    [[nodiscard]] int close() { return ::close(release()) == 0 ? 0 : errno; }

private:
    int fd_ = -1;
};

}  // namespace headway::core
