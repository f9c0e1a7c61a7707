// Each wording of a verdict, with two sides for which it is true. The numbers follow from the sides.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/comparison/naming.h"
#include "app/comparison/verdict.h"
#include "tests/unit/comparison/sides.h"

namespace headway::comparison {
namespace {

const std::vector<std::int64_t> kTen{10, 11, 12, 13, 14}, kTwenty{20, 21, 22, 23, 24};

Side simulated(const std::string& barrier, std::int64_t total_ms, std::uint64_t bytes = 61 * kMB) {
    Side made = side(info(barrier), {total_ms}, bytes);
    made.info.simulated = true;
    made.info.device_kind = "simulated";
    return made;
}

Side changed(Side side, const std::function<void(Sample&)>& change) {
    for (Sample& sample : side.samples) {
        change(sample);
    }
    return side;
}

TEST(Naming, OnlyTheBarrierDiffersIfAllOtherSettingsAreEqual) {
    const model::RunInfo a = info("none");
    const auto differ = [&](const std::function<void(model::RunInfo&)>& change) {
        model::RunInfo b = info("op");
        change(b);
        return !differ_in_barrier_only(a, b);
    };
    EXPECT_FALSE(differ([](model::RunInfo&) {}));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.parameters = {{"n", "2"}}; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.device_name = "another"; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.cost_models = "{}"; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.issue = "graph"; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.profile = "PyTorch"; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.budget_in_effect = 1; }));
    EXPECT_TRUE(differ([](model::RunInfo& b) { b.queue_limit = 1; }));
}

