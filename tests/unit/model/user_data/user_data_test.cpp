#include "app/model/user_data/user_data.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headway::model {
namespace {

class UserDataFolder : public testing::Test {
protected:
    ~UserDataFolder() override {
        for (const auto& [name, value] : before_) {
            set(name, value);
        }
    }
    static void set(const char* name, const std::optional<std::string>& value) {
        if (value) {
            setenv(name, value->c_str(), 1);
        } else {
            unsetenv(name);
        }
    }
    static std::optional<std::string> now(const char* name) {
        const char* value = std::getenv(name);
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }

private:
    const std::array<std::pair<const char*, std::optional<std::string>>, 2> before_{
        {{"XDG_DATA_HOME", now("XDG_DATA_HOME")}, {"HOME", now("HOME")}}};
};

TEST_F(UserDataFolder, IsWhereTheEnvironmentSaysWithAnAbsolutePath) {
    set("XDG_DATA_HOME", "/data");
    set("HOME", "/home/a");
    EXPECT_EQ(user_data_folder(), "/data/headway");
    for (const std::optional<std::string>& no_path :
         {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("data")}) {
        set("XDG_DATA_HOME", no_path);
        set("HOME", "/home/a");
        EXPECT_EQ(user_data_folder(), "/home/a/.local/share/headway");
        set("HOME", no_path);
        EXPECT_TRUE(user_data_folder().is_absolute());
        EXPECT_EQ(user_data_folder().filename(), "headway-" + std::to_string(getuid()));
    }
}

TEST(Notes, AreOneLineOfWholeCharacters) {
    EXPECT_EQ(note_from(" why\n\there?\x7f "), "why  here?");
    EXPECT_EQ(note_from(" \n "), "");
    const std::string fits(kMostBookmarkBytes, 'x');
    EXPECT_EQ(note_from(fits), fits);
    EXPECT_EQ(note_from(fits + "y"), fits);
    EXPECT_EQ(note_from("x" + fits.substr(2) + "\u00b5s"), "x" + fits.substr(2)) << "µ has two bytes";
}

class BookmarksFile : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& text) {
        std::filesystem::create_directories(file_.parent_path());
        std::ofstream(file_) << text;
    }

    std::filesystem::path folder_ =
        std::filesystem::path(testing::TempDir()) / ("bookmarks-" + std::to_string(getpid()));
    std::filesystem::path file_ = bookmarks_file(folder_, 0xabc);
};

TEST_F(BookmarksFile, RoundTripsInTheOrderOfTime) {
    EXPECT_EQ(file_, folder_ / "marks" / "0000000000000abc.json");
    EXPECT_TRUE(read_bookmarks(file_)->empty());
    const Bookmark later{500, 500, "a \"moment\""}, earlier{-20, 300, ""};
    ASSERT_TRUE(write_bookmarks(file_, {later, earlier}));
    EXPECT_EQ(*read_bookmarks(file_), (std::vector<Bookmark>{earlier, later}));
    ASSERT_TRUE(write_bookmarks(file_, {}));
    EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(BookmarksFile, DamageIsNamedAndTheFileKeptAside) {
    const auto damage = [this](const std::string& text) {
        write(text);
        const auto read = read_bookmarks(file_);
        EXPECT_FALSE(read) << text;
        return read ? std::string() : read.error().message;
    };
    const std::string file = file_.string();
    EXPECT_EQ(damage(R"({"rows": []})"), file + " is damaged: it has no list \"marks\"");
    const std::string good = R"({"begin_ns": 1, "end_ns": 1},)";
    EXPECT_EQ(damage(R"({"marks": [)" + good + R"({"begin_ns": 2}]})"), file + " is damaged at bookmark 2");
    EXPECT_EQ(damage(R"({"marks": [{"begin_ns": 2, "end_ns": 1}]})"), file + " is damaged at bookmark 1");
    EXPECT_EQ(damage(R"({"marks": [{"begin_ns": -9223372036854775808, "end_ns": 9223372036854775807}]})"),
              file + " is damaged at bookmark 1");
    std::string many;
    for (std::size_t i = 0; i < kMostBookmarks; ++i) {
        many += good;
    }
    many.pop_back();
    write(R"({"marks": [)" + many + "]}");
    EXPECT_EQ(read_bookmarks(file_)->size(), kMostBookmarks);
    EXPECT_EQ(damage(R"({"marks": [)" + good + many + "]}"),
              file + " is damaged at bookmark " + std::to_string(kMostBookmarks + 1));
    ASSERT_TRUE(write_bookmarks(file_, {{1, 2, "new"}}));
    EXPECT_EQ(read_bookmarks(file_)->size(), 1u);
    EXPECT_TRUE(std::filesystem::exists(file + ".bad"));
}

}  // namespace
}  // namespace headway::model
