// The frontend's own work, such as NumPy.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// 100 of NumPy at line 4, an op (issue 10, run 50), 30 of NumPy, an op, a wait for all.
struct Mixed {
    RecordingBuilder builder;
    Mixed() {
        builder.work(0, 100, "NumPy", core::make_line(1, 4));
        builder.issue({100, 110, 0, 1, 0, 0, true, 0, core::make_line(1, 5)});
        builder.exec(0, 1, 110, 160);
        builder.work(110, 140, "NumPy", core::make_line(1, 6));
        builder.issue({140, 150, 0, 2, 1, 0, true, 0, core::make_line(1, 7)});
        builder.exec(0, 2, 160, 210);
        builder.wait(150, 215, trace::WaitKind::waitall);
        builder.mark(trace::FrontendKind::program_end, 215);
    }
};

TEST(Work, IsReadWithNameLineAndPosition) {
    Mixed mixed;
    const auto run = mixed.builder.read();
    ASSERT_EQ(run->works().size(), 2u);
    EXPECT_EQ(run->works()[0].name, "NumPy");
    EXPECT_EQ(core::number_of(run->works()[0].line), 4u);
    EXPECT_EQ(run->works()[1].begin_ns, 110);
    EXPECT_EQ(run->works()[1].end_ns, 140);
    EXPECT_EQ(run->works()[1].issued, 1u);
    EXPECT_EQ(run->op_count(), 2u);  // work is not an op
}

TEST(Work, IsCountedSeparatelyFromIssuesAndWaits) {
    Mixed mixed;
    const auto run = mixed.builder.read();
    const Numbers n = numbers_of(*run);
    EXPECT_EQ(n.recorded_work_ns, 130);
    EXPECT_EQ(n.op_issue_ns, 20);
    EXPECT_EQ(n.blocked_ns, 65);
    EXPECT_EQ(n.total_ns, 215);
    EXPECT_EQ(n.op_issue_ns + n.recorded_work_ns + n.blocked_ns, n.total_ns);  // everything that the frontend did
    std::int64_t of_line_4 = 0;
    for (const LineCost& cost : line_costs_of(*run)) {
        of_line_4 += core::number_of(cost.line) == 4 ? cost.recorded_work_ns : 0;
    }
    EXPECT_EQ(of_line_4, 100);
    const auto report = nlohmann::json::parse(report_json(*run));
    EXPECT_EQ(report["recorded_work_ns"], 130);
}

TEST(Work, IsPartOfThePrediction) {
    Mixed mixed;
    // The lane starts after 100 of work and one issue, then is busy for 100; t3 is 5.
    EXPECT_EQ(numbers_of(*mixed.builder.read()).predicted_ns, 100 + 10 + 100 + 5);
}

TEST(Work, MakesARunFrontendBound) {
    RecordingBuilder builder;
    for (int i = 0; i < 4; ++i) {
        const std::int64_t at = 1000 * i;
        builder.work(at, at + 990, "NumPy");
        builder.issue({at + 990, at + 1000, 0, builder.issued() + 1, 0, 0, true});
        builder.exec(0, builder.issued(), at + 1000, at + 1050);
    }
    builder.wait(4000, 4055, trace::WaitKind::waitall);
    builder.mark(trace::FrontendKind::program_end, 4055);
    const Numbers n = numbers_of(*builder.read());
    EXPECT_EQ(n.regime, Regime::frontend_bound);
    EXPECT_EQ(n.predicted_ns, 4055);
}

TEST(Work, BeforeTheMeasuredPartIsNotCounted) {
    RecordingBuilder builder;
    builder.work(0, 100, "import");
    builder.mark(trace::FrontendKind::measure_begin, 100);
    builder.issue({100, 110, 0, 1, 0, 0, true});
    builder.exec(0, 1, 110, 120);
    builder.work(110, 170, "Python");
    builder.mark(trace::FrontendKind::program_end, 170);
    EXPECT_EQ(numbers_of(*builder.read()).recorded_work_ns, 60);
}

}  // namespace
}  // namespace headway::model