TEST(VerdictWording, Time) {
    const Side a = side(info("none"), kTen), b = side(info("op"), kTwenty);
    const auto time = [](const Side& x, const Side& y) { return verdict_of(x, y).clauses.at(0); };
    EXPECT_EQ(time(a, b),
              "A (no minibatch barrier) is 1.83× as fast as B (barrier after every op): 12.0 ms against 22.0 ms");
    EXPECT_EQ(time(b, a),
              "B (no minibatch barrier) is 1.83× as fast as A (barrier after every op): 12.0 ms against 22.0 ms");
    // With another number of ops, it is not the speed that differs.
    const Side more = changed(b, [](Sample& s) { s.numbers.ops = 2000; });
    EXPECT_EQ(time(a, more),
              "B (barrier after every op) takes 1.83× the time of A (no minibatch barrier): 22.0 ms against 12.0 ms");
    const Side little_more = side(info("op"), {10, 11, 12, 13, 14});
    const Side slower = changed(little_more, [](Sample& s) { s.numbers.total_ns += 5 * kMs; });
    EXPECT_EQ(time(a, slower),
              "A (no minibatch barrier) is 1.42× as fast as B (barrier after every op): 12.0 ms against 17.0 ms");
    EXPECT_EQ(time(side(info("none"), {100, 100, 100, 100, 100}), side(info("op"), {105, 105, 105, 105, 105})),
              "A (no minibatch barrier) takes 4.8 % less time than B (barrier after every op): 100 ms against 105 ms");
    EXPECT_EQ(time(side(info("none"), {0, 0, 0, 0, 0}), b),
              "A (no minibatch barrier) is faster than B (barrier after every op): 0 ns against 22.0 ms");
    EXPECT_EQ(time(a, side(info("op"), {12, 13, 14, 15, 16})),
              "no measurable difference in time between A (no minibatch barrier) and B (barrier after every op): 12.0 "
              "ms and 14.0 "
              "ms, which may be noise");
    EXPECT_EQ(time(a, side(info("op"), kTen)),
              "no measurable difference in time between A (no minibatch barrier) and B (barrier after every op): 12.0 "
              "ms and 12.0 "
              "ms");
    EXPECT_EQ(time(a, side(info("none"), kTen)),
              "no measurable difference in time between A and B (12.0 ms and 12.0 ms)");
    EXPECT_EQ(time(simulated("none", 10), simulated("op", 10)),
              "A (no minibatch barrier) and B (barrier after every op) take the same time (10.0 ms)");
    EXPECT_EQ(time(simulated("none", 10), b), "times are not comparable: one clock is virtual, the other real");
    EXPECT_EQ(time(side(info("none"), {10}), side(info("op"), {20})), "one run each says nothing about time");
    EXPECT_EQ(time(side(info("none"), {10, 10}), side(info("op"), {20, 20})),
              "2 runs each are too few to compare times (at least 5 are needed)");
    const Side slow_ops = changed(b, [](Sample& s) { s.ops["matmul (8×8)·(8×8)"].median_ns = 101'000; });
    const Verdict every = verdict_of(a, slow_ops);
    EXPECT_EQ(
        every.clauses.at(0),
        "times are not comparable: the same ops took 101× as long in B (barrier after every op) as in A (no minibatch "
        "barrier), in every run");
    EXPECT_EQ(every.reason, "equal ops took unequal times in every run");
    Side sometimes = slow_ops;
    sometimes.samples[1].ops["matmul (8×8)·(8×8)"].median_ns = 1000;
    const Verdict some = verdict_of(a, sometimes);
    EXPECT_EQ(
        some.clauses.at(0),
        "times are not comparable: the same ops took 101× as long in B (barrier after every op) as in A (no minibatch "
        "barrier), but not in every run, as on a busy machine");
    EXPECT_EQ(some.reason, "equal ops took unequal times, but not in every run, as on a busy machine");
}

// The rank test may find a difference where the medians differ the other way round: then nothing is claimed.
TEST(VerdictWording, ClaimsNothingWhereRanksAndMediansDisagree) {
    Side a{info("none"), {}, true}, b{info("op"), {}, true};
    for (int i = 0; i < 101; ++i) {
        a.samples.push_back(sample((i < 51 ? 20 : 40) * kMs));
        b.samples.push_back(sample((i < 51 ? 21 : 10) * kMs));
    }
    const Verdict v = verdict_of(a, b);
    EXPECT_LE(*v.time.p, kP);
    EXPECT_LT(v.time.of[0].median, v.time.of[1].median);
    EXPECT_EQ(v.time.claim, Claim::no_difference) << v.sentence;
    // Turned round, they agree.
    b.samples[0].numbers.total_ns = b.samples[1].numbers.total_ns = 10 * kMs;
    EXPECT_EQ(verdict_of(a, b).time.subject, 'B');
}

TEST(VerdictWording, Memory) {
    const auto memory = [](std::uint64_t a, std::uint64_t b) {
        return verdict_of(simulated("none", 10, a), simulated("op", 10, b)).clauses.at(1);
    };
    EXPECT_EQ(memory(361 * kMB, 61 * kMB), "A needs 5.9× the memory of B (361 MB against 61 MB)");
    EXPECT_EQ(memory(61 * kMB, 64 * kMB), "B needs 4.9 % more memory than A (64 MB against 61 MB)");
    EXPECT_EQ(memory(1'000'000, 1'001'000), "B needs about as much memory as A (1.0 MB against 1.0 MB)");
    EXPECT_EQ(memory(kMB, 0), "A needs memory, and B none (1.0 MB)");
    EXPECT_EQ(memory(400, 24), "A and B need little memory (400 bytes and 24 bytes)");
    EXPECT_EQ(memory(1, 0), "A and B need little memory (1 byte and 0 bytes)");
    EXPECT_EQ(memory(kMB, kMB), "A and B need the same memory (1.0 MB)");
    Side a = side(info("none"), kTen), b = side(info("op"), kTen);
    for (std::size_t i = 0; i < 5; ++i) {
        a.samples[i].numbers.live_bytes_peak = (10 + i) * kMB;
        b.samples[i].numbers.live_bytes_peak = (11 + i) * kMB;
    }
    EXPECT_EQ(verdict_of(a, b).clauses.at(1), "no measurable difference in memory (12 MB and 13 MB)");
    EXPECT_EQ(verdict_of(side(info("none"), {10}, 100 * kMB), side(info("op"), {10}, 61 * kMB)).clauses.at(1),
              "no large difference in memory (100 MB and 61 MB)");
}

TEST(VerdictWording, HeadwayAndCounts) {
    Side a = simulated("none", 10), b = simulated("op", 10);
    a.samples[0].numbers.headway_max = 1201;
    b.samples[0].numbers.headway_max = 1;
    a.samples[0].numbers.ops = 3000;
    const Verdict v = verdict_of(a, b);
    EXPECT_EQ(v.clauses.at(2), "A runs up to 1,201 ops ahead, B up to 1");
    EXPECT_EQ(v.clauses.at(3), "A issues 3,000 ops, B 1,000");
    Side spans = a;  // of another program's trace, whose spans are no ops
    spans.samples[0].numbers.capabilities.backend = false;
    EXPECT_EQ(verdict_of(spans, b).clauses.size(), 3u);
    a.samples[0].numbers.headway_max = 1;
    b.samples[0].numbers.headway_max = 0;
    EXPECT_EQ(verdict_of(a, b).clauses.at(2), "A runs up to 1 op ahead, B up to 0");
}

TEST(VerdictWording, WhatTheClaimsRestOn) {
    const Side a = side(info("none"), kTen), b = side(info("op"), kTwenty);
    EXPECT_EQ(
        verdict_of(a, b).evidence,
        "5 runs each after one to warm up, totals A 12.0 ms (10.0 ms to 14.0 ms), B 22.0 ms (20.0 ms to 24.0 ms); "
        "rank-sum test p = 0.0079, claimed at p ≤ 0.01");
    Side uneven = a;
    uneven.samples[0].numbers.headway_max = 240;
    uneven.samples[0].numbers.live_bytes_peak = 1'920;
    EXPECT_EQ(
        verdict_of(uneven, b).evidence,
        "5 runs each after one to warm up, totals A 12.0 ms (10.0 ms to 14.0 ms), B 22.0 ms (20.0 ms to 24.0 ms); "
        "peak memory A 61 MB (1.9 kB to 61 MB), B 61 MB (61 MB to 61 MB); headway A 40 (40 to 240), B 40 (40 to "
        "40); shown are the runs of median time; rank-sum test p = 0.0079, claimed at p ≤ 0.01");
    const Side many = side(info("none"), {10, 11, 12, 13, 14, 15, 16, 17, 18}),
               far = side(info("op"), {90, 91, 92, 93, 94, 95, 96, 97, 98});
    EXPECT_TRUE(verdict_of(many, far).evidence.ends_with("; rank-sum test p < 0.001, claimed at p ≤ 0.01"));
    EXPECT_EQ(verdict_of(simulated("none", 10), simulated("op", 12)).evidence, "simulated: exact, one run each");
    EXPECT_EQ(verdict_of(side(info("none"), {10}), side(info("op"), {20})).evidence, "one run each");
    Side twice = simulated("none", 10), other = simulated("op", 12);
    twice.samples.push_back(sample(10 * kMs));
    other.samples.push_back(sample(12 * kMs));
    twice.warmed_up = other.warmed_up = false;
    EXPECT_EQ(verdict_of(twice, other).evidence,
              "simulated, 2 runs each, totals A 10.0 ms (10.0 ms to 10.0 ms), B 12.0 ms (12.0 ms to 12.0 ms)");
    EXPECT_EQ(verdict_of(twice, other).clauses.back(), "medians of 2 runs each");
    const Verdict none = verdict_of(Side{info("none"), {}, false}, b);
    EXPECT_EQ(none.sentence, "There is nothing to compare.");
    EXPECT_EQ(none.reason, "there are no runs");
    EXPECT_EQ(none.evidence, "");
}

// From 5 % of a run on, as in the run's own explanation.
TEST(VerdictWording, NamesABusyMachine) {
    const Side a = side(info("none"), kTen), near = side(info("op"), kTen), far = side(info("op"), kTwenty);
    Side busy = a;
    for (Sample& s : busy.samples) {
        s.numbers.frontend.descheduled_ns = s.numbers.total_ns / 20;
    }
    busy.samples[3].numbers.frontend.descheduled_ns -= 1;
    const Verdict hidden = verdict_of(busy, near);
    EXPECT_EQ(hidden.busy_runs, 4U);
    EXPECT_EQ(hidden.clauses.at(1), "the machine was busy in 4 of the 10 runs");
    EXPECT_NE(hidden.evidence.find("; the machine was busy in 4 of 10 runs; rank-sum test"), std::string::npos)
        << hidden.evidence;
    // A difference that the test supports stands.
    EXPECT_EQ(verdict_of(busy, far).sentence.find("busy"), std::string::npos);
    EXPECT_NE(verdict_of(busy, far).evidence.find("busy in 4 of 10 runs"), std::string::npos);
    EXPECT_EQ(verdict_of(a, near).evidence.find("busy"), std::string::npos);
}

// What is said of A, of B and of both if the runs of these sides have it; without it there is no such word.
void expect_named(bool Sample::*what, const char* of_a, const char* of_b, const char* of_both, const char* word) {
    const Side without = simulated("none", 10), other = simulated("none", 20);
    const Side with = changed(without, [what](Sample& s) { s.*what = true; });
    EXPECT_EQ(verdict_of(with, other).clauses.at(1), of_a);
    EXPECT_EQ(verdict_of(other, with).clauses.at(1), of_b);
    EXPECT_EQ(verdict_of(with, with).clauses.at(1), of_both);
    EXPECT_EQ(verdict_of(without, other).sentence.find(word), std::string::npos);
}

TEST(VerdictWording, NamesRaces) {
    expect_named(&Sample::races, "A has races, so what is computed may depend on which op runs first",
                 "B has races, so what is computed may depend on which op runs first",
                 "A and B have races, so what is computed may depend on which op runs first", "race");
    Side once = side(info("none"), kTen);
    once.samples[3].races = true;
    EXPECT_EQ(verdict_of(once, side(info("op"), kTwenty)).races, (std::array{true, false}));
}

TEST(VerdictWording, NamesOpsOfTheWarmUpWithinTheMeasuredTime) {
    expect_named(
        &Sample::unfinished, "the time of A contains ops of the warm-up that had not finished when measuring began",
        "the time of B contains ops of the warm-up that had not finished when measuring began",
        "the time of A and of B contains ops of the warm-up that had not finished when measuring began", "warm-up");
}

TEST(VerdictWording, UnfinishedRuns) {
    const Side good = side(info("none"), {10, 10});
    for (const auto& [ended, clause, reason] :
         {std::tuple{Ended::failed, "A (barrier after every op) failed", "A failed"},
          {Ended::stopped, "A (barrier after every op) was stopped after 10.0 ms", "A was stopped"},
          {Ended::paused_or_stepped, "A (barrier after every op) was paused or stepped", "A was paused or stepped"},
          {Ended::cut_off, "A (barrier after every op) was cut off after 10.0 ms", "A was cut off"}}) {
        Side bad = side(info("op"), {10, 10});
        bad.samples[1].ended = ended;
        const Verdict v = verdict_of(bad, good);
        EXPECT_EQ(v.clauses, (std::vector<std::string>{clause, "A and B are not compared"}));
        EXPECT_EQ(v.reason, reason);
        EXPECT_EQ(verdict_of(bad, bad).reason, reason + std::string(" and B") + (reason + 1));
    }
}

TEST(VerdictWording, WordsOfClaims) {
    for (const auto& [claim, time, other] :
         {std::tuple{Claim::more, "faster", "more"},
          {Claim::no_difference, "no measurable difference", "no measurable difference"},
          {Claim::not_comparable, "not comparable", "not comparable"},
          {Claim::one_run, "one run says nothing", "one run says nothing"},
          {Claim::too_few_runs, "too few runs", "too few runs"},
          {Claim::unknown, "unknown", "unknown"}}) {
        EXPECT_STREQ(word_of_time(claim), time);
        EXPECT_STREQ(word_of(claim), other);
    }
}

TEST(VerdictWording, PoliciesThatHadAnEffect) {
    using Words = std::vector<std::pair<std::int64_t, std::string>>;
    const auto acting = [](bool no_minibatches, const std::string& barrier,
                           std::vector<model::RunInfo::BarrierChange> changes) {
        model::RunInfo info;
        info.no_minibatches = no_minibatches;
        info.barrier = barrier;
        info.barrier_changes = std::move(changes);
        Words words;
        for (const auto& [ns, word] : acting_barriers(info)) {
            words.emplace_back(ns, barrier_words(word));
        }
        return words;
    };
    EXPECT_EQ(acting(false, "none", {}), (Words{{0, "no minibatch barrier"}}));
    EXPECT_EQ(acting(true, "none", {}), (Words{{0, "barriers as written"}}));
    EXPECT_EQ(acting(true, "op", {}), (Words{{0, "barrier after every op"}}));
    EXPECT_EQ(acting(false, "none", {{5, "minibatch"}, {9, "minibatch"}, {12, "none"}}),
              (Words{{0, "no minibatch barrier"}, {5, "barrier every minibatch"}, {12, "no minibatch barrier"}}));
    EXPECT_EQ(acting(true, "none", {{5, "minibatch"}, {9, "op"}}),
              (Words{{0, "barriers as written"}, {9, "barrier after every op"}}));
}

TEST(VerdictWording, NamesOfSides) {
    const auto names = [](auto change) {
        model::RunInfo a = info(), b = info();
        change(a, b);
        return names_of(a, b);
    };
    EXPECT_EQ(names([](auto&, auto& b) { b.tab = "pytorch"; }), (Names{"first tab", "pytorch"}));
    EXPECT_EQ(names([](auto&, auto& b) {
                  b.barrier_changes = {{0, "op"}};
              }),
              (Names{"no minibatch barrier", "no minibatch barrier, then barrier after every op"}));
    EXPECT_EQ(names([](auto&, auto& b) {
                  b.barrier_changes = {{0, "op"}, {1, "none"}};
              }),
              (Names{"no minibatch barrier", "no minibatch barrier, changed while it ran"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.budget = 1 << 20; }), (Names{"no budget", "budget 1 MiB"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.budget_in_effect = 1 << 30;
                  b.budget = 1 << 20;
              }),
              (Names{"default budget", "budget 1 MiB"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.issue = "graph"; }), (Names{"issued op by op", "issued as graphs"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.launch = "frontend";
                  b.launch = "lane";
              }),
              (Names{"launched by the frontend", "launched by the lane"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.copies = "pinned";
                  b.copies = "pageable";
                  a.products = "single";
                  b.products = "tensor";
              }),
              (Names{"pinned copies, single products", "pageable copies, tensor products"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.seed = 7; }), (Names{"seed 0", "seed 7"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.barrier = "as-written";
                  b.barrier = "op";
              }),
              (Names{"barriers as written", "barrier after every op"}));
    // Without minibatches the policies for minibatches do nothing.
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.no_minibatches = b.no_minibatches = true;
                  a.barrier = "none";
                  b.barrier = "op";
              }),
              (Names{"barriers as written", "barrier after every op"}));
    EXPECT_TRUE(names([](auto& a, auto& b) {
                    a.no_minibatches = b.no_minibatches = true;
                    a.barrier = "none";
                    b.barrier = "minibatch";
                    b.barrier_changes = {{5, "behind:2"}};
                }).empty());
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.streams = 1;
                  b.streams = 2;
              }),
              (Names{"1 stream", "2 streams"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.device_kind = b.device_kind = "simulated";
                  b.links.emplace(devices::Topology::ring, 4, devices::LinkCosts{});
              }),
              (Names{"1 GPU", "4 GPUs, links ring"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.device_kind = b.device_kind = "simulated";
                  for (auto* info : {&a, &b}) {
                      info->links.emplace(devices::Topology::pcie, 2, devices::LinkCosts{});
                  }
                  b.gpu_costs.resize(2);
                  b.gpu_costs[1].speed = 0.25;
              }),
              (Names{"2 GPUs, links pcie", "2 GPUs, links pcie, speeds 1, 0.25"}));
}

}  // namespace
}  // namespace headway::comparison
