#include "app/session/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace headway::session {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }
    void set(int fd) { fd_ = fd; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

struct Pipe {
    Descriptor read_end, write_end;
    bool open() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            return false;
        }
        read_end.set(ends[0]);
        write_end.set(ends[1]);
        return true;
    }
};

struct SpawnArgs {
    const char* program;
    char* const* arguments;
    int in, out, err, pass, report;  // descriptors; pass: -1, none
};

// Runs in the child after vfork(): makes only calls that are safe there, and writes only to errno and this stack,
// as the memory is the parent's. Either executes the program or writes errno to `report`.
[[noreturn]] void exec_child(const SpawnArgs& args, pid_t parent) {
    // Reset signal handlers: a handler would change the parent's memory.
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            signal(number, SIG_DFL);
        }
    }
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);  // the parent died in between
    }
    setpgid(0, 0);  // the terminal's Ctrl-C reaches only the window; a kill reaches the program's children, too
    // Move the descriptors away from the numbers that they will get.
    const int moved_out = fcntl(args.out, F_DUPFD_CLOEXEC, 10), moved_err = fcntl(args.err, F_DUPFD_CLOEXEC, 10),
              moved_in = fcntl(args.in, F_DUPFD_CLOEXEC, 10), moved_report = fcntl(args.report, F_DUPFD_CLOEXEC, 10),
              moved_pass = args.pass >= 0 ? fcntl(args.pass, F_DUPFD_CLOEXEC, 10) : -1;
    bool ready = moved_report >= 0 && dup2(moved_in, 0) == 0 && dup2(moved_out, 1) == 1 && dup2(moved_err, 2) == 2;
    if (args.pass >= 0) {
        ready = ready && dup2(moved_pass, ChildProcess::kPassedDescriptor) == ChildProcess::kPassedDescriptor;
    }
    if (ready) {
        // Close all other descriptors of this process on exec.
        syscall(SYS_close_range, ChildProcess::kPassedDescriptor + (args.pass >= 0 ? 1 : 0), ~0u,
                4 /*CLOSE_RANGE_CLOEXEC*/);
        execvp(args.program, args.arguments);
    }
    const int why = errno;
    [[maybe_unused]] const auto written = write(moved_report, &why, sizeof why);
    _exit(127);
}

// Uses vfork(): copying the page tables of a window with a long run would take longer than a frame. The child
// shares the parent's memory until its exec, and the parent waits for that.
pid_t spawn_child(const SpawnArgs& args) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t pid = vfork();
    if (pid == 0) {
        exec_child(args, parent);
    }
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = why;
    return pid;
}

}  // namespace

core::Result<ChildProcess> ChildProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                               int pass_fd) {
    const auto error = [&program](int why) {
        return core::Error{core::ErrorKind::unavailable, "cannot start " + program + ": " + std::strerror(why)};
    };
    Pipe out, err, report;
    Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (null.get() < 0 || !out.open() || !err.open() || !report.open()) {
        return error(errno);
    }
    std::vector<char*> argv;
    argv.push_back(const_cast<char*>(program.c_str()));
    for (const auto& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);

    const pid_t pid = spawn_child({program.c_str(), argv.data(), null.get(), out.write_end.get(), err.write_end.get(),
                                   pass_fd, report.write_end.get()});
    if (pid < 0) {
        return error(errno);
    }
    ChildProcess child;
    child.pid_ = pid;
    close(report.write_end.release());
    int why = 0;
    ssize_t got = 0;
    do {
        got = ::read(report.read_end.get(), &why, sizeof why);  // ends at exec, within milliseconds
    } while (got < 0 && errno == EINTR);
    if (got == sizeof why) {
        return error(why);
    }
    child.out_ = out.read_end.release();
    child.err_ = err.read_end.release();
    fcntl(child.out_, F_SETFL, O_NONBLOCK);
    fcntl(child.err_, F_SETFL, O_NONBLOCK);
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      ending_(std::exchange(other.ending_, std::nullopt)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        finish();
        pid_ = std::exchange(other.pid_, -1);
        out_ = std::exchange(other.out_, -1);
        err_ = std::exchange(other.err_, -1);
        ending_ = std::exchange(other.ending_, std::nullopt);
    }
    return *this;
}

ChildProcess::~ChildProcess() {
    finish();
}

void ChildProcess::finish() noexcept {
    if (pid_ > 0 && !ending_) {
        kill(SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    for (int fd : {out_, err_}) {
        if (fd >= 0) {
            close(fd);
        }
    }
    pid_ = out_ = err_ = -1;
}

void ChildProcess::read(int& fd, std::string& to, std::size_t limit) {
    std::array<char, 16384> buffer;
    while (fd >= 0 && limit > 0) {
        const ssize_t got = ::read(fd, buffer.data(), std::min(buffer.size(), limit));
        if (got > 0) {
            to.append(buffer.data(), static_cast<std::size_t>(got));
            limit -= static_cast<std::size_t>(got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else {
            close(fd);
            fd = -1;
        }
    }
}

std::optional<Ending> ChildProcess::poll() {
    if (pid_ > 0 && !ending_) {
        int status = 0;
        const pid_t got = waitpid(pid_, &status, WNOHANG);
        if (got == pid_) {
            ending_ =
                WIFSIGNALED(status) ? Ending{128 + WTERMSIG(status), WTERMSIG(status)} : Ending{WEXITSTATUS(status), 0};
        } else if (got < 0 && errno == ECHILD) {
            ending_ = Ending{127, 0};
        }
    }
    return ending_;
}

void ChildProcess::kill(int signal) {
    if (pid_ > 0 && !ending_) {
        if (::kill(-pid_, signal) != 0) {
            ::kill(pid_, signal);
        }
    }
}

std::string signal_text(int signal) {
    std::string text = "signal " + std::to_string(signal);
    if (const char* name = sigdescr_np(signal)) {
        text += std::string(" (") + name + ")";
    }
    return text;
}

}  // namespace headway::session
