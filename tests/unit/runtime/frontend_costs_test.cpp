// What the frontend measures on itself.
#include "engine/runtime/frontend/frontend_costs.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/clock.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using trace::CostKind;
using trace::CostRecord;

class FrontendCostsTest : public testing::Test {
protected:
    [[nodiscard]] std::vector<CostRecord> records() const {
        return records_of<CostRecord>(*recording, {trace::StreamKind::costs, 0});
    }

    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{16} << 20));
    FrontendCosts costs{*recording};
};

TEST_F(FrontendCostsTest, WeightsAddUpToTheNumberOfEvents) {
    const auto measure = [&](CostKind kind, std::uint64_t count, bool alone) {
        costs.measured(kind, core::ticks(), count, alone);
        return records().back().weight;
    };
    EXPECT_EQ(measure(CostKind::recording, 1, true), 1u);
    EXPECT_EQ(measure(CostKind::recording, 2, true), 1u);
    EXPECT_EQ(measure(CostKind::drop, 1, true), 1u);
    EXPECT_EQ(measure(CostKind::recording, 100, false), 98u);
    EXPECT_EQ(measure(CostKind::recording, 150, true), 1u);
    EXPECT_EQ(measure(CostKind::drop, 40, false), 39u) << "drops are counted by themselves";
    EXPECT_EQ(measure(CostKind::recording, 200, false), 99u);
    EXPECT_EQ(measure(CostKind::recording, 201, false), 1u);
    EXPECT_EQ(measure(CostKind::recording, 201, false), 1u) << "each represents itself at least";
}

TEST_F(FrontendCostsTest, AMeasurementLastsFromItsBeginUntilNow) {
    constexpr std::uint64_t kAgo = 1'000'000;
    const std::uint64_t begin = core::ticks() - kAgo;
    costs.measured(CostKind::drop, begin, 1, true);
    const std::uint64_t after = core::ticks();
    const CostRecord record = records().at(0);
    EXPECT_EQ(record.begin, begin);
    EXPECT_EQ(record.kind, CostKind::drop);
    EXPECT_GE(trace::unpack_duration(record.duration), kAgo);
    EXPECT_LE(trace::unpack_duration(record.duration), after - begin);
}

TEST_F(FrontendCostsTest, EachRecordHasTheCostOfTheMeasurementBeforeIt) {
    for (std::uint64_t count = 1; count <= 200; ++count) {
        costs.measured(CostKind::recording, core::ticks(), count, true);
    }
    costs.record_totals(core::ticks());
    costs.record_totals(core::ticks());
    const auto all = records();
    EXPECT_EQ(all.at(0).sampling, 0u) << "there was none";
    std::uint16_t least_sampling = std::numeric_limits<std::uint16_t>::max(), least_stamp = least_sampling;
    for (std::size_t i = 1; i <= 200; ++i) {
        EXPECT_GT(all.at(i).sampling, 0u) << i;
        EXPECT_GE(all[i].sampling, all[i - 1].stamp) << "it includes reading the clock";
        least_sampling = std::min(least_sampling, all[i].sampling);
        least_stamp = std::min(least_stamp, all[i - 1].stamp);
    }
    EXPECT_LT(least_sampling, 20'000u);
    EXPECT_LT(least_stamp, 20'000u);
    EXPECT_EQ(all.at(201).kind, CostKind::totals);
    EXPECT_EQ(all.at(201).sampling, 0u) << "the first totals have the cost of the last measurement";
}

TEST_F(FrontendCostsTest, TotalsHavePageFaultsAndTheLanguagesTime) {
    const auto faults = [] {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return std::pair(usage.ru_minflt, usage.ru_majflt);
    };
    constexpr std::size_t kPages = 100, kPageBytes = 4096;
    costs.add_interpreter_time(40);
    costs.add_interpreter_time(2);
    void* memory = mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    for (std::size_t page = 0; page < kPages; ++page) {
        static_cast<volatile char*>(memory)[page * kPageBytes] = 1;
    }
    const auto [minor_before, major_before] = faults();
    EXPECT_GT(minor_before, 0);
    costs.record_totals(7);
    const auto [minor_after, major_after] = faults();
    munmap(memory, kPages * kPageBytes);
    const CostRecord totals = records().at(0);
    EXPECT_EQ(totals.kind, CostKind::totals);
    EXPECT_EQ(totals.begin, 7u);
    EXPECT_EQ(totals.amount, 42u);
    EXPECT_GE(totals.duration, minor_before);
    EXPECT_LE(totals.duration, minor_after);
    EXPECT_GE(totals.weight, major_before);
    EXPECT_LE(totals.weight, major_after);
}

// Nanoseconds that this thread was runnable and had no core; nothing if the system does not report them.
std::optional<std::uint64_t> without_a_core() {
    std::ifstream file("/proc/thread-self/schedstat");
    std::uint64_t ran = 0, without = 0;
    return file >> ran >> without ? std::optional(without) : std::nullopt;
}

// Takes this thread's core away from it for a moment. False if the system cannot, or does not report it in ten seconds.
bool lose_the_core() {
    cpu_set_t before, one;
    if (sched_getaffinity(0, sizeof before, &before) != 0) {
        return false;
    }
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    bool lost = false;
    {
        std::atomic<bool> done{false};
        const std::jthread competitor([&] {  // inherits the core
            while (!done.load()) {
            }
        });
        const std::uint64_t first = *without_a_core();
        const std::int64_t end_ns = core::monotonic_ns() + 10'000'000'000;
        while (!lost && core::monotonic_ns() < end_ns) {
            lost = *without_a_core() >= first + 1000;
        }
        done.store(true);
    }
    sched_setaffinity(0, sizeof before, &before);
    return lost;
}

TEST_F(FrontendCostsTest, TimeWithoutACoreIsThatSinceTheLastLook) {
    if (!without_a_core() || !lose_the_core()) {
        GTEST_SKIP() << "the system does not report it";
    }
    costs.look_for_core(10, 10, 20);
    EXPECT_TRUE(records().empty()) << "not looked for before the first totals";
    ASSERT_TRUE(lose_the_core());
    const std::uint64_t first = *without_a_core();
    costs.record_totals(1);
    const std::uint64_t after_totals = *without_a_core();
    ASSERT_TRUE(lose_the_core());
    const std::uint64_t second = *without_a_core();
    costs.look_for_core(100, 130, 170);
    const std::uint64_t after_second = *without_a_core();
    ASSERT_TRUE(lose_the_core());
    const std::uint64_t third = *without_a_core();
    costs.look_for_core(0, 0, 170);  // nothing came before it
    ASSERT_TRUE(lose_the_core());
    costs.look_for_core(200, 230, 260);
    const std::uint64_t after_fourth = *without_a_core();

    const auto all = records();
    ASSERT_EQ(all.size(), 3u) << "the totals and two intervals";
    EXPECT_EQ(all[1].kind, CostKind::not_scheduled_issue) << "most of it was an issue";
    EXPECT_EQ(all[1].begin, 100u);
    EXPECT_EQ(all[1].duration, 70u);
    EXPECT_EQ(all[1].weight, 1u);
    EXPECT_EQ(all[1].sampling + all[2].sampling, 0u) << "nothing was measured";
    EXPECT_GE(all[1].amount, second - after_totals);
    EXPECT_LE(all[1].amount, after_second - first);
    EXPECT_EQ(all[2].kind, CostKind::not_scheduled);
    EXPECT_EQ(all[2].duration, 60u);
    EXPECT_GE(all[2].amount, 1000u);
    EXPECT_LE(all[2].amount, after_fourth - third);
}

}  // namespace
}  // namespace headway::runtime
