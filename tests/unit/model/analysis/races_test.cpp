// What a program's streams order, and what they do not: dependencies, waits for a stream, races.
#include "app/model/analysis/races.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/model/report/report.h"
#include "app/model/run/queries.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using trace::OrderKind;

constexpr BufferId kA = 1, kB = 2, kC = 3, kD = 4;
core::Line line(std::uint32_t number) {
    return core::make_line(1, number);
}

class Races : public testing::Test {
protected:
    Races() {
        builder.metadata(R"({"lanes": ["Stream 0", "Stream 1"]})");
        builder.recording().meta(trace::MetaType::file, 1, "a.py");
    }
    OpId op(std::uint8_t lane, BufferId out, BufferId in0, std::uint32_t at) {
        const OpId id = builder.issue({now, now + 10, lane, out, in0, 0, true, 0, line(at), false});
        now += 10;
        builder.exec(lane, id, now, now + 100);
        return id;
    }
    RecordingBuilder builder;
    std::int64_t now = 0;
};

TEST_F(Races, AnOpDoesNotFollowWhatItRacesWith) {
    op(0, kA, 0, 1);
    op(0, kB, 0, 2);
    builder.order({3, 2, kB, 0, 0, OrderKind::read_write, 1, 0, 0});
    op(1, kC, kB, 3);
    op(0, kD, kB, 4);
    const auto run = builder.read();
    EXPECT_EQ(run->dependencies(3), std::vector<OpId>{});
    EXPECT_EQ(run->dependencies(4), std::vector<OpId>{2});
}

TEST_F(Races, AnOpFollowsWhatItsStreamWaitedFor) {
    op(0, kA, 0, 1);
    builder.order({2, 1, 0, 0, line(2), OrderKind::stream_wait, 1, 0, 0});
    op(1, kB, 0, 3);
    const auto run = builder.read();
    EXPECT_EQ(run->dependencies_with_reasons(2), (std::vector<Dependency>{{1, DependencyKind::stream_wait}}));
    EXPECT_TRUE(races(*run).empty());
}

TEST_F(Races, WhatTheFrontendKnowsIsNotADependency) {
    op(0, kA, 0, 1);
    builder.order({2, 1, 0, 0, line(2), OrderKind::host_wait, 0, 0, 0});
    op(1, kB, kA, 3);
    const auto run = builder.read();
    ASSERT_EQ(run->orders().size(), 1u);
    EXPECT_EQ(run->dependencies_with_reasons(2), (std::vector<Dependency>{{1, DependencyKind::read_after_write}}));
    EXPECT_TRUE(races(*run).empty());
}

TEST_F(Races, LanesWithLargeNumbersAreDistinct) {
    op(1, kA, 0, 1);
    op(129, kB, 0, 2);
    builder.order({3, 2, kB, 0, 0, OrderKind::read_write, 2, 129, 0});
    builder.issue({now, now + 10, 2, kC, kA, kB, true, 0, line(3), false});
    const auto run = builder.read();
    EXPECT_EQ(run->dependencies(3), std::vector<OpId>{1}) << "it races with lane 129, and not with lane 1";
}

TEST_F(Races, PairsOfTheSameLinesAreOneRace) {
    op(0, kA, 0, 1);
    for (OpId id = 2; id < 5; ++id) {
        builder.order({id, 1, kA, 0, 0, OrderKind::read_write, 1, 0, 0});
        op(1, kA + id, kA, 7);
    }
    builder.order({5, 1, 9, kA, 0, OrderKind::reuse, 1, 0, 0});
    op(1, 9, 0, 8);
    const auto run = builder.read();
    const auto found = races(*run);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].pairs, 3u);
    EXPECT_EQ(found[0].op, 2u);
    EXPECT_EQ(found[0].line, line(7));
    EXPECT_EQ(found[0].other_line, line(1));
    EXPECT_EQ(missing(*run, found[0]), "Stream 1 waits for Stream 0 (wait_stream, or an event)");
    EXPECT_EQ(found[1].kind, OrderKind::reuse);
    EXPECT_EQ(missing(*run, found[1]),
              "record_stream of the dropped tensor for Stream 0, or Stream 1 waits for Stream 0");
}

