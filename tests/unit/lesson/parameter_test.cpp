#include "app/lesson/parameter.h"

#include <gtest/gtest.h>

namespace headway::lesson {
namespace {

Parameter steps() {
    return {"n", "Steps", "", "10000", 1, 10'000'000, true, {}};
}
Parameter rate() {
    return {"lr", "Rate", "", "0.01", 0, 10, false, {}};
}
Parameter wait() {
    return {"wait", "Wait", "", "once", 0, 0, true, {"once", "each"}};
}

TEST(Parameter, AcceptsValidValues) {
    EXPECT_EQ(*accept_value(steps(), "1"), "1");
    EXPECT_EQ(*accept_value(steps(), "0100"), "100");
    EXPECT_EQ(*accept_value(steps(), "1e4"), "10000");
    EXPECT_EQ(*accept_value(rate(), "0.05"), "0.05");
    EXPECT_EQ(*accept_value(wait(), "each"), "each");
}

TEST(Parameter, ReportsTheRange) {
    for (const char* text : {"0", "-3", "10000001", "99999999999999999999999999", "1e400"}) {
        auto value = accept_value(steps(), text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error().kind, core::ErrorKind::usage);
        EXPECT_EQ(value.error().message, std::string("n must be from 1 to 10000000, not \"") + text + "\"");
    }
}

TEST(Parameter, RejectsNonNumbers) {
    for (const char* text : {"", "ten", "10k", "1.5", " 7", "nan", "inf", "7 "}) {
        auto value = accept_value(steps(), text);
        ASSERT_FALSE(value) << text;
        EXPECT_NE(value.error().message.find("n must be a whole number from 1 to 10000000"), std::string::npos);
    }
}

TEST(Parameter, ListsTheChoices) {
    auto value = accept_value(wait(), "never");
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message, "wait must be once or each, not \"never\"");
}

TEST(Parameter, TruncatesLongInvalidValues) {
    EXPECT_LT(accept_value(steps(), std::string(100000, 'x')).error().message.size(), 200u);
}

}  // namespace
}  // namespace headway::lesson
