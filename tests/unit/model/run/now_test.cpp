// What a run in progress, or one that was cut off, does at its last moment: running ops, and an open wait.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/model/analysis/idle.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/moment/moment.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/queries.h"
#include "app/model/run/run.h"
#include "engine/trace/wait_names.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

std::int64_t now() {
    return static_cast<std::int64_t>(core::ticks());
}

// Issues ops 1 and 2 for lane 0, on the host's clock, 10 ticks each; returns the time.
std::int64_t issue_two(RecordingBuilder& builder) {
    const auto size = builder.signature(8);
    const std::int64_t t0 = now();
    builder.issue({t0, t0 + 10, 0, 1, 0, 0, true, size, 5});
    builder.issue({t0 + 10, t0 + 20, 0, 2, 0, 0, true, size, 5});
    return t0;
}

// As the frontend publishes a wait that begins now, in line 9, for a buffer or for all.
void begin_wait(RecordingBuilder& builder, trace::WaitKind kind, BufferId target = 0) {
    trace::Header& header = builder.recording().header();
    header.wait_kind_name =
        static_cast<std::uint32_t>(kind) << 16 | builder.recording().string_id(trace::names_of(kind).name);
    header.wait_line = 9;
    header.wait_target = target;
    header.wait_begin = static_cast<std::uint64_t>(now());
}

// Lets the recorder's clock advance, as its thread does.
void advance_clock(RecordingBuilder& builder) {
    const trace::Header& header = builder.recording().header();
    const std::uint64_t before = header.last_ticks;
    while (header.last_ticks == before) {
        builder.recording().renew_anchor();
    }
}

// A running op is visible before its record arrives, with the limited resolution of a word in the header.
TEST(Run, ShowsAnOpWhileItIsRunning) {
    RecordingBuilder builder(std::size_t{128} << 20, false);
    const std::int64_t t0 = issue_two(builder);
    const auto begin = now();
    builder.exec(0, 1, t0 + 30, begin);
    const auto run = builder.read();
    EXPECT_EQ(run->running(0), nullptr);

    trace::Header& header = builder.recording().header();
    header.running[0].op_and_begin = trace::pack_running(2, static_cast<std::uint64_t>(begin));
    std::int64_t seen_ns = 0;
    for (int look = 0; look < 3; ++look) {
        advance_clock(builder);
        run->update();
        const Running* running = run->running(0);
        ASSERT_NE(running, nullptr);
        EXPECT_EQ(running->op, 2u);
        EXPECT_EQ(run->begun_ns(2), running->begin_ns);
        EXPECT_GE(running->begin_ns, run->op(1).end_ns);
        EXPECT_LT(running->begin_ns, run->op(1).end_ns + 2'000) << "a word tells it to less than a microsecond";
        EXPECT_GT(run->now_ns(), seen_ns);
        seen_ns = run->now_ns();
        EXPECT_EQ(moment_at(*run, running->begin_ns).lanes[0].running, 2u);
        EXPECT_NE(moment_at(*run, running->begin_ns - 1).lanes[0].running, 2u);
    }
    EXPECT_EQ(run->op(2).begin_ns, kPending) << "no record says so yet";
    builder.exec(0, 2, begin, now());
    run->update();
    EXPECT_EQ(run->running(0), nullptr);
    EXPECT_EQ(run->begun_ns(2), run->op(2).begin_ns);

    // Words without an op of this lane are ignored.
    for (const OpId wrong : {OpId{0}, OpId{1}, OpId{77}}) {
        header.running[0].op_and_begin = trace::pack_running(wrong, static_cast<std::uint64_t>(begin));
        run->update();
        EXPECT_EQ(run->running(0), nullptr);
    }
}

TEST(Run, ShowsAnOpWhileItIsRunningInVirtualTime) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    for (std::uint32_t id = 1; id <= 3; ++id) {
        builder.issue({id * 10, id * 10 + 10, 0, id, 0, 0, true, size, 5});
    }
    builder.exec(0, 1, 20, 27);
    trace::RunningOp& running = builder.recording().header().running[0];
    running.virtual_begin_ns = 27;
    running.op_and_begin = trace::pack_running(2, 0);
    const auto run = builder.read();
    ASSERT_NE(run->running(0), nullptr);
    EXPECT_EQ(run->running(0)->op, 2u);
    EXPECT_EQ(run->begun_ns(2), 27);
    EXPECT_EQ(run->now_ns(), 40);
    running.op_and_begin = 0;  // it is being changed
    run->update();
    EXPECT_EQ(run->running(0), nullptr);
}

