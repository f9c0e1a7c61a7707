// Hand-made buffers of activity records, in the sizes of CUDA 12.0 and of the newest toolkit.
#include "engine/devices/cuda/activity.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace headway::devices::cuda {
namespace {

#if CUPTI_API_VERSION >= 130000
using NewKernel = CUpti_ActivityKernel10;
#else
using NewKernel = CUpti_ActivityKernel9;
#endif

// Each record is preceded by its length, so that records of any size can be iterated.
class Buffer {
public:
    template <class Record>
    void add(const Record& record) {
        const std::uint64_t bytes = (sizeof record + 7) / 8 * 8;
        std::memcpy(data_.data() + used_, &bytes, sizeof bytes);
        std::memcpy(data_.data() + used_ + sizeof bytes, &record, sizeof record);
        used_ += sizeof bytes + bytes;
    }
    template <class Kernel = CUpti_ActivityKernel9>
    void kernel(std::uint32_t correlation, std::uint64_t begin, std::uint64_t end) {
        Kernel record{};
        record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        record.correlationId = correlation;
        record.start = begin;
        record.end = end;
        record.name = "a kernel";
        add(record);
    }
    void name(std::uint32_t correlation, std::uint64_t op) {
        CUpti_ActivityExternalCorrelation record{};
        record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        record.correlationId = correlation;
        record.externalId = op;
        add(record);
    }
    void cut(std::size_t bytes) { used_ -= bytes; }
    void into(ActivityTimes& times) { times.parse(next, data_.data(), used_); }

private:
    static CUptiResult next(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
        std::size_t at = 0;
        std::uint64_t length = 0;
        if (*record != nullptr) {
            at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - buffer);
            std::memcpy(&length, buffer + at - sizeof length, sizeof length);
            at += length;
        }
        if (at + sizeof length > bytes) {
            return CUPTI_ERROR_MAX_LIMIT_REACHED;
        }
        std::memcpy(&length, buffer + at, sizeof length);
        if (at + sizeof length + length > bytes) {
            return CUPTI_ERROR_INVALID_PARAMETER;
        }
        *record = reinterpret_cast<CUpti_Activity*>(buffer + at + sizeof length);
        return CUPTI_SUCCESS;
    }
    alignas(8) std::array<std::uint8_t, 16384> data_{};
    std::size_t used_ = 0;
};

TEST(ActivityTimes, JoinsKernelsToOpsInAnyOrder) {
    ActivityTimes times;
    Buffer buffer;
    buffer.name(11, 1);
    buffer.kernel(11, 100, 150);
    buffer.kernel<NewKernel>(12, 160, 190);
    buffer.name(12, 2);
    buffer.into(times);
    ASSERT_TRUE(times.of(1));
    EXPECT_EQ(times.of(1)->begin_ns, 100);
    EXPECT_EQ(times.of(1)->end_ns, 150);
    ASSERT_TRUE(times.of(2));
    EXPECT_EQ(times.of(2)->begin_ns, 160);
    EXPECT_EQ(times.unclaimed(), 0u);
    EXPECT_FALSE(times.of(3));
}

TEST(ActivityTimes, MergesSeveralActivitiesOfOneOp) {
    ActivityTimes times;
    Buffer first;
    first.name(21, 5);
    first.name(22, 5);
    first.kernel(22, 300, 400);
    first.into(times);
    Buffer second;  // arrives later, ran earlier
    second.kernel(21, 200, 250);
    CUpti_ActivityMemcpy5 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.correlationId = 22;  // the pieces of a copy share its call's id
    copy.start = 400;
    copy.end = 420;
    second.add(copy);
    CUpti_ActivityMemset4 set{};
    set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    set.correlationId = 21;
    set.start = 190;
    set.end = 195;
    second.add(set);
    CUpti_ActivityMemcpyPtoP4 between_gpus{};
    between_gpus.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    between_gpus.correlationId = 22;
    between_gpus.start = 430;
    between_gpus.end = 450;
    second.add(between_gpus);
    second.into(times);
    ASSERT_TRUE(times.of(5));
    EXPECT_EQ(times.of(5)->begin_ns, 190);
    EXPECT_EQ(times.of(5)->end_ns, 450);
    EXPECT_EQ(times.of(5)->activities, 5u);
}

TEST(ActivityTimes, RuntimeCallAndItsDriverCallShareAnId) {
    ActivityTimes times;
    Buffer buffer;
    buffer.name(31, 9);
    buffer.name(31, 9);
    buffer.kernel(31, 10, 20);
    buffer.into(times);
    ASSERT_TRUE(times.of(9));
    EXPECT_EQ(times.of(9)->activities, 1u);
}

TEST(ActivityTimes, IgnoresActivitiesWithoutTimes) {
    ActivityTimes times;
    Buffer buffer;
    buffer.name(41, 4);
    buffer.kernel(41, 0, 0);      // flushed before it was complete
    buffer.kernel(41, 500, 400);  // ends before it begins
    buffer.into(times);
    EXPECT_FALSE(times.of(4));
}

TEST(ActivityTimes, DropsForgottenOpsAndUnclaimedActivities) {
    ActivityTimes times;
    Buffer buffer;
    buffer.name(51, 6);
    buffer.kernel(51, 1, 2);
    buffer.kernel(52, 3, 4);  // from a library's own work
    buffer.into(times);
    times.forget(6);
    EXPECT_FALSE(times.of(6));
    EXPECT_EQ(times.unclaimed(), 1u);
    for (std::uint32_t i = 0; i < ActivityTimes::kPatience; ++i) {
        times.age();
    }
    EXPECT_EQ(times.unclaimed(), 1u);
    times.age();
    EXPECT_EQ(times.unclaimed(), 0u);
}

TEST(ActivityTimes, ReadsTheCompleteRecordsOfATruncatedBuffer) {
    ActivityTimes times;
    Buffer buffer;
    buffer.name(61, 7);
    buffer.kernel(61, 5, 6);
    buffer.name(62, 8);
    buffer.cut(4);
    buffer.into(times);
    EXPECT_TRUE(times.of(7));
    EXPECT_FALSE(times.of(8));
}

}  // namespace
}  // namespace headway::devices::cuda
