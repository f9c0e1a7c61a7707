#include "app/session/foreground.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "app/process/child.h"
#include "app/process/pipe.h"
#include "engine/core/system/exit_notice.h"
#include "engine/core/system/signal_words.h"

namespace headway::session {

namespace {

constexpr int kInterrupted = 130;  // exit status after a second Ctrl-C, which ends the runner at once

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::atomic<pid_t> runner_process{0};

// Signals from the terminal reach both processes; those sent by a process are forwarded to the runner.
void pass_on(int signal, siginfo_t* info, void*) {
    if (const pid_t runner = runner_process.load(); runner != 0 && info != nullptr && info->si_code <= 0) {
        kill(runner, signal);
    }
}

void print_error(const std::string& sentence) {
    std::fprintf(stderr, "headway: %s\n", sentence.c_str());
}

}  // namespace

int run_in_foreground(const std::string& runner, char** arguments) {
    auto notice = process::make_pipe(O_NONBLOCK);
    if (!notice) {
        print_error("cannot start a run: " + notice.error().message);
        return 1;
    }
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    // Signals stay blocked until the runner's id is stored, so that none is lost.
    sigset_t passed_on, before;
    sigemptyset(&passed_on);
    for (const int signal : kPassedOn) {
        sigaddset(&passed_on, signal);
    }
    sigprocmask(SIG_BLOCK, &passed_on, &before);
    for (const int signal : kPassedOn) {
        sigaction(signal, &action, nullptr);
    }
    process::Command command{.program = runner,
                             .in = process::Stream::ours(),
                             .out = process::Stream::ours(),
                             .err = process::Stream::ours(),
                             .passed = notice->write_end.get(),
                             .foreground = true};
    for (char** word = arguments + 1; *word != nullptr; ++word) {
        command.arguments.emplace_back(*word);
    }
    command.environment = {std::string(core::ExitNotice::kVariable) + "=" + std::to_string(command.passed)};
    auto child = process::Child::start(command);
    runner_process.store(child ? child->pid() : 0);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (!child) {
        print_error(child.error().message);
        return 1;
    }
    const process::Ending ending = child->wait();
    runner_process.store(0);
    char said = 0;
    const bool ended_regularly = read(notice->read_end.get(), &said, 1) == 1;
    if (ending.signal != 0) {
        print_error("the run was ended by " + core::signal_words(ending.signal) +
                    "; what it had not yet written is lost");
        return 1;
    }
    if (ended_regularly || ending.status == kInterrupted) {
        return ending.status;
    }
    print_error("the program exited the run's process with status " + std::to_string(ending.status) +
                "; what the run had not yet written is lost");
    return 1;
}

}  // namespace headway::session
