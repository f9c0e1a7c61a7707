#include "app/ui/hover_card.h"

#include <gtest/gtest.h>

#include "tests/unit/figure/script.h"

namespace headway::ui {
namespace {

std::string all_of(const Card& card) {
    std::string text = card.title + "|" + card.detail;
    for (const auto& line : card.lines) {
        text += "|" + line.text;
    }
    return text;
}

TEST(HoverCard, SaysOfAnOpWhatItWaitedFor) {
    const auto run = figure::test::training({}, 3, true);
    core::OpId with_causes = 0;
    for (core::OpId id = 1; id <= run->op_count() && with_causes == 0; ++id) {
        with_causes = run->dependencies(id).empty() ? 0 : id;
    }
    ASSERT_NE(with_causes, 0u);
    figure::Hit hit;
    hit.op = with_causes;
    const std::string text = all_of(describe(*run, hit));
    EXPECT_NE(text.find("#" + std::to_string(with_causes)), std::string::npos) << text;
    EXPECT_NE(text.find("issued"), std::string::npos);
    EXPECT_NE(text.find("started"), std::string::npos);
}

// What was there when the op was issued has held up nothing.
TEST(HoverCard, TellsWhatHeldAnOpUpFromWhatItOnlyNeeded) {
    const auto run = figure::test::training({}, 3, true);
    int waited = 0, needed = 0;
    for (core::OpId id = 1; id <= run->op_count(); ++id) {
        core::OpId open = 0, there = 0;
        for (const core::OpId other : run->dependencies(id)) {
            core::OpId& first = run->op(other).end_ns > run->op(id).issue_end_ns ? open : there;
            first = first == 0 ? other : first;
        }
        figure::Hit hit;
        hit.op = id;
        const std::string text = all_of(describe(*run, hit));
        EXPECT_NE(text.find(open == 0 ? "waited for nothing" : "waited for #" + std::to_string(open)),
                  std::string::npos)
            << text;
        EXPECT_EQ(text.find("needed   #" + std::to_string(there)) != std::string::npos, there != 0) << text;
        waited += open != 0 ? 1 : 0;
        needed += there != 0 ? 1 : 0;
    }
    EXPECT_GT(waited, 0);
    EXPECT_GT(needed, 0);
}

TEST(HoverCard, SaysHowManyASliverStandsFor) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.op = 1;
    hit.folded = 37;
    EXPECT_NE(all_of(describe(*run, hit)).find("37 ops in this sliver"), std::string::npos);
}

TEST(HoverCard, SaysOfAWaitWhatCausedIt) {
    const auto run = figure::test::training({}, 3, true);
    ASSERT_FALSE(run->waits().empty());
    figure::Hit hit;
    hit.wait = 0;
    const Card card = describe(*run, hit);
    EXPECT_EQ(card.title, run->waits().front().name);
    EXPECT_NE(all_of(card).find("waited"), std::string::npos);
    EXPECT_NE(all_of(card).find("for "), std::string::npos);
}

TEST(HoverCard, SaysOfTheFrontendsOwnWorkWhatAndWhere) {
    figure::test::Script script;
    script.work(3'000'000, "NumPy");
    const auto run = script.finish();
    figure::Hit hit;
    hit.work = 0;
    const std::string text = all_of(describe(*run, hit));
    EXPECT_NE(text.find("NumPy|the frontend's own work"), std::string::npos) << text;
    EXPECT_NE(text.find("3.00 ms"), std::string::npos) << text;
    EXPECT_NE(text.find(":42"), std::string::npos) << text;
}

TEST(HoverCard, ReadsTheCurves) {
    const auto run = figure::test::training({}, 3, true);
    figure::Hit hit;
    hit.row = figure::RowKind::headway;
    hit.ns = 1;
    EXPECT_NE(all_of(describe(*run, hit)).find("ops issued and not finished"), std::string::npos);
    hit.row = figure::RowKind::memory;
    EXPECT_NE(all_of(describe(*run, hit)).find("live"), std::string::npos);
}

TEST(HoverCard, IsEmptyWhereNothingIs) {
    const auto run = figure::test::training({}, 1, true);
    figure::Hit hit;
    EXPECT_TRUE(describe(*run, hit).empty());
    hit.op = 1'000'000;
    hit.wait = 1'000'000;
    EXPECT_TRUE(describe(*run, hit).empty());
}

}  // namespace
}  // namespace headway::ui
