#include "app/model/numbers/numbers_walk.h"
#include "app/ui/timeline/wait_details_lookup.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/figure/script.h"

namespace headway::ui {
namespace {

using Kept = WaitDetailsLookup::Run;

// A chain of dependent ops, and a blocker that needs the last of them.
Kept chain(int length) {
    figure::test::Script script;
    core::BufferId last = 0;
    for (int i = 0; i < length; ++i) {
        last = script.issue({"add", "(8×8)", devices::Family::elementwise, 256}, 100, 1'000, last);
    }
    script.wait(trace::WaitKind::item, "item", last);
    return script.finish();
}

// Calls look() once per frame; false: not found within a minute.
bool found(WaitDetailsLookup& lookup, const Kept& run, int wait) {
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (lookup.details() == nullptr || lookup.busy()) {
        if (std::chrono::steady_clock::now() > given_up) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        lookup.look(run, wait, false, 1);
    }
    return true;
}

TEST(WaitDetailsLookup, OfAShortRunAreFoundAtOnce) {
    const Kept run = chain(100);
    WaitDetailsLookup lookup;
    lookup.look(run, 0, false, 1);
    ASSERT_NE(lookup.details(), nullptr);
    EXPECT_FALSE(lookup.busy());
    EXPECT_EQ(lookup.details()->count, lookup.details()->causes.size());
    ASSERT_TRUE(lookup.details()->split);
    EXPECT_EQ(lookup.details()->split->before_ops + lookup.details()->split->own_ops, lookup.details()->count);
    ASSERT_TRUE(lookup.details()->without_ns);
    EXPECT_EQ(lookup.details()->total_ns, numbers_of(*run).total_ns);
    const auto before = lookup.found();
    lookup.look(run, 0, false, 1);
    EXPECT_EQ(lookup.found(), before) << "nothing is new";
    lookup.look(run, -1, false, 1);
    EXPECT_EQ(lookup.details(), nullptr);
    EXPECT_NE(lookup.found(), before);
}

TEST(WaitDetailsLookup, OfALongRunAreFoundInTheBackground) {
    const Kept run = figure::test::increments(150'000, 2, true), other = chain(100);
    ASSERT_GT(run->op_count(), WaitDetailsLookup::kMostAtOnce);
    const int wait = static_cast<int>(run->waits().size()) / 2, next = wait + 1;
    WaitDetailsLookup lookup;
    lookup.look(run, wait, false, 1);
    EXPECT_EQ(lookup.details(), nullptr);
    EXPECT_TRUE(lookup.busy());
    lookup.look(run, next, false, 1);  // the pointer has moved on
    EXPECT_EQ(lookup.details(), nullptr);
    ASSERT_TRUE(found(lookup, run, next));
    const model::WaitDetails wanted = model::wait_details(*run, static_cast<std::size_t>(next));
    EXPECT_EQ(lookup.details()->causes, wanted.causes);
    EXPECT_EQ(lookup.details()->without_ns, wanted.without_ns);
    EXPECT_TRUE(wanted.without_ns);
    // Results for a wait that is no longer hovered, or for a run that is gone, are dropped.
    lookup.look(run, wait, false, 1);
    lookup.look(other, 0, false, 2);
    ASSERT_NE(lookup.details(), nullptr);
    EXPECT_EQ(lookup.details()->total_ns, numbers_of(*other).total_ns);
    ASSERT_TRUE(found(lookup, other, 0));
    EXPECT_EQ(lookup.details()->total_ns, numbers_of(*other).total_ns);
    lookup.look(run, wait, false, 1);
    lookup.forget();
    EXPECT_EQ(lookup.details(), nullptr);
}

TEST(WaitDetailsLookup, OfARecordingRunAreLookedUpAgain) {
    const Kept run = chain(50);
    WaitDetailsLookup lookup;
    lookup.look(run, 0, true, 1);
    ASSERT_NE(lookup.details(), nullptr);
    const auto before = lookup.found();
    lookup.look(run, 0, true, 2);
    EXPECT_NE(lookup.found(), before);
}

TEST(WaitDetailsLookup, OfALongRecordingRunAreOnlyTheQuickOnes) {
    const Kept run = chain(120'000);
    WaitDetailsLookup lookup;
    lookup.look(run, 0, true, 1);
    ASSERT_NE(lookup.details(), nullptr);
    EXPECT_FALSE(lookup.busy());
    EXPECT_FALSE(lookup.details()->split);
    EXPECT_TRUE(lookup.details()->at_least);
    EXPECT_EQ(lookup.details()->causes.size(), model::kWaitCauses);
    lookup.look(run, 0, false, 2);  // the run has ended
    ASSERT_TRUE(found(lookup, run, 0));
    EXPECT_TRUE(lookup.details()->split);
    EXPECT_FALSE(lookup.details()->at_least);
    EXPECT_GT(lookup.details()->count, model::kWaitCauses);
}

}  // namespace
}  // namespace headway::ui
