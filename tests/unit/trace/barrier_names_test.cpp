#include "engine/trace/barrier_names.h"

#include <gtest/gtest.h>

#include <set>

namespace headway::trace {
namespace {

TEST(BarrierNames, WordsGoBothWays) {
    for (const char* word : {"none", "op", "minibatch", "behind:1", "behind:99999", "as-written"}) {
        const auto policy = barrier_called(word);
        ASSERT_TRUE(policy) << word;
        EXPECT_EQ(word_of(*policy), word);
    }
    for (const char* word : {"", "None", "behind", "behind:", "behind:0", "behind:-1", "behind:1x", "behind:100000",
                             "behind:#", "batch", "as written"}) {
        const auto policy = barrier_called(word);
        ASSERT_FALSE(policy) << word;
        EXPECT_NE(policy.error().message.find("not '" + std::string(word) + "'"), std::string::npos);
    }
    EXPECT_LT(barrier_called(std::string(10'000, 'x')).error().message.size(), 200u);
}

TEST(BarrierNames, EachKindHasOwnNames) {
    EXPECT_EQ(name_of({BarrierKind::behind, 2}, &BarrierNames::phrase), "barrier 2 behind");
    EXPECT_EQ(name_of({BarrierKind::behind, 1}, &BarrierNames::button), "1 behind");
    EXPECT_EQ(name_of({BarrierKind::behind, 3}, &BarrierNames::tip),
              "After each minibatch, wait for the one 3 before it");
    EXPECT_EQ(name_of({}, &BarrierNames::cell), "as written");
    for (const auto name :
         {&BarrierNames::word, &BarrierNames::button, &BarrierNames::cell, &BarrierNames::phrase, &BarrierNames::tip}) {
        std::set<std::string> seen;
        for (const BarrierPolicy policy : kOfferedBarriers) {
            EXPECT_TRUE(seen.insert(name_of(policy, name)).second) << name_of(policy, name);
        }
    }
}

}  // namespace
}  // namespace headway::trace
