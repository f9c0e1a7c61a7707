#include "app/json/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace headway::json {
namespace {

TEST(Json, GivesValuesOfTheirTypes) {
    const Document document(
        R"({"text": "a\u00e9", "yes": true, "count": 18446744073709551615, "less": -3, "part": 2.75, "null": null,
            "list": [1, "x", {"in": 5}]})");
    const Value root = document.root();
    ASSERT_TRUE(root.is_object());
    EXPECT_EQ(root["text"].text(), "a\u00e9");
    EXPECT_TRUE(root["yes"].is_true());
    EXPECT_TRUE(root["yes"].is_bool());
    EXPECT_EQ(root["count"].count(), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(root["count"].integer(), std::nullopt);
    EXPECT_EQ(root["less"].integer(), -3);
    EXPECT_EQ(root["less"].count(), 0u);
    EXPECT_EQ(root["part"].number(), 2.75);
    EXPECT_EQ(root["part"].count(), 2u);
    EXPECT_TRUE(root["null"]);
    const auto list = root["list"].elements();
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].number(), 1.0);
    EXPECT_EQ(list[2]["in"].count(), 5u);
    EXPECT_EQ(root.members().size(), 7u);
    EXPECT_EQ(root.members()[1].first, "yes");
}

TEST(Json, MissingValuesAndOtherTypesAreNothing) {
    const Document document(R"({"text": "a", "list": []})");
    const Value root = document.root();
    EXPECT_FALSE(root["other"]);
    EXPECT_FALSE(root["text"]["deeper"]["still"]);
    EXPECT_EQ(root["list"].text(), "");
    EXPECT_EQ(root["text"].count(), 0u);
    EXPECT_FALSE(root["text"].is_true());
    EXPECT_TRUE(root["text"].elements().empty());
    EXPECT_TRUE(root["text"].members().empty());
    EXPECT_FALSE(Value()["x"]);
    EXPECT_EQ(Value().written(), "");
    for (const char* text : {"", " ", "{", "{\"a\": }", "[1 2]", "nul", "\"\xff\""}) {
        EXPECT_FALSE(Document(text).root()) << text;
    }
}

TEST(Json, WritesAValueOnOneLine) {
    const Document document("{ \"a\" : [ 1, 0.1, \"x\\n\" ],\n \"b\" : {} }");
    EXPECT_EQ(document.root().as_json(), R"({"a":[1,0.1,"x\n"],"b":{}})");
    EXPECT_EQ(document.root()["a"].elements()[2].written(), "x\n");
    EXPECT_EQ(document.root()["a"].elements()[2].as_json(), R"("x\n")");
}

TEST(Json, SkipsAByteOrderMark) {
    EXPECT_EQ(Document("\xef\xbb\xbf[1]").root().elements().size(), 1u);
    EXPECT_EQ(line_of_error("\xef\xbb\xbf[1]"), 0u);
}

TEST(Json, NamesTheLineOfAnError) {
    for (const char* good : {"{}", "[1, 2.5e3, true, false, null, \"\"]", "3", "{\"a\": {\"b\": [[]]}}\n"}) {
        EXPECT_EQ(line_of_error(good), 0u) << good;
    }
    EXPECT_EQ(line_of_error(""), 1u);
    EXPECT_EQ(line_of_error("nonsense"), 1u);
    EXPECT_EQ(line_of_error("{\n \"a\": 1,\n \"b\": ,\n \"c\": 2\n}"), 3u);
    EXPECT_EQ(line_of_error("{\n \"a\": nul,\n \"c\": 2\n}"), 2u);
    EXPECT_EQ(line_of_error("{\n \"a\": \"no end,\n \"c\": 2\n}"), 2u);
    EXPECT_EQ(line_of_error("{\n \"a\": 2,\n \"c\": \"\xff\"\n}"), 3u);
}

TEST(Json, DeepNestingIsAnError) {
    const std::string deep(200'000, '['), good(1'000, '['), good_end(1'000, ']');
    EXPECT_EQ(line_of_error("{\n\"a\": " + deep), 2u);
    EXPECT_EQ(line_of_error("\n" + deep + std::string(200'000, ']')), 2u);
    EXPECT_FALSE(Document(deep + std::string(200'000, ']')).root());
    EXPECT_EQ(line_of_error(good + good_end), 0u);
    EXPECT_TRUE(Document(good + good_end).root());
}

TEST(Json, QuotesTexts) {
    EXPECT_EQ(quoted("a \"b\" \\ \n\t\x01 ü"), R"("a \"b\" \\ \n\t\u0001 ü")");
    EXPECT_EQ(quoted("\xff"
                     "a\xc3"),
              "\"\xef\xbf\xbd"
              "a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace headway::json
