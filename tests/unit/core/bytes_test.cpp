#include "engine/core/bytes.h"

#include <gtest/gtest.h>

#include <utility>

namespace headway::core {
namespace {

TEST(Bytes, HaveUnits) {
    const std::pair<const char*, std::uint64_t> sizes[] = {{"4096", 4096},
                                                           {"7B", 7},
                                                           {"64K", 64u << 10},
                                                           {"512M", 512u << 20},
                                                           {"2G", std::uint64_t{2} << 30},
                                                           {"2g", std::uint64_t{2} << 30},
                                                           {"1T", std::uint64_t{1} << 40},
                                                           {"3MiB", 3u << 20},
                                                           {"3mib", 3u << 20},
                                                           {"3MB", 3'000'000},
                                                           {"64 mb", 64'000'000},
                                                           {"1.5G", 3u << 29},
                                                           {" 1.5 GB ", 1'500'000'000},
                                                           {"0.1M", 104'858},  // rounded
                                                           {"0", 0},
                                                           {"9007199254740993", 9007199254740993},  // exact
                                                           {"4611686018427387904", kMostBytes}};
    for (const auto& [text, bytes] : sizes) {
        const auto read = bytes_from(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, bytes) << text;
    }
}

TEST(Bytes, RejectsOtherText) {
    for (const char* text : {"",
                             " ",
                             "M",
                             "-1",
                             "+1",
                             "12Q",
                             "1MM",
                             "12 M B",
                             "1.",
                             ".5G",
                             "1.5.5G",
                             "1,5G",
                             "1e3",
                             "nan",
                             "inf",
                             "0x10",
                             "iB",
                             "1iB",
                             "99999999999999999999",
                             "4611686018427387905",
                             "99999999T",
                             "4194304.5T",
                             "none",
                             "1 2"}) {
        EXPECT_FALSE(bytes_from(text)) << text;
    }
}

TEST(Bytes, AreFormattedInFittingUnits) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1), "1 B");
    EXPECT_EQ(bytes_text(999), "999 B");
    EXPECT_EQ(bytes_text(4096), "4.1 kB");
    EXPECT_EQ(bytes_text(999'949), "1.0 MB");
    EXPECT_EQ(budget_in_both_units(7), "7 B");
    EXPECT_EQ(budget_in_both_units(32u << 20), "32 MiB (34 MB)");
}

}  // namespace
}  // namespace headway::core
