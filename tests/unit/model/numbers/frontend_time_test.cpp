// How the frontend's own costs are estimated from those that it measured; the rules are in frontend_time.h.
#include "app/model/description/frontend_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::CostKind;

// 100 issues of 20 ns, one each 100 ns, and the end of the program 50 ns after the last.
class OwnCosts : public testing::Test {
protected:
    static constexpr std::int64_t kIssues = 100, kEvery = 100, kIssue = 20, kAfter = 50;

    void SetUp() override {
        builder_.metadata("{}");
        const auto signature = builder_.signature(8);
        for (std::int64_t i = 0; i < kIssues; ++i) {
            const auto id = static_cast<BufferId>(i + 1);
            builder_.issue({i * kEvery, i * kEvery + kIssue, 0, id, 0, 0, true, signature, 5});
        }
        for (OpId id = 1; id <= kIssues; ++id) {
            builder_.exec(0, id, kIssues * kEvery - 90, kIssues * kEvery - 90);
        }
    }
    // The frontend measured, after issue `i`, an event of `ns` that stands for `weight` events.
    void measured(CostKind kind, std::int64_t i, std::uint32_t ns, std::uint32_t weight) {
        builder_.cost({static_cast<std::uint64_t>(i * kEvery + kIssue), 0, ns, weight, 0, 0, kind, 0});
    }
    // Between issue `i` and the next one the thread had no core for `ns`.
    void without_core(CostKind kind, std::int64_t i, std::uint64_t ns) {
        builder_.cost(
            {static_cast<std::uint64_t>(i * kEvery), ns, static_cast<std::uint32_t>(kEvery), 1, 0, 0, kind, 0});
    }
    FrontendTime time() {
        builder_.mark(trace::FrontendKind::program_end, kTotal);
        run_ = builder_.read();
        const FrontendTime time = numbers_of(*run_).frontend;
        EXPECT_EQ(time.sum_ns(), kTotal);
        return time;
    }
    static constexpr std::int64_t kLastEnd = (kIssues - 1) * kEvery + kIssue, kTotal = kLastEnd + kAfter;

    RecordingBuilder builder_;
    std::unique_ptr<model::Run> run_;
};

TEST_F(OwnCosts, PageFaultsAreThoseOfTheMeasuredPart) {
    builder_.cost({0, 0, 70, 2, 0, 0, CostKind::totals, 0});
    builder_.cost({kTotal, 0, 75, 5, 0, 0, CostKind::totals, 0});
    const FrontendTime measured = time();
    ASSERT_TRUE(measured.faults);
    EXPECT_EQ(measured.faults->minor, 5u);
    EXPECT_EQ(measured.faults->major, 3u);
}

TEST_F(OwnCosts, EventsThatStandForThemselvesGiveTheMeanOfAllOthers) {
    for (std::int64_t i = 0; i < 10; ++i) {
        measured(CostKind::recording, i, 6, 1);
    }
    const FrontendTime own = time();
    EXPECT_EQ(own.record_ns, 6 * kIssues);
    EXPECT_EQ(own.record_each.median, 6);
    EXPECT_EQ(own.record_each.count, 10u);
    EXPECT_EQ(own.issue_ns, kIssue * kIssues);
    EXPECT_EQ(own.unnamed_ns, kAfter) << "equal events leave no uncertainty";
    EXPECT_EQ(own.drop_ns + own.descheduled_ns + own.wait_ns, 0);
}

TEST_F(OwnCosts, AStallOfASampledEventCountsOnce) {
    for (std::int64_t i = 0; i < 10; ++i) {
        measured(CostKind::recording, i, i == 4 ? 1000 : 4, 10);
    }
    const FrontendTime own = time();
    constexpr std::int64_t kMost = 8 * 4;  // eight medians
    EXPECT_EQ(own.record_ns, 9 * 10 * 4 + 10 * kMost + 1000 - kMost);
    constexpr double kMean = (9 * 4 + kMost) / 10.0;
    const double deviation = (9 * (4 - kMean) * (4 - kMean) + (kMost - kMean) * (kMost - kMean)) / 10;
    // Each measured event is known; the nine others that it stands for are not.
    EXPECT_EQ(own.unnamed_ns, std::llround(2 * std::sqrt(10 * 81 * deviation) + kAfter));
}

TEST_F(OwnCosts, MeasuredEventsBesideThoseThatStandForMany) {
    measured(CostKind::recording, 0, 500, 1);
    for (std::int64_t i = 1; i < 5; ++i) {
        measured(CostKind::recording, i, 3, 10);
    }
    // One stands for itself, four for ten each; the mean of these for the remaining 59.
    EXPECT_EQ(time().record_ns, 500 + 4 * 10 * 3 + 59 * 3);
}

TEST_F(OwnCosts, DropsAreEstimatedLikewise) {
    for (BufferId id = 1; id <= 50; ++id) {
        builder_.drop(kEvery * id + 60, id);
    }
    measured(CostKind::drop, 3, 7, 1);
    measured(CostKind::drop, 4, 9, 1);
    const FrontendTime own = time();
    EXPECT_EQ(own.drop_ns, 7 + 9 + 48 * 8);
    EXPECT_EQ(own.drop_each.count, 2u);
    EXPECT_EQ(own.drop_each.most, 9);
}

TEST_F(OwnCosts, TimeWithoutACoreIsSubtractedFromTheEventMeasuredLast) {
    measured(CostKind::recording, 2, 46, 1);
    measured(CostKind::drop, 3, 50, 1);
    without_core(CostKind::not_scheduled, 3, 40);
    builder_.drop(kEvery * 5 + 60, 1);
    const FrontendTime own = time();
    EXPECT_EQ(own.descheduled_ns, 40);
    EXPECT_EQ(own.drop_ns, 10);
    EXPECT_EQ(own.record_ns, 46 * kIssues);
}

TEST_F(OwnCosts, TimeWithoutACoreIsSubtractedFromAnEventThatStandsForMany) {
    measured(CostKind::recording, 2, 46, 10);
    without_core(CostKind::not_scheduled, 2, 40);
    EXPECT_EQ(time().record_ns, 6 * kIssues);
}

TEST_F(OwnCosts, AnEarlierEventKeepsItsTime) {
    measured(CostKind::recording, 2, 46, 1);
    without_core(CostKind::not_scheduled, 3, 40);
    EXPECT_EQ(time().record_ns, 46 * kIssues);
}

TEST_F(OwnCosts, TimeWithoutACoreDuringAnIssueIsNoIssue) {
    without_core(CostKind::not_scheduled_issue, 7, 15);
    const FrontendTime own = time();
    EXPECT_EQ(own.issue_ns, kIssue * kIssues - 15);
    EXPECT_EQ(own.descheduled_ns, 15);
}

TEST_F(OwnCosts, TimeWithoutACoreIsAtMostThatBetweenTwoEvents) {
    without_core(CostKind::not_scheduled, 8, 1000);
    EXPECT_EQ(time().descheduled_ns, kEvery);
}

}  // namespace
}  // namespace headway::model