// In a run that was cut off, the time of the running op is not idle, and the time before it is idle up to its
// begin.
TEST(Run, ACutOffRunKeepsItsRunningOp) {
    RecordingBuilder builder(std::size_t{128} << 20, false);
    const std::int64_t t0 = issue_two(builder);
    builder.exec(0, 1, t0 + 30, t0 + 40);
    const std::int64_t wait_end = t0 + 200'000;
    while (now() < wait_end) {
    }
    const auto begin = now();
    trace::Header& header = builder.recording().header();
    header.running[0].op_and_begin = trace::pack_running(2, static_cast<std::uint64_t>(begin));
    for (const std::uint64_t before = header.last_ticks; header.last_ticks == before || now() < begin + 400'000;) {
        builder.recording().renew_anchor();
    }
    const auto run = builder.read();
    const auto check = [&run](bool closed) {
        ASSERT_NE(run->running(0), nullptr);
        EXPECT_EQ(run->cut_off(), closed);
        const std::int64_t begin_ns = run->running(0)->begin_ns;
        EXPECT_GT(run->now_ns(), begin_ns);
        const Numbers numbers = numbers_of(*run);
        EXPECT_GT(numbers.backend_idle_ns, 0);
        EXPECT_LE(numbers.backend_idle_ns + numbers.backend_busy_ns, begin_ns - numbers.begin_ns);
        EXPECT_EQ(numbers.backend_idle_ns, idle_causes(*run).all_ns());
        EXPECT_EQ(numbers.backend_idle_ns + numbers.backend_busy_ns + numbers.backend_open_ns, numbers.total_ns);
        EXPECT_EQ(numbers.predicted_ns == 0, closed) << "what it would have taken is not known";
        const auto gap = idle_gap(*run, 0, begin_ns - 1);
        ASSERT_TRUE(gap);
        EXPECT_EQ(gap->begin_ns, run->op(1).end_ns);
        EXPECT_EQ(gap->end_ns, begin_ns);
        EXPECT_EQ(gap->next, 2u);
        EXPECT_EQ(gap->causes.all_ns(), gap->end_ns - gap->begin_ns);
        EXPECT_GT(gap->causes.handover_ns, gap->causes.frontend_ns) << "it had been issued long before";
        EXPECT_FALSE(idle_gap(*run, 0, begin_ns + 1));
    };
    check(false);
    run->close();
    check(true);
}

TEST(Run, RestoresTheBeginOfARunningOpFromItsLowBits) {
    constexpr std::uint64_t kUnit = std::uint64_t{1} << trace::kRunningShift;
    for (const std::uint64_t begin : {kUnit * 5, (std::uint64_t{1} << 42) - 3 * kUnit, (std::uint64_t{9} << 42) + 77}) {
        for (const std::uint64_t after : {std::uint64_t{0}, kUnit, 1'000'000 * kUnit, (std::uint64_t{1} << 41)}) {
            const std::uint64_t found = trace::running_begin(trace::pack_running(3, begin), begin + after);
            EXPECT_LE(found, begin);
            EXPECT_GT(found + kUnit, begin);
        }
        EXPECT_EQ(trace::running_begin(trace::pack_running(3, begin + 5 * kUnit), begin), begin) << "seen too early";
    }
}

// A GPU's ops are recorded when they have ended, so that its lane may be executing what it has not reported; a worker
// shows what it executes.
TEST(Run, WhatIsNotRecordedYetIsUnknownOnlyOfDevicesThatReportLate) {
    RecordingBuilder builder(std::size_t{32} << 20, false);
    builder.gpu_and_cpu(R"(, "timing": "CUDA events")");
    const auto size = builder.signature(8);
    const std::int64_t t0 = now();
    for (std::uint32_t id = 1; id <= 4; ++id) {
        builder.issue({t0 + id * 10, t0 + id * 10 + 10, static_cast<std::uint8_t>(id % 2), id, 0, 0, true, size, 5});
    }
    builder.exec(1, 1, t0 + 30, t0 + 40);
    builder.exec(0, 2, t0 + 100'000, t0 + 200'000);
    const auto run = builder.read();
    EXPECT_EQ(run->recorded_until_ns(0), run->op(2).end_ns) << "op 4 may be running";
    EXPECT_EQ(run->recorded_until_ns(1), run->end_ns()) << "a worker would show op 3";
    EXPECT_LT(run->op(1).end_ns, run->end_ns());
    builder.exec(0, 4, t0 + 300'000, t0 + 400'000);
    run->update();
    EXPECT_EQ(run->recorded_until_ns(0), run->end_ns()) << "no op is open";
}

