#include "app/ui/comparison.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/ui/stages_panel.h"

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

TEST(Comparison, SaysWhoIsFasterAndWhatItCosts) {
    session::Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings = training(trace::BarrierKind::none);
    run(session);
    session.settings = training(trace::BarrierKind::minibatch);
    run(session);
    const Verdict verdict = compare(*session.a(), *session.b());
    // Without barriers the backend never idles: A cannot be slower. On a virtual clock this is exact.
    ASSERT_LT(session.a()->numbers().total_ns, session.b()->numbers().total_ns);
    EXPECT_EQ(verdict.time.find("A is "), 0u) << verdict.time;
    EXPECT_EQ(verdict.memory.find("and needs "), 0u) << verdict.memory;
    EXPECT_NE(verdict.memory.find("× the memory"), std::string::npos) << verdict.memory;
    EXPECT_EQ(verdict.memory_tone, Verdict::Tone::bad);
}

TEST(Comparison, ComparesOnlyWhatCanBeCompared) {
    session::Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings = training(trace::BarrierKind::none);
    run(session);
    session.settings = training(trace::BarrierKind::none);
    session.settings.parameters[0].second = "4";
    run(session);
    Verdict verdict = compare(*session.a(), *session.b());
    EXPECT_EQ(verdict.time, "A and B have different parameters");
    EXPECT_EQ(verdict.memory, "");
    session.settings = training(trace::BarrierKind::none);
    session.settings.parameters[0].second = "4";
    run(session);
    verdict = compare(*session.a(), *session.b());
    EXPECT_EQ(verdict.time, "A and B take equally long");
    EXPECT_EQ(verdict.memory, "and need as much memory");
}

TEST(Comparison, APredictionIsMeasuredAgainstTheTotal) {
    model::Numbers n;
    n.total_ns = 1000;
    n.predicted_ns = 984;
    EXPECT_EQ(prediction_verdict(n), "1.6 % apart");
    n.predicted_ns = 1000;
    EXPECT_EQ(prediction_verdict(n), "exactly as predicted");
    n.predicted_ns = 0;
    EXPECT_EQ(prediction_verdict(n), "");
    n.told.issues = false;  // all else is left over from somewhere
    n.predicted_ns = n.total_ns = 100;
    EXPECT_EQ(prediction_verdict(n), "issues not in this trace");
}

TEST(Comparison, OnlyWhatCameToItsEndIsHeldAgainstThePrediction) {
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

TEST(Comparison, TheStagesSayOfWhatMomentTheyAre) {
    EXPECT_EQ(stages_heading(nullptr), "Three stages, measured");
    session::Session session({HEADWAY_RUNNER, 256 << 20, false});
    session.settings.program = "train";
    session.settings.device = "simulated";
    session.settings.parameters = {{"batches", "100000"}, {"batch_size", "16"}, {"features", "16"}, {"hidden", "16"}};
    ASSERT_TRUE(session.start());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while ((session.b()->run() == nullptr || session.b()->run()->op_count() == 0) &&
           std::chrono::steady_clock::now() < end) {
        session.poll(5);
    }
    const auto heading = stages_heading(session.b());
    EXPECT_EQ(heading.find("Three stages, SIMULATED, "), 0u) << heading;
    EXPECT_TRUE(heading.ends_with(session.b()->sums_of_total_ns() ? "s" : ", so far")) << heading;
    session.stop_at_once();
    while (session.behind()) {
        session.poll(5);
    }
    EXPECT_EQ(stages_heading(session.b()), "Three stages, SIMULATED");
}

TEST(Comparison, NamesPoliciesShortly) {
    EXPECT_EQ(short_barrier_label({trace::BarrierKind::behind, 1}), "1 behind");
    EXPECT_EQ(short_barrier_label({}), "as written");
}

}  // namespace
}  // namespace headway::ui
