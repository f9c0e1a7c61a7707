// Streams that the program orders itself: where ops run, which of them are ordered, the races that are recorded, and
// the memory that is reused. On the simulated device, so that a missing wait spoils values in the same way each time.
#include "engine/runtime/program_streams.h"

#include <gtest/gtest.h>

#include "engine/devices/simulated/simulated.h"
#include "engine/runtime/runtime.h"
#include "tests/unit/runtime/failure_of.h"
#include "tests/unit/runtime/records_of.h"

namespace headway::runtime {
namespace {

using devices::OpKind;
using trace::OrderKind;

class Streams : public testing::Test {
protected:
    // Issuing an op takes 1 µs, running it 100 µs.
    void start(std::uint32_t streams = 3, memory::FreePolicy policy = memory::FreePolicy::stream,
               bool from_the_start = true) {
        rt.reset();
        device.reset();
        recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
        device =
            std::make_unique<devices::SimulatedDevice>(devices::constant_costs(1000, 100'000, 0), streams, *recording);
        Settings settings;
        settings.free_policy = policy;
        settings.program_streams = from_the_start;
        settings.copies_in_stream = true;
        rt = std::make_unique<Runtime>(*device, *recording, settings);
    }
    void SetUp() override { start(); }

    template <class Call>
    auto in(std::uint32_t stream, Call call) {
        const std::uint32_t before = rt->streams.current();
        rt->streams.set_current(stream);
        auto result = call();
        rt->streams.set_current(before);
        return result;
    }
    void wait_stream(std::uint32_t stream, std::uint32_t other) { rt->streams.wait(stream, rt->streams.point(other)); }

    [[nodiscard]] std::vector<trace::OrderRecord> orders() const { return orders_of(*recording); }
    [[nodiscard]] std::vector<trace::OrderRecord> races() const {
        std::vector<trace::OrderRecord> found = orders();
        std::erase_if(found, [](const trace::OrderRecord& order) { return !trace::is_race(order.kind); });
        return found;
    }

    std::unique_ptr<trace::Recording> recording;
    std::unique_ptr<devices::SimulatedDevice> device;
    std::unique_ptr<Runtime> rt;
};

TEST_F(Streams, AnOpGoesToTheCurrentStream) {
    const std::uint32_t s = rt->streams.open();
    EXPECT_EQ(s, 1u);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(rt->full({4}, 1.0f));
        static_cast<void>(in(s, [&] { return rt->full({4}, 1.0f); }));
        static_cast<void>(in(s, [&] { return rt->full({4}, 1.0f); }));
    }
    EXPECT_EQ(rt->lanes.submitted()[0], 3u);
    EXPECT_EQ(rt->lanes.submitted()[1], 6u);
    EXPECT_EQ(rt->lanes.submitted()[2], 0u);
    EXPECT_TRUE(races().empty());
}

TEST_F(Streams, AMissingWaitIsARaceAndReadsOldMemory) {
    const std::uint32_t s = rt->streams.open();
    static_cast<void>(rt->full({4}, 5.0f));
    const Tensor x = rt->full({4}, 3.0f);
    const Tensor y = in(s, [&] { return x * 2.0f; });
    ASSERT_EQ(races().size(), 1u);
    const trace::OrderRecord race = races()[0];
    EXPECT_EQ(race.kind, OrderKind::read_write);
    EXPECT_EQ(race.op, 3u);
    EXPECT_EQ(race.other, 2u);
    EXPECT_EQ(race.buffer, x.buffer_id());
    EXPECT_EQ(race.lane, 1);
    EXPECT_EQ(race.other_lane, 0);
    rt->streams.set_current(s);
    EXPECT_NE(rt->waits.read_in_stream(y, trace::WaitKind::numpy, "y")[0], 6.0f)
        << "it ran before the op that writes x";
}

TEST_F(Streams, AWaitBetweenStreamsOrdersThem) {
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    wait_stream(s, 0);
    const Tensor y = in(s, [&] { return x * 2.0f; });
    EXPECT_TRUE(races().empty());
    ASSERT_EQ(orders().size(), 2u);
    EXPECT_EQ(orders()[0].kind, OrderKind::begin);
    EXPECT_EQ(orders()[0].op, 1u);
    EXPECT_EQ(orders()[1].kind, OrderKind::stream_wait);
    EXPECT_EQ(orders()[1].op, 2u);
    EXPECT_EQ(orders()[1].other, 1u);
    rt->streams.set_current(s);
    EXPECT_EQ(rt->waits.read_in_stream(y, trace::WaitKind::numpy, "y")[0], 6.0f);
}

TEST_F(Streams, AStreamDoesNotWaitForItself) {
    const std::uint32_t s = rt->streams.open();
    static_cast<void>(in(s, [&] { return rt->full({4}, 1.0f); }));
    const std::size_t known = orders().size();
    wait_stream(s, s);
    EXPECT_EQ(rt->lanes.submitted()[s], 1u) << "the op, and no command for a wait";
    EXPECT_EQ(orders().size(), known);
}

TEST_F(Streams, AWaitOrdersOnlyWhatWasIssuedBeforeIt) {
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    wait_stream(s, 0);
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    ASSERT_EQ(races().size(), 1u);
    EXPECT_EQ(races()[0].other, 2u) << "the last op that changed it";
}

TEST_F(Streams, OrderIsTransitive) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    wait_stream(s, 0);
    const Tensor y = in(s, [&] { return x * 2.0f; });
    wait_stream(t, s);
    static_cast<void>(in(t, [&] { return x + y; }));
    EXPECT_TRUE(races().empty());
}

// The pairs (op, other) of one kind.
std::vector<std::pair<core::OpId, core::OpId>> pairs_of(const std::vector<trace::OrderRecord>& orders, OrderKind kind) {
    std::vector<std::pair<core::OpId, core::OpId>> pairs;
    for (const trace::OrderRecord& order : orders) {
        if (order.kind == kind) {
            pairs.emplace_back(order.op, order.other);
        }
    }
    return pairs;
}
using Pairs = std::vector<std::pair<core::OpId, core::OpId>>;

TEST_F(Streams, OrderIsTransitiveWithoutAnOpBetween) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);  // op 1
    wait_stream(s, 0);
    wait_stream(t, s);
    const Tensor y = in(t, [&] { return x * 2.0f; });  // op 2
    EXPECT_TRUE(races().empty());
    EXPECT_EQ(pairs_of(orders(), OrderKind::stream_wait), (Pairs{{2, 1}}));
    static_cast<void>(in(s, [&] { return x * 2.0f; }));  // op 3: what the stream itself waits for is still recorded
    EXPECT_EQ(pairs_of(orders(), OrderKind::stream_wait), (Pairs{{2, 1}, {3, 1}}));
    rt->streams.set_current(t);
    EXPECT_EQ(rt->waits.read_in_stream(y, trace::WaitKind::numpy, "y")[0], 6.0f);
}

