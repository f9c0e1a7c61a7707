// Streams of several GPUs that the program orders itself: each GPU has its own, and a copy between two GPUs belongs to
// the current streams of both.
#include <gtest/gtest.h>

#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/program_streams.h"
#include "engine/runtime/runtime.h"
#include "tests/unit/runtime/failure_of.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using core::DeviceId;
using devices::OpKind;
using trace::OrderKind;

class StreamsOfTwoGpus : public testing::Test {
protected:
    // Issuing an op takes 1 µs, running it 100 µs, as does each copy.
    void start(std::uint32_t streams = 3, bool from_the_start = true) {
        rt.reset();
        machine.reset();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
        const auto costs = devices::constant_costs(1000, 100'000, 0);
        machine = std::make_unique<devices::DeviceSet>(
            std::make_unique<devices::SimulatedDevice>(costs, streams, *recording));
        machine->add_gpu(
            std::make_unique<devices::SimulatedDevice>(costs, streams, *recording, machine->next_slot(), "simulated"));
        static_cast<devices::SimulatedDevice&>((*machine)[0])
            .connect({devices::Topology::pairs, 2, {"links", "chosen", costs.family[0], costs.family[0]}});
        Settings settings;
        settings.free_policy = memory::FreePolicy::stream;
        settings.program_streams = from_the_start;
        settings.copies_in_stream = true;
        rt = std::make_unique<Runtime>(*machine, *recording, settings);
    }
    void SetUp() override { start(); }

    Tensor full_on(DeviceId gpu, float value) {
        const OnDevice there(*rt, gpu);
        return rt->full({4}, value);
    }
    float read(const Tensor& x) { return rt->waits.read_in_stream(x, trace::WaitKind::numpy, "numpy")[0]; }
    [[nodiscard]] std::vector<trace::OrderRecord> orders(bool only_races) const {
        std::vector<trace::OrderRecord> found = orders_of(*recording);
        std::erase_if(found, [&](const trace::OrderRecord& order) {
            return only_races ? !trace::is_race(order.kind) : order.kind != OrderKind::stream_wait;
        });
        return found;
    }
    [[nodiscard]] std::vector<trace::OrderRecord> races() const { return orders(true); }
    // Each op that waited for another stream's, and the last of those.
    using OpPairs = std::vector<std::pair<core::OpId, core::OpId>>;
    [[nodiscard]] OpPairs waits() const {
        OpPairs pairs;
        for (const trace::OrderRecord& wait : orders(false)) {
            pairs.emplace_back(wait.op, wait.other);
        }
        return pairs;
    }

    std::unique_ptr<trace::Recording> recording;
    std::unique_ptr<devices::DeviceSet> machine;
    std::unique_ptr<Runtime> rt;
};

TEST_F(StreamsOfTwoGpus, EachGpuHasItsOwn) {
    EXPECT_EQ(rt->streams.default_stream(0), 0u);
    EXPECT_EQ(rt->streams.default_stream(1), 3u);
    EXPECT_EQ(rt->streams.open(1), 4u);
    EXPECT_EQ(rt->streams.open(0), 1u);
    EXPECT_EQ(rt->streams.open(1), 5u);
    EXPECT_EQ(failure_of([&] { static_cast<void>(rt->streams.open(1)); }),
              "GPU 1 has 3 streams, and all belong to streams of the program: run it with --streams 4 or more (in the "
              "window under Engine)");
    rt->streams.close(4);
    rt->streams.close(3);  // the default stream stays
    EXPECT_EQ(rt->streams.open(1), 4u);
    start(1);
    EXPECT_EQ(failure_of([&] { static_cast<void>(rt->streams.open(1)); }),
              "GPU 1 has 1 stream, the default stream's: run it with --streams 2 or more (in the window under Engine)");
}

TEST_F(StreamsOfTwoGpus, AnOpGoesToTheCurrentStreamOfItsGpu) {
    const std::uint32_t s = rt->streams.open(0), t = rt->streams.open(1);
    rt->streams.set_current(t);
    const Tensor a = full_on(0, 1.0f), b = full_on(1, 2.0f);
    EXPECT_EQ(rt->streams.current(0), 0u);
    EXPECT_EQ(rt->lanes.submitted()[0], 1u);
    EXPECT_EQ(rt->lanes.submitted()[t], 1u);
    rt->streams.set_current(s);
    EXPECT_EQ(rt->streams.current(1), t);
    static_cast<void>(full_on(0, 1.0f));
    static_cast<void>(b + 1.0f);
    EXPECT_EQ(rt->lanes.submitted()[s], 1u);
    EXPECT_EQ(rt->lanes.submitted()[t], 2u);
    EXPECT_EQ(rt->lanes.submitted()[3], 0u);
    EXPECT_TRUE(races().empty());
}

TEST_F(StreamsOfTwoGpus, ACopyFollowsBothCurrentStreamsAndTheyFollowIt) {
    const Tensor a = full_on(0, 3.0f);
    rt->with_scalar_in_place(OpKind::add_scalar, a, 1.0f);  // op 2
    const Tensor b = rt->to_device(a, 1);                   // op 3
    rt->with_scalar_in_place(OpKind::add_scalar, a, 1.0f);  // op 4: not before the copy has read it
    const Tensor c = b * 2.0f;
    EXPECT_TRUE(races().empty());
    EXPECT_EQ(waits(), (OpPairs{{3, 2}, {4, 3}}));
    EXPECT_EQ(read(c), 8.0f);
    EXPECT_EQ(read(a), 5.0f);
}

// An op of another library that adds 1 to the first number of the buffer, or copies it from another GPU's.
class OtherLibrary {
public:
    explicit OtherLibrary(Runtime& rt) : rt_(rt) {}
    std::uint32_t add_one(Buffer* to) { return issue(OpKind::opaque, {}, to); }
    std::uint32_t copy(Buffer* from, Buffer* to) { return issue(OpKind::copy_to_device, {from}, to); }

private:
    struct Work {
        const float* from;
        float* to;
    };
    std::uint32_t issue(OpKind kind, std::vector<Buffer*> reads, Buffer* to) {
        OpaqueOp op;
        op.signature = &rt_.signatures.opaque({kind, devices::Family::other, "lib::op", "", to->bytes, 0, to->bytes});
        op.reads = reads;
        op.writes = {&to, 1};
        op.function = [](void* context, std::string&) {
            const auto* work = static_cast<Work*>(context);
            *work->to = work->from != nullptr ? *work->from : *work->to + 1;
            return true;
        };
        op.context = new Work{reads.empty() ? nullptr : reads[0]->data, to->data};
        op.drop = [](void* context) { delete static_cast<Work*>(context); };
        op.device = to->device;
        if (!reads.empty()) {
            op.from = reads[0]->device;
        }
        return rt_.opaque.issue(op);
    }
    Runtime& rt_;
};

TEST_F(StreamsOfTwoGpus, ACopyOfAnotherLibraryIsOneOfBothCurrentStreams) {
    for (const bool streams : {true, false}) {
        start(3, streams);
        OtherLibrary library(*rt);
        Buffer* a = rt->opaque.allocate(16, 0);
        Buffer* b = rt->opaque.allocate(16, 1);
        a->data[0] = 3;
        const std::uint32_t here = library.add_one(a);   // op 1
        const std::uint32_t there = library.copy(a, b);  // op 2
        library.add_one(a);                              // op 3: not before the copy has read it
        library.add_one(b);                              // op 4
        EXPECT_LT(here, rt->lanes.end(0));
        EXPECT_GE(there, rt->lanes.begin(1));
        rt->waitall();
        EXPECT_TRUE(races().empty());
        if (streams) {
            EXPECT_EQ(waits(), (OpPairs{{2, 1}, {3, 2}}));
        }
        EXPECT_EQ(a->data[0], 5.0f);
        EXPECT_EQ(b->data[0], 5.0f);
        EXPECT_EQ(rt->lanes.device(0).now(), 301'000u);  // add, copy, add, one after another
        rt->opaque.release(a);
        rt->opaque.release(b);
    }
}

TEST_F(StreamsOfTwoGpus, WhatOneGpuWasIssuedIsWaitedForWithoutTheOther) {
    for (const bool streams : {true, false}) {
        start(3, streams);
        static_cast<void>(full_on(0, 1.0f));
        const IssuedSoFar of_first = rt->waits.issued_so_far("event", DeviceId{0});
        const IssuedSoFar of_both = rt->waits.issued_so_far("event");
        for (int i = 0; i < 5; ++i) {
            const Tensor x = full_on(1, 1.0f);
            static_cast<void>(x * 2.0f);
        }
        const IssuedSoFar of_second = rt->waits.issued_so_far("event", DeviceId{1});
        EXPECT_FALSE(rt->waits.finished(of_first));
        rt->waits.until_finished(of_first, trace::WaitKind::synchronize, "event");
        EXPECT_TRUE(rt->waits.finished(of_first));
        EXPECT_TRUE(rt->waits.finished(of_both));
        EXPECT_FALSE(rt->waits.finished(of_second));
        rt->waits.until_finished(of_second, trace::WaitKind::synchronize, "event");
        EXPECT_TRUE(rt->waits.finished(of_second));
    }
}

TEST_F(StreamsOfTwoGpus, ACopyFollowsWhatTheStreamsWaitForWithoutAnOpAfterIt) {
    const std::uint32_t s = rt->streams.open(0), t = rt->streams.open(1);
    const Tensor a = full_on(0, 3.0f), b = full_on(1, 1.0f);  // ops 1 and 2
    rt->streams.wait(s, rt->streams.point(0));
    rt->streams.wait(t, rt->streams.point(3));
    rt->streams.set_current(s);
    rt->streams.set_current(t);
    const Tensor there = rt->to_device(a, 1);              // op 3
    const Tensor sum = rt->binary(OpKind::add, there, b);  // op 4
    EXPECT_TRUE(races().empty());
    EXPECT_EQ(waits(), (OpPairs{{3, 2}, {3, 1}}));
    EXPECT_EQ(read(sum), 4.0f);
}

TEST_F(StreamsOfTwoGpus, AWaitForAGpuIncludesWhatItsStreamsWaitForOnAnotherOne) {
    const std::uint32_t s = rt->streams.open(0);
    const Tensor a = full_on(0, 3.0f);  // op 1
    rt->streams.wait(3, rt->streams.point(0));
    rt->waits.device(1, trace::WaitKind::synchronize, "synchronize");
    rt->streams.set_current(s);
    EXPECT_EQ(read(a * 2.0f), 6.0f);  // op 2
    EXPECT_TRUE(races().empty());
    std::vector<trace::OrderRecord> known = orders_of(*recording);
    std::erase_if(known, [](const trace::OrderRecord& order) { return order.kind != OrderKind::host_wait; });
    ASSERT_EQ(known.size(), 1u);
    EXPECT_EQ(std::pair(known[0].op, known[0].other), std::pair(2u, 1u));
}

TEST_F(StreamsOfTwoGpus, ACopyDoesNotFollowOtherStreams) {
    const std::uint32_t s = rt->streams.open(0);
    const Tensor a = full_on(0, 3.0f);
    rt->waitall();
    rt->streams.set_current(s);
    static_cast<void>(full_on(0, 0.0f));  // so that the next op begins later than the copy
    rt->with_scalar_in_place(OpKind::add_scalar, a, 1.0f);
    rt->streams.set_current(0);
    const Tensor b = rt->to_device(a, 1);
    ASSERT_EQ(races().size(), 1u);
    EXPECT_EQ(races()[0].kind, OrderKind::read_write);
    EXPECT_EQ(races()[0].lane, 3) << "it runs in a stream of the GPU that it copies to";
    EXPECT_EQ(races()[0].other_lane, s);
    EXPECT_EQ(read(b), 3.0f);
    rt->streams.wait(0, rt->streams.point(s));
    EXPECT_EQ(read(rt->to_device(a, 1)), 4.0f);
    EXPECT_EQ(races().size(), 1u);
}

TEST_F(StreamsOfTwoGpus, ACopyDoesNotOrderOtherStreams) {
    const std::uint32_t t = rt->streams.open(1);
    const Tensor b = rt->to_device(full_on(0, 3.0f), 1);
    rt->streams.set_current(t);
    const Tensor c = b + 1.0f;
    ASSERT_EQ(races().size(), 1u);
    EXPECT_EQ(races()[0].lane, t);
    EXPECT_EQ(races()[0].other_lane, 3);
    EXPECT_NE(read(c), 4.0f);
}

TEST_F(StreamsOfTwoGpus, RecordedMemoryIsReusedWhenTheCopyIsDone) {
    const std::uint32_t s = rt->streams.open(0);
    Tensor a = full_on(0, 3.0f);
    const float* memory = a.buffer()->data;
    rt->streams.wait(s, rt->streams.point(0));
    rt->streams.set_current(s);
    const Tensor b = rt->to_device(a, 1);
    rt->streams.record_stream(*a.buffer(), s);
    a = Tensor();
    rt->streams.set_current(0);
    EXPECT_NE(full_on(0, 1.0f).buffer()->data, memory);
    rt->waitall();
    rt->memory.reclaim();
    std::vector<Tensor> more;
    bool reused = false;
    for (int i = 0; i < 4; ++i) {
        more.push_back(full_on(0, 1.0f));
        reused |= more.back().buffer()->data == memory;
    }
    EXPECT_TRUE(reused);
    EXPECT_TRUE(races().empty());
}

TEST_F(StreamsOfTwoGpus, RecordingTheStreamCoversACopyThatItFollows) {
    const std::uint32_t s = rt->streams.open(0);
    std::vector<Tensor> all;
    for (int i = 0; i < 6; ++i) {
        all.push_back(full_on(0, 3.0f));
    }
    rt->streams.wait(s, rt->streams.point(0));
    rt->streams.set_current(s);
    for (Tensor& a : all) {
        static_cast<void>(rt->to_device(a, 1));
        rt->streams.record_stream(*a.buffer(), s);
        a = Tensor();
    }
    machine->operator[](0).advance(2'000'000);  // all is done, and the frontend has not asked
    rt->streams.set_current(0);
    for (int i = 0; i < 12; ++i) {
        all.push_back(full_on(0, 1.0f));
    }
    EXPECT_TRUE(races().empty());
}

TEST_F(StreamsOfTwoGpus, ATracedFunctionRunsOnOneOfThem) {
    start(1, false);
    const std::vector<Tensor> inputs{full_on(0, 1)};
    const Tensor other = full_on(1, 2);
    const auto trace = [&] { return rt->graphs.trace_begin(inputs)[0] + 1.0f; };
    Tensor first = trace();
    EXPECT_TRUE(has(failure_of([&] { rt->to_device(first, 1); }), "cannot copy to another one"));
    rt->graphs.trace_abandon();
    first = trace();
    EXPECT_TRUE(has(failure_of([&] { static_cast<void>(other + 1.0f); }), "this op's is another one"));
    rt->graphs.trace_abandon();

    first = trace();
    const Graph graph = rt->graphs.trace_end("f", {&first, 1});
    EXPECT_EQ(rt->graphs.run(graph, inputs)[0].to_host()[0], 2.0f);
    const std::string failure = failure_of([&] { rt->graphs.run(graph, {&other, 1}); });
    EXPECT_TRUE(has(failure, "f: it was traced on ")) << failure;
    EXPECT_TRUE(has(failure, " and is called with a tensor on ")) << failure;
}

TEST_F(StreamsOfTwoGpus, OpsBeforeTheFirstStreamAreOpsOfTheDefaultStreams) {
    start(3, false);
    std::vector<Tensor> made;
    for (int i = 0; i < 3; ++i) {
        made.push_back(full_on(1, static_cast<float>(i)));  // the scheduler uses all lanes
    }
    ASSERT_NE(rt->lanes.submitted()[4], 0u);
    const std::uint32_t t = rt->streams.open(1);
    rt->streams.set_current(t);
    static_cast<void>(made[0] * 2.0f);
    static_cast<void>(made[1] * 2.0f);
    EXPECT_EQ(races().size(), 2u) << "whichever lane they ran in";
    for (const trace::OrderRecord& race : races()) {
        EXPECT_EQ(race.other_lane, 3);
    }
    rt->streams.wait(t, rt->streams.point(3));
    EXPECT_EQ(read(made[2] * 2.0f), 4.0f);
    EXPECT_EQ(races().size(), 2u);
    const Tensor there = rt->to_device(made[1], 0);
    EXPECT_EQ(read(there), 1.0f);
}

// Only lanes of the device that owns the memory reuse it in their order.
TEST_F(StreamsOfTwoGpus, MemoryThatTheOtherGpuUsedLastIsReused) {
    start(1, false);
    constexpr std::int64_t kElements = 1 << 20;
    for (int i = 0; i < 5; ++i) {
        const Tensor x = rt->full({kElements}, 1.0f);
        rt->waitall();
        static_cast<void>(rt->to_device(x, 1));
    }
    EXPECT_EQ(rt->memory.reserved_bytes(0), 2 * kElements * sizeof(float)) << "the last block is still in use";
}

}  // namespace
}  // namespace headway::runtime
