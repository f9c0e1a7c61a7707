#include "engine/trace/wait_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headway::trace {
namespace {

TEST(WaitNames, EachKindHasItsOwn) {
    std::set<std::string> words, names;
    for (const WaitNames& each : kWaitNames) {
        EXPECT_TRUE(words.insert(each.word).second) << each.word;
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_EQ(is_barrier(each.kind), std::string(each.cause) == "barrier") << each.word;
        EXPECT_EQ(is_blocker(each.kind), std::string(each.cause) == "blocker") << each.word;
    }
    EXPECT_STREQ(names_of(static_cast<WaitKind>(255)).name, "wait");
}

}  // namespace
}  // namespace headway::trace