TEST_F(Streams, AnEarlierMomentDoesNotReplaceALaterOne) {
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    const StreamPoint before = rt->streams.point(0);
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);  // op 2
    wait_stream(s, 0);
    rt->streams.wait(s, before);
    static_cast<void>(in(s, [&] { return x * 2.0f; }));  // op 3
    EXPECT_TRUE(races().empty());
    EXPECT_EQ(pairs_of(orders(), OrderKind::stream_wait), (Pairs{{3, 2}}));
}

TEST_F(Streams, AWaitForAStreamIncludesWhatItWaitsForWithoutAnOpAfterIt) {
    for (const char* how : {"event", "stream", "asked"}) {
        SCOPED_TRACE(how);
        start();
        const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
        const Tensor other = in(s, [&] { return rt->full({4}, 1.0f); });  // op 1
        const Tensor x = rt->full({4}, 3.0f);                             // op 2
        wait_stream(s, 0);
        if (std::string_view(how) == "event") {
            rt->waits.stream(rt->streams.point(s), how);
        } else if (std::string_view(how) == "stream") {
            rt->waits.in_stream(other, trace::WaitKind::synchronize, how);
        } else {
            device->advance(1'000'000);
            EXPECT_TRUE(rt->streams.finished(rt->streams.point(s)));
            EXPECT_TRUE(rt->streams.finished(rt->streams.point(s))) << "which is nothing new, and is not recorded";
        }
        static_cast<void>(in(t, [&] { return x * 2.0f; }));  // op 3
        EXPECT_TRUE(races().empty());
        // The record of a wait contains the stream's own op.
        EXPECT_EQ(pairs_of(orders(), OrderKind::host_wait),
                  (std::string_view(how) == "asked" ? Pairs{{3, 1}, {3, 2}} : Pairs{{3, 2}}));
    }
}

