#include "app/process/tool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace headway::process {
namespace {

namespace fs = std::filesystem;

// A PATH with only the programs that a test adds.
class Tools : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = ::testing::TempDir() + "headway-tools-XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        const char* path = std::getenv("PATH");
        path_ = path != nullptr ? path : "";
        setenv("PATH", ("/nonexistent:" + name).c_str(), 1);
    }
    void TearDown() override {
        setenv("PATH", path_.c_str(), 1);
        fs::remove_all(folder_);
    }
    void install(const std::string& name, const std::string& script) {
        std::ofstream(folder_ / name) << "#!/bin/sh\nPATH=/usr/bin:/bin\n" << script;
        chmod((folder_ / name).c_str(), 0755);
    }
    fs::path folder_;
    std::string path_;
};

TEST_F(Tools, AreFoundOnThePath) {
    EXPECT_FALSE(find_tool("no-such-tool"));
    install("quick", "exit 0\n");
    EXPECT_EQ(find_tool("quick"), (folder_ / "quick").string());
}

TEST_F(Tools, SayWhyTheyCannotBeStarted) {
    const auto tool = Tool::start("no-such-tool", {});
    ASSERT_FALSE(tool);
    EXPECT_EQ(tool.error().message, "Cannot start no-such-tool: No such file or directory.");
}

TEST_F(Tools, ReadWhatIsWritten) {
    install("keep", "cat > \"$1\"\n");
    auto tool = Tool::start("keep", {(folder_ / "kept").string()});
    ASSERT_TRUE(tool);
    EXPECT_TRUE(tool->write(std::string(1 << 22, 'x')));
    EXPECT_TRUE(tool->finish());
    EXPECT_EQ(fs::file_size(folder_ / "kept"), 1u << 22);
}

TEST_F(Tools, ThatEndEarlyAreNoSignal) {
    install("quick", "exit 0\n");
    auto tool = Tool::start("quick", {});
    ASSERT_TRUE(tool);
    EXPECT_FALSE(tool->write(std::string(1 << 22, 'x')));
    EXPECT_TRUE(tool->finish());
}

TEST_F(Tools, SayWhyTheyFailed) {
    install("fails", "echo first >&2; echo 'no such codec' >&2; exit 1\n");
    auto tool = Tool::start("fails", {});
    ASSERT_TRUE(tool);
    const auto done = tool->finish();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "fails failed: no such codec.");
}

}  // namespace
}  // namespace headway::process
