// Opaque ops on every device that runs them: order, memory, failures, what is recorded.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "engine/trace/frontend_records.h"
#include "engine/trace/reader.h"
#include "tests/conformance/devices.h"

namespace headway {
namespace {

using devices::Family;
using devices::OpKind;
using runtime::Buffer;
using runtime::ProgramError;

// Work that calls a function, which returns the reason why it failed.
struct Call {
    std::function<std::string()> function;
    int* dropped = nullptr;

    static bool run(void* context, std::string& error) {
        error = static_cast<Call*>(context)->function();
        return error.empty();
    }
    static void drop(void* context) {
        auto* call = static_cast<Call*>(context);
        if (call->dropped != nullptr) {
            ++*call->dropped;
        }
        delete call;
    }
};

class OpaqueConformance : public DeviceConformance {
protected:
    void SetUp() override {
        DeviceConformance::SetUp();
        if (bench.available() && bench.device().info().kind == "cuda") {
            GTEST_SKIP() << "the device cuda runs no opaque ops";
        }
    }
    Buffer* allocate(std::uint64_t bytes = 16) { return bench->opaque.allocate(bytes, 0); }
    std::uint32_t issue(std::vector<Buffer*> reads, std::vector<Buffer*> writes, std::function<std::string()> function,
                        std::string name = "lib::op") {
        runtime::OpaqueOp op;
        op.signature = &bench->signatures.opaque({OpKind::opaque, Family::matmul, std::move(name), "float32 (2×2)",
                                                  writes.empty() ? 0 : writes[0]->bytes, 8, 48});
        op.reads = reads;
        op.writes = writes;
        op.function = Call::run;
        op.context = new Call{std::move(function), &dropped};
        op.drop = Call::drop;
        return bench->opaque.issue(op);
    }
    int dropped = 0;
};

core::Error error_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const ProgramError& error) {
        return error.error();
    }
    ADD_FAILURE() << "no error was delivered";
    return {};
}

TEST_P(OpaqueConformance, RunsAfterTheOpsThatItNeedsAndBeforeThoseThatOverwrite) {
    Buffer* a = allocate();
    Buffer* b = allocate();
    Buffer* sum = allocate();
    for (int round = 0; round < 200; ++round) {
        const auto value = static_cast<float>(round);
        issue({}, {a}, [a, value] { return a->data[0] = value, ""; });
        issue({}, {b}, [b, value] { return b->data[0] = 2 * value, ""; });
        issue({a, b}, {sum}, [a, b, sum, value] {
            sum->data[0] = a->data[0] + b->data[0];
            return sum->data[0] == 3 * value ? "" : "it ran too early or too late";
        });
    }
    bench->waitall();
    EXPECT_EQ(sum->data[0], 3 * 199.0f);
    for (Buffer* buffer : {a, b, sum}) {
        bench->opaque.release(buffer);
    }
    bench->opaque.release_completed();
    EXPECT_EQ(dropped, 600);
}

