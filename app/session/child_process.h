// A program in a child process: its output and its end are read without blocking.
//
// The child is killed when the thread that started it ends, and reaped when this object is destroyed.
//
// Threads: one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::session {

// How the process ended: with an exit status, or by a signal.
struct Ending {
    int status = 0;
    int signal = 0;  // 0: it exited normally
};

class ChildProcess {
public:
    // In the child, the passed descriptor has this number.
    static constexpr int kPassedDescriptor = 3;

    // Starts `program` (a path, or a name on PATH) with these arguments; stdin is empty. `pass_fd` (-1: none)
    // remains owned by the caller. Fails with the reason if the program cannot be executed.
    static core::Result<ChildProcess> start(const std::string& program, const std::vector<std::string>& arguments,
                                            int pass_fd = -1);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ~ChildProcess();  // kills the process if it is still running

    // Appends at most `limit` bytes of new output.
    void read_stdout(std::string& to, std::size_t limit) { read(out_, to, limit); }
    void read_stderr(std::string& to, std::size_t limit) { read(err_, to, limit); }
    // True if all output has been read (both pipes are at their end).
    [[nodiscard]] bool output_ended() const { return out_ < 0 && err_ < 0; }

    // How it ended; empty while it is running. Never blocks.
    [[nodiscard]] std::optional<Ending> poll();
    void kill(int signal);  // does nothing if it has ended
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
