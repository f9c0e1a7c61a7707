#include "app/session/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

namespace headway::session {
namespace {

// Polls until the process has ended and all its output has been read; nothing here blocks.
Ending end_of(ChildProcess& child, std::string& out, std::string& err) {
    for (;;) {
        const auto ending = child.poll();
        child.read_stdout(out, 1 << 20);
        child.read_stderr(err, 1 << 20);
        if (ending && child.output_ended()) {
            return *ending;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::size_t open_descriptors() {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++n;
    }
    return n;
}

core::Result<ChildProcess> shell(const std::string& words, int fd = -1) {
    return ChildProcess::start("/bin/sh", {"-c", words}, fd);
}

void nothing(int) {}

TEST(ChildProcess, KeepsSignalHandlingAndUnblocksTheChildsSignals) {
    struct sigaction handled {
    }, ignored{}, before_handled{}, before_ignored{};
    handled.sa_handler = nothing;
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGUSR2, &handled, &before_handled);
    sigaction(SIGHUP, &ignored, &before_ignored);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);

    auto child = shell(
        "while read name value; do case $name in Sig[BIC]*) echo $name $value;; esac; done"
        " </proc/$$/status");
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, &before, &after);
    struct sigaction now {};
    sigaction(SIGUSR2, &before_handled, &now);
    sigaction(SIGHUP, &before_ignored, nullptr);
    ASSERT_TRUE(child);
    EXPECT_EQ(sigismember(&after, SIGUSR1), 1);
    EXPECT_EQ(sigismember(&after, SIGUSR2), 0);
    EXPECT_EQ(now.sa_handler, nothing);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0) << err;
    EXPECT_NE(out.find("SigBlk: 0000000000000000"), std::string::npos) << out;
    // As usual for exec: ignored signals stay ignored, handled ones get their default action.
    const auto line = out.find("SigIgn: ");
    ASSERT_NE(line, std::string::npos) << out;
    const auto mask = std::stoull(out.substr(line + 8), nullptr, 16);
    EXPECT_NE(mask >> (SIGHUP - 1) & 1, 0u) << out;
    EXPECT_EQ(mask >> (SIGUSR2 - 1) & 1, 0u) << out;
}

TEST(ChildProcess, SeparatesOutputErrorsAndStatus) {
    auto child = shell("echo to out; echo to err >&2; exit 7");
    ASSERT_TRUE(child);
    std::string out, err;
    const Ending ending = end_of(*child, out, err);
    EXPECT_EQ(out, "to out\n");
    EXPECT_EQ(err, "to err\n");
    EXPECT_EQ(ending.status, 7);
    EXPECT_EQ(ending.signal, 0);
}

TEST(ChildProcess, SaysWhyItCannotBeStarted) {
    const auto child = ChildProcess::start("/nonexistent/headway-runner", {});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().message, "cannot start /nonexistent/headway-runner: No such file or directory");
    const auto folder = ChildProcess::start("/tmp", {});
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().message.find("Permission denied"), std::string::npos) << folder.error().message;
}

TEST(ChildProcess, PassesOneDescriptorAndNoOther) {
    const int fd = memfd_create("passed", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    auto child = shell("printf written >&3; ls /proc/self/fd", fd);
    ASSERT_TRUE(child);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0) << err;
    char text[16] = {};
    EXPECT_EQ(pread(fd, text, sizeof text, 0), 7);
    EXPECT_STREQ(text, "written");
    // 0 to 3, and the one that ls opens for the folder.
    EXPECT_EQ(out, "0\n1\n2\n3\n4\n");
    close(fd);
}

TEST(ChildProcess, DistinguishesASignalFromAStatus) {
    auto child = shell("kill -SEGV $$");
    ASSERT_TRUE(child);
    std::string out, err;
    const Ending ending = end_of(*child, out, err);
    EXPECT_EQ(ending.signal, SIGSEGV);
    EXPECT_EQ(signal_text(9), "signal 9 (Killed)");
}

TEST(ChildProcess, IsKilledByItsDestructor) {
    const std::size_t before = open_descriptors();
    pid_t pid = 0;
    {
        auto child = shell("while :; do :; done");
        ASSERT_TRUE(child);
        pid = child->pid();
        EXPECT_EQ(kill(pid, 0), 0);
        EXPECT_FALSE(child->poll());
        ChildProcess moved = std::move(*child);
        EXPECT_EQ(moved.pid(), pid);
    }
    EXPECT_EQ(kill(pid, 0), -1);  // not even a zombie
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(open_descriptors(), before);
}

TEST(ChildProcess, LeavesNothingBehindAfterManyRuns) {
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 200; ++i) {
        auto child = shell("exit 0");
        ASSERT_TRUE(child);
        std::string out, err;
        end_of(*child, out, err);
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ChildProcess, ReadsNoMoreThanItIsAskedTo) {
    auto child = shell("yes");
    ASSERT_TRUE(child);
    std::string out;
    while (out.size() < 1000) {
        child->read_stdout(out, 1000 - out.size());
    }
    EXPECT_EQ(out.size(), 1000u);
}

}  // namespace
}  // namespace headway::session