TEST_P(OpaqueConformance, WorkThatIsDoneIsDroppedThoughTheProgramNeverWaits) {
    for (int i = 0; i < 2'000 && dropped == 0; ++i) {
        issue({}, {}, [] { return ""; });
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_GT(dropped, 0);
    bench->waitall();
}

// Its line stands in a later chunk of the recording than the first op's.
TEST_P(OpaqueConformance, AFailureAfterManyOpsNamesItsLine) {
    const std::uint32_t most = trace::records_per_chunk(sizeof(trace::FrontendRecord));
    for (std::uint32_t i = 0; i < most; ++i) {
        bench->noop();
    }
    Buffer* bad = allocate();
    const auto where = core::SourceLocation::current();
    {
        const runtime::LineScope scope(bench->lines, where);
        issue({}, {bad}, [] { return "index 7 is out of bounds"; });
    }
    const core::Error error = error_of([&] { bench->waitall(); });
    EXPECT_EQ(error.op, most + 1);
    EXPECT_EQ(error.line, where.line());
    bench->opaque.release(bad);
}

TEST_P(OpaqueConformance, MemoryThatIsDroppedIsReusedOnlyInOrder) {
    runtime::Settings settings;
    settings.free_policy = memory::FreePolicy::stream;
    Bench on(GetParam(), settings);
    for (int round = 0; round < 300; ++round) {
        Buffer* x = on->opaque.allocate(64, 0);
        float* data = x->data;
        const auto value = static_cast<float>(round);
        for (const bool writes : {true, false}) {
            runtime::OpaqueOp op;
            Buffer* const list[] = {x};
            op.signature = &on->signatures.opaque({OpKind::opaque, Family::other, "lib::use", "", 64, 0, 64});
            (writes ? op.writes : op.reads) = list;
            op.function = Call::run;
            op.drop = Call::drop;
            op.context = new Call{[=]() -> std::string {
                if (writes) {
                    std::fill_n(data, 16, value);
                }
                return data[15] == value ? "" : "another op uses this memory";
            }};
            on->opaque.issue(op);
        }
        on->opaque.release(x);
    }
    on->waitall();
    EXPECT_EQ(on->memory.live_bytes(), 0u);
}

TEST_P(OpaqueConformance, AFailureIsDeliveredByTheWaitThatNeedsItAndSpoilsWhatDependsOnIt) {
    Buffer* bad = allocate();
    Buffer* worse = allocate();
    Buffer* fine = allocate();
    bool ran = false;
    issue({}, {bad}, [] { return "index 7 is out of bounds"; });
    const core::OpId origin = bench->recorder.issued();
    issue({bad}, {worse}, [&ran] { return ran = true, ""; });
    const std::uint32_t lane = issue({}, {fine}, [fine] { return fine->data[0] = 1, ""; });
    bench->waits.in_lane(lane, fine->id, 0, trace::WaitKind::item, "item");
    EXPECT_EQ(fine->data[0], 1.0f);
    for (const Buffer* spoiled : {worse, bad}) {
        const core::Error error = error_of([&] {
            for (std::uint32_t each = 0; each < bench->lanes.count(); ++each) {
                bench->waits.in_lane(each, spoiled->id, 0, trace::WaitKind::item, "item");
            }
        });
        EXPECT_EQ(error.op, origin);
        EXPECT_NE(error.message.find("index 7 is out of bounds"), std::string::npos) << error.message;
    }
    EXPECT_FALSE(ran);
    bench->waitall();  // delivered already
    for (Buffer* buffer : {bad, worse, fine}) {
        bench->opaque.release(buffer);
    }
}

TEST_P(OpaqueConformance, AFailureDoesNotSpoilOpsThatDoNotReadItsOutput) {
    Buffer* bad = allocate();
    Buffer* read = allocate();
    Buffer* fine = allocate();
    issue({}, {bad}, [] { return ""; });
    for (int i = 0; i < 3; ++i) {
        issue({bad}, {read}, [] { return ""; });
    }
    bench->waitall();
    bench->opaque.release_completed();  // what the ops above used is reused from here on
    issue({}, {bad}, [] { return "index 7 is out of bounds"; });
    const std::uint32_t lane = issue({}, {fine}, [fine] { return fine->data[0] = 1, ""; });
    bench->waits.in_lane(lane, fine->id, 0, trace::WaitKind::item, "item");
    EXPECT_EQ(fine->data[0], 1.0f);
    EXPECT_NE(error_of([&] { bench->waitall(); }).message.find("index 7 is out of bounds"), std::string::npos);
    for (Buffer* buffer : {bad, read, fine}) {
        bench->opaque.release(buffer);
    }
}

TEST_P(OpaqueConformance, TheWaitForAnOpThatWritesNoBufferDeliversItsFailure) {
    Buffer* x = allocate();
    issue({}, {x}, [] { return ""; });
    const std::uint32_t lane = issue({x}, {}, [] { return "no copy of this kind"; });  // to the program's memory
    const core::OpId copy = bench->recorder.issued();
    const core::Error error = error_of([&] { bench->waits.in_lane(lane, x->id, copy, trace::WaitKind::copy, "cpu"); });
    EXPECT_EQ(error.op, copy);
    EXPECT_NE(error.message.find("no copy of this kind"), std::string::npos) << error.message;
    bench->waitall();  // delivered already
    const std::uint32_t other = issue({x}, {}, [] { return ""; });
    bench->waits.in_lane(other, x->id, bench->recorder.issued(), trace::WaitKind::copy, "cpu");
    bench->opaque.release(x);
}

TEST_P(OpaqueConformance, RecordsTheForwardLineOfAnOpOfABackwardPass) {
    Buffer* x = allocate();
    issue({}, {x}, [] { return ""; });
    runtime::OpaqueOp op;
    op.signature =
        &bench->signatures.opaque({OpKind::opaque, Family::matmul, "lib::backward", "float32 (2×2)", 0, 8, 48});
    Buffer* reads[] = {x};
    op.reads = reads;
    op.function = Call::run;
    op.context = new Call{[] { return ""; }};
    op.drop = Call::drop;
    op.forward_line = core::make_line(1, 7);
    bench->opaque.issue(op);
    bench->waitall();
    auto reader = bench.recording().reader();
    ASSERT_TRUE(reader);
    (*reader)->poll();
    std::vector<core::Line> lines;
    for (const auto& record : (*reader)->records<trace::FrontendRecord>(trace::kFrontendStream, 0)) {
        if (trace::kind_of(record) == trace::FrontendKind::more_inputs) {
            lines.push_back(trace::as<trace::MoreInputsRecord>(record).forward_line);
        }
    }
    EXPECT_EQ(lines, std::vector<core::Line>{core::make_line(1, 7)});
    bench->opaque.release(x);
}

TEST_P(OpaqueConformance, IsRecordedWithItsNameAndAllThatItReadsAndWrites) {
    Buffer* in[] = {allocate(), allocate(), allocate()};
    for (Buffer* buffer : in) {
        issue(
            {}, {buffer}, [] { return ""; }, "lib::make");
    }
    Buffer* out = allocate(16);
    Buffer* second = allocate(400);
    const std::uint64_t before = bench->memory.live_bytes();
    issue(
        {in[0], in[1], in[2]}, {out, second}, [] { return ""; }, "lib::three");
    bench->waitall();
    EXPECT_EQ(bench->memory.live_bytes(), before);

    auto reader = bench.recording().reader();
    ASSERT_TRUE(reader);
    (*reader)->poll();
    std::vector<trace::FrontendRecord> issues, inputs, outputs;
    for (const auto& record : (*reader)->records<trace::FrontendRecord>(trace::kFrontendStream, 0)) {
        const auto kind = static_cast<trace::FrontendKind>(record.kind & trace::kKindMask);
        if (kind == trace::FrontendKind::issue) {
            issues.push_back(record);
            inputs.clear();
            outputs.clear();
        } else if (kind == trace::FrontendKind::more_inputs) {
            inputs.push_back(record);
        } else if (kind == trace::FrontendKind::more_output) {
            outputs.push_back(record);
        }
    }
    ASSERT_EQ(issues.size(), 4u);
    ASSERT_EQ(inputs.size(), 1u);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_NE(issues.back().kind & trace::kFreshOutput, 0);
    EXPECT_NE(outputs.back().kind & trace::kFreshOutput, 0);
    bool named = false;
    (*reader)->each_meta([&](trace::MetaType type, std::uint16_t id, std::string_view text) {
        named |= type == trace::MetaType::signature && id == issues.back().signature &&
                 text.find("lib::three") != std::string_view::npos && text.find("float32 (2×2)") != std::string::npos;
    });
    EXPECT_TRUE(named);
    for (Buffer* buffer : {in[0], in[1], in[2], out, second}) {
        bench->opaque.release(buffer);
    }
}

TEST_P(OpaqueConformance, MemoryThatNoOpUsedIsGivenBackAndTheBudgetHolds) {
    runtime::Settings settings;
    settings.budget_bytes = 10'000;
    Bench on(GetParam(), settings);
    Buffer* first = on->opaque.allocate(8000, 0);
    EXPECT_EQ(error_of([&] { (void)on->opaque.allocate(8000, 0); }).kind, core::ErrorKind::out_of_memory);
    on->opaque.release(first);
    EXPECT_EQ(on->memory.live_bytes(), 0u);
    Buffer* again = on->opaque.allocate(8000, 0);
    on->opaque.release(again);
}

TEST_P(OpaqueConformance, TheLazyPolicyIsRefused) {
    runtime::Settings settings;
    settings.free_policy = memory::FreePolicy::lazy;
    Bench on(GetParam(), settings);
    const core::Error error = error_of([&] { (void)on->opaque.allocate(16, 0); });
    EXPECT_NE(error.message.find("free policy lazy"), std::string::npos) << error.message;
}

TEST_P(OpaqueConformance, CostsWhatTheModelSaysForItsFamily) {
    if (!bench.device().virtual_time()) {
        return;
    }
    Buffer* x = allocate();
    issue({}, {x}, [] { return ""; });
    bench->waitall();
    const std::uint64_t begin = bench->recorder.now();
    issue({}, {x}, [] { return ""; });
    bench->waitall();
    // Issue, matmul, return: make_simulated() in devices.h.
    EXPECT_EQ(bench->recorder.now() - begin, 100u + 4000u + 70u);
    bench->opaque.release(x);
}

INSTANTIATE_TEST_SUITE_P(Devices, OpaqueConformance, testing::ValuesIn(all_devices()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace headway