TEST_F(Races, OrdersThatMakeNoSenseAreLeftOut) {
    op(0, kA, 0, 1);
    builder.order({2, 2, kA, 0, 0, OrderKind::read_write, 1, 0, 0});
    builder.order({2, 0, kA, 0, 0, OrderKind::read_write, 1, 0, 0});
    builder.order({2, 1, kA, 0, 0, static_cast<OrderKind>(77), 1, 0, 0});
    builder.order({2, 1, kA, 0, 0, OrderKind::read_write, 200, 0, 0});
    builder.order({9, 1, kA, 0, 0, OrderKind::read_write, 1, 0, 0});
    builder.order({2, 1, kA, 0, 0, OrderKind::read_write, 1, 0, 0});  // after one of a later op
    op(1, kB, kA, 2);
    const auto run = builder.read();
    EXPECT_EQ(run->orders().size(), 1u);
    EXPECT_TRUE(races(*run).empty()) << "there is no op 9";
    EXPECT_EQ(run->dependencies(2), std::vector<OpId>{1});
}

TEST_F(Races, InLanesThatDoNotExistArePartOfTheReport) {
    op(0, kA, 0, 1);
    builder.order({2, 1, kA, 0, 0, OrderKind::read_write, 1, 120, 0});
    op(1, kB, kA, 2);
    const auto run = builder.read();
    ASSERT_EQ(races(*run).size(), 1u);
    const nlohmann::json report = nlohmann::json::parse(report_json(*run));
    const auto& sentences = report["explanation"];
    const auto told = std::find_if(sentences.begin(), sentences.end(),
                                   [](const nlohmann::json& sentence) { return sentence["kind"] == "races"; });
    ASSERT_NE(told, sentences.end());
    EXPECT_EQ((*told)["shows"][0]["lane"], "Stream 1");
    EXPECT_EQ((*told)["shows"][1]["lane"], nullptr);
}

TEST_F(Races, TheProgramChoosesTheStreamsFromTheBeginRecordOn) {
    op(1, kA, 0, 1);
    builder.order({2, 0, 0, 0, 0, OrderKind::begin, 0, 0, 0});
    op(0, kB, kA, 2);
    const auto run = builder.read();
    EXPECT_FALSE(run->program_chose(1, 0));
    EXPECT_TRUE(run->program_chose(2, 0));
    EXPECT_TRUE(races(*run).empty());
    EXPECT_EQ(run->dependencies(2), std::vector<OpId>{1});
}

TEST_F(Races, AnOpKnowsThePairsThatItIsIn) {
    op(0, kA, 0, 1);
    for (OpId id = 2; id < 30; ++id) {
        builder.order({id, 1, kA, 0, 0, OrderKind::read_write, 1, 0, 0});
        op(1, kA + id, kA, 7);
    }
    op(0, 90, 0, 8);
    const auto run = builder.read();
    EXPECT_TRUE(run->has_races());
    EXPECT_EQ(races_of(*run, 1).size(), 16u) << "at most";
    EXPECT_TRUE(races_of(*run, 30).empty());
    const auto found = races_of(*run, 5);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].op, 5u);
    EXPECT_EQ(found[0].other, 1u);
    EXPECT_EQ(found[0].buffer, kA);
    EXPECT_EQ(found[0].line, line(7));
    EXPECT_EQ(found[0].other_line, line(1));
    EXPECT_EQ(found[0].pairs, 1u);
}

TEST_F(Races, AWaitForAStreamIsForItsOpsUpToOne) {
    op(1, kA, 0, 1);
    op(1, kB, 0, 2);
    op(0, kC, 0, 3);
    op(1, kD, 0, 4);
    builder.wait(now, now + 200, trace::WaitKind::synchronize, trace::kWaitForLane | 1u, 2);
    const auto run = builder.read();
    const Wait& wait = run->waits()[0];
    EXPECT_EQ(wait.stream(), 1);
    EXPECT_EQ(wait.target_op, 2u);
    EXPECT_EQ(caused_by(*run, wait), (std::vector<OpId>{1, 2}));
}

TEST_F(Races, AreNamedByWhatBothOpsDo) {
    const auto words = [](OrderKind kind) {
        const RaceWords found = words_of(kind);
        return std::string(found.does) + " / " + found.done;
    };
    EXPECT_EQ(words(OrderKind::read_write), "reads what / writes");
    EXPECT_EQ(words(OrderKind::write_read), "writes what / reads");
    EXPECT_EQ(words(OrderKind::write_write), "writes what / writes");
    EXPECT_EQ(words(OrderKind::reuse), "writes memory that / uses");
}

}  // namespace
}  // namespace headway::model
