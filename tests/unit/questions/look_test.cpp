// Links of lessons' texts: what they point at in a run.
#include "app/questions/look.h"

#include <gtest/gtest.h>

#include <memory>

#include "app/check/run_facts.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::questions {
namespace {

using model::Place;

class LookTest : public ::testing::Test {
protected:
    void SetUp() override {
        model::RecordingBuilder builder;
        for (int i = 0; i < 150; ++i) {
            const std::int64_t at = 100 * i;
            const auto op = builder.issue({.begin = at, .end = at + 10, .out = 1, .fresh = i == 0});
            builder.exec(i % 2, op, at + 20, at + 60);
        }
        builder.wait(15'000, 15'400, trace::WaitKind::item, 0, 0, core::Line{7});
        builder.wait(15'500, 15'600, trace::WaitKind::waitall, 0, 0, core::Line{8});
        builder.mark(trace::FrontendKind::program_end, 16'000);
        run = builder.read();
        auto data = std::make_shared<check::RunData>();
        data->run = run;
        facts = check::make_run_facts(data);
    }
    std::vector<Place> places(const std::string& address) {
        const auto look = parse_look(address);
        EXPECT_TRUE(look) << look.error().message;
        auto found = places_of(*look, *facts, *run);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : std::vector<Place>();
    }
    std::string problem(const std::string& address) {
        const auto look = parse_look(address);
        if (!look) {
            return look.error().message;
        }
        const auto found = places_of(*look, *facts, *run);
        return found ? "" : found.error().message;
    }
    std::shared_ptr<const model::Run> run;
    std::shared_ptr<const expression::Record> facts;
};

TEST_F(LookTest, ARowIsTheWholeRun) {
    const auto memory = places("memory");
    ASSERT_EQ(memory.size(), 1u);
    EXPECT_EQ(memory[0].row, Place::Row::memory);
    EXPECT_EQ(memory[0].begin_ns, run->measured().begin_ns);
    EXPECT_EQ(memory[0].end_ns, run->measured().end_ns);
}

TEST_F(LookTest, AnOpIsInItsLaneAndAWaitInTheFrontend) {
    const auto op = places("ops[3]");
    ASSERT_EQ(op.size(), 1u);
    EXPECT_EQ(op[0].row, Place::Row::lane);
    EXPECT_EQ(op[0].lane, 1);
    EXPECT_EQ(op[0].begin_ns, run->op(4).begin_ns);
    EXPECT_EQ(op[0].end_ns, run->op(4).end_ns);
    const auto wait = places("last(waits)");
    ASSERT_EQ(wait.size(), 1u);
    EXPECT_EQ(wait[0].row, Place::Row::frontend);
    EXPECT_EQ(wait[0].wait, 1);
    EXPECT_EQ(places("waits").size(), 2u);
}

TEST_F(LookTest, ARowAndATimeAreCombined) {
    const auto place = places("headway@last(waits)");
    ASSERT_EQ(place.size(), 1u);
    EXPECT_EQ(place[0].row, Place::Row::headway);
    EXPECT_EQ(place[0].wait, -1);
    EXPECT_EQ(place[0].end_ns - place[0].begin_ns, 100);
}

TEST_F(LookTest, ManyOpsAreShownAsOnePlaceALane) {
    const auto all = places("ops");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].begin_ns, run->op(1).begin_ns);
    EXPECT_EQ(all[1].end_ns, run->op(150).end_ns);
}

TEST_F(LookTest, TabsAreNoPlaces) {
    const auto look = parse_look("graph");
    ASSERT_TRUE(look);
    EXPECT_EQ(look->tab, "graph");
}

TEST_F(LookTest, WhatCannotBeLookedAtIsSaid) {
    EXPECT_NE(problem("nonsense").find("nonsense"), std::string::npos);
    EXPECT_NE(problem("ops[").find("column"), std::string::npos);
    EXPECT_NE(problem("count(ops)").find("a number is nothing to look at"), std::string::npos) << problem("count(ops)");
    EXPECT_NE(problem("[w in waits where w.kind == 'print']").find("nothing of the kind"), std::string::npos);
    EXPECT_NE(problem("report"), "");
    EXPECT_NE(problem("ops[999]"), "");
    EXPECT_EQ(problem("ops[999]").find("column"), std::string::npos) << "a reader does not see the expression";
}

}  // namespace
}  // namespace headway::questions
