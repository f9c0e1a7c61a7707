#include "app/runner/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "app/runner/output_file.h"

namespace headway::runner {

namespace {

// What a signal handler can reach.
std::atomic<trace::Control*> watched{nullptr};
std::atomic<int> interrupts{0};

void ask(trace::Control& control) {
    control.stop.store(1);
    control.pause.store(0);
    control.attention.store(1);
}

void say(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void on_interrupt(int) {
    if (interrupts.fetch_add(1) != 0) {
        remove_unfinished_files();
        _exit(130);
    }
    if (auto* control = watched.load()) {
        ask(*control);
    }
    say("headway: stopping; press Ctrl-C again to end at once\n");
}

}  // namespace

Interrupts::Interrupts() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A reader that has gone away is an error of write(), not the end.
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
}

Interrupts::~Interrupts() {
    watched.store(nullptr);
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