TEST_F(Streams, AWaitForAValueDoesNotIncludeWhatItsStreamWaitsForLater) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    const Tensor y = in(s, [&] { return rt->full({4}, 1.0f); });  // op 1
    const Tensor x = rt->full({4}, 3.0f);                         // op 2
    wait_stream(s, 0);
    rt->waits.to_read(y, trace::WaitKind::wait_to_read, "y");
    static_cast<void>(in(t, [&] { return y * 2.0f; }));
    EXPECT_TRUE(races().empty());
    static_cast<void>(in(t, [&] { return x * 2.0f; }));
    EXPECT_EQ(races().size(), 1u);
    EXPECT_TRUE(pairs_of(orders(), OrderKind::host_wait).empty());
}

TEST_F(Streams, AWriterRacesWithReadersInOtherStreams) {
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    wait_stream(s, 0);
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);
    ASSERT_EQ(races().size(), 1u);
    EXPECT_EQ(races()[0].kind, OrderKind::write_read);
    EXPECT_EQ(races()[0].op, 3u);
    EXPECT_EQ(races()[0].other, 2u);
}

TEST_F(Streams, TwoWritersRace) {
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    rt->waitall();
    static_cast<void>(in(s, [&] {
        rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);
        return 0;
    }));
    EXPECT_TRUE(races().empty()) << "the frontend has waited for the first writer";
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);
    ASSERT_EQ(races().size(), 1u);
    EXPECT_EQ(races()[0].kind, OrderKind::write_write);
}

TEST_F(Streams, AWaitOfTheFrontendOrders) {
    for (const int way : {0, 1, 2, 3}) {
        start();
        const std::uint32_t s = rt->streams.open();
        const Tensor x = rt->full({4}, 3.0f);
        const StreamPoint point = rt->streams.point(0);
        if (way == 0) {
            rt->waitall();
        } else if (way == 1) {
            rt->waits.stream(point, "synchronize");
        } else if (way == 2) {
            EXPECT_EQ(rt->waits.read_in_stream(x, trace::WaitKind::item, "item")[0], 3.0f);
        } else {
            device->advance(1'000'000);
            EXPECT_TRUE(rt->streams.finished(point));
        }
        static_cast<void>(in(s, [&] { return x * 2.0f; }));
        EXPECT_TRUE(races().empty()) << way;
    }
}

TEST_F(Streams, AWaitOfTheFrontendForAnotherStreamOrdersOnlyThatOne) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    const Tensor y = in(s, [&] { return rt->full({4}, 1.0f); });
    rt->waits.stream(rt->streams.point(s), "synchronize");
    static_cast<void>(in(t, [&] { return y * 2.0f; }));
    EXPECT_TRUE(races().empty());
    static_cast<void>(in(t, [&] { return x * 2.0f; }));
    EXPECT_EQ(races().size(), 1u);
}

TEST_F(Streams, AnEarlyPointCoversOnlyEarlierWaits) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    wait_stream(s, 0);
    static_cast<void>(in(s, [&] { return rt->full({4}, 1.0f); }));
    const StreamPoint early = rt->streams.point(s);
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);
    wait_stream(s, 0);
    static_cast<void>(in(s, [&] { return rt->full({4}, 1.0f); }));
    rt->waits.stream(early, "synchronize");
    static_cast<void>(in(t, [&] { return x * 2.0f; }));
    ASSERT_EQ(races().size(), 1u) << "the early moment follows the op that made x, and not the one that changed it";
    EXPECT_EQ(races()[0].other, 3u);
}

