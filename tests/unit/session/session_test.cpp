#include "app/session/session.h"
#include "app/confinement/confinement.h"
#include "app/model/numbers/numbers_walk.h"
#include "engine/core/system/machine_memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace headway::session {
namespace {

using trace::BarrierKind;

Settings small_training() {
    Settings settings;
    settings.program = "train";
    settings.device = "simulated";
    settings.parameters = {{"batches", "6"}, {"batch_size", "16"}, {"features", "32"}, {"hidden", "32"}};
    return settings;
}

// Polls until `done`, for at most a minute.
bool poll_until(Session& session, const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
        session.poll(5);
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}
bool finish(Session& session) {
    return poll_until(session, [&] { return !session.live() && !session.behind(); });
}

// A script in place of the runner.
class PretendedRunner {
public:
    explicit PretendedRunner(const std::string& script) {
        char name[] = "/tmp/headway-pretended-XXXXXX";
        const int fd = mkstemp(name);
        EXPECT_GE(fd, 0);
        close(fd);
        path_ = name;
        std::ofstream(path_) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    ~PretendedRunner() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

// While it exists, no temporary folder can be made.
class NoTemporaryFolder {
public:
    NoTemporaryFolder() {
        const char* before = std::getenv("TMPDIR");
        before_ = before != nullptr ? before : "";
        setenv("TMPDIR", "/nonexistent", 1);
    }
    ~NoTemporaryFolder() { before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1); }
    NoTemporaryFolder(const NoTemporaryFolder&) = delete;
    NoTemporaryFolder& operator=(const NoTemporaryFolder&) = delete;

private:
    std::string before_;
};

class SessionTest : public ::testing::Test {
protected:
    Session session{{HEADWAY_RUNNER, 256 << 20, false}};
};

TEST_F(SessionTest, RunsAProgramToItsEnd) {
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    EXPECT_EQ(session.b()->phase(), Phase::starting);
    ASSERT_TRUE(finish(session));
    const Execution& run = *session.b();
    EXPECT_EQ(run.phase(), Phase::finished) << run.ending();
    EXPECT_EQ(run.ending(), "");
    ASSERT_NE(run.run(), nullptr);
    EXPECT_GT(run.run()->op_count(), 0u);
    EXPECT_EQ(run.numbers().ops > 0, true);
    EXPECT_EQ(run.run()->minibatches().size(), 6u);
    EXPECT_TRUE(run.run()->info().simulated);
    EXPECT_FALSE(run.output().empty());
    EXPECT_EQ(session.a(), nullptr);
}

TEST_F(SessionTest, ThePreviousRunStaysAsA) {
    session.settings = small_training();
    session.settings.device = "cpu";
    session.settings.parameters = {{"batches", "20"}, {"batch_size", "128"}, {"features", "256"}, {"hidden", "256"}};
    session.settings.barrier = {BarrierKind::none, 0};
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    const auto* first = session.b()->run();
    session.settings.barrier = {BarrierKind::minibatch, 0};
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    ASSERT_NE(session.a(), nullptr);
    EXPECT_EQ(session.a()->run(), first);
    EXPECT_EQ(session.a()->letter, 'A');
    EXPECT_EQ(session.a()->run()->info().barrier, "none");
    EXPECT_EQ(session.b()->run()->info().barrier, "minibatch");
    EXPECT_GT(session.a()->numbers().headway_max, session.b()->numbers().headway_max);
    session.reset();
    EXPECT_EQ(session.a(), nullptr);
    EXPECT_EQ(session.b(), nullptr);
}

Settings long_training() {
    Settings settings = small_training();
    settings.device = "cpu";
    settings.parameters = {{"batches", "100000"}, {"batch_size", "64"}, {"features", "64"}, {"hidden", "64"}};
    settings.barrier = {BarrierKind::minibatch, 0};
    return settings;
}

TEST_F(SessionTest, KeepsWhatAKilledRunnerRecorded) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(
        poll_until(session, [&] { return session.b()->run() != nullptr && session.b()->run()->op_count() > 100; }));
    const pid_t pid = session.runner_pid();
    ASSERT_EQ(kill(pid, SIGKILL), 0);
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::killed);
    EXPECT_EQ(session.b()->ending().find("Crashed after "), 0u) << session.b()->ending();
    EXPECT_NE(session.b()->ending().find("signal 9 (Killed)"), std::string::npos);
    EXPECT_GT(session.b()->run()->op_count(), 100u);
    EXPECT_EQ(kill(pid, 0), -1);
    // The next run starts normally.
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::finished);
}

