// The prediction, its formula and the regime.
#include <gtest/gtest.h>

#include <functional>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/numbers/regime.h"
#include "tests/unit/model/constant_run.h"

namespace headway::model {
namespace {

// For constant stages on one lane, computed from the documented rule. `once_ns`: the total with one wait at the end.
Regime expected_regime(std::int64_t total_ns, std::int64_t frontend_ns, std::int64_t lane_ns, std::int64_t once_ns) {
    const auto share = [total_ns](std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(total_ns); };
    if (share(std::max(frontend_ns, lane_ns)) < 0.85) {
        const std::int64_t most = std::max(frontend_ns, lane_ns), least = std::min(frontend_ns, lane_ns);
        return share(total_ns - once_ns) >= 0.15             ? Regime::barrier_bound
               : 3 * most < 2 * total_ns || most < 2 * least ? Regime::mixed
               : lane_ns > frontend_ns                       ? Regime::execution_bound
                                                             : Regime::issue_bound;
    }
    if (20 * std::abs(frontend_ns - lane_ns) <= std::max(frontend_ns, lane_ns)) {
        return Regime::about_equal;
    }
    return lane_ns > frontend_ns ? Regime::execution_bound : Regime::issue_bound;
}

TEST(Numbers, PredictExactlyWhereStagesAreConstant) {
    const struct {
        std::int64_t t1, t2, t3;
    } stages[] = {{3, 10, 7}, {10, 3, 7}, {5, 5, 0}, {1, 1000, 2}, {1000, 1, 2}};
    for (const auto& [t1, t2, t3] : stages) {
        for (const OpId n : {1u, 2u, 10u, 999u}) {
            const std::int64_t count = n, once_ns = std::max(t1 + count * t2, count * t1 + t2) + t3;
            {
                ConstantRun run(t1, t2, t3);
                run.ops(n, [n](OpId i) { return i == n; });
                const Numbers numbers = numbers_of(*run.builder.read());
                EXPECT_EQ(numbers.predicted_ns, once_ns);
                EXPECT_EQ(numbers.predicted_ns, numbers.total_ns);
                EXPECT_EQ(numbers.regime, expected_regime(once_ns, count * t1, count * t2, once_ns));
                EXPECT_EQ(numbers.prediction_formula, "max(t₁+N·t₂, N·t₁+t₂)+h+t₃");
                EXPECT_EQ(numbers.formula_ns, numbers.total_ns);
                EXPECT_EQ(numbers.busiest_lane_ns, count * t2);
                EXPECT_EQ(numbers.frontend_ns, count * t1);
                EXPECT_EQ(numbers.longest_chain_ns, t2) << "they do not depend on each other";
                EXPECT_EQ(numbers.t1_ns, static_cast<double>(t1));
                EXPECT_EQ(numbers.t2_ns, static_cast<double>(t2));
                EXPECT_EQ(numbers.t3_ns, static_cast<double>(t3));
            }
            {
                ConstantRun run(t1, t2, t3);
                run.ops(n, kAlways);
                const Numbers numbers = numbers_of(*run.builder.read());
                EXPECT_EQ(numbers.predicted_ns, count * (t1 + t2 + t3));
                EXPECT_EQ(numbers.predicted_ns, numbers.total_ns);
                EXPECT_EQ(numbers.regime, expected_regime(numbers.total_ns, count * t1, count * t2, once_ns));
                EXPECT_EQ(numbers.prediction_formula, n == 1 ? "max(t₁+N·t₂, N·t₁+t₂)+h+t₃" : "N·(t₁+h+t₂+t₃)");
                EXPECT_EQ(numbers.formula_ns, numbers.total_ns);
                EXPECT_EQ(numbers.headway_max, 1u);
            }
            {
                ConstantRun run(t1, t2, t3);
                run.ops(4 * n, [n](OpId i) { return i % n == 0; });
                const Numbers numbers = numbers_of(*run.builder.read());
                EXPECT_EQ(numbers.predicted_ns, 4 * (std::max(t1 + count * t2, count * t1 + t2) + t3));
                EXPECT_EQ(numbers.predicted_ns, numbers.total_ns);
            }
        }
    }
}

TEST(Numbers, RegimeIsAboutEqualWhenBothSidesAreEqual) {
    const auto word = [](std::int64_t t1, std::int64_t t2, const std::function<bool(OpId)>& waits) {
        ConstantRun run(t1, t2, 7);
        run.ops(100, waits);
        return std::string(regime_word(numbers_of(*run.builder.read())));
    };
    const auto once = [](OpId i) { return i == 100; };
    EXPECT_EQ(word(1000, 1000, once), "about equal");
    EXPECT_EQ(word(1000, 1030, once), "about equal");
    EXPECT_EQ(word(1030, 1000, once), "about equal");
    EXPECT_EQ(word(1000, 1200, once), "execution-bound");
    EXPECT_EQ(word(1200, 1000, once), "issue-bound");
    EXPECT_EQ(word(1000, 9000, once), "execution-bound");
    // With a wait after each op the run is bound by neither side, unless one needs most of the time.
    EXPECT_EQ(word(1000, 1000, kAlways), "barrier-bound");
    EXPECT_EQ(word(1000, 3000, kAlways), "barrier-bound");
    EXPECT_EQ(word(1000, 9000, kAlways), "execution-bound");
    EXPECT_EQ(word(9000, 1000, kAlways), "issue-bound");
}

// A wait for a value after each op, as item() in a loop; and one of another kind after some of them.
TEST(Numbers, RegimeNamesTheWaitsThatCostAClearShare) {
    using trace::WaitKind;
    struct Made {
        int ops = 100;
        std::function<std::vector<WaitKind>(int i)> waits;  // after op i
        std::string_view metadata = R"({"lanes": ["Stream 0"]})";
    };
    const auto word = [](const Made& made) {
        RecordingBuilder builder;
        builder.metadata(std::string(made.metadata));
        const auto size = builder.signature(8);
        std::int64_t now = 0, free = 0;
        for (int i = 0; i < made.ops; ++i) {
            builder.issue({.begin = now, .end = now + 100, .signature = size});
            now += 100;
            const std::int64_t begin = std::max(now, free);
            free = begin + 100;
            builder.exec(0, builder.issued(), begin, free);
            for (const WaitKind kind : made.waits(i)) {
                const std::int64_t from = now;
                now = std::max(now, free) + 10;
                builder.wait(from, now, kind);
            }
        }
        return std::string(regime_word(numbers_of(*builder.read())));
    };
    const auto always = [](WaitKind kind) { return Made{.waits = [kind](int) { return std::vector{kind}; }}; };
    const auto half = [](WaitKind first, WaitKind second) {
        return Made{.waits = [first, second](int i) { return std::vector{i < 50 ? first : second}; }};
    };
    EXPECT_EQ(word(always(WaitKind::waitall)), "barrier-bound");
    EXPECT_EQ(word(always(WaitKind::minibatch_barrier)), "barrier-bound");
    for (const WaitKind blocker : {WaitKind::item, WaitKind::print, WaitKind::numpy}) {
        EXPECT_EQ(word(always(blocker)), "blocker-bound");
    }
    // PyTorch waits for each op on a CPU; if that is the learner's choice, it is a barrier.
    EXPECT_EQ(word(always(WaitKind::op_barrier)), "blocker-bound");
    Made chosen = always(WaitKind::op_barrier);
    chosen.metadata = R"({"lanes": ["Stream 0"], "barrier": "op"})";
    EXPECT_EQ(word(chosen), "barrier-bound");
    // Neither costs twice what the other does.
    EXPECT_EQ(word(half(WaitKind::waitall, WaitKind::item)), "mixed");
    EXPECT_EQ(word({.waits = [](int i) { return std::vector{i < 80 ? WaitKind::item : WaitKind::waitall}; }}),
              "blocker-bound");
    EXPECT_EQ(word({.waits = [](int i) { return std::vector{i < 80 ? WaitKind::waitall : WaitKind::item}; }}),
              "barrier-bound");
    // Each alone costs nothing: the other one waits in its place.
    EXPECT_EQ(word({.waits = [](int) { return std::vector{WaitKind::waitall, WaitKind::item}; }}), "mixed");
    // A few waits that cost little, in a run that no side bounds: a hand-over at its end does.
    EXPECT_EQ(word({.ops = 2,
                    .waits = [](int i) { return i == 1 ? std::vector{WaitKind::waitall} : std::vector<WaitKind>(); }}),
              "mixed");
}

// Without dependencies it is not known what the run would take without its waits.
TEST(Numbers, RegimeOfARunWithoutDependenciesIsASideOrUnknown) {
    Numbers numbers;
    numbers.capabilities.tensors = false;
    numbers.predicted = true;
    numbers.ops = 1;
    numbers.total_ns = 100;
    const auto word = [&](std::int64_t lane_ns) {
        numbers.busiest_lane_ns = lane_ns;
        RecordingBuilder empty;
        const auto run = empty.read();
        RegimeWalk walk(*run, numbers);
        EXPECT_FALSE(walk.step(0));
        return std::string(regime_word(numbers));
    };
    EXPECT_EQ(word(90), "execution-bound");
    EXPECT_EQ(word(85), "execution-bound");
    EXPECT_EQ(word(84), "");
    numbers.capabilities.tensors = true;
    EXPECT_EQ(word(84), "execution-bound");
    EXPECT_EQ(word(67), "execution-bound");
    EXPECT_EQ(word(66), "mixed");
    numbers.frontend_ns = 35;
    numbers.frontend.issue_ns = 35;
    EXPECT_EQ(word(70), "execution-bound");
    EXPECT_EQ(word(69), "mixed") << "less than twice the frontend's";
}

TEST(Numbers, AChainOfDependentOpsOnSeveralLanesIsDependencyBound) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    std::int64_t at = 10;
    for (std::uint32_t i = 1; i <= 20; ++i) {
        const auto lane = static_cast<std::uint8_t>(i % 2);
        builder.issue({i, i + 1, lane, i, i - 1, 0, true, size});
        at = std::max<std::int64_t>(at, i + 1);
        builder.exec(lane, i, at, at + 100);
        at += 100;
    }
    builder.wait(21, at + 1, trace::WaitKind::waitall);
    const Numbers numbers = numbers_of(*builder.read());
    EXPECT_STREQ(regime_word(numbers), "dependency-bound");
    EXPECT_EQ(numbers.longest_chain_ns, 2000);
    EXPECT_EQ(numbers.busiest_lane_ns, 1000);
    EXPECT_EQ(numbers.prediction_formula, "") << "two lanes";
}

// The first op wakes the lane and takes long. With typical returns, other ops would find the lane asleep as well.
TEST(Numbers, AnOverheadSeenOnceIsNotPredictedForOtherOps) {
    RecordingBuilder builder;
    const auto size = builder.signature(8);
    constexpr std::int64_t kWakeNs = 5'000'000, kHandoverNs = 1'000, kExecutionNs = 5'000, kTypicalReturnNs = 41'000;
    std::int64_t now = 0, predicted_ns = 0, return_ns = kTypicalReturnNs;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t issue_ns = 49'000 - return_ns;  // so the lane is idle for 49 µs
        return_ns = i % 5 < 3 ? kTypicalReturnNs : 30'000;
        const std::int64_t handover_ns = i == 0 ? kWakeNs : kHandoverNs;
        builder.issue({.begin = now, .end = now + issue_ns, .signature = size});
        now += issue_ns;
        const std::int64_t end = now + handover_ns + kExecutionNs;
        builder.exec(0, builder.issued(), end - kExecutionNs, end);
        builder.wait(now, end + return_ns, trace::WaitKind::waitall);
        now = end + return_ns;
        // The first wait is a long one, the only one of its class.
        predicted_ns += issue_ns + handover_ns + kExecutionNs + kTypicalReturnNs;
    }
    EXPECT_EQ(numbers_of(*builder.read()).predicted_ns, predicted_ns);
}

