// A program in a child process: the one way in which Headway starts programs.
//
// The child is killed when the thread that started it ends, and killed and reaped when its Child is destroyed. Starting
// it does not copy this process's page tables, so it takes less than a millisecond in a window with a long run.
//
// Threads: one per Child.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::process {

// What a standard stream of the child is connected to.
struct Stream {
    enum class To { ours, nothing, pipe, descriptor } to = To::nothing;
    int fd = -1;  // for descriptor; owned by the caller

    static Stream ours() { return {To::ours}; }
    static Stream nothing() { return {To::nothing}; }  // /dev/null
    static Stream pipe() { return {To::pipe}; }        // read or written through Child
    static Stream descriptor(int fd) { return {To::descriptor, fd}; }
};

struct Command {
    // The number of `passed` in a child that is not in the foreground.
    static constexpr int kPassedDescriptor = 3;

    std::string program;  // a path, or a name on PATH
    std::vector<std::string> arguments{};
    std::string name{};                      // its argv[0], if that is not `program`
    std::vector<std::string> environment{};  // "NAME=value", in addition to ours
    Stream in = Stream::nothing(), out = Stream::pipe(), err = Stream::pipe();
    int passed = -1;  // a further descriptor that the child gets; owned by the caller
    // In the foreground the child belongs to our process group, so that Ctrl-C in the terminal reaches it, it has all
    // descriptors that are not closed on exec, and `passed` keeps its number. Otherwise it has a process group of its
    // own, and no descriptors but the standard ones and `passed`.
    bool foreground = false;
    // On SIGQUIT it ends itself and all that it started, in whichever session or group that is now. end() sends
    // SIGQUIT, and so does the kernel when this process dies; other children get SIGKILL.
    bool supervisor = false;
    std::optional<std::chrono::milliseconds> limit{};  // poll() and wait() kill it when it runs for longer
};

// How a process ended: with an exit status, or by a signal.
struct Ending {
    int status = 0;  // 128 + signal, if a signal ended it
    int signal = 0;  // 0: it exited by itself
    bool out_of_time = false;
};

class Child {
public:
    // In the child all signals have their default action, except that ignored ones stay ignored (but SIGPIPE, and
    // SIGQUIT of a supervisor, do not), and none is blocked. Fails with the reason if the program cannot be executed.
    static core::Result<Child> start(const Command& command);
    // A copy of this process, in the foreground: it goes on from here with all descriptors. Empty in the copy. Call it
    // before this process has other threads; signals are blocked in the copy until `unblock_signals`.
    static core::Result<std::optional<Child>> fork();
    static void unblock_signals();
    Child(Child&& other) noexcept : state_(std::exchange(other.state_, {})) {}
    Child& operator=(Child&& other) noexcept {
        finish();
        state_ = std::exchange(other.state_, {});
        return *this;
    }
    ~Child() { finish(); }

    // Writes all of it, and blocks while the pipe is full. False if the child does not read any more.
    bool write(std::string_view bytes);
    void close_input() { state_.in.reset(); }
    // Append at most `limit` bytes of new output. Never block.
    void read_stdout(std::string& to, std::size_t limit) { read(state_.out, to, limit); }
    void read_stderr(std::string& to, std::size_t limit) { read(state_.err, to, limit); }
    // True if all output has been read (both pipes are at their end).
    [[nodiscard]] bool output_ended() const { return !state_.out && !state_.err; }

    // How it ended; empty while it is running. Never blocks.
    [[nodiscard]] std::optional<Ending> poll();
    // Blocks until it has ended. A child whose output goes to a pipe may wait for a reader.
    Ending wait();
    // The whole process group, if it has one of its own. Does nothing if it has ended.
    void kill(int signal);
    // Makes it end soon, whatever it does: a supervisor is asked, and killed by poll() if it takes too long.
    void end();
    [[nodiscard]] pid_t pid() const { return state_.pid; }

private:
    struct State {
        pid_t pid = -1;
        bool own_group = false, out_of_time = false, supervisor = false;
        std::int64_t end_ns = INT64_MAX;   // of its time limit
        std::int64_t kill_ns = INT64_MAX;  // when it is killed, as it was asked to end and has not
        core::UniqueFd in, out, err;       // our ends of the pipes
        std::optional<Ending> ending;
    };
    Child() = default;
    static void read(core::UniqueFd& fd, std::string& to, std::size_t limit);
    void finish() noexcept;

    State state_;
};

}  // namespace headway::process
