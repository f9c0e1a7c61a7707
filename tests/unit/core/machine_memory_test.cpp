#include "engine/core/system/machine_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headway::core {
namespace {

class MachineMemoryTest : public testing::Test {
protected:
    void SetUp() override {
        std::string path = testing::TempDir() + "memory-XXXXXX";
        ASSERT_NE(mkdtemp(path.data()), nullptr);
        root_ = path + "/";
    }
    void TearDown() override { std::filesystem::remove_all(root_); }
    void write(const std::string& file, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root_ + file).parent_path());
        std::ofstream(root_ + file) << text;
    }
    std::string root_;
};

TEST_F(MachineMemoryTest, ReadsMeminfo) {
    write("proc/meminfo",
          "MemTotal:        8000 kB\nMemFree:          10 kB\nMemAvailable:    6000 kB\nBuffers: 1 kB\n");
    EXPECT_EQ(machine_memory(root_).total, 8000u * 1024);
    EXPECT_EQ(machine_memory(root_).available, 6000u * 1024);
    write("sys/fs/cgroup/memory.max", "max\n");
    EXPECT_EQ(machine_memory(root_).total, 8000u * 1024);
}

TEST_F(MachineMemoryTest, ObeysTheControlGroupLimit) {
    write("proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 6000 kB\n");
    write("sys/fs/cgroup/memory.max", "4096000\n");
    write("sys/fs/cgroup/memory.current", "1096000\n");
    EXPECT_EQ(machine_memory(root_).total, 4'096'000u);
    EXPECT_EQ(machine_memory(root_).available, 3'000'000u);
}

TEST_F(MachineMemoryTest, IsZeroIfItCannotBeRead) {
    EXPECT_EQ(machine_memory(root_).total, 0u);
    EXPECT_GT(machine_memory().total, machine_memory().available);
    EXPECT_GT(machine_memory().available, 0u);
}

TEST(DefaultBudget, IsHalfOfTheMachinesMemory) {
    EXPECT_EQ(default_budget(), machine_memory().total / 2);
}

}  // namespace
}  // namespace headway::core