// For any run, prediction and named parts add up to the measured total.
TEST(Numbers, PredictionAndPartsAddUp) {
    std::mt19937 generator(11);
    for (int round = 0; round < 200; ++round) {
        RecordingBuilder builder;
        const auto size = builder.signature(8);
        const std::uint32_t lanes = 1 + generator() % 3;
        std::array<std::int64_t, 3> free{};
        std::int64_t now = 0, latest = 0;
        for (std::uint32_t i = 1; i <= 60; ++i) {
            const auto lane = static_cast<std::uint8_t>(generator() % lanes);
            now += generator() % 20;
            const std::uint32_t needed = i > 1 && generator() % 2 == 0 ? 1 + generator() % (i - 1) : 0;
            builder.issue({now, now + 3, lane, i, needed, 0, true, size});
            now += 3;
            // After its dependency, which may have ended at any time up to `latest`.
            const std::int64_t begin =
                std::max({now, free[lane], needed != 0 ? latest : 0}) + static_cast<std::int64_t>(generator() % 9);
            free[lane] = begin + 1 + static_cast<std::int64_t>(generator() % 50);
            builder.exec(lane, i, begin, free[lane]);
            latest = std::max(latest, free[lane]);
            if (generator() % 7 == 0) {
                const std::int64_t from = now;
                now = std::max(now, latest) + static_cast<std::int64_t>(generator() % 9);
                builder.wait(from, now, trace::WaitKind::waitall);
            }
        }
        const Numbers numbers = numbers_of(*builder.read());
        ASSERT_TRUE(numbers.predicted);
        std::int64_t sum = numbers.predicted_ns;
        for (const PredictionPart& part : numbers.prediction_parts) {
            sum += part.ns;
        }
        ASSERT_EQ(sum, numbers.total_ns) << round;
    }
}

