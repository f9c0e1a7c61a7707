#include "app/process/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace headway::process {
namespace {

// Polls until the process has ended and all its output has been read; nothing here blocks.
Ending end_of(Child& child, std::string& out, std::string& err) {
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

Command shell_command(const std::string& words) {
    return {.program = "/bin/sh", .arguments = {"-c", words}};
}

core::Result<Child> shell(const std::string& words) {
    return Child::start(shell_command(words));
}

void nothing(int) {}

TEST(Child, KeepsSignalHandlingAndUnblocksTheChildsSignals) {
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

TEST(Child, SeparatesOutputErrorsAndStatus) {
    auto child = shell("echo to out; echo to err >&2; exit 7");
    ASSERT_TRUE(child);
    std::string out, err;
    const Ending ending = end_of(*child, out, err);
    EXPECT_EQ(out, "to out\n");
    EXPECT_EQ(err, "to err\n");
    EXPECT_EQ(ending.status, 7);
    EXPECT_EQ(ending.signal, 0);
}

TEST(Child, SaysWhyItCannotBeStartedAndLeavesNothingBehind) {
    const std::size_t before = open_descriptors();
    const auto child = Child::start({.program = "/nonexistent/headway-runner"});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().message, "cannot start /nonexistent/headway-runner: No such file or directory");
    const auto folder = Child::start({.program = "/tmp"});
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().message.find("Permission denied"), std::string::npos) << folder.error().message;
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Child, PassesOneDescriptorAndNoOther) {
    const core::UniqueFd fd(memfd_create("passed", MFD_CLOEXEC));
    const core::UniqueFd other(memfd_create("other", 0));
    ASSERT_TRUE(fd && other);
    Command command = shell_command("printf written >&3; ls /proc/self/fd");
    command.passed = fd.get();
    auto child = Child::start(command);
    ASSERT_TRUE(child);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0) << err;
    char text[16] = {};
    EXPECT_EQ(pread(fd.get(), text, sizeof text, 0), 7);
    EXPECT_STREQ(text, "written");
    // 0 to 3, and the one that ls opens for the folder.
    EXPECT_EQ(out, "0\n1\n2\n3\n4\n");
}

TEST(Child, InTheForegroundSharesTheGroupAndTheInheritableDescriptors) {
    const core::UniqueFd passed(memfd_create("passed", MFD_CLOEXEC)), closed(memfd_create("closed", MFD_CLOEXEC)),
        inherited(memfd_create("inherited", 0));
    ASSERT_TRUE(passed && closed && inherited);
    const auto there = [](const core::UniqueFd& fd) {
        return "test -e /proc/$$/fd/" + std::to_string(fd.get()) + " && echo yes || echo no; ";
    };
    Command command = shell_command(there(passed) + there(closed) + there(inherited) + "cut -d' ' -f5 /proc/$$/stat");
    command.passed = passed.get();
    command.foreground = true;
    auto child = Child::start(command);
    ASSERT_TRUE(child);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0) << err;
    EXPECT_EQ(out, "yes\nno\nyes\n" + std::to_string(getpgrp()) + "\n");
    EXPECT_NE(fcntl(passed.get(), F_GETFD) & FD_CLOEXEC, 0);  // still, for us
}

TEST(Child, GetsItsNameItsEnvironmentAndItsStreams) {
    setenv("HEADWAY_TEST_VARIABLE", "ours", 1);
    setenv("HEADWAY_TEST_OTHER", "kept", 1);
    const core::UniqueFd file(memfd_create("stderr", MFD_CLOEXEC));
    Command command = shell_command("cat; echo $0 $HEADWAY_TEST_VARIABLE $HEADWAY_TEST_OTHER; echo error >&2");
    command.arguments.push_back("argument");
    command.name = "another name";
    command.environment = {"HEADWAY_TEST_VARIABLE=the child's"};
    command.in = Stream::pipe();
    command.err = Stream::descriptor(file.get());
    auto child = Child::start(command);
    unsetenv("HEADWAY_TEST_VARIABLE");
    unsetenv("HEADWAY_TEST_OTHER");
    ASSERT_TRUE(child);
    EXPECT_TRUE(child->write("input\n"));
    child->close_input();
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0) << err;
    EXPECT_EQ(out, "input\nargument the child's kept\n");
    char text[16] = {};
    EXPECT_EQ(pread(file.get(), text, sizeof text, 0), 6);
    EXPECT_STREQ(text, "error\n");
}

// The child's streams then get numbers below 3 in this process.
TEST(Child, StartsWhereStandardDescriptorsAreClosed) {
    std::fflush(nullptr);  // otherwise the process may write what is buffered to the descriptors that replace them
    const pid_t process = fork();
    if (process == 0) {
        for (const int fd : {0, 1, 2}) {
            close(fd);
        }
        const int passed = memfd_create("passed", MFD_CLOEXEC);
        Command command = shell_command("read line; echo out $line; echo error >&2; printf passed >&3");
        command.in = Stream::pipe();
        command.passed = passed;
        auto child = Child::start(command);
        if (passed != 0 || !child) {
            _exit(1);
        }
        child->write("word\n");
        std::string out, err;
        const bool good = end_of(*child, out, err).status == 0 && out == "out word\n" && err == "error\n";
        char text[16] = {};
        _exit(good && pread(passed, text, sizeof text, 0) == 6 ? 0 : 2);
    }
    int status = 0;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
}