TEST_F(Streams, MemoryIsReusedInTheStreamThatItWasMadeIn) {
    const std::uint32_t s = rt->streams.open();
    Tensor x = rt->full({4}, 3.0f);
    const core::BufferId first = x.buffer_id();
    const float* memory = x.buffer()->data;
    wait_stream(s, 0);
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    x = Tensor();
    const Tensor other = in(s, [&] { return rt->full({4}, 1.0f); });
    EXPECT_NE(other.buffer()->data, memory) << "another stream's memory";
    EXPECT_TRUE(races().empty());
    const Tensor z = rt->full({4}, 1.0f);
    EXPECT_EQ(z.buffer()->data, memory);
    ASSERT_EQ(races().size(), 1u) << "the op of the other stream still reads it";
    EXPECT_EQ(races()[0].kind, OrderKind::reuse);
    EXPECT_EQ(races()[0].op, 4u);
    EXPECT_EQ(races()[0].other, 2u);
    EXPECT_EQ(races()[0].buffer, z.buffer_id());
    EXPECT_EQ(races()[0].other_buffer, first);
}

TEST_F(Streams, RecordedMemoryIsReusedWhenTheOtherStreamIsDone) {
    const std::uint32_t s = rt->streams.open();
    Tensor x = rt->full({4}, 3.0f);
    const float* memory = x.buffer()->data;
    wait_stream(s, 0);
    const Tensor y = in(s, [&] { return x * 2.0f; });
    rt->streams.record_stream(*x.buffer(), s);
    x = Tensor();
    EXPECT_NE(rt->full({4}, 1.0f).buffer()->data, memory);
    rt->waitall();
    rt->memory.reclaim();
    std::vector<Tensor> more;
    bool reused = false;
    for (int i = 0; i < 4; ++i) {
        more.push_back(rt->full({4}, 1.0f));
        reused |= more.back().buffer()->data == memory;
    }
    EXPECT_TRUE(reused);
    EXPECT_TRUE(races().empty());
}

