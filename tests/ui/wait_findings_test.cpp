#include "app/ui/wait_findings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/unit/figure/script.h"

namespace headway::ui {
namespace {

using Kept = WaitFindings::Run;

// Ops that need each other, and a blocker that needs the last of them.
Kept chain(int length) {
    figure::test::Script script;
    core::BufferId last = 0;
    for (int i = 0; i < length; ++i) {
        last = script.issue({"add", "(8×8)", devices::Family::elementwise, 256}, 100, 1'000, last);
    }
    script.wait(trace::WaitKind::item, "item", last);
    return script.finish();
}

// As frames do it; false: it took a minute.
bool found(WaitFindings& findings, const Kept& run, int wait) {
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (findings.facts() == nullptr || findings.busy()) {
        if (std::chrono::steady_clock::now() > given_up) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        findings.look(run, wait, false, 1);
    }
    return true;
}

TEST(WaitFindings, OfAShortRunAreThereAtOnce) {
    const Kept run = chain(100);
    WaitFindings findings;
    findings.look(run, 0, false, 1);
    ASSERT_NE(findings.facts(), nullptr);
    EXPECT_FALSE(findings.busy());
    EXPECT_EQ(findings.facts()->count, findings.facts()->causes.size());
    ASSERT_TRUE(findings.facts()->split);
    EXPECT_EQ(findings.facts()->split->before_ops + findings.facts()->split->own_ops, findings.facts()->count);
    ASSERT_TRUE(findings.facts()->without_ns);
    EXPECT_EQ(findings.facts()->total_ns, run->numbers().total_ns);
    const auto before = findings.found();
    findings.look(run, 0, false, 1);
    EXPECT_EQ(findings.found(), before) << "nothing is new";
    findings.look(run, -1, false, 1);
    EXPECT_EQ(findings.facts(), nullptr);
    EXPECT_NE(findings.found(), before);
}

TEST(WaitFindings, OfALongRunComeLaterAndAreTheSame) {
    const Kept run = figure::test::increments(150'000, 2, true), other = chain(100);
    ASSERT_GT(run->op_count(), WaitFindings::kMostAtOnce);
    const int wait = static_cast<int>(run->waits().size()) / 2, next = wait + 1;
    WaitFindings findings;
    findings.look(run, wait, false, 1);
    EXPECT_EQ(findings.facts(), nullptr);
    EXPECT_TRUE(findings.busy());
    findings.look(run, next, false, 1);  // the hand has gone on
    EXPECT_EQ(findings.facts(), nullptr);
    ASSERT_TRUE(found(findings, run, next));
    const model::WaitFacts facts = model::facts_of(*run, static_cast<std::size_t>(next));
    EXPECT_EQ(findings.facts()->causes, facts.causes);
    EXPECT_EQ(findings.facts()->without_ns, facts.without_ns);
    EXPECT_TRUE(facts.without_ns);
    // What comes of a wait that is left, or of a run that is gone, is nobody's.
    findings.look(run, wait, false, 1);
    findings.look(other, 0, false, 2);
    ASSERT_NE(findings.facts(), nullptr);
    EXPECT_EQ(findings.facts()->total_ns, other->numbers().total_ns);
    ASSERT_TRUE(found(findings, other, 0));
    EXPECT_EQ(findings.facts()->total_ns, other->numbers().total_ns);
    findings.look(run, wait, false, 1);
    findings.forget();
    EXPECT_EQ(findings.facts(), nullptr);
}

TEST(WaitFindings, OfARunThatGoesOnAreLookedUpAnew) {
    const Kept run = chain(50);
    WaitFindings findings;
    findings.look(run, 0, true, 1);
    ASSERT_NE(findings.facts(), nullptr);
    const auto before = findings.found();
    findings.look(run, 0, true, 2);
    EXPECT_NE(findings.found(), before);
}

TEST(WaitFindings, OfALongRunThatGoesOnAreWhatIsQuick) {
    const Kept run = chain(120'000);
    WaitFindings findings;
    findings.look(run, 0, true, 1);
    ASSERT_NE(findings.facts(), nullptr);
    EXPECT_FALSE(findings.busy());
    EXPECT_FALSE(findings.facts()->split);
    EXPECT_TRUE(findings.facts()->at_least);
    EXPECT_EQ(findings.facts()->causes.size(), model::kWaitCauses);
    findings.look(run, 0, false, 2);  // it is over
    ASSERT_TRUE(found(findings, run, 0));
    EXPECT_TRUE(findings.facts()->split);
    EXPECT_FALSE(findings.facts()->at_least);
    EXPECT_GT(findings.facts()->count, model::kWaitCauses);
}

}  // namespace
}  // namespace headway::ui
