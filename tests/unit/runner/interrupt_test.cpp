#include "app/runner/execution/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace headway::runner {
namespace {

constexpr useconds_t kAnotherPress_us = 150'000;

// The status of a forked process, because interrupts are counted for the lifetime of a process.
int status_of_process(const std::function<int()>& run) {
    const pid_t process = fork();
    if (process == 0) {
        _exit(run());
    }
    int status = 0;
    waitpid(process, &status, 0);
    return status;
}

int interrupt() {
    usleep(kAnotherPress_us);
    return kill(getpid(), SIGINT);
}

TEST(Interrupts, TheThirdEndsTheProgramAndTheSupervisor) {
    int seen[2];
    ASSERT_EQ(pipe(seen), 0);
    const int status = status_of_process([&seen] {
        const Interrupts interrupts;
        const pid_t run = fork();
        if (run == 0) {
            close(seen[0]);
            sleep(60);
            _exit(0);
        }
        Interrupts::watch_child(run);
        interrupt();
        interrupt();
        if (Interrupts::count() != 2) {
            return 1;
        }
        interrupt();
        return 2;
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    close(seen[1]);
    char none = 0;
    EXPECT_EQ(read(seen[0], &none, 1), 0);  // the program's process has ended
    close(seen[0]);
}

TEST(Interrupts, WhileSavingTheSecondEndsTheSupervisor) {
    const int status = status_of_process([] {
        const Interrupts interrupts;
        Interrupts::begin_saving();
        interrupt();
        if (Interrupts::count() != 1) {
            return 1;
        }
        interrupt();
        return 2;
    });
    EXPECT_EQ(WEXITSTATUS(status), 130);
}

TEST(StopSignals, AskForAStopAndASignalFromItselfEndsTheProgram) {
    int status = status_of_process([] {
        trace::Control control;
        StopSignals signals;
        signals.watch(&control);
        raise(SIGINT);
        return control.stop.load() == 1 ? 7 : 8;
    });
    EXPECT_EQ(WEXITSTATUS(status), 7);
    status = status_of_process([] {
        const StopSignals signals;
        raise(SIGTERM);
        return 8;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

}  // namespace
}  // namespace headway::runner