TEST(Numbers, PredictSeveralLanesByTheBusiestOne) {
    for (const std::uint32_t lanes : {2u, 3u, 4u}) {
        for (const OpId n : {1u, 5u, 100u}) {
            ConstantRun run(3, 40, 7, lanes);
            run.ops(2 * n, [n](OpId i) { return i % n == 0; });
            const Numbers numbers = numbers_of(*run.builder.read());
            EXPECT_EQ(numbers.predicted_ns, numbers.total_ns) << lanes << " lanes, " << n << " ops";
        }
    }
}

TEST(Numbers, FormulaIsShownOnlyForSimpleRuns) {
    const auto formula_of = [](const std::function<void(ConstantRun&)>& write) {
        ConstantRun run(3, 40, 7);
        write(run);
        return numbers_of(*run.builder.read()).prediction_formula;
    };
    EXPECT_EQ(formula_of([](ConstantRun& run) {
                  run.ops(4, kNever);
                  run.wait(trace::WaitKind::waitall);
                  run.ops(4, kNever);
                  run.wait(trace::WaitKind::print);
              }),
              "");
    EXPECT_EQ(formula_of([](ConstantRun& run) {
                  run.ops(9, [](OpId i) { return i % 3 == 0; });
                  run.ops(2, kNever);
              }),
              "");
    EXPECT_EQ(formula_of([](ConstantRun& run) {
                  run.ops(4, kNever);
                  run.builder.wait(run.now, run.now + 1, trace::WaitKind::minibatch_barrier, 0, 1);
                  run.now += 1;
                  run.ops(4, kNever);
                  run.wait(trace::WaitKind::waitall);
              }),
              "");
    EXPECT_EQ(formula_of([](ConstantRun& run) { run.ops(4, kNever); }), "") << "its end is not waited for";
}

