#include "app/ui/timeline/wait_details.h"

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
bool found(WaitDetailsLookup& details, const Kept& run, int wait) {
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (details.details() == nullptr || details.busy()) {
        if (std::chrono::steady_clock::now() > given_up) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        details.look(run, wait, false, 1);
    }
    return true;
}

TEST(WaitDetailsLookup, OfAShortRunAreFoundAtOnce) {
    const Kept run = chain(100);
    WaitDetailsLookup details;
    details.look(run, 0, false, 1);
    ASSERT_NE(details.details(), nullptr);
    EXPECT_FALSE(details.busy());
    EXPECT_EQ(details.details()->count, details.details()->causes.size());
    ASSERT_TRUE(details.details()->split);
    EXPECT_EQ(details.details()->split->before_ops + details.details()->split->own_ops, details.details()->count);
    ASSERT_TRUE(details.details()->without_ns);
    EXPECT_EQ(details.details()->total_ns, run->numbers().total_ns);
    const auto before = details.found();
    details.look(run, 0, false, 1);
    EXPECT_EQ(details.found(), before) << "nothing is new";
    details.look(run, -1, false, 1);
    EXPECT_EQ(details.details(), nullptr);
    EXPECT_NE(details.found(), before);
}

TEST(WaitDetailsLookup, OfALongRunAreFoundInTheBackground) {
    const Kept run = figure::test::increments(150'000, 2, true), other = chain(100);
    ASSERT_GT(run->op_count(), WaitDetailsLookup::kMostAtOnce);
    const int wait = static_cast<int>(run->waits().size()) / 2, next = wait + 1;
    WaitDetailsLookup details;
    details.look(run, wait, false, 1);
    EXPECT_EQ(details.details(), nullptr);
    EXPECT_TRUE(details.busy());
    details.look(run, next, false, 1);  // another wait is hovered
    EXPECT_EQ(details.details(), nullptr);
    ASSERT_TRUE(found(details, run, next));
    const model::WaitDetails details = model::wait_details(*run, static_cast<std::size_t>(next));
    EXPECT_EQ(details.details()->causes, details.causes);
    EXPECT_EQ(details.details()->without_ns, details.without_ns);
    EXPECT_TRUE(details.without_ns);
    // Results for a wait that is no longer hovered, or for a run that is gone, are dropped.
    details.look(run, wait, false, 1);
    details.look(other, 0, false, 2);
    ASSERT_NE(details.details(), nullptr);
    EXPECT_EQ(details.details()->total_ns, other->numbers().total_ns);
    ASSERT_TRUE(found(details, other, 0));
    EXPECT_EQ(details.details()->total_ns, other->numbers().total_ns);
    details.look(run, wait, false, 1);
    details.forget();
    EXPECT_EQ(details.details(), nullptr);
}

TEST(WaitDetailsLookup, OfARecordingRunAreLookedUpAgain) {
    const Kept run = chain(50);
    WaitDetailsLookup details;
    details.look(run, 0, true, 1);
    ASSERT_NE(details.details(), nullptr);
    const auto before = details.found();
    details.look(run, 0, true, 2);
    EXPECT_NE(details.found(), before);
}

TEST(WaitDetailsLookup, OfALongRecordingRunAreOnlyTheQuickOnes) {
    const Kept run = chain(120'000);
    WaitDetailsLookup details;
    details.look(run, 0, true, 1);
    ASSERT_NE(details.details(), nullptr);
    EXPECT_FALSE(details.busy());
    EXPECT_FALSE(details.details()->split);
    EXPECT_TRUE(details.details()->at_least);
    EXPECT_EQ(details.details()->causes.size(), model::kWaitCauses);
    details.look(run, 0, false, 2);  // the run has ended
    ASSERT_TRUE(found(details, run, 0));
    EXPECT_TRUE(details.details()->split);
    EXPECT_FALSE(details.details()->at_least);
    EXPECT_GT(details.details()->count, model::kWaitCauses);
}

}  // namespace
}  // namespace headway::ui
