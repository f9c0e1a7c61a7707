#include "app/process/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "app/process/pipe.h"
#include "engine/core/clock.h"

namespace headway::process {
namespace {

using core::UniqueFd;

constexpr auto kPollInterval = std::chrono::milliseconds(1);  // in wait(), if the child may have to be killed
constexpr std::int64_t kEndPatience_ns = 200'000'000;         // then a supervisor that was asked to end is killed
constexpr int kStreams = 3;

struct Plan {
    const char* program;
    char* const* arguments;
    char* const* environment;
    std::array<int, kStreams> streams;  // descriptors of ours; -1: as they are
    int passed;                         // -1: none
    int report;                         // gets the errno
    bool foreground;
    int death_signal;  // sent to the child when the parent dies
};

// Runs in the child after vfork(): makes only calls that are safe there, and writes only to errno and this stack,
// as the memory is the parent's. Either executes the program or writes errno to `report`.
[[noreturn]] void exec_child(const Plan& plan, pid_t parent) {
    // Reset signal handlers: a handler would change the parent's memory.
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            signal(number, SIG_DFL);
        }
    }
    signal(SIGPIPE, SIG_DFL);
    if (plan.death_signal != SIGKILL) {
        signal(plan.death_signal, SIG_DFL);  // a shell's background jobs ignore SIGQUIT, and so would this child
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, plan.death_signal);
    if (getppid() != parent) {
        _exit(127);  // the parent died in between
    }
    // Move the descriptors away from the numbers that they will get.
    const auto moved = [](int fd) { return fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 10) : -1; };
    const int report = moved(plan.report), passed = moved(plan.passed);
    std::array<int, kStreams> streams;
    for (int i = 0; i < kStreams; ++i) {
        streams[i] = moved(plan.streams[i]);
    }
    bool ready = report >= 0;
    for (int i = 0; i < kStreams; ++i) {
        ready = ready && (plan.streams[i] < 0 || dup2(streams[i], i) == i);
    }
    if (plan.foreground) {
        ready = ready && (plan.passed < 0 || fcntl(plan.passed, F_SETFD, 0) == 0);
    } else {
        setpgid(0, 0);  // the terminal's Ctrl-C does not reach it; a kill reaches the program's children, too
        constexpr int kPassed = Command::kPassedDescriptor;
        ready = ready && (plan.passed < 0 || dup2(passed, kPassed) == kPassed);
        // Close all other descriptors of this process on exec.
        syscall(SYS_close_range, kPassed + (plan.passed >= 0 ? 1 : 0), ~0u, 4 /*CLOSE_RANGE_CLOEXEC*/);
    }
    if (ready) {
        execvpe(plan.program, plan.arguments, plan.environment);
    }
    const int why = errno;
    [[maybe_unused]] const auto written = ::write(report, &why, sizeof why);
    _exit(127);
}

// Uses vfork(): copying the page tables of a window with a long run would take longer than a frame. The child
// shares the parent's memory until its exec, and the parent waits for that. posix_spawn() does the same, but cannot
// request that the child ends with its parent.
pid_t spawn(const Plan& plan) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t pid = vfork();
    if (pid == 0) {
        exec_child(plan, parent);
    }
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = why;
    return pid;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

// This process's environment with `added`, which replaces variables of the same name.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
    std::vector<std::string> all = added;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const auto replaces = [name = text.substr(0, text.find('=') + 1)](const std::string& other) {
            return !name.empty() && other.starts_with(name);
        };
        if (std::none_of(added.begin(), added.end(), replaces)) {
            all.emplace_back(text);
        }
    }
    return all;
}

