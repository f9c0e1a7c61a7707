#include "app/check/judge.h"

#include <gtest/gtest.h>

#include "app/check/code_lines.h"
#include "tests/unit/check/exercise_text.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::check {
namespace {

using model::RecordingBuilder;

constexpr const char* kInfo =
    R"({"version": "1", "device_kind": "simulated", "device_name": "GPU", "seed": 0, "free_policy": "finish"})";

// Products of ten nanoseconds, one after the other, and waits after them.
std::shared_ptr<RunData> run_with(int products, int waits, const std::string& result = "{}") {
    RecordingBuilder builder;
    builder.metadata(kInfo);
    const std::uint16_t matmul = builder.signature(64, "matmul");
    std::int64_t now = 0;
    for (int i = 0; i < products; ++i) {
        const core::BufferId out = static_cast<core::BufferId>(i + 1);
        builder.issue({now, now + 2, 0, out, i > 0 ? out - 1 : 0, 0, true, matmul, static_cast<core::Line>(3 + i)});
        builder.exec(0, static_cast<core::OpId>(i + 1), now + 2 + 10 * i, now + 12 + 10 * i);
        now += 2;
    }
    now += 1000;
    for (int i = 0; i < waits; ++i) {
        builder.wait(now, now + 5, trace::WaitKind::waitall, 0, builder.issued(), 9);
        now += 10;
    }
    builder.recording().meta(trace::MetaType::result, 0, result);
    builder.recording().header().state.store(static_cast<std::uint32_t>(trace::RunState::finished));
    auto data = std::make_shared<RunData>();
    auto run = builder.read();
    run->close();
    data->run = std::move(run);
    data->source = {"import headway as hw", "", "a = x @ y  # one", "b = x @ y"};
    return data;
}

CheckReport judged(std::vector<CaseRun> runs) {
    const auto exercise = parse_exercise(kExercise, "exercise.md");
    EXPECT_TRUE(exercise) << exercise.error().message;
    CheckReport report;
    judge(*exercise, runs, {"start"}, report);
    return report;
}

CaseRun shown(std::shared_ptr<RunData> run, CaseEnd ending = {}) {
    return {Case{false, 0, {{"size", "32"}}, ""}, std::move(run), run_with(2, 0), std::move(ending)};
}
CaseRun hidden(std::shared_ptr<RunData> run) {
    CaseRun result = shown(std::move(run));
    result.with.hidden = true;
    return result;
}

TEST(Judge, PassesWhatHolds) {
    const CheckReport report = judged({shown(run_with(2, 0)), hidden(run_with(2, 0))});
    EXPECT_EQ(report.verdict, Verdict::passed) << report.sentence;
    EXPECT_EQ(report.points, 3);
    EXPECT_EQ(report.most, 3);
    EXPECT_EQ(report.sentence, "All 3 checks pass.");
    EXPECT_TRUE(report.checks[1].hints.empty());
}

TEST(Judge, AFailureHasItsWordsLineAndOp) {
    const CheckReport report = judged({shown(run_with(3, 1))});
    EXPECT_EQ(report.verdict, Verdict::failed);
    const CheckResult& products = report.checks[1];
    EXPECT_EQ(products.outcome, Outcome::failed);
    EXPECT_EQ(products.sentence, "There are 3 products, and 2 are wanted.");
    EXPECT_EQ(products.line, 5u);
    EXPECT_EQ(products.op, 3u);
    EXPECT_EQ(products.op_words, "#3 matmul");
    EXPECT_EQ(report.checks[2].outcome, Outcome::not_reached);
    EXPECT_EQ(report.checks[2].sentence, "First this must hold: There are two products.");
    EXPECT_EQ(report.points, 0);
}

TEST(Judge, AWaitHasItsLine) {
    const CheckReport report = judged({shown(run_with(2, 1))});
    EXPECT_EQ(report.checks[2].sentence, "There is a waitall.");
    EXPECT_EQ(report.checks[2].line, 9u);
    EXPECT_EQ(report.points, 1);
}

TEST(Judge, HiddenCasesKeepTheirValues) {
    const CheckReport report = judged({shown(run_with(2, 0)), hidden(run_with(7, 0))});
    EXPECT_EQ(report.checks[1].outcome, Outcome::failed);
    EXPECT_TRUE(report.checks[1].hidden);
    EXPECT_EQ(report.checks[1].sentence.find('7'), std::string::npos) << report.checks[1].sentence;
    EXPECT_EQ(report.checks[1].op, 0u);
}

TEST(Judge, AnErrorInAHiddenCaseIsNotShown) {
    CaseRun run = hidden(run_with(2, 0));
    run.ending = {Verdict::failed, "ValueError: size is 48, at a.py:4.", 4};
    const CheckReport report = judged({shown(run_with(2, 0)), run});
    EXPECT_EQ(report.checks[0].outcome, Outcome::failed);
    EXPECT_EQ(report.checks[0].sentence.find("48"), std::string::npos) << report.checks[0].sentence;
    EXPECT_EQ(report.sentence.find("48"), std::string::npos) << report.sentence;
}

TEST(Judge, ChecksOfAPartGoOnAfterALimit) {
    const CheckReport report =
        judged({shown(run_with(2, 0), {Verdict::endless_loop, "The program was ended after 5 s.", 4})});
    EXPECT_EQ(report.verdict, Verdict::endless_loop);
    EXPECT_EQ(report.checks[0].sentence, "The program was ended after 5 s.");
    EXPECT_EQ(report.checks[0].line, 4u);
    EXPECT_EQ(report.checks[1].outcome, Outcome::passed);
    EXPECT_EQ(report.checks[2].outcome, Outcome::not_reached);
}

TEST(Judge, AProgramThatNeverBeganReachesNothing) {
    auto nothing = std::make_shared<RunData>();
    const CheckReport report = judged({shown(nothing, {Verdict::refused, "It may not import os.", 1})});
    EXPECT_EQ(report.verdict, Verdict::refused);
    EXPECT_EQ(report.checks[1].outcome, Outcome::failed);
    EXPECT_EQ(report.checks[1].sentence, "The program did not begin.");
    EXPECT_EQ(report.checks[2].outcome, Outcome::not_reached);
}

// One op that begins before the one that it needs has ended.
TEST(Judge, FindsRecordingsThatCannotBe) {
    const auto op = [](std::int64_t begin) {
        RecordingBuilder builder;
        builder.metadata(kInfo);
        const std::uint16_t matmul = builder.signature(64, "matmul");
        builder.issue({0, 2, 0, 1, 0, 0, true, matmul});
        builder.issue({2, 4, 1, 2, 1, 0, true, matmul});
        builder.exec(0, 1, 2, 12);
        builder.exec(1, 2, begin, begin + 10);
        builder.recording().header().state.store(static_cast<std::uint32_t>(trace::RunState::finished));
        auto run = builder.read();
        run->close();
        return run;
    };
    EXPECT_EQ(implausible(*op(12), *op(12)), "");
    EXPECT_EQ(implausible(*op(11), *op(12)),
              "The recording is not one of a real run: #2 matmul begins before #1 matmul has ended, which it needs.");
}

TEST(RunFacts, CodeHasNoCommentsAndNoBlankLines) {
    EXPECT_EQ(code_lines({"a = 1  # one", "", "  # two", "  b = '#'", "#", R"(c = '\'#'  # three)"}),
              (std::vector<std::string>{"a = 1", "b = '#'", R"(c = '\'#')"}));
}

TEST(RunFacts, KnowTheRun) {
    auto data = run_with(3, 1, R"({"values": {"n": {"kind": "number", "value": 2},
        "t": {"kind": "tensor", "op": 3, "shape": [2], "sum": 3, "sum_of_sizes": 3, "values": [1, 2]},
        "gone": {"kind": "missing"}}})");
    data->printed = "one\ntwo\n";
    const auto facts = make_case_facts(data, run_with(2, 0), {"start"}, Case{true, 1, {{"size", "48"}}, ""});
    const auto value = [&](const std::string& text) {
        const auto expression = expression::Expression::parse(text);
        EXPECT_TRUE(expression) << expression.error().message;
        const auto result = expression->evaluate(*facts);
        return result ? result->words() : "error: " + result.error().message;
    };
    EXPECT_EQ(value("[o in ops -> o.line]"), "3, 4 and 5");
    EXPECT_EQ(value("ops[0].source"), "a = x @ y  # one");
    EXPECT_EQ(value("ops[2].inputs"), "#2 matmul");
    EXPECT_EQ(value("waits[0].cause"), "barrier");
    EXPECT_EQ(value("count(blockers)"), "0");
    EXPECT_EQ(value("printed"), "one and two");
    EXPECT_EQ(value("code"), "import headway as hw, a = x @ y and b = x @ y");
    EXPECT_EQ(value("case.size + result.n"), "50");
    EXPECT_EQ(value("case.hidden"), "yes");
    EXPECT_EQ(value("result.t.shape"), "2");
    EXPECT_EQ(value("same(result.t, result.t)"), "yes");
    EXPECT_EQ(value("result.gone"), "error: column 8: the program sets no value called gone at its top level");
    EXPECT_EQ(value("count(reference.ops)"), "2");
    EXPECT_EQ(value("report.ops"), "3");
    EXPECT_EQ(value("report.rss_bytes_peak"), "error: column 8: rss_bytes_peak is not known in this run");
}

