#include "app/comparison/verdict.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "app/comparison/verdict_json.h"
#include "tests/unit/comparison/sides.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::comparison {
namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Verdict, OneRunEachSaysNothingAboutTime) {
    const Verdict v =
        verdict_of(side(info("none"), {10}, 361 * kMB, 1201), side(info("minibatch"), {90}, 61 * kMB, 41));
    EXPECT_EQ(v.time.claim, Claim::one_run);
    EXPECT_EQ(v.time.subject, 0);
    EXPECT_EQ(v.sentence,
              "One run each says nothing about time; in these two runs A (no minibatch barrier) held up to 361 MB, B "
              "(barrier every minibatch) up to 61 MB; A ran up to 1,201 ops ahead, B up to 41.");
}

TEST(Verdict, OneRunEachClaimsOnlyLargeDifferencesInMemory) {
    const Verdict v = verdict_of(side(info("none"), {10}, 100 * kMB, 60), side(info("minibatch"), {9}, 61 * kMB, 41));
    EXPECT_EQ(v.memory.claim, Claim::one_run);
    EXPECT_EQ(v.headway.claim, Claim::one_run);
    EXPECT_EQ(v.sentence, "One run each says nothing about time; no large difference in memory (100 MB and 61 MB).");
    // Twice as far ahead, but by only one op.
    EXPECT_EQ(verdict_of(side(info(), {10}, kMB, 2), side(info("op"), {9}, kMB, 1)).headway.claim, Claim::one_run);
}

TEST(Verdict, OneSimulatedRunIsExact) {
    model::RunInfo a = info("none"), b = info("minibatch");
    a.simulated = b.simulated = true;
    a.device_kind = b.device_kind = "simulated";
    const Verdict v = verdict_of(side(a, {10}, 361 * kMB), side(b, {13}));
    EXPECT_EQ(v.time.claim, Claim::more);
    EXPECT_EQ(v.time.subject, 'A');
    EXPECT_FALSE(v.time.p.has_value());
    EXPECT_EQ(
        v.sentence,
        "SIMULATED: A (no minibatch barrier) is 1.30× as fast as B (barrier every minibatch): 10.0 ms against 13.0 ms; "
        "A needs 5.9× the memory of B (361 MB against 61 MB).");
    const Verdict even = verdict_of(side(a, {10}), side(b, {10}));
    EXPECT_EQ(even.time.claim, Claim::no_difference);
    EXPECT_EQ(even.sentence,
              "SIMULATED: A (no minibatch barrier) and B (barrier every minibatch) take the same time (10.0 ms); A and "
              "B need the "
              "same memory (61 MB).");
}

TEST(Verdict, GivesNoRatioOfAFewBytes) {
    model::RunInfo a = info(), b = info();
    a.simulated = b.simulated = true;
    a.device_kind = b.device_kind = "simulated";
    const Verdict v = verdict_of(side(a, {10}, 24), side(b, {10}, 16));
    EXPECT_EQ(v.memory.claim, Claim::more);
    EXPECT_NE(v.sentence.find("A and B need little memory (24 bytes and 16 bytes)"), std::string::npos) << v.sentence;
}

TEST(Verdict, FasterOnlyWhereTheTestSaysSo) {
    const Side a = side(info("none"), {10, 11, 12, 13, 14}), apart = side(info("op"), {20, 21, 22, 23, 24}),
               near = side(info("op"), {14, 15, 16, 17, 18});
    const Verdict v = verdict_of(a, apart);
    EXPECT_EQ(v.time.claim, Claim::more);
    EXPECT_EQ(v.time.subject, 'A');
    EXPECT_NEAR(*v.time.p, 2.0 / 252, 1e-12);
    EXPECT_NEAR(v.time.ratio, 22.0 / 12, 1e-12);
    EXPECT_EQ(v.sentence,
              "A (no minibatch barrier) is 1.83× as fast as B (barrier after every op): 12.0 ms against 22.0 ms; A and "
              "B need the "
              "same memory (61 MB); medians of 5 runs each.");
    EXPECT_TRUE(has(v.evidence, "5 runs each after one to warm up, totals A 12.0 ms (10.0 ms to 14.0 ms)"))
        << v.evidence;
    EXPECT_TRUE(has(v.evidence, "p = 0.0079")) << v.evidence;
    const Verdict none = verdict_of(a, near);  // 14 is in both samples
    EXPECT_EQ(none.time.claim, Claim::no_difference);
    EXPECT_TRUE(
        has(none.sentence,
            "No measurable difference in time between A (no minibatch barrier) and B (barrier after every op): 12.0 ms "
            "and 16.0 ms, which may be noise;"))
        << none.sentence;
    EXPECT_FALSE(has(none.sentence, "fast"));
}

