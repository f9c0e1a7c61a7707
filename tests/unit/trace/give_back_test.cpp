// A recording that is smaller than the run: its reader gives chunks back, and no record is lost.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>
#include <vector>

#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"

namespace headway::trace {
namespace {

constexpr std::size_t kSmall = kHeaderBytes + 40 * kChunkBytes;
constexpr std::uint64_t kOps = 2'000'000;  // 64 MiB of frontend records alone, where 80 MiB have room for all streams
constexpr StreamId kDrops{StreamKind::drops, 0};
constexpr StreamId kLanes[] = {{StreamKind::lane, 0}, {StreamKind::lane, 1}};

std::unique_ptr<Recording> small_recording() {
    auto recording =
        Recording::create_private(kSmall);  // one mapping, so that the thread sanitizer sees who waits for whom
    EXPECT_TRUE(recording) << recording.error().message;
    return std::move(*recording);
}

bool is_stall(const FrontendRecord& record) {
    return record.lane == static_cast<std::uint8_t>(WaitKind::recording) &&
           static_cast<FrontendKind>(record.kind & kKindMask) == FrontendKind::wait;
}

// Reads one stream in order and gives back what it has read.
template <class Record, class Check>
std::uint64_t read_on(Reader& reader, StreamId id, std::uint64_t& next, Check check) {
    const std::uint64_t first = next;
    while (true) {
        const auto records = reader.records<Record>(id, next);
        for (const Record& record : records) {
            check(record);
        }
        next += records.size();
        if (records.empty()) {
            break;
        }
    }
    reader.give_back(id, next);
    return next - first;
}

TEST(GiveBack, NoRecordIsLostHoweverLongTheRun) {
    auto recording = small_recording();
    auto reader = std::move(*recording->reader());
    reader->will_give_back();
    std::atomic<int> writing{3};
    std::thread frontend([&] {
        StreamWriter<FrontendRecord> issues(*recording, kFrontendStream);
        StreamWriter<DropRecord> drops(*recording, kDrops);
        for (std::uint64_t i = 0; i < kOps; ++i) {
            issues.add(
                {i, 0, 0, static_cast<std::uint8_t>(FrontendKind::issue), 0, 0, static_cast<std::uint32_t>(i), 0, 0});
            drops.add({i, static_cast<std::uint32_t>(i), 0});
        }
        --writing;
    });
    std::vector<std::thread> lanes;
    for (const StreamId id : kLanes) {
        lanes.emplace_back([&, id] {
            StreamWriter<ExecRecord> lane(*recording, id);
            for (std::uint64_t i = 0; i < kOps; ++i) {
                lane.add({i, 0, static_cast<core::OpId>(i)});
            }
            --writing;
        });
    }
    std::uint64_t issues = 0, drops = 0, stalls = 0, issue = 0, drop = 0;
    std::uint64_t next[2] = {0, 0}, op[2] = {0, 0};
    bool in_order = true;
    for (bool more = true; more;) {
        const bool last = writing == 0;
        reader->poll();
        std::uint64_t taken = read_on<FrontendRecord>(*reader, kFrontendStream, issues, [&](const auto& record) {
            if (is_stall(record)) {
                ++stalls;
            } else {
                in_order = in_order && record.begin == issue && record.out == issue;
                ++issue;
            }
        });
        taken += read_on<DropRecord>(*reader, kDrops, drops, [&](const DropRecord& record) {
            in_order = in_order && record.buffer == drop;
            ++drop;
        });
        for (int lane = 0; lane < 2; ++lane) {
            taken += read_on<ExecRecord>(*reader, kLanes[lane], next[lane], [&](const ExecRecord& record) {
                in_order = in_order && record.op == op[lane];
                ++op[lane];
            });
        }
        more = !last || taken > 0;
    }
    frontend.join();
    for (std::thread& lane : lanes) {
        lane.join();
    }
    EXPECT_TRUE(in_order);
    EXPECT_EQ(issue, kOps);
    EXPECT_EQ(drop, kOps);
    EXPECT_EQ(op[0], kOps);
    EXPECT_EQ(op[1], kOps);
    EXPECT_EQ(recording->header().lost_records.load(), 0u);
    EXPECT_LE(recording->header().chunks_used.load(), recording->header().chunk_capacity);
    EXPECT_TRUE(reader->gave_back());
    EXPECT_TRUE(reader->records<FrontendRecord>(kFrontendStream, 0).empty());  // given back
}

TEST(GiveBack, AFrontendThatHadToWaitSaysSo) {
    auto recording = small_recording();
    auto reader = std::move(*recording->reader());
    reader->will_give_back();
    constexpr std::uint64_t kMany = 45ull * records_per_chunk(sizeof(FrontendRecord));
    std::thread frontend([&] {
        StreamWriter<FrontendRecord> issues(*recording, kFrontendStream);
        for (std::uint64_t i = 0; i < kMany; ++i) {
            issues.add({core::ticks(), 0, 0, static_cast<std::uint8_t>(FrontendKind::issue), 0, 0, 0, 0, 0});
        }
    });
    // Until it is stuck: the frontend leaves the last quarter of the chunks to others.
    const Header& header = recording->header();
    while (header.chunks_used.load() < header.chunk_capacity - header.chunk_capacity / 4) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::uint64_t next = 0, issues = 0;
    std::vector<FrontendRecord> stalls;
    while (issues < kMany) {
        reader->poll();
        read_on<FrontendRecord>(*reader, kFrontendStream, next, [&](const FrontendRecord& record) {
            is_stall(record) ? stalls.push_back(record) : void(++issues);
        });
    }
    frontend.join();
    ASSERT_FALSE(stalls.empty());
    EXPECT_GT(unpack_duration(stalls[0].duration), 0u);
    EXPECT_EQ(stalls[0].in0, ~0u) << "how many were issued is not known";
    EXPECT_EQ(std::tuple(stalls[0].signature, stalls[0].line, stalls[0].out, stalls[0].in1), std::tuple(0, 0u, 0u, 0u));
    EXPECT_EQ(recording->header().lost_records.load(), 0u);
}

TEST(GiveBack, AStoppedRunLosesNothingWhileItsReaderGoesOn) {
    auto recording = small_recording();
    auto reader = std::move(*recording->reader());
    reader->will_give_back();
    recording->control().stop.store(1);
    constexpr std::uint64_t kMany = 200ull * records_per_chunk(sizeof(FrontendRecord));
    std::thread frontend([&] {
        StreamWriter<FrontendRecord> issues(*recording, kFrontendStream);
        for (std::uint64_t i = 0; i < kMany; ++i) {
            issues.add({core::ticks(), 0, 0, static_cast<std::uint8_t>(FrontendKind::issue), 0, 0, 0, 0, 0});
        }
    });
    std::uint64_t next = 0, issues = 0;
    while (issues < kMany && recording->header().lost_records.load() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // slower than the frontend: it has to wait
        reader->poll();
        read_on<FrontendRecord>(*reader, kFrontendStream, next,
                                [&](const FrontendRecord& record) { issues += is_stall(record) ? 0 : 1; });
    }
    frontend.join();
    EXPECT_EQ(issues, kMany);
    EXPECT_EQ(recording->header().lost_records.load(), 0u);
}

TEST(GiveBack, AStoppedRunDoesNotWaitLongForChunks) {
    auto recording = small_recording();
    auto reader = std::move(*recording->reader());
    reader->will_give_back();
    recording->control().stop.store(1);
    const auto begin = std::chrono::steady_clock::now();
    StreamWriter<FrontendRecord> issues(*recording, kFrontendStream);
    for (std::uint64_t i = 0; i < 50ull * records_per_chunk(sizeof(FrontendRecord)); ++i) {
        issues.add({i, 0, 0, static_cast<std::uint8_t>(FrontendKind::issue), 0, 0, 0, 0, 0});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    EXPECT_GT(recording->header().lost_records.load(), 0u);
}

}  // namespace
}  // namespace headway::trace
