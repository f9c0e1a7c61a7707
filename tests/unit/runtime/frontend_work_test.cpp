// The frontend's own work between ops: how it is split into records, and their names.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/clock.h"
#include "engine/runtime/frontend/frontend_recorder.h"
#include "tests/unit/runtime/hand_device.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

constexpr std::uint64_t kLeastWorkTicks = 25'000;  // ticks: shorter work gets no record of its own
constexpr std::uint16_t kLanguage = 91, kShort = 92, kLong = 93, kNext = 94;

// A line of a program, or a record of work.
struct Work {
    std::uint16_t name;
    std::uint64_t ticks;
};

// What is recorded for lines that take so long; nothing if a line took much longer than it should, because of other
// programs.
std::optional<std::vector<Work>> recorded(const std::vector<Work>& lines) {
    HandDevice device(1);
    const auto recording = std::move(*trace::Recording::create(std::size_t{1} << 24));
    const SourceLines source(*recording);
    FrontendRecorder frontend(device, *recording, source, {});
    frontend.program_event(trace::FrontendKind::scope_begin, 0, 0);  // the first record makes its memory resident
    frontend.account_for_language(kLanguage);
    const std::uint64_t first = core::ticks();
    frontend.account_line(kShort);  // accounting begins here
    std::uint64_t all = 0;
    for (const Work& line : lines) {
        const std::uint64_t begin = core::ticks();
        frontend.account_line(line.name);
        while (core::ticks() < begin + line.ticks) {
        }
        all += line.ticks;
    }
    frontend.account_line(kNext);
    if (core::ticks() - first > all + kLeastWorkTicks / 2) {
        return std::nullopt;
    }
    std::vector<Work> found;
    for (const auto& record : events_of(*recording, trace::FrontendKind::work)) {
        found.push_back({record.signature, trace::unpack_duration(record.duration)});
    }
    return found;
}

std::vector<Work> recorded_undisturbed(const std::vector<Work>& lines) {
    for (int i = 0; i < 1000; ++i) {
        if (auto found = recorded(lines)) {
            return *found;
        }
    }
    ADD_FAILURE() << "no attempt of 1,000 was undisturbed";
    return {};
}

constexpr std::uint64_t kShortTicks = kLeastWorkTicks * 2 / 5, kLongTicks = kLeastWorkTicks * 3;

TEST(FrontendWork, ManyShortLinesBeforeALongOneAreTheLanguages) {
    const std::vector<Work> found = recorded_undisturbed(
        {{kShort, kShortTicks}, {kShort, kShortTicks}, {kShort, kShortTicks}, {kLong, kLongTicks}});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, kLanguage);
    EXPECT_GE(found[0].ticks, 3 * kShortTicks);
    EXPECT_LT(found[0].ticks, 3 * kShortTicks + kLeastWorkTicks);
    EXPECT_EQ(found[1].name, kLong);
    EXPECT_GE(found[1].ticks, kLongTicks);
    EXPECT_LT(found[1].ticks, kLongTicks + kLeastWorkTicks);
}

TEST(FrontendWork, OneShortLineBeforeALongOneCountsToIt) {
    const std::vector<Work> found = recorded_undisturbed({{kShort, kShortTicks}, {kLong, kLongTicks}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, kLong);
    EXPECT_GE(found[0].ticks, kShortTicks + kLongTicks);
}

TEST(FrontendWork, LongLinesHaveARecordEach) {
    const std::vector<Work> found = recorded_undisturbed({{kLong, kLongTicks}, {kShort, kLongTicks}});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, kLong);
    EXPECT_EQ(found[1].name, kShort);
}

}  // namespace
}  // namespace headway::runtime