TEST(Verdict, FewRunsAreTooFew) {
    const Verdict v = verdict_of(side(info("none"), {10, 11, 12, 13}), side(info("op"), {40, 41, 42, 43}));
    EXPECT_EQ(v.time.claim, Claim::too_few_runs);
    EXPECT_TRUE(has(v.sentence, "4 runs each are too few to compare times (at least 5 are needed)")) << v.sentence;
}

TEST(Verdict, UnequalTimesOfEqualOpsAreNotComparable) {
    const Side a = side(info("none"), {10, 11, 12, 13, 14});
    Side b = side(info("op"), {20, 21, 22, 23, 24});
    for (std::size_t i = 0; i < b.samples.size(); ++i) {
        // 100 ops that take 100 µs more each: all of the difference.
        b.samples[i].ops["matmul (8×8)·(8×8)"].median_ns = 101'000;
    }
    Side slow = a;
    for (Sample& s : slow.samples) {
        s.ops["matmul (8×8)·(8×8)"].median_ns = 31'562;
    }
    const Verdict v = verdict_of(slow, b);
    EXPECT_EQ(v.time.claim, Claim::not_comparable);
    EXPECT_EQ(v.equal_ops.slower, 'B');
    EXPECT_TRUE(has(
        v.sentence,
        "Times are not comparable: the same ops took 3.2× as long in B (barrier after every op) as in A (no minibatch "
        "barrier), in every run;"))
        << v.sentence;
    // A single run as fast as the others: the cause is the machine, not the setting.
    b.samples[2].ops["matmul (8×8)·(8×8)"].median_ns = 30'000;
    EXPECT_TRUE(has(verdict_of(slow, b).sentence,
                    "as in A (no minibatch barrier), but not in every run, as on a busy machine;"));
    // If the ops are a small part of the difference, it does not matter.
    Side far = b;
    for (Sample& s : far.samples) {
        s.numbers.total_ns *= 100;
    }
    EXPECT_EQ(verdict_of(slow, far).time.claim, Claim::more);
    // On another device a difference is expected.
    b.info.device_kind = "cuda";
    EXPECT_EQ(verdict_of(slow, b).time.claim, Claim::more);
    EXPECT_EQ(verdict_of(slow, b).sentence.find("A (cpu, no minibatch barrier)"), 0u) << verdict_of(slow, b).sentence;
}

// Ops of two kinds in turn.
void write_two_kinds(model::RecordingBuilder& builder, core::OpId ops, core::OpId warm_up) {
    const std::uint16_t kinds[] = {builder.signature(8, "add"), builder.signature(8, "matmul")};
    for (core::OpId i = 0; i < ops; ++i) {
        if (i == warm_up) {
            builder.mark(trace::FrontendKind::measure_begin, i * 10);
        }
        const core::OpId id = builder.issue({.begin = i * 10, .end = i * 10 + 1, .signature = kinds[i % 2]});
        builder.exec(0, id, i * 10 + 1, i * 10 + (i % 2 == 0 ? 4 : 8));
    }
}

