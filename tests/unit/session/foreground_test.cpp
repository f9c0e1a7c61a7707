#include "app/session/foreground.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::session {
namespace {

constexpr int kMoments = 40;
constexpr useconds_t kMoment_us = 100;

// Whether a run of `sleep 60` ends that gets SIGTERM so long after its start. `group`: from the terminal, so the signal
// reaches the runner, too, if it has begun.
bool ends_when_signalled(useconds_t after_us, bool group) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0);
        [[maybe_unused]] const auto written = write(ready[1], "x", 1);
        char name[] = "headway";
        char time[] = "60";
        char* arguments[] = {name, time, nullptr};
        _exit(run_in_foreground("/bin/sleep", arguments));
    }
    char text = 0;
    EXPECT_EQ(read(ready[0], &text, 1), 1);
    close(ready[0]);
    close(ready[1]);
    usleep(after_us);
    kill(group ? -process : process, SIGTERM);
    for (int looks = 0; looks < 1000; ++looks) {
        if (waitpid(process, nullptr, WNOHANG) == process) {
            return true;
        }
        usleep(10'000);
    }
    kill(-process, SIGKILL);
    waitpid(process, nullptr, 0);
    return false;
}

TEST(Foreground, ASignalAtAnyMomentOfTheStartEndsTheRun) {
    for (int i = 0; i < kMoments; ++i) {
        EXPECT_TRUE(ends_when_signalled(static_cast<useconds_t>(i) * kMoment_us, false)) << i;
        EXPECT_TRUE(ends_when_signalled(static_cast<useconds_t>(i) * kMoment_us, true)) << i;
    }
}

// The runner's first act, at which the waiting process may not know its id yet.
TEST(Foreground, ASignalOfTheStartingRunnerReachesIt) {
    for (int i = 0; i < kMoments; ++i) {
        const pid_t process = fork();
        if (process == 0) {
            char name[] = "headway", option[] = "-c", script[] = "kill -TERM $PPID; exec sleep 60";
            char* arguments[] = {name, option, script, nullptr};
            _exit(run_in_foreground("/bin/sh", arguments));
        }
        int status = 0;
        ASSERT_EQ(waitpid(process, &status, 0), process);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    }
}

TEST(Foreground, ARunnerThatCannotBeStartedIsStatus1) {
    char name[] = "headway";
    char* arguments[] = {name, nullptr};
    EXPECT_EQ(run_in_foreground("/nonexistent/headway-runner", arguments), 1);
}

}  // namespace
}  // namespace headway::session