TEST(Child, ReadsMuchOutputOfBothPipes) {
    constexpr std::size_t kBytes = 4'000'000;
    auto child = shell("head -c 4000000 /dev/zero & head -c 4000000 /dev/zero >&2; wait");
    ASSERT_TRUE(child);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0);
    EXPECT_EQ(out.size(), kBytes);
    EXPECT_EQ(err.size(), kBytes);
}

TEST(Child, IsKilledAfterItsTimeLimit) {
    Command command = shell_command("echo begun; while :; do sleep 1; done");
    command.limit = std::chrono::milliseconds(200);
    auto child = Child::start(command);
    ASSERT_TRUE(child);
    const auto begin = std::chrono::steady_clock::now();
    const Ending ending = child->wait();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_TRUE(ending.out_of_time);
    EXPECT_EQ(ending.signal, SIGKILL);
    std::string out;
    child->read_stdout(out, 100);
    EXPECT_EQ(out, "begun\n");
}

TEST(Child, WithinItsTimeLimitEndsByItself) {
    Command command = shell_command("exit 5");
    command.limit = std::chrono::hours(1);
    auto child = Child::start(command);
    ASSERT_TRUE(child);
    EXPECT_EQ(child->wait().status, 5);
    EXPECT_FALSE(child->poll()->out_of_time);
}

TEST(Child, WaitReturnsWhenItHasEnded) {
    auto child = shell("sleep 0.2; exit 3");
    ASSERT_TRUE(child);
    EXPECT_EQ(child->wait().status, 3);
    EXPECT_EQ(child->wait().status, 3);
}

TEST(Child, DistinguishesASignalFromAStatus) {
    auto child = shell("kill -SEGV $$");
    ASSERT_TRUE(child);
    std::string out, err;
    const Ending ending = end_of(*child, out, err);
    EXPECT_EQ(ending.signal, SIGSEGV);
    EXPECT_EQ(ending.status, 128 + SIGSEGV);
}

TEST(Child, WhatItStartedEndsWithIt) {
    auto child = shell("sleep 300 >/dev/null 2>&1 & echo $!");
    ASSERT_TRUE(child);
    std::string out, err;
    EXPECT_EQ(end_of(*child, out, err).status, 0);
    const auto left = static_cast<pid_t>(std::stol(out));
    const auto runs = [left] {
        std::ifstream stat("/proc/" + std::to_string(left) + "/stat");
        std::string pid, name, state;
        return stat >> pid >> name >> state && state != "Z";
    };
    for (int i = 0; runs() && i < 500; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(runs());
}

TEST(Child, IsKilledByItsDestructor) {
    const std::size_t before = open_descriptors();
    pid_t pid = 0;
    {
        auto child = shell("while :; do :; done");
        ASSERT_TRUE(child);
        pid = child->pid();
        EXPECT_EQ(kill(pid, 0), 0);
        EXPECT_FALSE(child->poll());
        Child moved = std::move(*child);
        EXPECT_EQ(moved.pid(), pid);
    }
    EXPECT_EQ(kill(pid, 0), -1);  // not even a zombie
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(open_descriptors(), before);
}

// As a shell's background job does.
struct IgnoresQuit {
    ~IgnoresQuit() { signal(SIGQUIT, before); }
    const sighandler_t before = signal(SIGQUIT, SIG_IGN);
};

TEST(Child, ASupervisorIsAskedToEndAndKilledIfItDoesNot) {
    Command asked = shell_command("trap 'echo asked; exit 3' QUIT; echo ready; while :; do sleep 0.01; done");
    Command deaf = shell_command("trap '' QUIT; echo ready; while :; do :; done");
    asked.supervisor = deaf.supervisor = true;
    const IgnoresQuit background_job;
    for (const auto& [command, status] : {std::pair(&asked, 3), std::pair(&deaf, 128 + SIGKILL)}) {
        auto child = Child::start(*command);
        ASSERT_TRUE(child);
        std::string out, err;
        while (out.empty()) {
            child->read_stdout(out, 100);
        }
        child->end();
        child->end();  // asks once
        const Ending ending = end_of(*child, out, err);
        EXPECT_EQ(ending.status, status) << out << err;
    }
}

TEST(Child, ASupervisorIsAskedToEndWhenItsParentDies) {
    std::array<int, 2> ends;
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        Command command = shell_command("trap 'echo asked; exit 3' QUIT; echo ready; while :; do sleep 0.01; done");
        command.supervisor = true;
        command.out = Stream::descriptor(ends[1]);
        auto child = Child::start(command);
        std::array<char, 6> ready;
        const bool began = child && read(ends[0], ready.data(), ready.size()) == static_cast<ssize_t>(ready.size());
        _exit(began ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(parent, &status, 0), parent);
    EXPECT_EQ(status, 0);
    close(ends[1]);
    std::string said(16, ' ');
    said.resize(static_cast<std::size_t>(std::max(ssize_t{0}, read(ends[0], said.data(), said.size()))));
    EXPECT_EQ(said, "asked\n");
    close(ends[0]);
}

TEST(Child, LeavesNothingBehindAfterManyRuns) {
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

TEST(Child, ReadsNoMoreThanItIsAskedTo) {
    auto child = shell("yes");
    ASSERT_TRUE(child);
    std::string out;
    while (out.size() < 1000) {
        child->read_stdout(out, 1000 - out.size());
    }
    EXPECT_EQ(out.size(), 1000u);
}

}  // namespace
}  // namespace headway::process