TEST_F(Streams, UnderThePolicyFinishMemoryIsReusedWhenAllStreamsAreDone) {
    start(3, memory::FreePolicy::finish);
    const std::uint32_t s = rt->streams.open();
    Tensor x = rt->full({4}, 3.0f);
    const float* memory = x.buffer()->data;
    static_cast<void>(in(s, [&] { return x * 2.0f; }));     // a race: it may run at any time
    rt->with_scalar_in_place(OpKind::add_scalar, x, 1.0f);  // a race with the reader
    x = Tensor();
    device->advance(150'000);  // the reader has ended, the writer has not
    EXPECT_NE(rt->full({4}, 1.0f).buffer()->data, memory);
    EXPECT_EQ(races().size(), 2u);
}

TEST_F(Streams, TheNumberOfStreamsIsThatOfTheRun) {
    const std::uint32_t s = rt->streams.open(), t = rt->streams.open();
    EXPECT_NE(s, t);
    EXPECT_EQ(failure_of([&] { static_cast<void>(rt->streams.open()); }),
              "this run has 3 streams, and all belong to streams of the program: run it with --streams 4 or more (in "
              "the window under Engine)");
    rt->streams.close(s);
    EXPECT_EQ(rt->streams.open(), s);
    start(1);
    EXPECT_EQ(
        failure_of([&] { static_cast<void>(rt->streams.open()); }),
        "this run has 1 stream, the default stream's: run it with --streams 2 or more (in the window under Engine)");
}

TEST_F(Streams, OtherStreamsThanTheRunsAreRefused) {
    rt->streams.set_current(2);
    EXPECT_TRUE(has(failure_of([&] { rt->streams.set_current(3); }), "this run has no stream 3"));
    EXPECT_TRUE(has(failure_of([&] { wait_stream(3, 0); }), "this run has no stream 3"));
    EXPECT_EQ(rt->streams.current(), 2u);
}

TEST_F(Streams, ThePolicyLazyIsRefused) {
    start(3, memory::FreePolicy::lazy, false);
    EXPECT_NE(failure_of([&] { rt->streams.begin(); }).find("choose stream or finish"), std::string::npos);
}

TEST_F(Streams, OpsBeforeTheFirstStreamAreOpsOfTheDefaultStream) {
    start(3, memory::FreePolicy::stream, false);
    std::vector<Tensor> made;
    for (int i = 0; i < 3; ++i) {
        made.push_back(rt->full({4}, static_cast<float>(i)));  // the scheduler uses all lanes
    }
    ASSERT_NE(rt->lanes.submitted()[1], 0u);
    const std::uint32_t s = rt->streams.open();
    static_cast<void>(in(s, [&] { return made[0] * 2.0f; }));
    static_cast<void>(in(s, [&] { return made[1] * 2.0f; }));
    EXPECT_EQ(races().size(), 2u) << "whichever lane they ran in";
    wait_stream(s, 0);
    const Tensor y = in(s, [&] { return made[2] * 2.0f; });
    EXPECT_EQ(races().size(), 2u);
    rt->streams.set_current(s);
    EXPECT_EQ(rt->waits.read_in_stream(y, trace::WaitKind::item, "item")[0], 4.0f);
}

TEST_F(Streams, WaitsBeforeTheFirstStreamOrder) {
    start(3, memory::FreePolicy::stream, false);
    const Tensor x = rt->full({4}, 3.0f);
    rt->waitall();
    const Tensor y = rt->full({4}, 3.0f);
    const std::uint32_t s = rt->streams.open();
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    EXPECT_TRUE(races().empty());
    static_cast<void>(in(s, [&] { return y * 2.0f; }));
    EXPECT_EQ(races().size(), 1u);
}

TEST_F(Streams, AGatheredOpBelongsToTheStreamThatWasCurrent) {
    rt->graphs.set_gathering(true);
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    const Tensor y = in(s, [&] { return x * 2.0f; });
    rt->graphs.set_gathering(false);
    EXPECT_EQ(rt->lanes.submitted()[0], 1u);
    EXPECT_EQ(rt->lanes.submitted()[1], 1u);
    EXPECT_EQ(races().size(), 1u);
}

TEST_F(Streams, ATracedFunctionOnlyReadsItsInputs) {
    const std::uint32_t s = rt->streams.open();
    const std::vector<Tensor> inputs{rt->full({4}, 3.0f), rt->full({4}, 4.0f)};
    const auto traced = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> sum{traced[0] + traced[1]};
    const Graph graph = rt->graphs.trace_end("f", sum);
    wait_stream(s, 0);
    for (const Tensor& input : inputs) {
        static_cast<void>(in(s, [&] { return input * 2.0f; }));
    }
    static_cast<void>(rt->graphs.run(graph, inputs));
    EXPECT_TRUE(races().empty()) << "two streams may read the same tensor";
}

TEST_F(Streams, TheOpBarrierOrders) {
    rt->control.set_written_barrier({trace::BarrierKind::op, 0});
    const std::uint32_t s = rt->streams.open();
    const Tensor x = rt->full({4}, 3.0f);
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    EXPECT_TRUE(races().empty());
}

TEST_F(Streams, TheOpBarrierOrdersWhatWasIssuedBeforeTheFirstStream) {
    start(3, memory::FreePolicy::stream, false);
    rt->control.set_written_barrier({trace::BarrierKind::op, 0});
    const Tensor x = rt->full({4}, 3.0f);
    const std::uint32_t s = rt->streams.open();
    static_cast<void>(in(s, [&] { return x * 2.0f; }));
    EXPECT_TRUE(races().empty());
}

}  // namespace
}  // namespace headway::runtime
