#include "app/ui/state/saved/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace headway::ui {
namespace {

namespace fs = std::filesystem;
using Step = Progress::Step;

class ProgressTest : public ::testing::Test {
protected:
    ~ProgressTest() override { fs::remove_all(folder); }
    fs::path folder = fs::temp_directory_path() / ("headway-progress-" + std::to_string(getpid()));
};

TEST_F(ProgressTest, IsReadAgain) {
    Progress progress;
    ASSERT_TRUE(progress.use_folder(folder));
    progress.note("warm-up", Step::opened);
    progress.note("warm-up", Step::ran);
    progress.note("a \"b\"", Step::predicted);
    progress.note_solved("needless-barrier");
    ASSERT_TRUE(progress.save());
    Progress again;
    ASSERT_TRUE(again.use_folder(folder));
    EXPECT_TRUE(again.has("warm-up", Step::ran));
    EXPECT_FALSE(again.has("warm-up", Step::predicted));
    EXPECT_TRUE(again.has("a \"b\"", Step::predicted));
    EXPECT_TRUE(again.solved("needless-barrier"));
    EXPECT_FALSE(again.solved("other"));
    again.begin_again();
    ASSERT_TRUE(again.save());
    Progress empty;
    ASSERT_TRUE(empty.use_folder(folder));
    EXPECT_FALSE(empty.has("warm-up", Step::ran));
    EXPECT_FALSE(empty.solved("needless-barrier"));
}

TEST_F(ProgressTest, TwoWindowsAddToTheSameFile) {
    Progress one, two;
    ASSERT_TRUE(one.use_folder(folder));
    ASSERT_TRUE(two.use_folder(folder));
    one.note("a", Step::opened);
    one.note_solved("x");
    ASSERT_TRUE(one.save());
    two.note("a", Step::ran);
    two.note("b", Step::opened);
    ASSERT_TRUE(two.save());
    EXPECT_TRUE(two.has("a", Step::opened));
    one.note_solved("y");
    ASSERT_TRUE(one.save());
    Progress again;
    ASSERT_TRUE(again.use_folder(folder));
    EXPECT_TRUE(again.has("a", Step::opened) && again.has("a", Step::ran) && again.has("b", Step::opened));
    EXPECT_TRUE(again.solved("x") && again.solved("y"));

    two.begin_again();
    two.note("c", Step::opened);
    ASSERT_TRUE(two.save());
    Progress fresh;
    ASSERT_TRUE(fresh.use_folder(folder));
    EXPECT_FALSE(fresh.has("a", Step::opened) || fresh.solved("x"));
    EXPECT_TRUE(fresh.has("c", Step::opened));
}

TEST_F(ProgressTest, ADamagedFileIsSetAside) {
    fs::create_directories(folder);
    std::ofstream(folder / "progress.json") << "{\"lessons\": {";
    Progress progress;
    const auto read = progress.use_folder(folder);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("progress.json"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder / "progress.json.bad"));
    progress.note("warm-up", Step::ran);
    EXPECT_TRUE(progress.save());
    EXPECT_TRUE(fs::exists(folder / "progress.json"));
}

TEST_F(ProgressTest, WordsOfANewerVersionAreIgnored) {
    fs::create_directories(folder);
    std::ofstream(folder / "progress.json")
        << R"({"lessons": {"a": ["ran", "danced", 3], "b": 7}, "exercises": [1, "x"], "more": {}})";
    Progress progress;
    ASSERT_TRUE(progress.use_folder(folder));
    EXPECT_TRUE(progress.has("a", Step::ran));
    EXPECT_TRUE(progress.solved("x"));
}

TEST_F(ProgressTest, AFullDiskIsReported) {
    Progress progress;
    ASSERT_TRUE(progress.use_folder("/proc/headway"));
    progress.note("a", Step::ran);
    EXPECT_FALSE(progress.save());
}

}  // namespace
}  // namespace headway::ui
