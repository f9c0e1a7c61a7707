// A program running in a process of its own: its output read without waiting, its end noticed without waiting.
//
// The child dies with the thread that started it, and is gone (no zombie) when this object is.
//
// Threads: one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::session {

// How it ended: with a status, or by a signal.
struct Ending {
    int status = 0;
    int signal = 0;  // 0: it ended by itself
};

class ChildProcess {
public:
    // The descriptor passed on is this one in the child.
    static constexpr int kPassedDescriptor = 3;

    // Starts `program` (a path, or a name on PATH) with these arguments; stdin is empty. `pass_fd` (-1: none) stays the
    // caller's. Fails with the reason when it cannot be run.
    static core::Result<ChildProcess> start(const std::string& program, const std::vector<std::string>& arguments,
                                            int pass_fd = -1);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();  // kills it if it still runs

    // Appends at most `limit` bytes of what it has written since.
    void read_stdout(std::string& to, std::size_t limit) { read(out_, to, limit); }
    void read_stderr(std::string& to, std::size_t limit) { read(err_, to, limit); }
    // Whether all it wrote has been read (both pipes are at their end).
    [[nodiscard]] bool output_ended() const { return out_ < 0 && err_ < 0; }

    // How it ended, once it has. Never waits.
    [[nodiscard]] std::optional<Ending> poll();
    void kill(int signal);  // nothing when it has ended
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    ChildProcess() = default;
    static void read(int& fd, std::string& to, std::size_t limit);
    void finish() noexcept;

    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    std::optional<Ending> ending_;
};

// "signal 9 (Killed)".
std::string signal_text(int signal);

}  // namespace headway::session
