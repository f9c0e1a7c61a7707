// Recordings with random contents: the model's results may be anything, but its functions must return.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "app/model/report/report.h"
#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

void walk(Run& run) {
    while (run.update(5)) {
    }
    run.close();
    EXPECT_FALSE(report_json(run).empty());
    for (OpId id = 1; id <= std::min<std::size_t>(run.op_count(), 500); ++id) {
        EXPECT_LT(run.dependencies(id).size(), run.op_count());
    }
    EXPECT_LE(run.headway().extremes(INT64_MIN / 2, INT64_MAX / 2).least, 0);
}

TEST(Damage, RandomRecords) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        std::mt19937_64 random(seed);
        RecordingBuilder builder(std::size_t{32} << 20, seed % 2 == 0);
        builder.signature(random());
        trace::StreamWriter<trace::FrontendRecord> frontend(builder.recording(), trace::kFrontendStream);
        trace::StreamWriter<trace::DropRecord> drops(builder.recording(), {trace::StreamKind::drops, 0});
        trace::StreamWriter<trace::ExecRecord> lane(builder.recording(), {trace::StreamKind::lane, 3});
        const auto any = [&]<class Record>(Record record) {
            for (std::size_t at = 0; at < sizeof record; at += 4) {
                // Small numbers are more likely to be valid indices.
                const auto value = static_cast<std::uint32_t>(random() >> (random() % 2 == 0 ? 32 : 56));
                std::memcpy(reinterpret_cast<char*>(&record) + at, &value, 4);
            }
            return record;
        };
        for (int i = 0; i < 2000; ++i) {
            frontend.add(any(trace::FrontendRecord{}));
            drops.add(any(trace::DropRecord{}));
            lane.add(any(trace::ExecRecord{}));
        }
        auto run = builder.open();
        walk(*run);
    }
}

TEST(Damage, FlippedBytes) {
    RecordingBuilder builder(std::size_t{32} << 20);
    builder.policy("lazy");
    RandomProgram program(builder, 7, 3);
    for (int i = 0; i < 1500; ++i) {
        program.step();
    }
    program.end();
    const std::size_t chunks = builder.recording().header().chunks_used.load();
    const std::size_t size = trace::kHeaderBytes + chunks * trace::kChunkBytes;
    const int fd = memfd_create("damaged", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
    auto* bytes = static_cast<unsigned char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    ASSERT_NE(bytes, MAP_FAILED);
    ASSERT_EQ(pread(builder.recording().fd(), bytes, size, 0), static_cast<ssize_t>(size));
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 20; ++i) {
            const std::size_t chunk = random() % (chunks + 1);
            const std::size_t place = random() % (chunk == 0 ? 120 : 8000);
            if (chunk > 0 || place >= 16) {
                bytes[chunk * trace::kChunkBytes + place] = static_cast<unsigned char>(random());
            }
        }
        auto reader = trace::Reader::open(fd);
        if (reader) {
            model::Run run(std::move(*reader));
            walk(run);
        }
    }
    munmap(bytes, size);
    close(fd);
}

}  // namespace
}  // namespace headway::model
