#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "engine/devices/cpu/cpu_device.h"

namespace headway::devices {
namespace {

TEST(CpuName, IsTheProcessorsModel) {
    const std::string name = cpu_name();
    std::ifstream info("/proc/cpuinfo");
    bool named = false, same = false;
    for (std::string line; std::getline(info, line);) {
        named = named || line.starts_with("model name");
        same = same || line == "model name\t: " + name;
    }
    EXPECT_TRUE(named ? same : name == "CPU") << name;
}

TEST(CpuName, IsFollowedByTheNumberOfWorkers) {
    const auto name_with = [](std::uint32_t workers) {
        const auto recording = std::move(*trace::Recording::create(std::size_t{16} << 20));
        return CpuDevice(workers, *recording).info().name;
    };
    EXPECT_EQ(name_with(1), cpu_name() + ", 1 worker");
    EXPECT_EQ(name_with(2), cpu_name() + ", 2 workers");
}

}  // namespace
}  // namespace headway::devices
