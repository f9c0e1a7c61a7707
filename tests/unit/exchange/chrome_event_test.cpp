// Values in an event: times, numbers, names.
#include "app/exchange/files/chrome_event.h"

#include <gtest/gtest.h>

#include "app/exchange/foreign/foreign_names.h"

namespace headway::exchange {
namespace {

TEST(ChromeEvent, TimesAreExact) {
    EXPECT_EQ(ns_from_us("1"), 1000);
    EXPECT_EQ(ns_from_us("1.2345"), 1234);
    EXPECT_EQ(ns_from_us("\"0.001\""), 1);
    EXPECT_EQ(ns_from_us("-3.5"), -3500);
    EXPECT_EQ(ns_from_us("1.5e3"), 1'500'000);
    EXPECT_EQ(ns_from_us("1718064000000000.123"), 1718064000000000123);
    EXPECT_EQ(ns_from_us("99999999999999999999999"), std::int64_t{1} << 61);
    for (const char* odd : {"", "\"\"", "null", "-", "1x", "{", "NaN"}) {
        EXPECT_FALSE(ns_from_us(odd)) << odd;
    }
    EXPECT_EQ(integer_from("12.0"), 12);
    EXPECT_EQ(integer_from("\"-7\""), -7);
    EXPECT_EQ(integer_from("18446744073709551615"), -1);
    EXPECT_FALSE(integer_from("12abc"));
    EXPECT_EQ(text_from(R"("a\"\\\nA\ud83d\ude00\ud800")"), "a\"\\\nA\xf0\x9f\x98\x80\xef\xbf\xbd");
}

TEST(ForeignNames, KernelsAndFrames) {
    EXPECT_EQ(short_kernel_name("void at::native::foo<4, at::x>(int)"), "foo");
    EXPECT_EQ(short_kernel_name("sm90_gemm"), "sm90_gemm");
    EXPECT_EQ(short_kernel_name(""), "");
    EXPECT_EQ(short_kernel_name("<lambda>"), "<");
    const auto place = python_place("train.py(25): step");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->file, "train.py");
    EXPECT_EQ(place->line, 25u);
    EXPECT_FALSE(place->library);
    EXPECT_TRUE(python_place("torch/nn/linear.py(1): forward")->library);
    EXPECT_FALSE(python_place("<built-in method linear>"));
    EXPECT_FALSE(python_place("(3): x"));
    EXPECT_EQ(profiler_step("ProfilerStep#12"), 12);
    EXPECT_FALSE(profiler_step("ProfilerStep#x"));
}

}  // namespace
}  // namespace headway::exchange
