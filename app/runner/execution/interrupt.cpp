#include "app/runner/execution/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/core/system/output_file.h"

namespace headway::runner {

namespace {

constexpr int kEndedAtOnce = 130;  // exit status

// State for the signal handlers.
std::atomic<trace::Control*> watched{nullptr};
std::atomic<bool> stop_asked{false};
std::atomic<int> interrupts{0}, while_saving{0};
std::atomic<bool> saving{false};
std::atomic<pid_t> child{0};

void ask(trace::Control& control) {
    control.stop.store(1);
    control.pause.store(0);
    control.attention.store(1);
}

void say(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

// One press of Ctrl-C may arrive twice: from the terminal, and forwarded by the parent process (`make`, a shell).
constexpr std::int64_t kSamePress_ns = 100'000'000;
std::atomic<std::int64_t> last_at_ns{0};
// SIGTERM and SIGHUP come once, from a scheduler or a closed terminal, so nobody presses a second time.
constexpr std::int64_t kTermPatience_ns = 1'000'000'000;
std::atomic<std::int64_t> overdue_at_ns{0};

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Whether this process sent the signal, and not the terminal, the kernel or another process.
bool is_from(pid_t process, const siginfo_t* info) {
    return info != nullptr && info->si_code <= 0 && info->si_pid == process;
}

void on_interrupt(int signal, siginfo_t* info, void*) {
    if (const pid_t run = child.load(); run != 0 && is_from(run, info)) {
        return;  // sent by the program to its group or parent: not a request to stop
    }
    if (interrupts.load() != 0 && signal != SIGQUIT && now_ns() - last_at_ns.load() < kSamePress_ns) {
        return;
    }
    last_at_ns.store(now_ns());
    const int count = signal == SIGQUIT ? interrupts.exchange(2) + 2 : interrupts.fetch_add(1) + 1;
    const bool insists = signal == SIGTERM || signal == SIGHUP;
    if (insists && overdue_at_ns.load() == 0) {
        overdue_at_ns.store(now_ns() + kTermPatience_ns);
    }
    const bool again = saving.load() && while_saving.fetch_add(1) > 0;
    if (count > 2 || again) {
        if (const pid_t run = child.load(); run != 0) {
            kill(run, SIGKILL);
        }
        core::remove_unfinished_files();
        _exit(kEndedAtOnce);
    }
    if (saving.load()) {
        say("headway: saving what was recorded; press Ctrl-C again to end without it\n");
    } else if (count == 1 && insists) {
        say("headway: stopping; a program that does not end within a second is killed\n");
    } else if (count == 1) {
        say("headway: stopping; press Ctrl-C again to kill the program\n");
    } else {
        say("headway: killing the program and saving what was recorded; press Ctrl-C again to end without it\n");
    }
}

// As in any program, a signal that the program sends to itself ends it (or, SIGINT, interrupts it).
void on_stop_signal(int signal, siginfo_t* info, void*) {
    if (signal != SIGINT && is_from(getpid(), info)) {
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, nullptr);
        raise(signal);  // delivered when this handler returns
        return;
    }
    stop_asked.store(true);
    if (auto* control = watched.load()) {
        ask(*control);
    }
}

void ignore(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigaction(signal, &action, nullptr);
}

// Unless it is ignored, as under nohup.
void handle(int signal, const struct sigaction& action) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && (signal != SIGHUP || before.sa_handler != SIG_IGN)) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

Interrupts::Interrupts() {
    struct sigaction action {};
    action.sa_sigaction = on_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        handle(signal, action);
    }
    ignore(SIGPIPE);  // a closed reader is an error of write(); it must not kill the process
}

void Interrupts::watch_child(pid_t process) {
    child.store(process);
}

void Interrupts::begin_saving() {
    saving.store(true);
}

int Interrupts::count() {
    return interrupts.load();
}

bool Interrupts::is_to_be_killed() {
    const std::int64_t overdue_ns = overdue_at_ns.load();
    return interrupts.load() > 1 || (overdue_ns != 0 && now_ns() > overdue_ns);
}

StopSignals::StopSignals() {
    struct sigaction action {};
    action.sa_sigaction = on_stop_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        handle(signal, action);
    }
    struct sigaction ends {};
    ends.sa_handler = SIG_DFL;  // the supervisor handles it, and this process is a copy of the supervisor
    handle(SIGQUIT, ends);
    ignore(SIGPIPE);
}

void StopSignals::watch(trace::Control* control) {
    watched.store(control);
    if (control != nullptr && stop_asked.load()) {
        ask(*control);
    }
}

}  // namespace headway::runner
