// Reads a recording, also while it is being written: maps it and returns records by index.
//
// Threads: one thread per Reader. Never blocks and never writes to records; only control() is writable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/clock.h"
#include "engine/core/result.h"
#include "engine/core/system/lazy_memory.h"
#include "engine/trace/format.h"

namespace headway::trace {

class Reader {
public:
    // Maps the recording in `fd`; the caller keeps the descriptor. Fails if it is not a recording or is cut off.
    static core::Result<std::unique_ptr<Reader>> open(int fd);
    // Reads a recording in this process's memory and shares ownership of it.
    static core::Result<std::unique_ptr<Reader>> over(std::shared_ptr<const core::LazyMemory> recording);
    // A new Reader of the same recording, at its beginning. It may be used on another thread and may outlive this one.
    [[nodiscard]] std::unique_ptr<Reader> another() const;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Looks for new chunks. Call before reading, once per frame.
    void poll();

    // Number of records of this stream that can be read now.
    [[nodiscard]] std::uint64_t size(StreamId id) const;

    // Consecutive records from `index` on, up to the end of the chunk. Empty at the end of the stream.
    template <class Record>
    [[nodiscard]] std::span<const Record> records(StreamId id, std::uint64_t index) const {
        const auto [data, count] = run_of(id, index, sizeof(Record));
        return {static_cast<const Record*>(data), count};
    }

    // Calls call(type, id, payload) for each meta record since the last call, in order. The arguments are copies,
    // because the writer, which may be a learner's broken program, can change its memory at any time.
    template <class Call>
    void each_meta(Call call) {
        MetaRecord record;
        for (std::string text; next_meta(record, text);) {
            call(record.type, record.id, std::string_view(text));
        }
    }

    // One more than the highest lane that has recorded anything; at most core::kMaxTraceLanes.
    [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(lane_.size()); }
    // From now on give_back() is called while the run goes on, so that writers may wait for free chunks. For one reader
    // at a time; the recording must be writable.
    void will_give_back();
    [[nodiscard]] bool gives_back() const { return header_->gives_back.load(std::memory_order_relaxed) != 0; }
    // Whether so much of the recording is in use that chunks should be given back.
    [[nodiscard]] bool should_give_back() const;
    // Gives the stream's chunks back whose records all come before `index`: they can no longer be read.
    void give_back(StreamId id, std::uint64_t index);
    // Whether records are missing at the beginning of a stream, so that another() would not find them.
    [[nodiscard]] bool gave_back() const { return header_->given_back.load(std::memory_order_relaxed) != 0; }

    [[nodiscard]] const Header& header() const { return *header_; }
    [[nodiscard]] Control& control() { return header_->control; }
    [[nodiscard]] RunState state() const {
        return static_cast<RunState>(header_->state.load(std::memory_order_acquire));
    }
    [[nodiscard]] core::TickScale scale() const;  // from the current anchors

private:
    struct Stream {
        std::vector<const ChunkHeader*> chunks;  // null: given back
        std::size_t given_back = 0;
    };
    explicit Reader(std::shared_ptr<const core::LazyMemory> memory);
    [[nodiscard]] std::pair<const void*, std::size_t> run_of(StreamId id, std::uint64_t index,
                                                             std::size_t record_bytes) const;
    [[nodiscard]] const Stream& stream(StreamId id) const;  // an empty one if nothing has been recorded
    Stream& stream(StreamId id);                            // created if missing
    bool next_meta(MetaRecord& record, std::string& text);

    std::shared_ptr<const core::LazyMemory> memory_;  // shared by all readers of the recording
    Header* header_ = nullptr;
    std::uint32_t chunks_seen_ = 0;
    std::uint64_t meta_offset_ = 0;  // bytes consumed of the current meta chunk
    std::uint32_t meta_chunk_ = 0;
    Stream frontend_, drops_, meta_, launches_, driver_, costs_, holds_, orders_;
    std::array<Stream, core::kMaxDevices> samples_;
    std::vector<Stream> lane_;  // up to the highest lane that has recorded anything
    std::vector<const ChunkHeader*> unclaimed_;
};

}  // namespace headway::trace