TEST_F(SessionTest, StopsOnRequest) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(
        poll_until(session, [&] { return session.b()->run() != nullptr && session.b()->run()->op_count() > 0; }));
    session.stop();
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::stopped);
    EXPECT_EQ(session.b()->ending().find("Stopped after "), 0u) << session.b()->ending();
}

TEST_F(SessionTest, PausesAndResumesTheFrontend) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(
        poll_until(session, [&] { return session.b()->run() != nullptr && session.b()->run()->op_count() > 100; }));
    session.toggle_pause();
    EXPECT_EQ(session.b()->phase(), Phase::paused);
    // While paused, the number of ops does not grow.
    std::size_t last = 0;
    ASSERT_TRUE(poll_until(session, [&] {
        const std::size_t before = last;
        last = session.b()->run()->op_count();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return last == before;
    }));
    session.poll(0);
    EXPECT_EQ(session.b()->run()->op_count(), last);
    session.toggle_pause();
    ASSERT_TRUE(poll_until(session, [&] { return session.b()->run()->op_count() > last; }));
}

TEST_F(SessionTest, TheBarrierCanChangeDuringARun) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(
        poll_until(session, [&] { return session.b()->run() != nullptr && session.b()->run()->op_count() > 500; }));
    const auto before = session.b()->run()->headway().most();
    session.set_barrier({BarrierKind::none, 0});
    // Without the barrier the frontend runs further ahead than is possible within a minibatch.
    ASSERT_TRUE(poll_until(session, [&] { return session.b()->run()->headway().most() > before * 4; }));
    EXPECT_EQ(session.settings.barrier.kind, BarrierKind::none);
}

const trace::Control& control_of(const Session& session) {
    return const_cast<model::Run*>(session.b()->run())->reader().control();
}

TEST_F(SessionTest, RequestsDuringTheRunnersStartAreCarriedOut) {
    session.settings = long_training();
    session.settings.budget_bytes = 1;  // would fail at its first op
    session.settings.queue_limit = 7;
    ASSERT_TRUE(session.start());
    ASSERT_EQ(session.b()->run(), nullptr) << "nothing is recorded yet";
    session.set_barrier({});  // as written, no budget, no limit: all of these are zero
    session.set_budget(core::kNoBudget);
    session.set_queue_limit(0);
    ASSERT_TRUE(poll_until(session, [&] {
        return session.b()->run() != nullptr && session.b()->run()->op_count() > 200;
    })) << session.b()->ending();
    EXPECT_EQ(trace::unpack_barrier(control_of(session).barrier.load()), trace::BarrierPolicy{});
    EXPECT_EQ(control_of(session).budget_bytes.load(), 0u);
    EXPECT_EQ(control_of(session).queue_limit.load(), 0u);
}

TEST_F(SessionTest, SettingsOfTheNextRunDoNotChangeAStartingOne) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    session.settings.barrier = {BarrierKind::op, 0};  // another lesson was chosen
    session.settings.queue_limit = 3;
    ASSERT_TRUE(
        poll_until(session, [&] { return session.b()->run() != nullptr && session.b()->run()->op_count() > 200; }));
    EXPECT_EQ(trace::unpack_barrier(control_of(session).barrier.load()).kind, BarrierKind::minibatch);
    EXPECT_EQ(control_of(session).queue_limit.load(), 0u);
}

TEST_F(SessionTest, APauseDuringTheRunnersStartIsApplied) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    EXPECT_FALSE(session.paused());
    session.toggle_pause();
    EXPECT_TRUE(session.paused());
    ASSERT_TRUE(poll_until(session, [&] { return session.b()->phase() == Phase::paused; }));
    session.toggle_pause();
    EXPECT_FALSE(session.paused());
    ASSERT_TRUE(poll_until(session, [&] { return session.b()->run()->op_count() > 200; }));
}