// Ten ops on one lane, with one wait at the end or a wait after each.
class UnlikeRun {
public:
    explicit UnlikeRun(bool each) : each_(each) {}
    void op(std::int64_t t1, std::int64_t t2, std::uint16_t signature = 0) {
        const OpId id = builder.issue({.begin = now_, .end = now_ + t1, .signature = signature});
        now_ += t1;
        const std::int64_t begin = std::max(now_, free_);
        free_ = begin + t2;
        builder.exec(0, id, begin, free_);
        if (each_) {
            wait();
        }
    }
    void own_work(std::int64_t ns) { now_ += ns; }
    void wait() {
        const std::int64_t begin = now_;
        now_ = std::max(now_, free_) + 2;
        builder.wait(begin, now_, trace::WaitKind::waitall);
    }
    Numbers numbers() {
        if (!each_) {
            wait();
        }
        return numbers_of(*builder.read());
    }
    RecordingBuilder builder;

private:
    bool each_;
    std::int64_t now_ = 0, free_ = 0;
};

TEST(Numbers, FormulaIsNotShownForUnequalOpsOrABusyFrontend) {
    for (const bool each : {false, true}) {
        const std::string formula = each ? "N·(t₁+h+t₂+t₃)" : "max(t₁+N·t₂, N·t₁+t₂)+h+t₃";
        const auto run = [each](const std::function<void(UnlikeRun&, int)>& write) {
            UnlikeRun made(each);
            for (int i = 0; i < 10; ++i) {
                write(made, i);
            }
            return made.numbers();
        };
        const auto expect_none = [](const Numbers& numbers, const char* why) {
            EXPECT_EQ(numbers.prediction_formula, "");
            EXPECT_NE(numbers.no_formula.find(why), std::string::npos) << numbers.no_formula;
        };
        const Numbers alike = run([](UnlikeRun& r, int) { r.op(10, 100); });
        EXPECT_EQ(alike.prediction_formula, formula);
        EXPECT_EQ(alike.formula_ns, alike.total_ns);
        EXPECT_EQ(alike.no_formula, "");
        if (!each) {  // hidden behind the issues, and not in the medians
            expect_none(
                run([](UnlikeRun& r, int i) { r.op(100, i < 9 ? 10 : 300); }),
                "the result is more than a tenth off the predicted total: the formula has medians, and not the times of "
                "each op and hand-over");
        }
        // Two kinds of ops, with equal and with unequal durations.
        const auto of_kind = [](UnlikeRun& r, int i, std::int64_t other_t2) {
            const std::uint16_t small = r.builder.signature(8), large = r.builder.signature(800, "matmul");
            r.op(10, i % 2 == 0 ? 100 : other_t2, i % 2 == 0 ? small : large);
        };
        EXPECT_EQ(run([&](UnlikeRun& r, int i) { of_kind(r, i, 110); }).prediction_formula, formula);
        expect_none(run([&](UnlikeRun& r, int i) { of_kind(r, i, 140); }),
                    "the ops are of several kinds and take unequal times");
        // One kind, with one much longer op.
        expect_none(run([](UnlikeRun& r, int i) { r.op(10, i == 4 ? 900 : 100); }),
                    "the ops' times are unequal: with their sums in place of N times the medians the result is more "
                    "than a tenth off");
        // Own work is hidden by the lane if the program waits once, unless there is too much of it.
        const Numbers some = run([](UnlikeRun& r, int) { r.own_work(40), r.op(10, 100); });
        if (each) {
            expect_none(
                some, "the frontend does more than issue ops: its other work changes the result by more than a tenth");
        } else {
            EXPECT_EQ(some.prediction_formula, formula);
        }
        expect_none(run([](UnlikeRun& r, int) { r.own_work(200), r.op(10, 100); }), "more than issue");
    }
}

}  // namespace
}  // namespace headway::model
