#include "app/model/containers/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace headway::model {
namespace {

using Small = Blocks<int, 3>;  // eight per block

Small even_numbers(int count) {
    Small all;
    for (int i = 0; i < count; ++i) {
        all.push_back(2 * i);
    }
    return all;
}

TEST(Blocks, IterateAcrossBlockBoundaries) {
    for (const int count : {0, 1, 7, 8, 9, 100}) {
        const Small all = even_numbers(count);
        EXPECT_EQ(all.end() - all.begin(), count);
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), count * (count - 1));
        int seen = 0;
        for (const int value : all) {
            EXPECT_EQ(value, 2 * seen++);
        }
    }
}

TEST(Blocks, BinarySearchWorksAcrossBlockBoundaries) {
    const Small all = even_numbers(100);
    for (int value = -1; value < 201; ++value) {
        const auto first = std::lower_bound(all.begin(), all.end(), value);
        EXPECT_EQ(first - all.begin(), std::clamp((value + 1) / 2, 0, 100)) << value;
        const auto after = std::upper_bound(all.begin(), all.end(), value);
        EXPECT_EQ(after - first, value >= 0 && value < 200 && value % 2 == 0 ? 1 : 0) << value;
    }
}

TEST(Blocks, GrowthInvalidatesNeitherIteratorsNorElements) {
    Blocks<std::string, 2> all;
    all.push_back("first");
    const auto first = all.begin();
    const std::string* where = &all[0];
    for (int i = 0; i < 1000; ++i) {
        all.push_back(std::to_string(i));
    }
    EXPECT_EQ(*first, "first");
    EXPECT_EQ(&*first, where);
    EXPECT_EQ(first[1000], "999");
    EXPECT_EQ(*(all.end() - 1), all.back());
    all.truncate(1);
    EXPECT_EQ(all.end() - first, 1);
}

TEST(Foldable, TheLastElementMayBeFolded) {
    Foldable<int> all;
    all.append_folded(7);
    EXPECT_EQ(all.back(), 7);
    all.back() = 8;
    EXPECT_EQ(all[0], 8);
    Foldable<int> other;
    other.append_folded(9);
    EXPECT_EQ(other.back(), 9) << "no other array is changed";
}

}  // namespace
}  // namespace headway::model
