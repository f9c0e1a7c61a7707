// A recording's file after its process has ended: what the program may have written into it.
#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"
#include "engine/trace/recording_file.h"

namespace headway::trace {
namespace {

constexpr StreamId kLane{StreamKind::lane, 1};
constexpr std::size_t kNameBytes = 60'000;

class RecordingFileTest : public testing::Test {
protected:
    void SetUp() override {
        fd_ = memfd_create("recording", MFD_CLOEXEC);
        ASSERT_GE(fd_, 0);
        auto recording = Recording::create(kHeaderBytes + 12 * kChunkBytes, fd_);
        ASSERT_TRUE(recording) << recording.error().message;
        recording_ = std::move(*recording);
    }
    void TearDown() override { close(fd_); }

    // Three chunks of issues, one of a lane and one of names.
    void record() {
        recording_->meta(MetaType::run, 0, "{}");
        StreamWriter<FrontendRecord> issues(*recording_, kFrontendStream);
        for (std::uint32_t i = 0; i < 2 * records_per_chunk(sizeof(FrontendRecord)) + 1; ++i) {
            issues.add({i, 0, 0, static_cast<std::uint8_t>(FrontendKind::issue), 0, 0, i, 0, 0});
        }
        StreamWriter<ExecRecord>(*recording_, kLane).add({1, 2, 1});
    }

    void record_names(int count) {
        for (int i = 0; i < count; ++i) {
            recording_->meta(MetaType::file, static_cast<std::uint16_t>(i), std::string(kNameBytes, 'x'));
        }
    }
    // That an error can be recorded and is read after this many names.
    void expect_error_after_names(int count) {
        recording_->header().state.store(static_cast<std::uint32_t>(RunState::running));
        const std::string error = R"({"message":"no room for this"})";
        ASSERT_TRUE(record_error(fd_, error));
        auto reader = Reader::open(fd_);
        ASSERT_TRUE(reader) << reader.error().message;
        std::vector<std::string> errors;
        int names = 0;
        (*reader)->each_meta([&](MetaType type, std::uint16_t, std::string_view text) {
            names += type == MetaType::file ? 1 : 0;
            if (type == MetaType::error) {
                EXPECT_EQ(names, count);
                errors.emplace_back(text);
            }
        });
        EXPECT_EQ(names, count);
        EXPECT_EQ(errors, std::vector<std::string>{error});
    }

    // The chunk with this number within its stream.
    [[nodiscard]] std::size_t index_of(StreamKind kind, std::uint32_t ordinal) const {
        for (std::size_t i = 0; i < recording_->header().chunks_used.load(); ++i) {
            if (value_at<StreamKind>(at(i) + offsetof(ChunkHeader, kind)) == kind &&
                value_at<std::uint32_t>(at(i) + offsetof(ChunkHeader, ordinal)) == ordinal) {
                return i;
            }
        }
        ADD_FAILURE() << "no chunk " << ordinal;
        return 0;
    }
    template <class Value>
    [[nodiscard]] Value value_at(off_t place) const {
        Value value{};
        EXPECT_EQ(pread(fd_, &value, sizeof value, place), static_cast<ssize_t>(sizeof value));
        return value;
    }
    // Whether the recording is damaged while `value` stands at this place of the file.
    template <class Value>
    bool damaged_with(off_t place, Value value) const {
        const auto before = value_at<Value>(place);
        EXPECT_EQ(pwrite(fd_, &value, sizeof value, place), static_cast<ssize_t>(sizeof value));
        const bool damaged = is_damaged(fd_);
        EXPECT_EQ(pwrite(fd_, &before, sizeof before, place), static_cast<ssize_t>(sizeof before));
        return damaged;
    }
    static off_t at(std::size_t chunk) { return static_cast<off_t>(kHeaderBytes + chunk * kChunkBytes); }