// The numbers belong to the same moment as the picture.
TEST_F(SessionTest, NumbersAreOfWhatIsRecordedSoFar) {
    session.settings = long_training();
    ASSERT_TRUE(session.start());
    int looked = 0;
    ASSERT_TRUE(poll_until(session, [&] {
        const Execution& b = *session.b();
        if (b.run() == nullptr || b.run()->op_count() == 0 || !b.live()) {
            return false;
        }
        const model::Numbers now = numbers_of(*b.run());
        EXPECT_EQ(b.numbers().ops, now.ops);
        EXPECT_EQ(b.numbers().total_ns, now.total_ns);
        EXPECT_EQ(b.numbers().headway_max, now.headway_max);
        EXPECT_EQ(b.numbers().live_bytes_peak, now.live_bytes_peak);
        if (!b.sums_of_total_ns()) {  // then all sums are complete
            EXPECT_EQ(b.numbers().op_issue_ns, now.op_issue_ns);
            EXPECT_EQ(b.numbers().predicted_ns, now.predicted_ns);
        } else {
            EXPECT_LE(*b.sums_of_total_ns(), now.total_ns);
        }
        return ++looked > 50 || HasFailure();
    }));
    session.toggle_pause();
    // Walks catch up when the run stands still.
    ASSERT_TRUE(poll_until(session, [&] { return !session.b()->sums_of_total_ns(); }));
    session.stop();
    ASSERT_TRUE(finish(session));
    EXPECT_FALSE(session.b()->sums_of_total_ns());
}

TEST_F(SessionTest, OutOfMemoryEndsTheProgramWithASentence) {
    session.settings = small_training();
    session.settings.device = "cpu";  // there the backend is slower than the frontend
    session.settings.parameters = {{"batches", "50"}, {"batch_size", "256"}, {"features", "256"}, {"hidden", "256"}};
    session.settings.barrier = {BarrierKind::none, 0};
    session.settings.budget_bytes = 8'000'000;
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_NE(session.b()->ending().find("memory"), std::string::npos) << session.b()->ending();
}

TEST_F(SessionTest, AWrongParameterIsReportedByTheRunner) {
    session.settings = small_training();
    session.settings.parameters = {{"batches", "0"}};
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_NE(session.b()->ending().find("atches"), std::string::npos) << session.b()->ending();
}

TEST(Session, SaysWhyTheRunnerCannotBeStarted) {
    Session session({"/nonexistent/headway-runner", 256 << 20, true});
    session.settings = small_training();
    const auto started = session.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message,
              "cannot start /nonexistent/headway-runner: No such file or directory; scripts/run builds it, next to "
              "headway");
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    session.poll(5);
    session.poll(5);
    EXPECT_EQ(session.device_problem(), started.error().message);
    EXPECT_FALSE(session.poll(5));
}

TEST(Session, StartsNoProgramThatItShouldButCannotConfine) {
    if (!confinement::support().writes()) {
        GTEST_SKIP() << "this kernel has no Landlock";
    }
    const NoTemporaryFolder none;
    Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings = small_training();
    const auto started = session.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_EQ(
        session.b()->ending(),
        "The program was not started, because it cannot be confined without a folder to write in: no temporary "
        "folder can be made in /nonexistent: No such file or directory; set TMPDIR to a folder that you can write "
        "in, and start Headway again.");
    EXPECT_EQ(session.runner_pid(), -1);
    session.settings.confined = false;
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::finished) << session.b()->ending();
}

TEST(Session, SurvivesARunnerThatRecordsNothing) {
    const PretendedRunner runner("echo no words to a window >&2; exit 3");
    Session session({runner.path(), 256 << 20, false});
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_EQ(session.b()->ending(), "No words to a window.");
    EXPECT_EQ(session.b()->run(), nullptr);
}

TEST(Session, SurvivesAnInvalidRecording) {
    const PretendedRunner runner("head -c 5000000 /dev/zero | tr '\\0' x >&3; echo done");
    Session session({runner.path(), 256 << 20, false});
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::finished);
    EXPECT_EQ(session.b()->run(), nullptr);
}

