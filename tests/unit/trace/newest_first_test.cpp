#include "engine/trace/newest_first.h"

#include <gtest/gtest.h>

#include "engine/trace/reader.h"

namespace headway::trace {
namespace {

class NewestFirst : public testing::Test {
protected:
    static constexpr std::uint64_t kPerChunk = records_per_chunk(sizeof(ExecRecord));
    static constexpr StreamId kLane{StreamKind::lane, 3};

    void SetUp() override {
        recording_ = std::move(*Recording::create_private(kHeaderBytes + 10 * kChunkBytes));
        writer_ = {*recording_, kLane};
        StreamWriter<ExecRecord> other(*recording_, {StreamKind::lane, 4});
        other.add({9, 0, 9});
    }
    void add(std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            ++added_;
            writer_.add({added_, 0, static_cast<std::uint32_t>(added_)});
        }
    }
    // How many records are visited until the one that begins at `last`; each begins one earlier.
    std::uint64_t visited(std::uint64_t last) {
        std::uint64_t count = 0;
        newest_first<ExecRecord>(*recording_, kLane, [&](const ExecRecord& record) {
            EXPECT_EQ(record.begin, added_ - count);
            ++count;
            return record.begin != last;
        });
        return count;
    }

    std::unique_ptr<Recording> recording_;
    StreamWriter<ExecRecord> writer_;
    std::uint64_t added_ = 0;
};

TEST_F(NewestFirst, VisitsNothingOfAnEmptyStream) {
    EXPECT_EQ(visited(1), 0u);
}

TEST_F(NewestFirst, GoesThroughAllChunksBackwardAndStopsWhereItIsTold) {
    add(2 * kPerChunk + 5);
    EXPECT_EQ(visited(0), added_);
    EXPECT_EQ(visited(added_), 1u);
    EXPECT_EQ(visited(kPerChunk), kPerChunk + 6);  // the last one of the first chunk
}

TEST_F(NewestFirst, EndsWhereChunksWereGivenBack) {
    add(3 * kPerChunk + 5);
    auto reader = std::move(*recording_->reader());
    reader->poll();
    reader->will_give_back();
    reader->give_back(kLane, 2 * kPerChunk);
    EXPECT_EQ(visited(0), kPerChunk + 5);
    add(2 * kPerChunk);  // in the chunks that were given back
    EXPECT_EQ(visited(0), 3 * kPerChunk + 5);
}

}  // namespace
}  // namespace headway::trace
