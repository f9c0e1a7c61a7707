#include "app/session/foreground.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace headway::session {
namespace {

void signal_self() {
    kill(getpid(), SIGTERM);
}

// Seconds until a run of `sleep 60` ends, if it gets a signal at a given moment of fork(). Negative: it does not end.
double seconds_when_signalled(void (*before)(), void (*in_parent)(), void (*in_child)()) {
    const pid_t process = fork();  // handlers registered for fork() stay registered
    if (process == 0) {
        pthread_atfork(before, in_parent, in_child);
        char name[] = "headway";
        char time[] = "60";
        char* arguments[] = {name, time, nullptr};
        _exit(run_in_foreground("/bin/sleep", arguments));
    }
    timespec begin{}, now{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int looks = 0; looks < 3000; ++looks) {
        int status = 0;
        if (waitpid(process, &status, WNOHANG) == process) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
            return static_cast<double>(now.tv_sec - begin.tv_sec) +
                   static_cast<double>(now.tv_nsec - begin.tv_nsec) / 1e9;
        }
        usleep(10'000);
    }
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    return -1;
}

TEST(Foreground, ASignalBeforeTheRunnersIdIsKnownEndsTheRunner) {
    EXPECT_GE(seconds_when_signalled(signal_self, nullptr, nullptr), 0);
    EXPECT_GE(seconds_when_signalled(nullptr, signal_self, nullptr), 0);
}

TEST(Foreground, ASignalToARunnerThatIsJustStartingEndsIt) {
    EXPECT_GE(seconds_when_signalled(nullptr, nullptr, signal_self), 0);
}

}  // namespace
}  // namespace headway::session
