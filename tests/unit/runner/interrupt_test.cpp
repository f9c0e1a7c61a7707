#include "app/runner/execution/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::runner {
namespace {

// Runs in a forked process, because interrupts are counted for the lifetime of a process.
TEST(Interrupts, AnInterruptBeforeTheChildIsKnownReachesIt) {
    const pid_t process = fork();
    if (process == 0) {
        const pid_t run = fork();
        if (run == 0) {
            sleep(60);
            _exit(0);
        }
        const Interrupts interrupts;
        kill(getpid(), SIGTERM);
        Interrupts::watch_child(run);
        int status = 0;
        waitpid(run, &status, 0);
        _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 7 : 8);
    }
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace headway::runner
