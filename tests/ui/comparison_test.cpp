#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/comparison/verdict.h"
#include "app/ui/lesson/prediction_words.h"
#include "app/ui/state/app_state.h"

namespace headway::ui {
namespace {

void run(session::Session& session) {
    ASSERT_TRUE(session.start());
    while (session.live() || session.behind()) {
        session.poll(5);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
}

session::Settings training(trace::BarrierKind barrier) {
    session::Settings settings;
    settings.program = "train";
    settings.device = "simulated";
    settings.parameters = {{"batches", "8"}, {"batch_size", "512"}, {"features", "512"}, {"hidden", "1024"}};
    settings.streams = 1;
    settings.barrier = {barrier, 0};
    return settings;
}

// A state with a simulated session; each run is awaited.
struct Compared {
    session::Session session{{HEADWAY_RUNNER, 256 << 20, false}};
    AppState state{session, {}};
    void run(const session::Settings& settings) {
        session.settings = settings;
        ui::run(session);
    }
    std::string sentence() {
        const comparison::Verdict* verdict = state.comparing.verdict();
        return verdict != nullptr ? verdict->sentence : std::string();
    }
};

TEST(Comparison, SaysWhoIsFasterAndWhatItCosts) {
    Compared c;
    c.run(training(trace::BarrierKind::none));
    EXPECT_EQ(c.sentence(), "");
    c.run(training(trace::BarrierKind::minibatch));
    // Without barriers the backend never idles, so A cannot be slower. On the virtual clock this is exact.
    ASSERT_LT(c.session.a()->numbers().total_ns, c.session.b()->numbers().total_ns);
    EXPECT_EQ(c.sentence().find("SIMULATED: A (no minibatch barrier) "), 0u) << c.sentence();
    EXPECT_NE(c.sentence().find("; A needs "), std::string::npos) << c.sentence();
    EXPECT_NE(c.sentence().find("the memory of B ("), std::string::npos) << c.sentence();
}

TEST(Comparison, NamesRunsByTheParameterInWhichTheyDiffer) {
    Compared c;
    c.run(training(trace::BarrierKind::none));
    auto fewer = training(trace::BarrierKind::none);
    fewer.parameters[0].second = "4";
    c.run(fewer);
    EXPECT_NE(c.sentence().find("A (batches=8) takes "), std::string::npos) << c.sentence();
    EXPECT_NE(c.sentence().find("A (batches=8)"), std::string::npos) << c.sentence();
    c.run(fewer);
    EXPECT_EQ(c.sentence().find("SIMULATED: A and B take the same time"), 0u) << c.sentence();
}

TEST(Comparison, NeverKeepsASteppedFailedOrStoppedRunAsA) {
    Compared c;
    c.run(training(trace::BarrierKind::none));
    const auto* first = c.session.b()->run();
    auto failing = training(trace::BarrierKind::minibatch);
    failing.budget_bytes = 1 << 20;
    c.session.settings = failing;
    ASSERT_TRUE(c.session.start());
    while (c.session.live() || c.session.behind()) {
        c.session.poll(5);
    }
    ASSERT_EQ(c.session.b()->phase(), session::Phase::failed);
    ASSERT_EQ(c.session.a()->run(), first);
    EXPECT_NE(c.sentence().find("B ("), std::string::npos);
    EXPECT_NE(c.sentence().find("A and B are not compared."), std::string::npos) << c.sentence();
    c.run(training(trace::BarrierKind::minibatch));
    EXPECT_EQ(c.session.a()->run(), first) << "the failed run took A's place";
    // A run of another program never stays as A.
    auto other = training(trace::BarrierKind::none);
    other.program = "increment";
    other.parameters = {{"n", "50"}};
    c.run(other);
    EXPECT_EQ(c.session.a(), nullptr);
}

TEST(Comparison, RunsBothSidesInTurnAndShowsTheMedianRuns) {
    Compared c;
    auto none = training(trace::BarrierKind::none), each = training(trace::BarrierKind::minibatch);
    none.device = each.device = "cpu";
    none.parameters = each.parameters = {{"batches", "4"}, {"batch_size", "64"}, {"features", "64"}, {"hidden", "64"}};
    c.run(none);
    c.session.settings = each;
    ASSERT_TRUE(c.state.comparing.sides());
    c.state.comparing.start();
    ASSERT_NE(c.state.comparing.rounds(), nullptr);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (c.state.comparing.rounds() != nullptr && std::chrono::steady_clock::now() < end) {
        c.state.poll(5);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(c.state.comparing.rounds(), nullptr);
    ASSERT_NE(c.session.a(), nullptr);
    EXPECT_EQ(c.session.a()->run()->info().barrier, "none");
    EXPECT_EQ(c.session.b()->run()->info().barrier, "minibatch");
    const comparison::Verdict* verdict = c.state.comparing.verdict();
    ASSERT_NE(verdict, nullptr);
    EXPECT_GE(verdict->runs, 1u);
    EXPECT_EQ(verdict->runs, c.state.comparing.runs_behind());
    EXPECT_TRUE(verdict->warmed_up);
    EXPECT_NE(verdict->time.claim, comparison::Claim::one_run);
}

TEST(Comparison, RunsNoOtherProgramAgain) {
    Compared c;
    c.run(training(trace::BarrierKind::none));
    c.run(training(trace::BarrierKind::minibatch));
    ASSERT_TRUE(c.state.comparing.sides());
    c.session.settings.program = "increment";
    c.session.settings.parameters.clear();
    EXPECT_FALSE(c.state.comparing.sides());
    c.state.comparing.start();
    EXPECT_EQ(c.state.comparing.rounds(), nullptr);
}

TEST(Comparison, DoesNotCompareRunsWithoutOps) {
    const std::string file = testing::TempDir() + "headway-nothing-" + std::to_string(getpid()) + ".py";
    std::ofstream(file) << "import headway\n";
    session::Settings settings;
    settings.program = file;
    settings.device = "simulated";
    session::Rounds rounds({HEADWAY_RUNNER, 256 << 20, false}, settings, settings);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (!rounds.over() && std::chrono::steady_clock::now() < end) {
        rounds.poll(5);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(rounds.problem(), "Not compared: a run of A issued no ops.");
    std::filesystem::remove(file);
}

TEST(Comparison, LabelsTheRunAsEarlierOnceSettingsDiffer) {
    Compared c;
    c.run(training(trace::BarrierKind::none));
    EXPECT_EQ(c.state.comparing.earlier(), "");
    c.session.settings.parameters[0].second = "9";
    EXPECT_EQ(c.state.comparing.earlier(), "from before the parameters were changed");
    c.session.settings.program = "increment";
    EXPECT_EQ(c.state.comparing.earlier(), "of “train”");
    EXPECT_EQ(c.state.comparing.other_program(c.session.b()), "train");
}

TEST(Comparison, MakesMoreRunsIfTheyAreShort) {
    EXPECT_EQ(session::Rounds::planned_for(0.01), session::Rounds::kMost);
    EXPECT_EQ(session::Rounds::planned_for(3), 5u);
    EXPECT_EQ(session::Rounds::planned_for(8), 2u);
    EXPECT_EQ(session::Rounds::planned_for(100), 1u);
}

TEST(Comparison, ComparesThePredictionWithTheTotal) {
    model::Numbers n;
    n.total_ns = 1000;
    n.predicted = true;
    n.predicted_ns = 984;
    EXPECT_EQ(prediction_verdict(n), "1.6 % apart");
    n.predicted_ns = 1000;
    EXPECT_EQ(prediction_verdict(n), "exactly as predicted");
    n.predicted = false;
    EXPECT_EQ(prediction_verdict(n), "");
    n.capabilities.issues = false;  // the other numbers must be ignored
    n.predicted_ns = n.total_ns = 100;
    EXPECT_EQ(prediction_verdict(n), "issues not in this trace");
}

TEST(Comparison, ComparesOnlyFinishedRunsWithThePrediction) {
    session::Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings = training(trace::BarrierKind::none);
    session.settings.budget_bytes = 8 << 20;
    ASSERT_TRUE(session.start());
    while (session.live() || session.behind()) {
        session.poll(5);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(session.b()->phase(), session::Phase::failed) << session.b()->ending();
    ASSERT_GT(session.b()->numbers().predicted_ns, 0);
    EXPECT_EQ(prediction_verdict(*session.b()), "until it failed");
    session.settings = training(trace::BarrierKind::none);
    run(session);
    EXPECT_EQ(prediction_verdict(*session.b()), prediction_verdict(session.b()->numbers()));
}

}  // namespace
}  // namespace headway::ui
