// The watcher's side of a recording: maps it and hands out records by index, also while it is being written.
//
// Threads: one thread per Reader. Never blocks, never writes to the records; control() is the one thing to write to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/clock.h"
#include "engine/core/result.h"
#include "engine/trace/format.h"

namespace headway::trace {

class Reader {
public:
    // Maps the recording behind `fd` (duplicated). Fails in one sentence when it is none or is cut off.
    static core::Result<std::unique_ptr<Reader>> open(int fd);
    // Of a recording in this process's memory, which stays while anyone holds it.
    static core::Result<std::unique_ptr<Reader>> over(std::shared_ptr<void> recording, std::size_t bytes);
    // One more of the same recording, at its beginning: for another thread, and whether or not this one stays.
    [[nodiscard]] std::unique_ptr<Reader> another() const;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Looks for new chunks. Call before reading, once per frame.
    void poll();

    // How many records of this stream may be read now.
    [[nodiscard]] std::uint64_t size(StreamId id) const;

    // Up to `limit` consecutive records from `index` on; fewer where a chunk ends. Empty at the end.
    template <class Record>
    [[nodiscard]] std::span<const Record> records(StreamId id, std::uint64_t index) const {
        const auto [data, count] = run_of(id, index, sizeof(Record));
        return {static_cast<const Record*>(data), count};
    }

    // Meta records since the last call, in order: call(type, id, payload). Both are copies: the writer, which may be a
    // learner's broken program, can change its memory at any time.
    template <class Call>
    void each_meta(Call call) {
        MetaRecord record;
        for (std::string text; next_meta(record, text);) {
            call(record.type, record.id, std::string_view(text));
        }
    }

    // Lanes that have recorded anything, and all before them; at most core::kMaxTraceLanes.
    [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(lane_.size()); }
    [[nodiscard]] const Header& header() const { return *header_; }
    [[nodiscard]] Control& control() { return header_->control; }
    [[nodiscard]] RunState state() const {
        return static_cast<RunState>(header_->state.load(std::memory_order_acquire));
    }
    [[nodiscard]] core::TickScale scale() const;  // from the anchors as they are now

private:
    struct Stream {
        std::vector<const ChunkHeader*> chunks;
    };
    // The file in memory, held by all who read it.
    struct Mapping {
        void* begin = nullptr;
        std::size_t bytes = 0;
        std::shared_ptr<void> held;  // instead of a mapping of its own
        ~Mapping();
    };
    explicit Reader(std::shared_ptr<const Mapping> mapping);
    static core::Result<std::unique_ptr<Reader>> checked(std::shared_ptr<const Mapping> mapping);
    [[nodiscard]] std::pair<const void*, std::size_t> run_of(StreamId id, std::uint64_t index,
                                                             std::size_t record_bytes) const;
    [[nodiscard]] const Stream& stream(StreamId id) const;  // an empty one where nothing has been recorded
    Stream& stream(StreamId id);                            // made where it is not there yet
    bool next_meta(MetaRecord& record, std::string& text);

    std::shared_ptr<const Mapping> mapping_;
    Header* header_ = nullptr;
    std::uint32_t chunks_seen_ = 0;
    std::uint64_t meta_offset_ = 0;  // bytes of the current meta chunk consumed
    std::uint32_t meta_chunk_ = 0;
    Stream frontend_, drops_, meta_, launches_, driver_, costs_, holds_;
    std::array<Stream, core::kMaxDevices> samples_;
    std::vector<Stream> lane_;  // those that have recorded anything, and all before them
    std::vector<const ChunkHeader*> unclaimed_;
};

}  // namespace headway::trace