// Both ends of a stream; the parent's is invalid unless it is a pipe.
struct Ends {
    UniqueFd parent_end, child_end;
    int fd = -1;  // the child's
};
// errno says why there are none.
std::optional<Ends> ends_of(const Stream& stream, bool input) {
    Ends ends;
    if (stream.to == Stream::To::nothing) {
        ends.child_end.reset(open("/dev/null", (input ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
    } else if (stream.to == Stream::To::pipe && input) {
        // A socket: if the program ends early, send() returns an error instead of raising SIGPIPE.
        std::array<int, 2> both{-1, -1};
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data());
        ends.parent_end.reset(both[0]);
        ends.child_end.reset(both[1]);
    } else if (stream.to == Stream::To::pipe) {
        if (auto pipe = make_pipe()) {
            fcntl(pipe->read_end.get(), F_SETFL, O_NONBLOCK);
            ends.parent_end = std::move(pipe->read_end);
            ends.child_end = std::move(pipe->write_end);
        }
    } else {
        ends.fd = stream.to == Stream::To::descriptor ? stream.fd : -1;
        return ends;
    }
    ends.fd = ends.child_end.get();
    return ends.child_end ? std::optional(std::move(ends)) : std::nullopt;
}

}  // namespace

core::Result<Child> Child::start(const Command& command) {
    const auto error = [&command](int why) {
        return core::Error{core::ErrorKind::unavailable, "cannot start " + command.program + ": " + std::strerror(why)};
    };
    auto in = ends_of(command.in, true), out = ends_of(command.out, false), err = ends_of(command.err, false);
    auto report = make_pipe();
    if (!in || !out || !err || !report) {
        return error(errno);
    }
    std::vector<std::string> words{command.name.empty() ? command.program : command.name};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    const auto environment = environment_with(command.environment);
    const auto arguments = pointers_to(words), variables = pointers_to(environment);

    Child child;
    child.state_.own_group = !command.foreground;
    child.state_.supervisor = command.supervisor;
    child.state_.pid = spawn({command.program.c_str(),
                              arguments.data(),
                              variables.data(),
                              {in->fd, out->fd, err->fd},
                              command.passed,
                              report->write_end.get(),
                              command.foreground,
                              command.supervisor ? SIGQUIT : SIGKILL});
    if (child.state_.pid < 0) {
        return error(errno);
    }
    report->write_end.reset();
    int why = 0;
    ssize_t got = 0;
    do {
        got = ::read(report->read_end.get(), &why, sizeof why);  // ends at exec, within milliseconds
    } while (got < 0 && errno == EINTR);
    if (got == sizeof why) {
        return error(why);
    }
    child.state_.in = std::move(in->parent_end);
    child.state_.out = std::move(out->parent_end);
    child.state_.err = std::move(err->parent_end);
    if (command.limit) {
        child.state_.end_ns = core::monotonic_ns() + std::chrono::nanoseconds(*command.limit).count();
    }
    return child;
}

core::Result<std::optional<Child>> Child::fork() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    Child child;
    child.state_.pid = ::fork();
    if (child.state_.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(127);  // the parent died in between
        }
        child.state_.pid = -1;
        return std::optional<Child>();
    }
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child.state_.pid < 0) {
        return core::Error{core::ErrorKind::unavailable, std::string("fork: ") + std::strerror(why)};
    }
    return std::optional<Child>(std::move(child));
}

void Child::unblock_signals() {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void Child::finish() noexcept {
    if (state_.pid > 0 && !state_.ending) {
        end();
        wait();
    }
    state_.pid = -1;
}

bool Child::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = send(state_.in.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

void Child::read(UniqueFd& fd, std::string& to, std::size_t limit) {
    std::array<char, 16384> buffer;
    while (fd && limit > 0) {
        const ssize_t got = ::read(fd.get(), buffer.data(), std::min(buffer.size(), limit));
        if (got > 0) {
            to.append(buffer.data(), static_cast<std::size_t>(got));
            limit -= static_cast<std::size_t>(got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else {
            fd.reset();
        }
    }
}

std::optional<Ending> Child::poll() {
    if (state_.pid > 0 && !state_.ending) {
        // Kill what the child has left in its group, before it is reaped: afterwards another group may have its id.
        siginfo_t ended{};
        if (state_.own_group &&
            waitid(P_PID, static_cast<id_t>(state_.pid), &ended, WEXITED | WNOWAIT | WNOHANG) == 0 &&
            ended.si_pid == state_.pid) {
            ::kill(-state_.pid, SIGKILL);
        }
        int status = 0;
        const pid_t got = waitpid(state_.pid, &status, WNOHANG);
        if (got == state_.pid) {
            state_.ending =
                WIFSIGNALED(status) ? Ending{128 + WTERMSIG(status), WTERMSIG(status)} : Ending{WEXITSTATUS(status), 0};
            state_.ending->out_of_time = state_.out_of_time;
        } else if (got < 0 && errno == ECHILD) {
            state_.ending = Ending{127, 0};
        } else if (core::monotonic_ns() > state_.kill_ns) {
            kill(SIGKILL);
        } else if (core::monotonic_ns() > state_.end_ns && !std::exchange(state_.out_of_time, true)) {
            kill(SIGKILL);
        }
    }
    return state_.ending;
}

Ending Child::wait() {
    while (!poll()) {
        if (state_.end_ns != INT64_MAX || state_.kill_ns != INT64_MAX) {
            std::this_thread::sleep_for(kPollInterval);
            continue;
        }
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(state_.pid), &info, WEXITED | WNOWAIT);  // poll() reaps it
    }
    return *state_.ending;
}

void Child::kill(int signal) {
    if (state_.pid > 0 && !state_.ending) {
        if (!state_.own_group || ::kill(-state_.pid, signal) != 0) {
            ::kill(state_.pid, signal);
        }
    }
}

void Child::end() {
    if (!state_.supervisor) {
        kill(SIGKILL);
    } else if (state_.pid > 0 && !state_.ending && state_.kill_ns == INT64_MAX) {
        state_.kill_ns = core::monotonic_ns() + kEndPatience_ns;
        ::kill(state_.pid, SIGQUIT);
    }
}

}  // namespace headway::process