TEST(OpTimes, ALoopIsSampledAtAllOfItsPlaces) {
    model::RecordingBuilder builder;
    write_two_kinds(builder, 21'000, 0);
    const OpTimes times = op_times(*builder.read());
    ASSERT_EQ(times.size(), 2u);
    EXPECT_EQ(times.at("add (2)").count, 10'500u);
    EXPECT_EQ(times.at("add (2)").median_ns, 3);
    EXPECT_EQ(times.at("matmul (2)").count, 10'500u);
    EXPECT_EQ(times.at("matmul (2)").median_ns, 7);
}

TEST(OpTimes, AFoldedRunCountsOnlyItsMeasuredOps) {
    model::RecordingBuilder builder;
    write_two_kinds(builder, 200'000, 50'000);
    const auto run = builder.open();
    run->fold_beyond(50'000);
    run->update();
    ASSERT_GT(run->folded_ops(), 0u);
    const OpTimes times = op_times(*run);
    EXPECT_EQ(times.at("add (2)").count + times.at("matmul (2)").count, 150'000u);
}

TEST(Verdict, NamesRunsByTheirDifferences) {
    const auto names = [](auto change) {
        model::RunInfo a = info(), b = info();
        a.parameters = b.parameters = {{"n", "5"}, {"wait", "once"}};
        change(a, b);
        return names_of(a, b);
    };
    EXPECT_TRUE(names([](auto&, auto&) {}).empty());
    EXPECT_EQ(names([](auto&, auto& b) { b.parameters["wait"] = "each"; }), (Names{"wait=once", "wait=each"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.parameters.erase("n"); }), (Names{"n=5", "n not set"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.frontend = "Python"; }), (Names{"C++", "Python"}));
    EXPECT_EQ(names([](auto& a, auto& b) {
                  a.tab = "mxnet";
                  b.tab = "pytorch";
              }),
              (Names{"mxnet", "pytorch"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.device_kind = "simulated"; }), (Names{"cpu", "simulated"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.barrier = "behind:1"; }),
              (Names{"no minibatch barrier", "barrier 1 behind"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.queue_limit = 8; }), (Names{"no queue limit", "queue limit 8"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.free_policy = "stream"; }),
              (Names{"free policy finish", "free policy stream"}));
    EXPECT_EQ(names([](auto&, auto& b) { b.workers = 2; }), (Names{"1 worker", "2 workers"}));
    EXPECT_EQ(names([](auto&, auto& b) {
                  b.barrier = "op";
                  b.parameters = {{"n", "6"}, {"wait", "each"}};
              }),
              (Names{"no minibatch barrier, n=5, wait=once", "barrier after every op, n=6, wait=each"}));
}

TEST(Verdict, UnfinishedRunsAreNotCompared) {
    const Side good = side(info("none"), {10, 10, 10, 10, 10});
    for (const auto& [ended, words] : {std::pair{Ended::failed, "failed"},
                                       {Ended::stopped, "was stopped after 10.0 ms"},
                                       {Ended::paused_or_stepped, "was paused or stepped"},
                                       {Ended::cut_off, "was cut off after 10.0 ms"}}) {
        Side bad = side(info("op"), {10, 10, 10, 10, 10}, 500 * kMB);
        bad.samples[3].ended = ended;
        const Verdict v = verdict_of(good, bad);
        EXPECT_EQ(v.time.claim, Claim::not_comparable);
        EXPECT_EQ(v.memory.claim, Claim::not_comparable);
        EXPECT_EQ(v.sentence, "B (barrier after every op) " + std::string(words) + "; A and B are not compared.");
        EXPECT_EQ(verdict_of(bad, good).sentence.find("A (barrier after every op) " + std::string(words)), 0u);
    }
}

TEST(Verdict, VirtualAndRealClocksAreNotCompared) {
    model::RunInfo b = info();
    b.simulated = true;
    b.device_kind = "simulated";
    const Verdict v = verdict_of(side(info(), {10}), side(b, {20}));
    EXPECT_EQ(v.time.claim, Claim::not_comparable);
    EXPECT_EQ(v.sentence.find("Times are not comparable: one clock is virtual, the other real"), 0u) << v.sentence;
    EXPECT_FALSE(has(v.sentence, "SIMULATED"));
}

TEST(Verdict, ClaimsNothingAboutMissingData) {
    Side a = side(info(), {10}, 900 * kMB, 500), b = side(info("op"), {20});
    a.samples[0].numbers.capabilities.memory = a.samples[0].numbers.capabilities.issues = false;
    const Verdict v = verdict_of(a, b);
    EXPECT_EQ(v.memory.claim, Claim::unknown);
    EXPECT_EQ(v.headway.claim, Claim::unknown);
    EXPECT_FALSE(has(v.sentence, "memory")) << v.sentence;
    EXPECT_TRUE(verdict_json(v)["memory"]["medians"].is_null());
}

// --- properties ---

char turned(char letter) {
    return letter == 'A' ? 'B' : letter == 'B' ? 'A' : letter;
}

// The sentence with A and B exchanged, where they are words.
std::string with_letters_turned(std::string text) {
    const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool alone = (i == 0 || !word(text[i - 1])) && (i + 1 == text.size() || !word(text[i + 1]));
        text[i] = alone ? turned(text[i]) : text[i];
    }
    return text;
}

TEST(VerdictProperties, ExchangingTheSidesMirrorsTheSentence) {
    std::mt19937 random(5);
    int claims = 0;
    for (int i = 0; i < 400; ++i) {
        const bool simulated = i % 4 == 0;
        const std::size_t runs = simulated ? 1 : 1 + random() % 8;
        const auto make = [&](const std::string& barrier) {
            Side side{info(barrier), {}, true};
            side.info.simulated = simulated;
            const auto base = static_cast<std::int64_t>(1 + random() % 40);
            const std::uint64_t bytes = 1 + random() % 400, headway = 1 + random() % 2000;
            for (std::size_t r = 0; r < runs; ++r) {
                const auto total = (base * 10 + static_cast<std::int64_t>(random() % 60)) * kMs / 10;
                side.samples.push_back(sample(total, (bytes * 10 + random() % 7) * kMB / 10, headway + random() % 9));
                side.samples.back().ops.begin()->second.median_ns += static_cast<double>(random() % 3 * 400'000);
            }
            return side;
        };
        const Side x = make("none"), y = make("op");
        const Verdict v = verdict_of(x, y), w = verdict_of(y, x);
        for (const auto& [f, g] : {std::pair{v.time, w.time}, {v.memory, w.memory}, {v.headway, w.headway}}) {
            EXPECT_EQ(f.claim, g.claim);
            EXPECT_EQ(f.subject, turned(g.subject));
            EXPECT_EQ(f.ratio, g.ratio);
            EXPECT_EQ(f.p, g.p);
            EXPECT_EQ(f.of[0].median, g.of[1].median);
        }
        if (v.time.claim == Claim::more || v.time.claim == Claim::one_run || v.time.claim == Claim::not_comparable) {
            ++claims;
            if (v.memory.claim == Claim::more || v.time.claim != Claim::one_run) {
                // Symmetric statements name A first either way; clauses with a subject are mirrored.
                EXPECT_EQ(v.clauses.front(), with_letters_turned(w.clauses.front()));
            }
        }
        if (v.memory.claim == Claim::more && v.time.claim == Claim::more) {
            EXPECT_EQ(v.clauses[1], with_letters_turned(w.clauses[1]));
        }
    }
    EXPECT_GT(claims, 100);
}

// Of 10,000 pairs of samples of the same distribution, at most the stated share gives a claim.
TEST(VerdictProperties, EqualDistributionsRarelyGiveAClaim) {
    for (const std::size_t runs : {5, 6, 10}) {
        std::mt19937 random(static_cast<unsigned>(runs));
        std::lognormal_distribution<double> total(16, 0.3);  // skewed, as times are
        int faster = 0;
        for (int i = 0; i < 10'000; ++i) {
            Side a{info("none"), {}, true}, b{info("op"), {}, true};
            for (std::size_t r = 0; r < runs; ++r) {
                a.samples.push_back(sample(static_cast<std::int64_t>(total(random))));
                b.samples.push_back(sample(static_cast<std::int64_t>(total(random))));
            }
            faster += verdict_of(a, b).time.claim == Claim::more ? 1 : 0;
        }
        EXPECT_LE(faster, 10'000 * kP) << runs;
        EXPECT_GT(faster, 20) << runs;  // the test does have power
    }
}

TEST(VerdictProperties, SeparatedDistributionsGiveAClaim) {
    std::mt19937 random(3);
    std::uniform_int_distribution<std::int64_t> noise(0, 99'999);
    for (int i = 0; i < 1000; ++i) {
        Side a{info("none"), {}, true}, b{info("op"), {}, true};
        for (int r = 0; r < 5; ++r) {
            a.samples.push_back(sample(10 * kMs + noise(random)));
            b.samples.push_back(sample(10 * kMs + 100'000 + noise(random)));
        }
        const Verdict v = verdict_of(a, b);
        ASSERT_EQ(v.time.claim, Claim::more);
        ASSERT_EQ(v.time.subject, 'A');
        ASSERT_EQ(v.sentence.find("A (no minibatch barrier) takes "), 0u) << v.sentence;
        ASSERT_TRUE(has(v.sentence, " % less time than B (barrier after every op): ")) << v.sentence;
    }
}

TEST(VerdictJson, HasAllDocumentedFields) {
    const Verdict v = verdict_of(side(info("none"), {10, 11, 12, 13, 14}, 361 * kMB, 1201),
                                 side(info("op"), {20, 21, 22, 23, 24}, 61 * kMB, 1));
    const auto json = verdict_json(v);
    EXPECT_EQ(json["runs"], 5);
    EXPECT_EQ(json["time"]["claim"], "faster");
    EXPECT_EQ(json["time"]["subject"], "A");
    EXPECT_EQ(json["time"]["medians"]["b"], 22 * kMs);
    EXPECT_EQ(json["time"]["spreads"]["a"], nlohmann::ordered_json({10 * kMs, 14 * kMs}));
    EXPECT_EQ(json["memory"]["subject"], "A");
    EXPECT_EQ(json["headway"]["medians"]["b"], 1);
    EXPECT_EQ(json["sentence"], v.sentence);
    EXPECT_EQ(json["a"], "no minibatch barrier");
    EXPECT_EQ(json["unfinished"], nlohmann::ordered_json({{"a", false}, {"b", false}}));
    for (const auto& [claim, word] : {std::pair{Claim::no_difference, "no measurable difference"},
                                      {Claim::not_comparable, "not comparable"},
                                      {Claim::one_run, "one run says nothing"},
                                      {Claim::too_few_runs, "too few runs"}}) {
        EXPECT_STREQ(word_of_time(claim), word);
    }
}

}  // namespace
}  // namespace headway::comparison
