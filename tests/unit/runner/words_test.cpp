#include "app/runner/execution/words.h"

#include <gtest/gtest.h>

#include "engine/devices/simulated/cost_model.h"

namespace headway::runner {
namespace {

TEST(Words, BytesAreReadAsInTheWindow) {
    EXPECT_EQ(*parse_bytes("4096", "--budget"), 4096u);
    EXPECT_EQ(*parse_bytes("1.5G", "--budget"), 3u << 29);
    EXPECT_EQ(*parse_bytes("3MB", "--budget"), 3'000'000u);
}

TEST(Words, InvalidBytesAreRefused) {
    for (const char* text : {"", "0", "0M", "0.0", "-1", "1.5Q", "none"}) {
        const auto bytes = parse_bytes(text, "--budget");
        ASSERT_FALSE(bytes) << text;
        EXPECT_EQ(bytes.error().kind, core::ErrorKind::usage);
        EXPECT_EQ(bytes.error().message.rfind("--budget must be a number of bytes", 0), 0u);
    }
}

TEST(Words, CountsHaveLimits) {
    EXPECT_EQ(*parse_count("1", "--workers", 1, 16), 1u);
    EXPECT_EQ(*parse_count("16", "--workers", 1, 16), 16u);
    for (const char* text : {"0", "17", "-1", "two", "", "1.0", "1e1", " 1", "99999999999999999999999"}) {
        const auto count = parse_count(text, "--workers", 1, 16);
        ASSERT_FALSE(count) << text;
        EXPECT_EQ(count.error().message,
                  std::string("--workers must be a whole number from 1 to 16, not \"") + text + "\"");
    }
}

TEST(Words, SpeedsAreNumbersWithCommas) {
    EXPECT_EQ(*parse_speeds("1,0.25", "--gpu-speeds"), (std::vector<double>{1, 0.25}));
    EXPECT_EQ(*parse_speeds("1, 0.3333333", "--gpu-speeds"), (std::vector<double>{1, 0.3333333}));
    EXPECT_EQ(*parse_speeds(devices::text_of_speeds({0.3333333, 2}), "--gpu-speeds"),
              (std::vector<double>{0.3333333, 2}));
    for (const char* text : {"", "1,", ",1", "1,,2", "0", "0.001", "101", "1;2", "fast", "nan", "1,  2"}) {
        EXPECT_FALSE(parse_speeds(text, "--gpu-speeds")) << text;
    }
}

TEST(Words, DurationsAreTakenOutOfATextOfAnyLength) {
    EXPECT_EQ(without_durations("40 batches, time 8.33 ms; 1,200.5 µs, 3s, 12us. 7 ns"),
              "40 batches, time …; …, …, …. …");
    EXPECT_EQ(without_durations("3 slow, 4 sx, 5 s_, 6 s7, 8.s, 1.5 , v2.0"),
              "3 slow, 4 sx, 5 s_, 6 s7, 8.s, 1.5 , v2.0");
    EXPECT_EQ(without_durations("a1s 1..3s\n9\ts"), "a… 1..…\n…");
    const std::string digits(1'000'000, '1');
    EXPECT_EQ(without_durations(digits), digits);
    EXPECT_EQ(without_durations(digits + " ms"), "…");
}

TEST(Words, FreePoliciesAreRead) {
    EXPECT_EQ(*parse_free_policy("finish"), memory::FreePolicy::finish);
    EXPECT_EQ(*parse_free_policy("stream"), memory::FreePolicy::stream);
    EXPECT_EQ(*parse_free_policy("lazy"), memory::FreePolicy::lazy);
    EXPECT_FALSE(parse_free_policy("eager"));
}

TEST(Words, OptionsAreSplitAsAShellDoes) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(*split_options("--barrier none  --set n=3"), (Words{"--barrier", "none", "--set", "n=3"}));
    EXPECT_EQ(*split_options(""), Words{});
    EXPECT_EQ(*split_options(" \t "), Words{});
    EXPECT_EQ(*split_options("--report 'a b.json' \"c d\""), (Words{"--report", "a b.json", "c d"}));
    EXPECT_EQ(*split_options("a\\ b ''"), (Words{"a b", ""}));
    EXPECT_EQ(*split_options("'a'\"b\"c"), (Words{"abc"}));
    EXPECT_EQ(*split_options(R"("a\"b" 'c\d')"), (Words{"a\"b", "c\\d"}));
    EXPECT_FALSE(split_options("'a"));
    EXPECT_FALSE(split_options("a\\"));
}

TEST(Words, ListsReadAsSentences) {
    EXPECT_EQ(list_of({}), "none");
    EXPECT_EQ(list_of({"a"}), "a");
    EXPECT_EQ(list_of({"a", "b", "c"}), "a, b and c");
}

TEST(Words, CostsAreTimesByName) {
    const auto costs = parse_costs("t1=1us,t2=0.95us,line=0", "--costs");
    ASSERT_TRUE(costs) << costs.error().message;
    EXPECT_EQ(costs->t1_ns, 1000.0);
    EXPECT_EQ(costs->t2_ns, 950.0);
    EXPECT_EQ(costs->line_ns, 0.0);
    EXPECT_FALSE(costs->t3_ns || costs->print_ns);
    EXPECT_EQ(*parse_costs("", "--costs"), CostChoice{});
    for (const char* text :
         {"t1", "t1=", "=1us", "t4=1us", "t1=1", "t1=-1us", "t1=1us,t1=2us", "t1=0.5ns", "t1=9999s"}) {
        const auto refused = parse_costs(text, "--costs");
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().message.find("--costs"), 0u) << refused.error().message;
    }
}

}  // namespace
}  // namespace headway::runner