// What is in progress 50 ms after op 1 ended and op 2 was issued.
class InProgress : public testing::Test {
protected:
    void SetUp() override {
        const auto size = builder_.signature(8);
        builder_.issue({begin_, begin_ + 10, 0, 1, 0, 0, true, size, 7});
        builder_.issue({begin_ + 10, begin_ + 20, 0, 2, 0, 0, true, size, 7});
        builder_.exec(0, 1, begin_ + 20, begin_ + 30);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        run_ = builder_.open();
    }
    void wait(trace::WaitKind kind, std::string_view name) {
        trace::Header& header = builder_.recording().header();
        header.wait_kind_name = static_cast<std::uint32_t>(kind) << 16 | builder_.recording().string_id(name);
        header.wait_begin = static_cast<std::uint64_t>(begin_ + 40);
        advance_clock(builder_);
        run_->update();
        ASSERT_TRUE(run_->open_wait());
    }
    void expect_one_cut(std::int64_t begin_ns, std::int64_t end_ns) {
        ASSERT_EQ(run_->program_time().cuts().size(), 1u);
        EXPECT_EQ(run_->program_time().cuts()[0].begin_ns, begin_ns);
        EXPECT_EQ(run_->program_time().cuts()[0].end_ns, end_ns);
    }

    RecordingBuilder builder_{std::size_t{32} << 20, false};
    static constexpr std::int64_t kLater = 20'000'000;  // ticks: some milliseconds
    const std::int64_t begin_ = now();
    std::unique_ptr<model::Run> run_;
};

TEST_F(InProgress, APauseIsNotTheProgramsTime) {
    wait(trace::WaitKind::paused, "paused");
    expect_one_cut(run_->open_wait()->begin_ns, run_->open_wait()->end_ns);
}

TEST_F(InProgress, WhatRunsDuringAPauseIsTheProgramsTime) {
    trace::Header& header = builder_.recording().header();
    header.running[0].op_and_begin = trace::pack_running(2, static_cast<std::uint64_t>(begin_ + kLater));
    wait(trace::WaitKind::paused, "paused");
    ASSERT_NE(run_->running(0), nullptr);
    expect_one_cut(run_->open_wait()->begin_ns, run_->running(0)->begin_ns);
}

// So that the first wait of a run whose backend is held can be seen.
TEST_F(InProgress, AHoldWithoutARecordIsNotCutYet) {
    builder_.recording().header().control.hold_backend = 1;
    wait(trace::WaitKind::waitall, "waitall");
    ASSERT_TRUE(run_->open_hold());
    EXPECT_EQ(run_->open_hold()->begin_ns, run_->open_wait()->begin_ns);
    EXPECT_EQ(run_->open_hold()->end_ns, run_->open_wait()->end_ns);
    EXPECT_EQ(run_->open_wait()->waited_ns(), 0);
    EXPECT_TRUE(run_->program_time().cuts().empty());
}

// A long hold is recorded in pieces.
TEST_F(InProgress, AHoldContinuesItsRecordedPieces) {
    const std::int64_t recorded = begin_ + 40 + kLater;
    builder_.recording().record_hold(0, static_cast<std::uint64_t>(begin_ + 40), static_cast<std::uint64_t>(recorded));
    builder_.recording().header().control.hold_backend = 1;
    wait(trace::WaitKind::waitall, "waitall");
    ASSERT_EQ(run_->holds().within(0, run_->now_ns()).size(), 1u);
    ASSERT_TRUE(run_->open_hold());
    EXPECT_EQ(run_->open_hold()->begin_ns, run_->holds().within(0, run_->now_ns())[0].end_ns);
    EXPECT_GT(run_->open_hold()->begin_ns, run_->open_wait()->begin_ns);
    EXPECT_EQ(run_->open_wait()->waited_ns(), 0);
    expect_one_cut(run_->open_wait()->begin_ns, run_->open_wait()->end_ns);
}

