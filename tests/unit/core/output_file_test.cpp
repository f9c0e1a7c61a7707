#include "engine/core/system/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace headway::core {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "headway-output-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    static std::string content(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(name).rdbuf();
        return text.str();
    }
    fs::path folder_;
};

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted) {
    auto file = OutputFile::create(path("r.json"));
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("half"));
    EXPECT_FALSE(fs::exists(path("r.json")));
    EXPECT_TRUE(file->write(" and half"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(content(path("r.json")), "half and half");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, AMovedFileIsTheOneThatIsCommitted) {
    auto first = OutputFile::create(path("first.json"));
    auto second = OutputFile::create(path("second.json"));
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(second->write("second"));
    *first = std::move(*second);
    ASSERT_TRUE(first->commit());
    EXPECT_EQ(content(path("second.json")), "second");
    EXPECT_EQ(entries(), 1u) << "the first one was given up";
}

TEST_F(OutputFileTest, KeepsTheOldFileWithoutACommit) {
    std::ofstream(path("r.json")) << "old";
    {
        auto file = OutputFile::create(path("r.json"));
        ASSERT_TRUE(file);
        file->write("new");
    }
    EXPECT_EQ(content(path("r.json")), "old");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, FollowsLinksAndKeepsThem) {
    std::ofstream(path("real.json")) << "old";
    fs::create_symlink("real.json", path("link.json"));
    auto file = OutputFile::create(path("link.json"));
    ASSERT_TRUE(file);
    file->write("new");
    ASSERT_TRUE(file->commit());
    EXPECT_TRUE(fs::is_symlink(path("link.json")));
    EXPECT_EQ(content(path("real.json")), "new");
}

TEST_F(OutputFileTest, KeepsThePermissionsOfTheOldFile) {
    std::ofstream(path("r.json")) << "old";
    fs::permissions(path("r.json"), fs::perms::owner_read | fs::perms::owner_write);
    auto file = OutputFile::create(path("r.json"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(fs::status(path("r.json")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFileTest, ReportsWhyTheFileCannotBeCreated) {
    for (const auto& name :
         {path("missing/r.json"), folder_.string(), std::string("/proc/headway/r.json"), std::string("")}) {
        const auto writable = check_writable(name);
        ASSERT_FALSE(writable) << name;
        EXPECT_NE(writable.error().message.find(name), std::string::npos);
    }
    EXPECT_EQ(check_writable(path("missing/r.json")).error().message,
              "cannot write " + path("missing/r.json") + ": No such file or directory");
}

TEST_F(OutputFileTest, CheckingCreatesNoFile) {
    EXPECT_TRUE(check_writable(path("r.json")));
    EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFileTest, APipeCanBeWrittenAndIsNotOpenedToCheckIt) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(check_writable(path("pipe")));  // opening it would wait for a reader
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(OutputFileTest, AFullDiskIsAnError) {
    auto file = OutputFile::create("/dev/full");
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->write("text"));
    const auto committed = file->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().message, "cannot write /dev/full: No space left on device");
}

core::Result<void> write_new(const std::string& name) {
    auto file = OutputFile::create(name);
    if (!file) {
        return file.error();
    }
    file->write("new");
    return file->commit();
}

TEST_F(OutputFileTest, HeldOutputsGoToTheFolderThatWasNamed) {
    fs::create_directory(path("out"));
    const HeldOutput held(path("out/r.json"));
    fs::rename(path("out"), path("moved"));
    fs::create_directory(path("other"));
    fs::create_symlink("other", path("out"));
    ASSERT_TRUE(write_new(path("out/r.json")));
    ASSERT_TRUE(write_new(path("out/r.partial.json")));
    EXPECT_EQ(content(path("moved/r.json")), "new");
    EXPECT_EQ(content(path("moved/r.partial.json")), "new");
    EXPECT_TRUE(fs::is_empty(path("other")));
}

TEST_F(OutputFileTest, LinksToNothingGetTheirFileAndStayLinks) {
    fs::create_symlink("new.json", path("link.json"));
    fs::create_symlink("missing/new.json", path("far.json"));
    fs::create_symlink("loop.json", path("loop.json"));
    for (const bool held : {false, true}) {
        std::optional<HeldOutput> kept;
        if (held) {
            kept.emplace(path("link.json"));
        }
        ASSERT_TRUE(check_writable(path("link.json")));
        ASSERT_TRUE(write_whole(path("link.json"), held ? "2" : "1"));
        EXPECT_EQ(content(path("new.json")), held ? "2" : "1");
        EXPECT_TRUE(fs::is_symlink(path("link.json")));
        fs::remove(path("new.json"));
    }
    const HeldOutput far(path("far.json"));
    const auto written = check_writable(path("far.json"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "cannot write " + path("far.json") + ": No such file or directory");
    EXPECT_TRUE(fs::is_symlink(path("far.json")));
}

TEST_F(OutputFileTest, HeldOutputsDoNotFollowLinksMadeMeanwhile) {
    std::ofstream(path("precious")) << "old";
    const HeldOutput held(path("r.json"));
    fs::create_symlink("precious", path("r.json"));
    ASSERT_TRUE(write_new(path("r.json")));
    EXPECT_EQ(content(path("precious")), "old");
    EXPECT_FALSE(fs::is_symlink(path("r.json")));
    EXPECT_EQ(content(path("r.json")), "new");
}

TEST_F(OutputFileTest, HeldOutputsFollowLinksMadeBefore) {
    fs::create_directory(path("far"));
    std::ofstream(path("far/real.json")) << "old";
    fs::create_symlink("far/real.json", path("r.json"));
    const HeldOutput held(path("r.json"));
    fs::remove(path("r.json"));
    ASSERT_TRUE(write_new(path("r.json")));
    EXPECT_EQ(content(path("far/real.json")), "new");
}

TEST_F(OutputFileTest, HeldOutputsSurviveTheRemovalOfTheirFolder) {
    fs::create_directory(path("out"));
    const HeldOutput held(path("out/r.json"));
    fs::remove_all(path("out"));
    ASSERT_TRUE(write_new(path("out/r.json")));
    EXPECT_EQ(content(path("out/r.json")), "new");
    fs::remove_all(path("out"));
    fs::create_symlink("/tmp", path("out"));
    const auto refused = write_new(path("out/r.json"));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("was removed while the program ran"), std::string::npos);
}

TEST_F(OutputFileTest, HeldOutputsLeaveOtherFilesAlone) {
    fs::create_directory(path("out"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const UniqueFd reader(open(path("pipe").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    const HeldOutput none(""), pipe(path("pipe")), held(path("out/r.json"));
    ASSERT_TRUE(write_new(path("t.json")));
    ASSERT_TRUE(write_new(path("pipe")));
    EXPECT_TRUE(fs::is_fifo(path("pipe"))) << "it was replaced";
    EXPECT_EQ(content(path("t.json")), "new");
    EXPECT_TRUE(fs::is_empty(path("out")));
}

TEST_F(OutputFileTest, UnfinishedFilesAreRemoved) {
    auto file = OutputFile::create(path("r.json"));
    ASSERT_TRUE(file);
    EXPECT_LE(entries(), 1u);  // none where the file system has files without names
    remove_unfinished_files();
    EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFileTest, AKilledProcessLeavesNothing) {
    const int probe = open(path(".").c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (probe < 0) {
        GTEST_SKIP() << "this file system has no files without names";
    }
    close(probe);
    const pid_t child = fork();
    if (child == 0) {
        auto file = OutputFile::create(path("r.json"));
        if (file) {
            file->write("half");
        }
        raise(SIGKILL);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace headway::core
