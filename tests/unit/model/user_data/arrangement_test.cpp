#include "app/model/user_data/arrangement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/model/user_data/user_data.h"

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

TEST(Arrangement, EmptyArrangementKeepsTheOrder) {
    EXPECT_EQ(in_order({}, {"a", "b", "c"}), (Words{"a", "b", "c"}));
}

TEST(Arrangement, ListedRowsAreOrderedAndOthersFollowTheirNeighbours) {
    EXPECT_EQ(in_order({{"c", 0, false, false, ""}, {"a", 0, false, false, ""}}, {"a", "b", "c", "d"}),
              (Words{"c", "d", "a", "b"}));
}

TEST(Arrangement, PinnedRowsComeFirstAndUnknownRowsAreIgnored) {
    EXPECT_EQ(
        in_order({{"x", 0, false, true, ""}, {"c", 0, false, true, ""}, {"c", 9, false, false, ""}}, {"a", "b", "c"}),
        (Words{"c", "a", "b"}));
}

TEST(Arrangement, KeepsEachRowExactlyOnce) {
    std::mt19937 random(7);
    const Words rows{"a", "b", "c", "d", "e", "f", "g"};
    for (int i = 0; i < 500; ++i) {
        Arrangement arrangement;
        for (int k = static_cast<int>(random() % 9); k > 0; --k) {
            arrangement.push_back(
                {std::string(1, static_cast<char>('a' + random() % 10)), 0, false, random() % 3 == 0, ""});
        }
        Words words = in_order(arrangement, rows);
        std::sort(words.begin(), words.end());
        ASSERT_EQ(words, rows);
    }
}

TEST(Arrangements, AreSeparateForEachProgramAndDevice) {
    const Arrangement one{{"lane 0", 0, false, true, "one"}}, two{{"lane 0", 0, true, false, "two"}};
    Arrangements all;
    all.set("train", "cpu", one);
    all.set("train", "cuda", two);
    EXPECT_EQ(all.of("train", "cpu"), one);
    EXPECT_EQ(all.of("train", "cuda"), two);
    EXPECT_TRUE(all.of("increment", "cpu").empty());
    all.set("train", "cpu", {});
    EXPECT_TRUE(all.of("train", "cpu").empty());
    EXPECT_EQ(all.own.size(), 1u);
    // The general arrangement applies to programs without their own. An empty one of their own then overrides it.
    all.general = one;
    EXPECT_EQ(all.of("increment", "cpu"), one);
    all.set("increment", "cpu", {});
    EXPECT_TRUE(all.of("increment", "cpu").empty());
    for (int i = 0; i < 300; ++i) {
        all.set(std::to_string(i), "cpu", two);
    }
    EXPECT_EQ(all.own.size(), Arrangements::kMost);
    EXPECT_EQ(all.of("299", "cpu"), two);
}

class ArrangementFile : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / ("arrangements-" + std::to_string(getpid()));
    std::filesystem::path file = folder / "lanes.json";
    std::vector<std::string> remarks;
};

TEST_F(ArrangementFile, RoundTripsAndIsGeneralInItsOldForm) {
    Arrangements all;
    all.general = {{"memory", 0, false, true, ""}};
    all.set("train", "cpu", {{"lane 0", 40, false, true, "one"}});
    all.set("a \"b\"", "", {{"headway", 0, true, false, ""}});
    all.set("plain", "cuda", {});
    ASSERT_TRUE(write_arrangements(file, all));
    const auto read = read_arrangements(file, &remarks);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, all);
    EXPECT_TRUE(remarks.empty());
    std::ofstream(file) << R"({"rows": [{"row": "lane 0", "name": "old"}]})";
    const auto old = read_arrangements(file, &remarks);
    ASSERT_TRUE(old) << old.error().message;
    EXPECT_EQ(old->of("anything", "cpu").at(0).name, "old");
    ASSERT_TRUE(write_arrangements(file, {}));
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ArrangementFile, AProgramNeedsANameAndAListOfRows) {
    std::ofstream(file)
        << R"({"programs": [{"rows": []}, {"program": "train", "rows": 3}, {"program": "b", "rows": []}]})";
    const auto part = read_arrangements(file, &remarks);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(part->own.size(), 1u);
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_NE(remarks[0].find("program 1 has no name or no list of rows"), std::string::npos) << remarks[0];
    EXPECT_NE(remarks[1].find("program 2 has no name or no list of rows"), std::string::npos) << remarks[1];
}