// What an expression says about a run.
std::string said_of(std::shared_ptr<const model::Run> run, const std::string& text) {
    auto data = std::make_shared<RunData>();
    data->run = std::move(run);
    const auto expression = expression::Expression::parse(text);
    EXPECT_TRUE(expression) << expression.error().message;
    const auto result = expression->evaluate(*make_run_facts(std::move(data)));
    return result ? result->words() : "error: " + result.error().message;
}

TEST(RunFacts, ScopesAndMinibatchesOfTheWarmUpDoNotCount) {
    RecordingBuilder builder;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t begin = 100 * i;
        if (i == 1) {
            builder.mark(trace::FrontendKind::measure_begin, begin);
        }
        builder.mark(trace::FrontendKind::scope_begin, begin, 0, "step " + std::to_string(i));
        builder.mark(trace::FrontendKind::minibatch_begin, begin, static_cast<std::uint32_t>(i));
        const auto id = builder.issue({begin, begin + 2});
        builder.exec(0, id, begin + 2, begin + 9);
        builder.mark(trace::FrontendKind::scope_end, begin + 20, 0, "step " + std::to_string(i));
    }
    const std::shared_ptr<const model::Run> run = builder.read();
    EXPECT_EQ(said_of(run, "[s in scopes -> s.name]"), "step 1 and step 2");
    EXPECT_EQ(said_of(run, "[b in minibatches -> b.index]"), "1 and 2");
}