TEST(Run, ReservedMemoryIsThatOfEachDevice) {
    RecordingBuilder builder(std::size_t{32} << 20, false);
    builder.gpu_and_cpu();
    trace::Recording& recording = builder.recording();
    recording.count_reserved(1000, 0);
    recording.count_reserved(300, 1);
    recording.count_reserved(4900, 0);
    recording.count_reserved(500, 1);
    issue_two(builder);
    const auto run = builder.read();
    ASSERT_EQ(run->devices().size(), 2u);
    EXPECT_EQ(run->devices()[0].reserved.most(), 5900);
    EXPECT_EQ(run->devices()[1].reserved.most(), 800);
    EXPECT_EQ(run->reserved_bytes().most(), 6700);
}

TEST(Run, AnOpenWaitGrowsWhileNothingFinishes) {
    RecordingBuilder builder(std::size_t{32} << 20, false);
    const auto size = builder.signature(8);
    const std::int64_t begin = now();
    builder.issue({begin, now(), 0, 1, 0, 0, true, size, 7});
    builder.issue({now(), now(), 0, 2, 0, 0, true, size, 8});
    auto run = builder.open();
    run->update();
    EXPECT_FALSE(run->open_wait());

    begin_wait(builder, trace::WaitKind::wait_to_read, 1);
    std::int64_t seen_ns = 0;
    for (int look = 0; look < 3; ++look) {  // no record arrives; the recorder's clock advances
        advance_clock(builder);
        run->update();
        const Wait* wait = run->wait_at(run->waits().size());
        ASSERT_NE(wait, nullptr);
        EXPECT_EQ(wait->name, "wait_to_read");
        EXPECT_EQ(wait->line, 9u);
        EXPECT_EQ(wait->device, -1) << "no particular one";
        EXPECT_EQ(caused_by(*run, *wait), (std::vector<OpId>{1}));
        EXPECT_GT(wait->end_ns, seen_ns);
        EXPECT_EQ(wait->end_ns, run->end_ns());
        EXPECT_GT(numbers_of(*run).blocked_ns, 0);
        const Moment moment = moment_at(*run, wait->end_ns - 1);
        EXPECT_EQ(moment.wait, static_cast<int>(run->waits().size()));
        const TimeRangeSummary summary = time_range_summary(*run, wait->begin_ns + 1, run->end_ns());
        ASSERT_EQ(summary.causes.size(), 1u);
        EXPECT_EQ(summary.causes[0].kind, trace::WaitKind::wait_to_read);
        EXPECT_EQ(summary.causes[0].sum, (TimeRangeSum{1, wait->end_ns - wait->begin_ns - 1}));
        seen_ns = wait->end_ns;
    }
    EXPECT_EQ(line_costs_of(*run).back().blocked_ns, run->open_wait()->end_ns - run->open_wait()->begin_ns);

    // The program has continued without a record of the wait.
    builder.issue({now(), now(), 0, 3, 0, 0, true, size, 10});
    run->update();
    EXPECT_FALSE(run->open_wait());
    builder.recording().header().wait_begin = 0;
    run->update();
    EXPECT_FALSE(run->open_wait());
    EXPECT_EQ(run->wait_at(run->waits().size()), nullptr);
}

// A program that is killed in a wait has no record of it.
TEST(Run, TheWaitInWhichAProgramWasEndedLastsUntilThen) {
    RecordingBuilder builder(std::size_t{128} << 20, false);
    issue_two(builder);
    const auto run = builder.read();
    begin_wait(builder, trace::WaitKind::waitall);
    advance_clock(builder);
    run->update();
    ASSERT_TRUE(run->open_wait());
    const std::int64_t begin_ns = run->open_wait()->begin_ns;
    run->close();
    EXPECT_FALSE(run->open_wait());
    ASSERT_EQ(run->waits().size(), 1u);
    EXPECT_NEAR(static_cast<double>(run->waits()[0].begin_ns), static_cast<double>(begin_ns), 1);  // by newer anchors
    EXPECT_EQ(run->waits()[0].end_ns, run->end_ns());
    EXPECT_EQ(caused_by(*run, run->waits()[0]), (std::vector<OpId>{1, 2}));
    const Numbers numbers = numbers_of(*run);
    EXPECT_EQ(numbers.blocked_ns, run->end_ns() - run->waits()[0].begin_ns);
    EXPECT_EQ(numbers.t3.count, 0u) << "it did not return";
    run->update();
    EXPECT_EQ(run->waits().size(), 1u);
}

}  // namespace
}  // namespace headway::model