TEST_F(ArrangementFile, KnowsAllRowsOfTheTimeline) {
    std::ofstream(file) << R"({"rows": [{"row": "lane 120"}, {"row": "link 1"}, {"row": "memory 2"}, {"row": "launch"},
        {"row": "lane 1000"}, {"row": "lane"}]})";
    ASSERT_TRUE(read_arrangements(file, &remarks));
    ASSERT_EQ(remarks.size(), 2u) << "of the last two";
    EXPECT_EQ(remarks[0], file.string() + ": \"lane 1000\", row 5, is not a row of the timeline");
}

TEST_F(ArrangementFile, EachProblemHasItsOwnSentence) {
    std::ofstream(file) << R"({"colour": 1, "rows": [
        {"row": "lane 0", "heigth": 4}, {"row": 3}, {"row": "lane 1", "pinned": "yes"}, 7, {"row": "lane 0"}],
        "programs": [{"program": "a", "rows": []}, {"program": "a", "rows": []}]})";
    const auto read = read_arrangements(file, &remarks);
    ASSERT_TRUE(read) << read.error().message;
    const std::vector<std::string> expected{
        "unknown key \"colour\" next to rows; it was ignored",
        "unknown key \"heigth\" of row 1; it was ignored",
        "row of row 2 is not a text; it was ignored",
        "pinned of row 3 is not true or false; it was ignored",
        "row 4 is not an object; it was ignored",
        "\"lane 0\", row 5, occurs twice; the second one was ignored",
        "program 2 occurs twice; the second one was ignored",
    };
    ASSERT_EQ(remarks.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(remarks[i], file.string() + ": " + expected[i]);
    }
    EXPECT_EQ(read->general.size(), 2u);
    EXPECT_EQ(read->own.size(), 1u);
}

TEST_F(ArrangementFile, EntriesBeyondTheLimitsAreLeftOut) {
    std::string rows, programs;
    for (std::size_t i = 0; i < kMostRows; ++i) {
        rows += R"({"row": "elsewhere )" + std::to_string(i) + "\"},";
    }
    rows += R"({"row": "lane 0"})";
    for (std::size_t i = 0; i <= Arrangements::kMost; ++i) {
        programs += std::string(i > 0 ? "," : "") + R"({"rows": [], "program": ")" + std::to_string(i) + "\"}";
    }
    std::ofstream(file) << R"({"rows": [)" << rows << "]}";
    EXPECT_EQ(read_arrangements(file, &remarks)->general.size(), kMostRows);
    EXPECT_EQ(remarks.back(), file.string() + ": there are further problems, which are not listed");
    remarks.clear();
    std::ofstream(file) << R"({"programs": [)" << programs << "]}";
    const auto read = read_arrangements(file, &remarks);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->own.size(), Arrangements::kMost);
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_EQ(remarks[0], file.string() + ": program " + std::to_string(Arrangements::kMost + 1) +
                              " is beyond the limit of " + std::to_string(Arrangements::kMost) +
                              " programs; it was ignored");
}

TEST_F(ArrangementFile, ADamagedOneIsRenamedBeforeWriting) {
    std::ofstream(file) << R"({"rows": 3})";
    const auto read = read_arrangements(file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, file.string() + " is damaged: it has no list \"rows\" or \"programs\"");
    Arrangements all;
    all.general = {{"memory", 0, false, true, ""}};
    ASSERT_TRUE(write_arrangements(file, all));
    EXPECT_EQ(*read_arrangements(file), all);
    EXPECT_TRUE(std::filesystem::exists(file.string() + ".bad"));
}

TEST_F(ArrangementFile, OfManyProblemsTheFirstEightAreListed) {
    std::string many;
    for (int i = 0; i < 20; ++i) {
        many += std::string(i > 0 ? "," : "") + R"({"row": "nowhere"})";
    }
    std::ofstream(file) << R"({"rows": [)" + many + "]}";
    ASSERT_TRUE(read_arrangements(file, &remarks));
    ASSERT_EQ(remarks.size(), 9u);
    EXPECT_NE(remarks[7].find("nowhere"), std::string::npos) << remarks[7];
    EXPECT_NE(remarks[8].find("there are further problems, which are not listed"), std::string::npos) << remarks[8];
}

}  // namespace
}  // namespace headway::model
