// Work of a given length in virtual time, and what the program writes.
#include "engine/runtime/program_events.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/devices/cpu/cpu_device.h"
#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/frontend_records.h"
#include "tests/unit/runtime/failure_of.h"
#include "tests/unit/runtime/forked.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using trace::FrontendKind;

constexpr std::uint16_t kOtherWork = 91;
constexpr const char* kNumPy = "NumPy";

class WorkOfAGivenLength : public testing::Test {
protected:
    void SetUp() override { rt.recorder.account_for_language(kOtherWork); }

    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    devices::SimulatedDevice device{devices::constant_costs(1000, 100'000, 0), 1, *recording};
    Runtime rt{device, *recording, {}};
};

// In pieces that a record stores exactly.
TEST_F(WorkOfAGivenLength, IsRecordedToTheNanosecond) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40, kLong = 2 * kMost + 3'000'001'025;
    const std::uint64_t begin = rt.recorder.now();
    rt.events.spend(kLong, kNumPy);
    rt.events.spend(7.4);
    EXPECT_EQ(rt.recorder.now(), begin + kLong + 7);
    const auto works = events_of(*recording, FrontendKind::work);
    const std::vector<std::uint64_t> expected{kMost, kMost, 3'000'000'512, 513, 7};
    ASSERT_EQ(works.size(), expected.size());
    std::uint64_t at = begin;
    for (std::size_t i = 0; i < works.size(); ++i) {
        EXPECT_EQ(works[i].begin, at);
        EXPECT_EQ(trace::unpack_duration(works[i].duration), expected[i]);
        EXPECT_EQ(works[i].signature, i < 4 ? recording->string_id(kNumPy) : kOtherWork);
        at += expected[i];
    }
}

TEST_F(WorkOfAGivenLength, WithoutALengthIsNothing) {
    const std::uint64_t begin = rt.recorder.now();
    for (const double ns : {0.0, -5.0, 0.4, std::numeric_limits<double>::quiet_NaN()}) {
        rt.events.spend(ns);
    }
    EXPECT_EQ(rt.recorder.now(), begin);
    rt.events.spend(std::numeric_limits<double>::infinity());
    EXPECT_EQ(rt.recorder.now(), begin + 1'000'000'000'000'000'000);
}

// The parent's queued ops would run in the child.
TEST_F(WorkOfAGivenLength, InAChildProcessIsNothing) {
    const runtime::Tensor a = rt.ones({2});
    const std::uint64_t begin = rt.recorder.now();
    EXPECT_TRUE(holds_in_a_child([this, begin] {
        rt.control.leave_to_the_parent();
        rt.events.spend(1e9, kNumPy);
        EXPECT_EQ(rt.recorder.now(), begin);
        EXPECT_EQ(device.completed(0), 0u);
    }));
    EXPECT_TRUE(events_of(*recording, FrontendKind::work).empty());
}

TEST(ProgramEvents, RealTimeIsNotSpent) {
    const auto recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    devices::CpuDevice device(1, *recording);
    Runtime rt(device, *recording, {});
    rt.recorder.account_for_language(kOtherWork);
    rt.events.spend(3e9, kNumPy);
    EXPECT_TRUE(events_of(*recording, FrontendKind::work).empty());
}

TEST_F(WorkOfAGivenLength, AScopeBeyondTheLastNameIsAnError) {
    for (std::size_t i = 0; i < trace::Recording::kMostStrings; ++i) {
        static_cast<void>(recording->string_id(std::to_string(i)));
    }
    rt.events.scope_begin("7");
    const std::string failure = failure_of([&] { rt.events.scope_begin("step"); });
    EXPECT_TRUE(has(failure, "at most 65,535 names of scopes, waits and work, and 'step' is one more")) << failure;
}

TEST_F(WorkOfAGivenLength, MinibatchesAreNumberedAsTheyBegin) {
    rt.control.set_written_barrier({trace::BarrierKind::minibatch});
    rt.noop();
    const auto minibatch = [this](bool ends_well) {
        rt.events.minibatch_begin();
        rt.noop();
        ends_well ? rt.events.minibatch_end() : rt.events.minibatch_abandon();
    };
    minibatch(true);
    minibatch(false);
    minibatch(true);
    rt.noop();
    std::vector<std::uint32_t> begun;
    for (const auto& record : events_of(*recording, FrontendKind::minibatch_begin)) {
        begun.push_back(trace::as<trace::MinibatchRecord>(record).index);
    }
    EXPECT_EQ(begun, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(events_of(*recording, FrontendKind::wait).size(), 2u) << "no barrier after the abandoned one";
    const std::vector<std::string> expected{"", " in minibatch 0", " in minibatch 1", " in minibatch 2", ""};
    for (core::OpId op = 1; op <= expected.size(); ++op) {
        EXPECT_EQ(rt.events.minibatch_text(op), expected[op - 1]) << op;
    }
}

class OutputOfTheProgram : public WorkOfAGivenLength {};

TEST_F(OutputOfTheProgram, IsRecordedUpToALimit) {
    const auto written = [this](int stream) {
        std::string text;
        for (const auto& record : events_of(*recording, FrontendKind::output)) {
            const auto piece = trace::as<trace::OutputRecord>(record);
            if (piece.stream == stream) {
                EXPECT_EQ(piece.issued, 1u);
                text.append(piece.text.data(), piece.bytes);
            }
        }
        return text;
    };
    rt.noop();
    rt.recorder.program_wrote(1, "loss: 0.25 after the first minibatch\n");  // three records of up to 16 bytes
    rt.recorder.program_wrote(2, "a warning\n");
    EXPECT_EQ(written(1), "loss: 0.25 after the first minibatch\n");
    EXPECT_EQ(written(2), "a warning\n");
    rt.recorder.program_wrote(1, std::string(trace::OutputRecord::kMostOfRun, 'x'));
    rt.recorder.program_wrote(1, "no room");
    EXPECT_EQ(written(1).size() + written(2).size(), trace::OutputRecord::kMostOfRun);
    EXPECT_EQ(written(1).back(), 'x');
}

}  // namespace
}  // namespace headway::runtime
