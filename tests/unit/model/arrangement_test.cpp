#include "app/model/arrangement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headway::model {
namespace {

using Words = std::vector<std::string>;

Words in_order(const Arrangement& arrangement, const Words& rows) {
    Words words;
    for (const std::size_t i : arranged(arrangement, rows)) {
        words.push_back(rows[i]);
    }
    return words;
}

TEST(Arrangement, NothingSaidChangesNothing) {
    EXPECT_EQ(in_order({}, {"a", "b", "c"}), (Words{"a", "b", "c"}));
}

TEST(Arrangement, ListedOnesInTheirOrderOthersBehindTheirNeighbours) {
    EXPECT_EQ(in_order({{"c", 0, false, false, ""}, {"a", 0, false, false, ""}}, {"a", "b", "c", "d"}),
              (Words{"c", "d", "a", "b"}));
}

TEST(Arrangement, PinnedOnesComeFirstAndUnknownOnesAreIgnored) {
    EXPECT_EQ(in_order({{"x", 0, false, true, ""}, {"c", 0, false, true, ""}, {"c", 9, false, false, ""}}, {"a", "b", "c"}),
              (Words{"c", "a", "b"}));
}

TEST(Arrangement, LosesNoRowAndDoublesNone) {
    std::mt19937 random(7);
    const Words rows{"a", "b", "c", "d", "e", "f", "g"};
    for (int i = 0; i < 500; ++i) {
        Arrangement arrangement;
        for (int k = static_cast<int>(random() % 9); k > 0; --k) {
            arrangement.push_back({std::string(1, static_cast<char>('a' + random() % 10)), 0, false, random() % 3 == 0, ""});
        }
        Words words = in_order(arrangement, rows);
        std::sort(words.begin(), words.end());
        ASSERT_EQ(words, rows);
    }
}

}  // namespace
}  // namespace headway::model
