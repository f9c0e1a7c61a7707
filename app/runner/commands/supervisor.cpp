#include "app/runner/commands/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/runner/commands/limit_guard.h"
#include "app/runner/execution/interrupt.h"
#include "engine/trace/format.h"
#include "engine/trace/recording_file.h"

namespace headway::runner {
namespace {

constexpr int kLook_ms = 20;  // in this time the fastest program fills 32 MiB of its recording
constexpr auto kEndLook = std::chrono::milliseconds(1);
constexpr int kEndLooks = 2000;  // so that processes that multiply faster than they are killed do not hold us up

// Asks the program to stop. The recording may not have a header yet, so this is repeated. Writes to the file and not to
// a mapping, which the program could make invalid.
void ask_to_stop(int recording) {
    std::uint64_t magic = 0;
    if (pread(recording, &magic, sizeof magic, 0) != sizeof magic || magic != trace::kMagic) {
        return;
    }
    const auto put = [recording](std::size_t at, std::uint32_t value) {
        [[maybe_unused]] const auto written =
            pwrite(recording, &value, sizeof value, static_cast<off_t>(offsetof(trace::Header, control) + at));
    };
    put(offsetof(trace::Control, stop), 1);
    put(offsetof(trace::Control, pause), 0);
    put(offsetof(trace::Control, attention), 1);
}

// The state of a process and its parent, from /proc/PID/stat. Nothing if it is gone.
std::optional<std::pair<char, pid_t>> state_and_parent(const std::filesystem::path& folder) {
    std::ifstream in(folder / "stat");
    std::string text;
    std::getline(in, text);
    const auto after_name = text.rfind(") ");
    char state = 0;
    int parent = 0;
    if (after_name == std::string::npos || sscanf(text.c_str() + after_name + 2, "%c %d", &state, &parent) != 2) {
        return std::nullopt;
    }
    return std::pair(state, static_cast<pid_t>(parent));
}

bool has_children() {
    siginfo_t info{};
    return waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0;
}

std::vector<pid_t> children() {
    std::vector<pid_t> found;
    std::error_code problem;
    const pid_t own = getpid();
    for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
        const std::string name = entry.path().filename();
        if (name[0] >= '1' && name[0] <= '9') {
            if (const auto process = state_and_parent(entry.path()); process && process->second == own) {
                found.push_back(static_cast<pid_t>(std::stol(name)));
            }
        }
    }
    return found;
}

// Reaps ended processes that the program left behind. `except` is waited for elsewhere.
void reap(pid_t except) {
    siginfo_t info{};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0 && info.si_pid != except) {
        waitpid(info.si_pid, nullptr, WNOHANG);
        info = {};
    }
}

}  // namespace

core::Result<core::UniqueFd> make_recording(const char* name) {
    core::UniqueFd recording(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!recording) {
        return core::Error{core::ErrorKind::failed,
                           std::string("a run cannot be started: memfd_create: ") + std::strerror(errno)};
    }
    return recording;
}

Descendants::Descendants() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (has_children()) {
        before_ = children();
    }
}

void Descendants::end() const {
    const auto is_ours = [this](pid_t id) { return std::find(before_.begin(), before_.end(), id) == before_.end(); };
    for (int look = 0; look < kEndLooks && has_children(); ++look) {
        bool any = false;
        for (const pid_t id : children()) {
            if (is_ours(id)) {
                any = true;
                kill(id, SIGKILL);
                waitpid(id, nullptr, WNOHANG);
            }
        }
        if (!any) {
            return;
        }
        std::this_thread::sleep_for(kEndLook);
    }
}

model::ProcessEnd supervise(process::Child& child, int recording, LiveRun* live, const Descendants& descendants,
                            const confinement::Limits& limits, const std::function<void()>& meanwhile) {
    Interrupts::watch_child(child.pid());
    // Tells when the process has ended. Without it (before Linux 5.3) the end is noticed at the next look.
    const core::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, child.pid(), 0)));
    model::ProcessEnd end;
    std::optional<process::Ending> ending;
    LimitGuard guard(limits, recording, descendants.before());
    bool busy = false, over_limit = false;
    while (!(ending = child.poll())) {
        pollfd ended{process.get(), POLLIN, 0};
        poll(&ended, 1, busy ? 0 : kLook_ms);  // an interrupt ends it, too
        busy = live != nullptr && live->take_in();
        if (meanwhile) {
            meanwhile();
        }
        end.stop_asked = Interrupts::count() > 0;
        if (end.stop_asked) {
            ask_to_stop(recording);
        }
        if (Interrupts::is_to_be_killed() && !end.killed) {
            end.killed = true;
            child.kill(SIGKILL);
        }
        if (!over_limit && guard.look()) {
            over_limit = true;
            child.kill(SIGKILL);
        }
        reap(child.pid());
    }
    end.stop_asked = Interrupts::count() > 0;
    Interrupts::watch_child(0);
    descendants.end();
    if (over_limit) {
        guard.record();
    }
    end.limit = guard.reached();
    end.status = ending->status;
    end.signal = ending->signal;
    end.damaged = trace::is_damaged(recording);
    return end;
}

}  // namespace headway::runner
