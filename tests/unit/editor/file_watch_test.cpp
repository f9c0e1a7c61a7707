#include "app/editor/file_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>

namespace headway::editor {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public ::testing::Test {
protected:
    FileWatchTest() {
        char name[] = "/tmp/headway-watch-XXXXXX";
        folder = mkdtemp(name);
        path = folder / "a.py";
        write("one");
    }
    ~FileWatchTest() override { fs::remove_all(folder); }
    void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
    // Waits up to ten seconds for changes.
    static std::vector<FileWatch::Change> wait_for_changes(FileWatch& watch) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (std::chrono::steady_clock::now() < end) {
            if (auto changes = watch.take(); !changes.empty()) {
                return changes;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return {};
    }
    fs::path folder, path;
};

TEST_F(FileWatchTest, ReportsChangesAndRemoval) {
    std::atomic<int> calls{0};
    FileWatch watch([&calls] { ++calls; });
    watch.watch(path);
    write("two");
    auto changes = wait_for_changes(watch);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].bytes, "two");
    EXPECT_GE(calls.load(), 1);
    // The way editors save: to a temporary file, renamed to the original.
    std::ofstream(folder / "new") << "three";
    fs::rename(folder / "new", path);
    changes = wait_for_changes(watch);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].bytes, "three");
    fs::remove(path);
    changes = wait_for_changes(watch);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_FALSE(changes[0].bytes);
    write("four");
    changes = wait_for_changes(watch);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].bytes, "four");
}

TEST_F(FileWatchTest, IgnoresOwnWrites) {
    FileWatch watch;
    watch.watch(path);
    write("two");
    watch.watch(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    EXPECT_TRUE(watch.take().empty());
    watch.forget(path);
    write("three");
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    EXPECT_TRUE(watch.take().empty());
}

TEST_F(FileWatchTest, ReadsOnlyRegularFilesWithinTheLimit) {
    EXPECT_EQ(read_file(path, 100), "one");
    EXPECT_FALSE(read_file(path, 2));
    EXPECT_FALSE(read_file(folder, 100));
    EXPECT_FALSE(read_file(folder / "none", 100));
}

}  // namespace
}  // namespace headway::editor
