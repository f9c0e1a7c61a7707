#include "app/runner/execution/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "app/exchange/files/output_file.h"

namespace headway::runner {

namespace {

// State for the signal handler.
std::atomic<trace::Control*> watched{nullptr};
std::atomic<int> interrupts{0};
std::atomic<pid_t> child{0};

void ask(trace::Control& control) {
    control.stop.store(1);
    control.pause.store(0);
    control.attention.store(1);
}

void say(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

// One press of Ctrl-C may arrive twice: from the terminal, and forwarded by the parent process.
constexpr std::int64_t kSamePress_ns = 100'000'000;
std::atomic<std::int64_t> first_at_ns{0};

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void on_interrupt(int signal, siginfo_t* info, void*) {
    const pid_t run = child.load();
    if (interrupts.load() != 0 && now_ns() - first_at_ns.load() < kSamePress_ns) {
        return;
    }
    if (interrupts.fetch_add(1) == 0) {
        first_at_ns.store(now_ns());
    } else {
        if (run != 0) {
            kill(run, SIGKILL);
        }
        exchange::remove_unfinished_files();
        _exit(130);
    }
    if (run != 0 && info != nullptr && info->si_code <= 0) {  // sent by a process, not by the terminal
        kill(run, signal);
    }
    if (auto* control = watched.load()) {
        ask(*control);
    }
    say("headway: stopping; press Ctrl-C again to end at once\n");
}

}  // namespace

Interrupts::Interrupts() {
    struct sigaction action {};
    action.sa_sigaction = on_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A closed reader is an error of write(); it must not kill the process.
    action.sa_flags = 0;
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
}

Interrupts::~Interrupts() {
    watched.store(nullptr);
}

void Interrupts::watch_child(int process) {
    child.store(process);
    // Forward an interrupt that arrived before the child's id was known. If the child got it from the terminal as well,
    // it counts both as one press.
    if (process != 0 && interrupts.load() != 0) {
        kill(process, SIGTERM);
    }
}

void Interrupts::watch(trace::Control* control) {
    watched.store(control);
    if (control != nullptr && asked()) {
        ask(*control);
    }
}

bool Interrupts::asked() const {
    return interrupts.load() != 0;
}

}  // namespace headway::runner