// As with an optimiser, whose step begins the next minibatch.
TEST(RunFacts, AMinibatchThatBeganBeforeMeasuringCountsWithItsOps) {
    RecordingBuilder builder;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t begin = 100 * i;
        builder.mark(trace::FrontendKind::minibatch_begin, begin, static_cast<std::uint32_t>(i));
        if (i == 1) {
            builder.mark(trace::FrontendKind::measure_begin, begin + 1);
        }
        builder.exec(0, builder.issue({begin + 2, begin + 4}), begin + 4, begin + 9);
    }
    EXPECT_EQ(said_of(builder.read(), "[b in minibatches -> b.index]"), "1 and 2");
}

TEST(RunFacts, OpsAreOpenAfterAWaitUntilTheyEnd) {
    RecordingBuilder builder;
    for (std::uint8_t i = 0; i < 6; ++i) {
        builder.issue({i, i + 1, static_cast<std::uint8_t>(i % 2)});
    }
    builder.wait(6, 30, trace::WaitKind::item, 0, 0, 9);
    builder.issue({30, 31});
    for (core::OpId id = 1; id <= 5; ++id) {  // the sixth never runs, and the seventh is issued after the wait
        builder.exec(static_cast<std::uint8_t>((id - 1) % 2), id, 10 * id, 10 * id + 10);
    }
    builder.exec(0, 7, 60, 65);
    EXPECT_EQ(said_of(builder.read(), "waits[0].open_after"), "4");
}

TEST(RunFacts, AFoldedRunListsNothing) {
    RecordingBuilder builder;
    for (std::int64_t i = 0; i < 200'000; ++i) {
        builder.exec(0, builder.issue({i * 10, i * 10 + 1}), i * 10 + 1, i * 10 + 9);
    }
    const std::shared_ptr<model::Run> run = builder.open();
    run->fold_beyond(50'000);
    run->update();
    ASSERT_GT(run->folded_ops(), 0u);
    for (const std::string name : {"scopes", "minibatches", "work"}) {
        EXPECT_EQ(said_of(run, "count(" + name + ")"), "error: column 7: the run has too many ops to list its " + name);
    }
}

}  // namespace
}  // namespace headway::check
