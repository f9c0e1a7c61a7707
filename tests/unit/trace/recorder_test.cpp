#include "engine/trace/recorder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "engine/trace/reader.h"

namespace headway::trace {
namespace {

constexpr std::size_t kRoom = std::size_t{64} << 20;

std::unique_ptr<Recording> make_recording(std::size_t max_bytes = kRoom) {
    auto recording = Recording::create(max_bytes);
    EXPECT_TRUE(recording) << recording.error().message;
    return std::move(*recording);
}

std::unique_ptr<Reader> open_reader(Recording& recording) {
    auto reader = Reader::open(recording.fd());
    EXPECT_TRUE(reader) << reader.error().message;
    return std::move(*reader);
}

struct MetaText {
    MetaType type;
    std::uint16_t id;
    std::string text;
};

std::vector<MetaText> meta_of(Reader& reader) {
    std::vector<MetaText> meta;
    reader.each_meta([&](MetaType type, std::uint16_t id, std::string_view text) {
        meta.push_back({type, id, std::string(text)});
    });
    return meta;
}

TEST(Recording, ReadsBackRecordsAcrossChunks) {
    auto recording = make_recording();
    auto reader = open_reader(*recording);
    StreamWriter<FrontendRecord> frontend(*recording, kFrontendStream);
    StreamWriter<ExecRecord> lane(*recording, {StreamKind::lane, 2});
    constexpr std::uint32_t kOps = 300'000;
    for (std::uint32_t i = 0; i < kOps; ++i) {
        frontend.add({i, i % 7, 1, static_cast<std::uint8_t>(FrontendKind::issue), 2, 9, i + 1, i, 0});
        lane.add({2 * i, 1, i + 1});
    }
    reader->poll();
    ASSERT_EQ(reader->size(kFrontendStream), kOps);
    ASSERT_EQ(reader->size({StreamKind::lane, 2}), kOps);
    EXPECT_EQ(reader->size({StreamKind::lane, 0}), 0u);
    EXPECT_EQ(reader->lanes(), 3u);
    std::uint32_t next = 0;
    int runs = 0;
    while (true) {
        const auto records = reader->records<FrontendRecord>(kFrontendStream, next);
        if (records.empty()) {
            break;
        }
        ++runs;
        for (const auto& record : records) {
            ASSERT_EQ(record.begin, next);
            ASSERT_EQ(record.out, next + 1);
            ++next;
        }
    }
    EXPECT_EQ(next, kOps);
    EXPECT_EQ(runs, 5);
    EXPECT_EQ(reader->records<ExecRecord>({StreamKind::lane, 2}, kOps - 1)[0].op, kOps);
    EXPECT_TRUE(reader->records<ExecRecord>({StreamKind::lane, 2}, kOps).empty());
    EXPECT_EQ(reader->header().lost_records.load(), 0u);
}

TEST(Recording, CountsLostRecords) {
    auto recording = make_recording(kHeaderBytes + 3 * kChunkBytes);
    recording->use_virtual_clock();  // no samples from now on; an earlier one may have claimed a chunk
    StreamWriter<FrontendRecord> frontend(*recording, kFrontendStream);
    const std::uint32_t fits = (3 - recording->header().chunks_used.load()) * records_per_chunk(sizeof(FrontendRecord));
    for (std::uint32_t i = 0; i < fits + 1234; ++i) {
        frontend.add({i, 0, 0, 1, 0, 0, 0, 0, 0});
    }
    StreamWriter<ExecRecord> lane(*recording, {StreamKind::lane, 0});
    lane.add({1, 1, 1});
    recording->meta(MetaType::error, 0, "{}");
    auto reader = open_reader(*recording);
    EXPECT_EQ(reader->size(kFrontendStream), fits);
    EXPECT_EQ(reader->size({StreamKind::lane, 0}), 0u);
    EXPECT_EQ(reader->header().lost_records.load(), 1234u + 2u);
}

TEST(Recording, AddressSpaceLimitShrinksTheRecording) {
#if defined(HEADWAY_SANITIZED)
    GTEST_SKIP() << "sanitizers reserve more addresses than such a limit leaves";
#endif
    EXPECT_EXIT(
        {
            rlimit few;
            few.rlim_cur = few.rlim_max = std::uint64_t{4} << 30;
            setrlimit(RLIMIT_AS, &few);
            const auto recording = Recording::create(std::size_t{8} << 30);
            const std::size_t bytes = recording ? (*recording)->header().chunk_capacity * kChunkBytes : 0;
            std::_Exit(bytes > (std::size_t{1} << 30) - 2 * kChunkBytes && bytes < (std::size_t{1} << 30) + 1 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

// A reader that has it mapped would crash.
TEST(Recording, NobodyCanCutIt) {
    const auto recording = std::move(*Recording::create(std::size_t{1} << 20));
    EXPECT_NE(ftruncate(recording->fd(), 0), 0);
    EXPECT_EQ(fcntl(recording->fd(), F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

TEST(Recording, WritersWithoutARecordingDoNothing) {
    StreamWriter<DropRecord> writer;
    writer.add({1, 2, 3});
    EXPECT_EQ(writer.chunk(), nullptr);
}

TEST(Recording, InternsStrings) {
    auto recording = make_recording();
    const auto a = recording->string_id("forward");
    const auto b = recording->string_id("backward");
    EXPECT_NE(a, 0);
    EXPECT_NE(a, b);
    EXPECT_EQ(recording->string_id("forward"), a);
    auto reader = open_reader(*recording);
    const auto meta = meta_of(*reader);
    ASSERT_EQ(meta.size(), 2u);
    EXPECT_EQ(meta[0].type, MetaType::string);
    EXPECT_EQ(meta[0].id, a);
    EXPECT_EQ(meta[0].text, "forward");
    EXPECT_EQ(meta[1].text, "backward");
    EXPECT_TRUE(meta_of(*reader).empty());  // each is returned once
    recording->string_id("update");
    EXPECT_EQ(meta_of(*reader).size(), 1u);
}

TEST(Recording, MetaRecordsNeverStraddleChunks) {
    auto recording = make_recording();
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < 90; ++i) {
        texts.emplace_back((std::size_t{64} << 10) - i * 13, static_cast<char>('a' + i % 26));
        recording->meta(MetaType::result, static_cast<std::uint16_t>(i), texts.back());
    }
    auto reader = open_reader(*recording);
    const auto meta = meta_of(*reader);
    ASSERT_EQ(meta.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(meta[i].id, i);
        ASSERT_EQ(meta[i].text, texts[i]) << i;
    }
    EXPECT_GE(recording->header().chunks_used.load(), 3u);
}

TEST(Recording, CutsLongText) {
    auto recording = make_recording();
    recording->meta(MetaType::result, 0, std::string(100'000, 'x'));
    auto reader = open_reader(*recording);
    const auto meta = meta_of(*reader);
    ASSERT_EQ(meta.size(), 1u);
    EXPECT_EQ(meta[0].text.size(), std::size_t{64} << 10);
}

TEST(Recording, WritesSignatures) {
    auto recording = make_recording();
    SignatureInfo info{};
    info.out_bytes = 4096;
    recording->signature(7, info, "(32×32)", "relu");
    auto reader = open_reader(*recording);
    const auto meta = meta_of(*reader);
    ASSERT_EQ(meta.size(), 1u);
    EXPECT_EQ(meta[0].id, 7);
    SignatureInfo read{};
    ASSERT_GT(meta[0].text.size(), sizeof read);
    std::memcpy(&read, meta[0].text.data(), sizeof read);
    EXPECT_EQ(read.out_bytes, 4096u);
    EXPECT_EQ(meta[0].text.substr(sizeof read), std::string("(32×32)") + '\0' + "relu");
}

TEST(Recording, TheKeeperSamplesMemoryAndRenewsTheAnchor) {
    auto recording = make_recording();
    auto reader = open_reader(*recording);
    const auto first_ticks = recording->header().first_ticks;
    while (reader->size({StreamKind::samples, 0}) < 3) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        reader->poll();
    }
    const auto samples = reader->records<SampleRecord>({StreamKind::samples, 0}, 0);
    EXPECT_GT(samples[0].resident_bytes, 100'000u);
    EXPECT_GT(samples[1].time, samples[0].time);
    EXPECT_GT(recording->header().last_ticks.load(), first_ticks);
    EXPECT_GE(recording->header().heartbeat_ns.load(), static_cast<std::uint64_t>(recording->header().first_ns));
    const auto scale = reader->scale();
    const auto now = core::read_anchor();
    EXPECT_NEAR(static_cast<double>(scale.ns_from_ticks(now.ticks) - now.ns), 0.0, 1e6);
}

// A peak between two samples is recorded at once.
TEST(Recording, KeepsEachPeakOfReservedMemory) {
    auto created = Recording::create(std::size_t{16} << 20);
    ASSERT_TRUE(created);
    auto& recording = *created;
    for (const std::int64_t bytes : {1000, 5000, 2000}) {
        recording->count_reserved(bytes);
        recording->count_reserved(-bytes);
    }
    recording->count_reserved(300, 1);
    recording->count_reserved(4900);  // not a new maximum on this device, but in total
    auto reader = recording->reader();
    ASSERT_TRUE(reader);
    std::uint64_t most = 0;
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < (*reader)->size({StreamKind::samples, 0}); ++i) {
        const auto records = (*reader)->records<SampleRecord>({StreamKind::samples, 0}, i);
        all.push_back(records[0].reserved_bytes);
        most = std::max(most, all.back());
    }
    EXPECT_EQ(std::count(all.begin(), all.end(), 1000u), 1);
    EXPECT_EQ(std::count(all.begin(), all.end(), 5000u), 1);
    EXPECT_EQ(std::count(all.begin(), all.end(), 2000u), 0) << "not a new maximum";
    EXPECT_EQ(most, 5200u);
}

TEST(Recording, AVirtualClockCountsFromZeroAndTakesNoSamples) {
    auto recording = make_recording();
    while (recording->header().chunks_used.load() == 0) {  // let the keeper take a sample in real time first
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    recording->use_virtual_clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    auto reader = open_reader(*recording);
    EXPECT_EQ(reader->size({StreamKind::samples, 0}), 0u);
    EXPECT_EQ(reader->scale().ns_from_ticks(12'345), 12'345);
    EXPECT_EQ(recording->header().first_ns, 0);
}

TEST(Recording, MeasuresItsOwnCost) {
    const double cost = Recording::measure_cost_ns();
    EXPECT_GT(cost, 0.0);
    EXPECT_LT(cost, 100'000.0);
}

TEST(Recording, ThreadsClaimDifferentChunks) {
    auto recording = make_recording(std::size_t{128} << 20);
    constexpr std::uint32_t kOps = 400'000;
    {
        std::vector<std::jthread> threads;
        for (std::uint8_t lane = 0; lane < 4; ++lane) {
            threads.emplace_back([&recording, lane] {
                StreamWriter<ExecRecord> writer(*recording, {StreamKind::lane, lane});
                for (std::uint32_t i = 0; i < kOps; ++i) {
                    writer.add({i, lane, i});
                }
            });
        }
    }
    auto reader = open_reader(*recording);
    for (std::uint8_t lane = 0; lane < 4; ++lane) {
        ASSERT_EQ(reader->size({StreamKind::lane, lane}), kOps);
        std::uint32_t next = 0;
        for (auto records = reader->records<ExecRecord>({StreamKind::lane, lane}, 0); !records.empty();
             records = reader->records<ExecRecord>({StreamKind::lane, lane}, next)) {
            for (const auto& record : records) {
                ASSERT_EQ(record.op, next++);
                ASSERT_EQ(record.duration, lane);
            }
        }
    }
}

TEST(Duration, PacksExactlyBelowASecondAndCoarselyAbove) {
    EXPECT_EQ(unpack_duration(pack_duration(0)), 0u);
    EXPECT_EQ(unpack_duration(pack_duration(0x7fff'ffff)), 0x7fff'ffffu);
    const std::uint64_t long_ticks = 0x1'2345'6789;
    EXPECT_LE(long_ticks - unpack_duration(pack_duration(long_ticks)), 1023u);
    EXPECT_EQ(unpack_duration(pack_duration(UINT64_MAX)), std::uint64_t{0x7fff'ffff} << 10);
}

}  // namespace
}  // namespace headway::trace
