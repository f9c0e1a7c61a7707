#include "app/session/foreground.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/core/exit_notice.h"
#include "engine/core/signal_words.h"

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
    int notice[2] = {-1, -1};
    if (pipe2(notice, O_CLOEXEC | O_NONBLOCK) != 0) {
        print_error(std::string("cannot start a run: pipe2: ") + std::strerror(errno));
        return 1;
    }
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    // Signals stay blocked until the runner's id is stored, and in the runner until its handlers are reset, so that
    // none is lost.
    sigset_t passed_on, before;
    sigemptyset(&passed_on);
    for (const int signal : kPassedOn) {
        sigaddset(&passed_on, signal);
    }
    sigprocmask(SIG_BLOCK, &passed_on, &before);
    for (const int signal : kPassedOn) {
        sigaction(signal, &action, nullptr);
    }
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        print_error(std::string("cannot start a run: fork: ") + std::strerror(errno));
        return 1;
    }
    if (child == 0) {
        for (const int signal : kPassedOn) {
            ::signal(signal, SIG_DFL);
        }
        sigprocmask(SIG_SETMASK, &before, nullptr);
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // the run ends with this process
        if (getppid() != parent) {
            _exit(1);
        }
        fcntl(notice[1], F_SETFD, 0);
        setenv(core::ExitNotice::kVariable, std::to_string(notice[1]).c_str(), 1);
        arguments[0] = const_cast<char*>(runner.c_str());
        execv(runner.c_str(), arguments);
        print_error("cannot start " + runner + ": " + std::strerror(errno));
        _exit(2);
    }
    runner_process.store(child);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    runner_process.store(0);
    char said = 0;
    const bool ended_regularly = read(notice[0], &said, 1) == 1;
    if (WIFSIGNALED(ended)) {
        print_error("the run was ended by " + core::signal_words(WTERMSIG(ended)) +
                    "; what it had not yet written is lost");
        return 1;
    }
    const int status = WEXITSTATUS(ended);
    if (ended_regularly || status == kInterrupted) {
        return status;
    }
    print_error("the program exited the run's process with status " + std::to_string(status) +
                "; what the run had not yet written is lost");
    return 1;
}

}  // namespace headway::session
