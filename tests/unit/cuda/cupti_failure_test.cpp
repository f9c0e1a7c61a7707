// CUPTI loses records and its calls fail: values do not suffer, each op is recorded, and the recording says which times
// are bounds only.
#include <cupti.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "tests/unit/cuda/fixture.h"

namespace headway {
namespace {

using devices::CudaOptions;
using runtime::Tensor;

std::uint64_t end_of(const trace::ExecRecord& record) {
    return record.begin + trace::unpack_duration(record.duration);
}

class CuptiFailures : public CudaTest {
protected:
    void start_one() {
        CudaOptions options;
        options.streams = 1;
        start(options);
    }
    [[nodiscard]] std::vector<trace::DriverRecord> bounds() const {
        auto all = records_of<trace::DriverRecord>({trace::StreamKind::driver, 0});
        std::erase_if(all, [](const auto& record) { return record.kind != trace::DriverKind::bounded_ops; });
        return all;
    }
    [[nodiscard]] std::uint64_t bounded_ops() const {
        std::uint64_t count = 0;
        for (const auto& record : bounds()) {
            count += record.bytes;
        }
        return count;
    }
    std::string timing, note;

    // The ops recorded by the lane; its parts left out.
    [[nodiscard]] std::vector<trace::ExecRecord> ops_of(std::uint8_t lane) const {
        auto all = lane_records(lane);
        std::erase_if(all, [](const auto& record) { return record.is_part(); });
        return all;
    }
};

// When a function on the lane began.
struct Moment {
    std::uint64_t ticks = 0;
    static void run(const devices::Command&, void* moment) { static_cast<Moment*>(moment)->ticks = core::ticks(); }
};

TEST_F(CuptiFailures, NoneMeansNoBounds) {
    start_one();
    EXPECT_EQ((rt->ones({2}) + 1.0f).to_host()[0], 2.0f);
    stop();
    EXPECT_TRUE(bounds().empty());
}

TEST_F(CuptiFailures, LostRecordLeavesBoundsThatTheRecordingNames) {
    start_one();
    const Tensor x = rt->ones({2});
    rt->waitall();
    fake::lose_record(2);
    const auto before = core::ticks();
    Tensor y = x + 1.0f;
    y = y + 1.0f;  // its record is lost
    y = y + 1.0f;
    EXPECT_EQ(y.to_host()[0], 4.0f);
    const auto after = core::ticks();
    device->settle();
    const auto ops = ops_of(0);
    ASSERT_EQ(ops.size(), 4u);
    const auto named = bounds();
    ASSERT_EQ(named.size(), 1u);
    EXPECT_EQ(named[0].bytes, 1u);
    EXPECT_EQ(named[0].stream, 0);
    EXPECT_EQ(named[0].begin, ops[2].begin);
    EXPECT_EQ(named[0].duration, ops[2].duration);
    EXPECT_GE(ops[2].begin, before);
    EXPECT_LE(end_of(ops[2]), after);
}

TEST_F(CuptiFailures, LostRecordsInARowAreNamedTogether) {
    start_one();
    const Tensor x = rt->ones({2});
    rt->waitall();
    fake::set_cupti_silent(true);
    EXPECT_EQ((x + 1.0f + 1.0f + 1.0f).to_host()[0], 4.0f);
    device->settle();
    const auto ops = ops_of(0);
    ASSERT_EQ(ops.size(), 4u);
    EXPECT_EQ(bounded_ops(), 3u);
    for (const auto& named : bounds()) {
        EXPECT_GE(named.begin, ops[1].begin);
        EXPECT_LE(named.begin + trace::unpack_duration(named.duration), end_of(ops[3]));
    }
}

TEST_F(CuptiFailures, GraphWithALostRecordHasBoundsAndNoParts) {
    start_one();
    const Tensor x = rt->ones({2});
    const std::vector<Tensor> inputs{x};
    const auto in = rt->graphs.trace_begin(inputs);
    const std::vector<Tensor> outputs{(in[0] + 1.0f) * 2.0f + in[0]};
    const auto graph = rt->graphs.trace_end("function f", outputs);
    rt->waitall();
    fake::lose_record(3);  // of three
    EXPECT_EQ(rt->graphs.run(graph, inputs)[0].to_host()[0], 5.0f);
    device->settle();
    ASSERT_EQ(ops_of(0).size(), 2u);
    EXPECT_EQ(lane_records(0).size(), 2u);
    EXPECT_EQ(bounded_ops(), 1u);
}

TEST_F(CuptiFailures, AnOpWhoseIdStaysDoesNotGetWhatIsLaunchedLater) {
    start_one();
    const Tensor x = rt->ones({2});
    rt->waitall();
    fake::fail_call("cuptiActivityPopExternalCorrelationId", 1, CUPTI_ERROR_UNKNOWN);
    Moment moment;
    const Tensor y = x + 1.0f;                                     // its id is not removed
    const Tensor z = rt->host_call(Moment::run, &moment, y, {2});  // the copy of its output is launched without an id
    rt->waitall();
    device->settle();
    EXPECT_FALSE(fake::failure_is_due());
    const auto ops = ops_of(0);
    ASSERT_EQ(ops.size(), 3u);
    EXPECT_LE(end_of(ops[1]), moment.ticks);
    EXPECT_EQ(bounded_ops(), 0u);
}

TEST_F(CuptiFailures, IfTheIdCannotBeCoveredEitherNothingMoreIsAssigned) {
    start_one();
    rt->noop();
    rt->waitall();
    device->settle();
    fake::fail_call("cuptiActivityPopExternalCorrelationId", 1, CUPTI_ERROR_UNKNOWN);
    fake::fail_call("cuptiActivityPushExternalCorrelationId", 2, CUPTI_ERROR_UNKNOWN);  // 1: that of the op
    Moment moment;
    {
        const Tensor y = rt->ones({2});
        rt->host_call(Moment::run, &moment, Tensor(), {2});
        EXPECT_EQ((y + 1.0f).to_host()[0], 2.0f);
        device->settle();
    }
    EXPECT_FALSE(fake::failure_is_due());
    const auto ops = ops_of(0);
    ASSERT_EQ(ops.size(), 4u);
    EXPECT_GE(bounded_ops(), 1u);
    EXPECT_LE(ops[1].begin, moment.ticks);
    // The next device has a new start.
    start_one();
    EXPECT_EQ((rt->ones({2}) + 1.0f).to_host()[0], 2.0f);
    stop();
    EXPECT_EQ(bounded_ops(), 0u);
}

TEST_F(CuptiFailures, WithoutItsCallbacksTimesComeFromEvents) {
    for (const char* name : {"cuptiActivityRegisterTimestampCallback", "cuptiActivityRegisterCallbacks"}) {
        fake::reset();
        fake::fail_call(name, 1, CUPTI_ERROR_UNKNOWN);
        start_one();
        if (fake::failure_is_due()) {
            GTEST_SKIP() << "an earlier test of this process has registered the callbacks";
        }
        EXPECT_EQ(device->info().timing, "events");
        EXPECT_EQ(device->info().timing_note, "CUPTI gives no records (error 999)");
        EXPECT_EQ(rt->ones({2}).to_host()[0], 1.0f);
        stop();
    }
}

TEST_F(CuptiFailures, EachCallFailsOnceAndOnlyTimesBecomeBounds) {
    std::uint64_t issued = 0;
    const auto run = [&] {
        start();
        std::vector<float> values;
        {
            Tensor x = rt->from_host({2, 2}, std::vector<float>{1, 2, 3, 4});
            const Tensor ones = rt->ones({2, 2});
            for (int i = 0; i < 4; ++i) {
                x = rt->matmul(x, ones) - (x + 1.0f);
            }
            values = x.to_host();
            rt->waitall();
        }
        issued = rt->recorder.issued();
        timing = device->info().timing;
        note = device->info().timing_note;
        stop();
        return values;
    };
    const auto expected = run();
    EXPECT_EQ(timing, "cupti");
    const auto calls = fake::calls();
    int injected = 0, with_bounds = 0, with_events = 0;
    for (const auto& [name, count] : calls) {
        if (!name.starts_with("cupti")) {
            continue;
        }
        for (const int nth : std::set<int>{1, 2, 9, count / 2, count - 1, count}) {
            if (nth < 1 || nth > count) {
                continue;
            }
            SCOPED_TRACE(name + ", call " + std::to_string(nth) + " of " + std::to_string(count));
            fake::reset();
            fake::fail_call(name, nth, CUPTI_ERROR_UNKNOWN);
            EXPECT_EQ(run(), expected);
            if (fake::failure_is_due()) {
                continue;  // how often it flushes depends on time
            }
            ++injected;
            const std::uint64_t recorded = ops_of(0).size() + ops_of(1).size();
            EXPECT_EQ(recorded, issued);
            EXPECT_TRUE(timing == "cupti" || (timing == "events" && note.find("CUPTI") != std::string::npos)) << note;
            EXPECT_LE(bounded_ops(), issued);
            if (name == "cuptiActivityPushExternalCorrelationId" && nth > 8) {  // after the trials
                EXPECT_EQ(bounded_ops(), 1u);
            }
            with_bounds += bounded_ops() != 0 ? 1 : 0;
            with_events += timing == "events" ? 1 : 0;
            // The failure is over with its run.
            if (nth == 1) {
                fake::reset();
                EXPECT_EQ(run(), expected);
                EXPECT_EQ(timing, "cupti");
                EXPECT_EQ(bounded_ops(), 0u);
            }
        }
    }
    std::cout << injected << " failed calls: " << with_bounds << " with bounds, " << with_events
              << " with times from events\n";
    EXPECT_GT(injected, 20);
    EXPECT_GT(with_bounds, 0);
    EXPECT_GT(with_events, 0);
}

}  // namespace
}  // namespace headway