    int fd_ = -1;
    std::unique_ptr<Recording> recording_;
};

TEST_F(RecordingFileTest, OrdinaryRecordingsAreWhole) {
    EXPECT_FALSE(is_damaged(fd_));  // before anything was recorded
    record();
    EXPECT_FALSE(is_damaged(fd_));
    recording_->header().state.store(static_cast<std::uint32_t>(RunState::finished));
    EXPECT_FALSE(is_damaged(fd_));
}

TEST_F(RecordingFileTest, ChunksThatWereGivenBackAreNotMissing) {
    record();
    auto reader = std::move(*recording_->reader());
    reader->will_give_back();
    reader->poll();
    reader->give_back(kFrontendStream, reader->size(kFrontendStream));
    EXPECT_EQ(recording_->header().given_back.load(), 2u);
    EXPECT_FALSE(is_damaged(fd_));
    // Used again, by the same stream or by others.
    StreamWriter<DropRecord> drops(*recording_, {StreamKind::drops, 0});
    drops.add({1, 2, 0});
    EXPECT_FALSE(is_damaged(fd_));
}

TEST_F(RecordingFileTest, EachImplausibleFieldOfAChunkIsDamage) {
    record();
    const off_t second = at(index_of(StreamKind::frontend, 1));
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, kind), std::uint8_t{99}));
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, kind), StreamKind::drops)) << "of another size";
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, record_bytes), std::uint16_t{31}));
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, ordinal), std::uint32_t{7})) << "a gap";
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, ordinal), std::uint32_t{0})) << "twice the same";
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, claimed), std::uint32_t{2}));
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, claimed), std::uint32_t{0})) << "missing";
    EXPECT_TRUE(damaged_with(second + offsetof(ChunkHeader, committed), records_per_chunk(sizeof(FrontendRecord)) + 1));
    EXPECT_FALSE(is_damaged(fd_));
}

TEST_F(RecordingFileTest, EachImplausibleFieldOfTheHeaderIsDamage) {
    record();
    EXPECT_TRUE(damaged_with(offsetof(Header, magic), kMagic + 1));
    EXPECT_TRUE(damaged_with(offsetof(Header, magic), std::uint64_t{0}));
    EXPECT_TRUE(damaged_with(offsetof(Header, version), kVersion + 1));
    EXPECT_TRUE(damaged_with(offsetof(Header, state), std::uint32_t{4}));
    EXPECT_TRUE(damaged_with(offsetof(Header, lost_records), std::uint64_t{1})) << "there was room";
    EXPECT_FALSE(is_damaged(fd_));
}

TEST_F(RecordingFileTest, AFileWithoutARunIsNotDamaged) {
    const int empty = memfd_create("empty", MFD_CLOEXEC);
    EXPECT_FALSE(is_damaged(empty));
    ASSERT_EQ(ftruncate(empty, static_cast<off_t>(kHeaderBytes)), 0);
    EXPECT_FALSE(is_damaged(empty));
    close(empty);
}

TEST_F(RecordingFileTest, AnErrorIsRecordedOfARunThatHasNotEnded) {
    record();
    recording_->header().state.store(static_cast<std::uint32_t>(RunState::running));
    EXPECT_TRUE(record_error(fd_, R"({"message":"no room"})"));
    EXPECT_EQ(recording_->header().state.load(), static_cast<std::uint32_t>(RunState::failed));
    EXPECT_FALSE(is_damaged(fd_));
    EXPECT_FALSE(record_error(fd_, R"({"message":"again"})"));
}

TEST_F(RecordingFileTest, NoErrorIsRecordedWithoutAChunkForIt) {
    StreamWriter<ExecRecord>(*recording_, kLane).add({1, 2, 1});
    recording_->header().state.store(static_cast<std::uint32_t>(RunState::running));
    EXPECT_FALSE(record_error(fd_, R"({"message":"no room"})"));
    EXPECT_EQ(recording_->header().state.load(), static_cast<std::uint32_t>(RunState::running));
}

// Behind names in several chunks, and with a text whose length is no multiple of a record's.
TEST_F(RecordingFileTest, TheErrorIsReadAfterAllNames) {
    record();
    record_names(40);
    expect_error_after_names(40);
}

// The last chunk of names stands before another one in the file, where a chunk of issues was given back.
TEST_F(RecordingFileTest, TheErrorIsReadAfterNamesInAReusedChunk) {
    record();
    record_names(2 * static_cast<int>(kChunkBytes / kNameBytes));
    ASSERT_GT(index_of(StreamKind::meta, 1), index_of(StreamKind::frontend, 0));
    auto reader = std::move(*recording_->reader());
    reader->will_give_back();
    reader->poll();
    reader->give_back(kFrontendStream, reader->size(kFrontendStream));
    record_names(static_cast<int>(kChunkBytes / kNameBytes));
    ASSERT_LT(index_of(StreamKind::meta, 2), index_of(StreamKind::meta, 1));
    expect_error_after_names(3 * static_cast<int>(kChunkBytes / kNameBytes));
}

}  // namespace
}  // namespace headway::trace