TEST(Session, KeepsTheEndOfEndlessOutput) {
    const PretendedRunner runner("yes 'a line' | head -n 20000; printf 'without an end'");
    Session session({runner.path(), 256 << 20, false});
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    const auto& output = session.b()->output();
    EXPECT_LE(output.size(), 5000u);
    EXPECT_EQ(output.size() + session.b()->output_cut(), 20001u);
    EXPECT_EQ(output.back().text, "without an end");
}

TEST(Session, CutsALineThatNeverEnds) {
    const PretendedRunner runner("head -c 3000000 /dev/zero | tr '\\0' x");
    Session session({runner.path(), 256 << 20, false});
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    ASSERT_EQ(session.b()->output().size(), 1u);
    EXPECT_LT(session.b()->output().front().text.size(), 5000u);
}

TEST(Session, KillsARunnerThatIgnoresSignals) {
    const PretendedRunner runner("trap '' QUIT TERM INT; while :; do sleep 1; done");
    Session session({runner.path(), 256 << 20, false});
    session.settings = small_training();
    ASSERT_TRUE(session.start());
    session.poll(5);
    session.stop();
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(session.b()->phase(), Phase::stopped);
}

TEST(Session, SaysHowMuchOfTheRecordingHasBeenRead) {
    Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings = small_training();
    session.settings.parameters = {{"batches", "20000"}, {"features", "32"}, {"hidden", "32"}};
    ASSERT_TRUE(session.start());
    std::vector<std::string> said;
    while (session.live() || session.behind()) {
        session.poll(0.02);
        if (session.live()) {  // so that most is read after the end
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        if (session.b()->lags() && (said.empty() || said.back() != session.b()->reading_text())) {
            said.push_back(session.b()->reading_text());
        }
    }
    ASSERT_GE(said.size(), 3u);
    const std::string words = "reading the recording, ";
    int before = -1;
    for (std::size_t i = 0; i + 1 < said.size(); ++i) {
        ASSERT_EQ(said[i].substr(0, words.size()), words);
        const int share = std::stoi(said[i].substr(words.size()));
        EXPECT_GT(share, before);
        EXPECT_LE(share, 100);
        before = share;
    }
    EXPECT_EQ(said.back(), "adding up its times");
}

TEST(Session, AsksTheRunnerForDevices) {
    Session session({HEADWAY_RUNNER, 256 << 20, true});
    ASSERT_TRUE(poll_until(session, [&] { return !session.waiting(); }));
    EXPECT_EQ(session.device_problem(), "");
    bool cpu = false, simulated = false;
    for (const auto& device : session.devices()) {
        cpu = cpu || (device.kind == "cpu" && device.available);
        simulated = simulated || (device.kind == "simulated" && device.available);
        EXPECT_TRUE(device.available || !device.reason.empty()) << device.kind;
    }
    EXPECT_TRUE(cpu && simulated);
}

TEST(Session, RefusesAnInvalidListOfDevices) {
    for (const char* text : {"", "{}", "[]", "[1]", "[{\"name\": \"x\"}]", "[{\"kind\": 3}]"}) {
        EXPECT_FALSE(devices_from_json(text)) << text;
    }
    const auto devices = devices_from_json(R"([{"kind":"cuda","name":"","available":false,"reason":"no driver"}])");
    ASSERT_TRUE(devices);
    EXPECT_EQ(devices->front().name, "cuda");
    EXPECT_EQ(devices->front().reason, "no driver");
}

TEST_F(SessionTest, ManyRunsLeaveNoProcessAndNoDescriptor) {
    const auto descriptors = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    session.settings = small_training();
    session.settings.parameters = {{"batches", "1"}};
    ASSERT_TRUE(session.start());
    ASSERT_TRUE(finish(session));
    const auto before = descriptors();
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(session.start());
        if (i % 3 != 0) {
            ASSERT_TRUE(finish(session));
        }
    }
    ASSERT_TRUE(finish(session));
    EXPECT_EQ(descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace headway::session
