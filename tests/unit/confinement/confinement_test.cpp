// Each attempt runs in a child process, as a confinement cannot be undone.
#include "app/confinement/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace headway::confinement {
namespace {

namespace fs = std::filesystem;

class Confinement : public ::testing::Test {
protected:
    Confinement() {
        char name[] = "/tmp/headway-confined-XXXXXX";
        root = mkdtemp(name);
        fs::create_directories(root / "own");
        fs::create_directories(root / "other");
        std::ofstream(root / "other" / "kept.txt") << "kept";
        std::ofstream(root / "own" / "mine.txt") << "mine";
    }
    ~Confinement() override { fs::remove_all(root); }
    void SetUp() override {
        if (!support().writes()) {
            GTEST_SKIP() << "this kernel has no Landlock";
        }
    }
    // Runs `attempt` in a child that may write only in root/own; returns its result.
    bool confined(const std::function<bool()>& attempt, bool network = false) const {
        const pid_t child = fork();
        if (child == 0) {
            const bool done =
                confine({{(root / "own").string(), (root / "not-there").string()}, network}).has_value() && attempt();
            _exit(done ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    static bool can_write(const fs::path& path) {
        const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0644);
        return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0;
    }
    fs::path root;
};

TEST_F(Confinement, WritesInItsOwnFolder) {
    EXPECT_TRUE(confined([this] { return can_write(root / "own" / "new.txt"); }));
    EXPECT_TRUE(confined([this] { return mkdir((root / "own" / "sub").c_str(), 0755) == 0; }));
    EXPECT_TRUE(
        confined([this] { return rename((root / "own" / "mine.txt").c_str(), (root / "own" / "m").c_str()) == 0; }));
    EXPECT_TRUE(confined([] { return can_write("/dev/null"); }));
}

TEST_F(Confinement, CannotWriteElsewhere) {
    EXPECT_TRUE(confined([this] { return !can_write(root / "other" / "new.txt"); }));
    EXPECT_TRUE(confined([this] { return !can_write(root / "other" / "kept.txt"); }));
    EXPECT_TRUE(confined([this] { return unlink((root / "other" / "kept.txt").c_str()) != 0; }));
    EXPECT_TRUE(confined([this] { return mkdir((root / "other" / "sub").c_str(), 0755) != 0; }));
    EXPECT_TRUE(confined(
        [this] { return rename((root / "own" / "mine.txt").c_str(), (root / "other" / "mine.txt").c_str()) != 0; }));
    if (support().truncation()) {
        EXPECT_TRUE(confined([this] { return truncate((root / "other" / "kept.txt").c_str(), 0) != 0; }));
    }
    EXPECT_EQ(fs::file_size(root / "other" / "kept.txt"), 4u);
}

TEST_F(Confinement, ReadsEverywhere) {
    EXPECT_TRUE(confined([this] { return open((root / "other" / "kept.txt").c_str(), O_RDONLY) >= 0; }));
}

TEST_F(Confinement, AppliesToChildProcesses) {
    EXPECT_TRUE(confined([this] {
        const std::string command = "echo x > '" + (root / "other" / "new.txt").string() + "' 2>/dev/null";
        return system(command.c_str()) != 0;
    }));
    EXPECT_FALSE(fs::exists(root / "other" / "new.txt"));
}

TEST_F(Confinement, CannotEndOtherProcesses) {
    if (!support().signals()) {
        GTEST_SKIP() << "this kernel's Landlock leaves signals alone";
    }
    EXPECT_TRUE(confined([] { return kill(getppid(), 0) != 0; }));
}

}  // namespace
}  // namespace headway::confinement
