// Records a run into a mapped file, for a reader in this or another process.
//
// Threads: each StreamWriter belongs to one thread. Recording takes no lock and no allocation: a record is written in
// place and counted. Once in 65,000 records a chunk is claimed by one atomic addition. What does not fit is counted in
// the header.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <stop_token>
#include <string_view>
#include <thread>

#include "engine/core/clock.h"
#include "engine/core/result.h"
#include "engine/trace/format.h"

namespace headway::trace {

class Recording;

// Appends records of one type to one stream.
template <class Record>
class StreamWriter {
public:
    StreamWriter() = default;
    StreamWriter(Recording& recording, StreamId id) : recording_(&recording), id_(id) {}

    void add(const Record& record) {
        if (next_ == end_) [[unlikely]] {
            if (!grow()) {
                return;
            }
        }
        *next_++ = record;
        chunk_->committed.store(static_cast<std::uint32_t>(next_ - begin_), std::memory_order_release);
    }

    // The chunk written to last; null before the first record.
    [[nodiscard]] ChunkHeader* chunk() const { return chunk_; }

private:
    bool grow();  // a new chunk; false, and counted, when the file is full

    Record* next_ = nullptr;
    Record* end_ = nullptr;
    Record* begin_ = nullptr;
    ChunkHeader* chunk_ = nullptr;
    Recording* recording_ = nullptr;
    std::uint32_t ordinal_ = 0;
    StreamId id_{StreamKind::frontend, 0};
};

// The writer's side of one recording: owns the mapping, the streams' chunks and the meta stream.
class Recording {
public:
    // A new memfd of at most `max_bytes` (pages are taken as records arrive), or the given descriptor, which the
    // caller made and keeps. Fails with the reason when the memory cannot be mapped. The first `resident_bytes` are
    // touched before this returns, beyond the few that every run needs; the rest while it runs, ahead of the writers.
    // `clock`: what the records' times are.
    static core::Result<std::unique_ptr<Recording>> create(std::size_t max_bytes, int fd = -1,
                                                           std::size_t resident_bytes = 0,
                                                           ClockKind clock = ClockKind::ticks);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] Header& header() { return *header_; }
    [[nodiscard]] Control& control() { return header_->control; }
    [[nodiscard]] int fd() const { return fd_; }

    // Ticks are virtual nanoseconds from 0. Call before anything is recorded.
    void use_virtual_clock();

    // Names and facts. Frontend thread only; rare, so it may take its time. Text beyond 64 KiB is cut.
    void meta(MetaType type, std::uint16_t id, std::string_view text);
    void signature(std::uint16_t id, const SignatureInfo& info, std::string_view shapes, std::string_view name);
    std::uint16_t string_id(std::string_view text);  // interned; 0 once 65,535 are taken

    // The allocator of one of the run's devices took so many bytes, or gave them back (negative). Any thread.
    void count_reserved(std::int64_t bytes, core::DeviceId device = 0) {
        reserved_[device].fetch_add(bytes, std::memory_order_relaxed);
    }

    // Renews the second anchor. Any one thread.
    void renew_anchor();

    // What one op costs the recorder on the frontend and on a lane, measured now on scratch records.
    static double measure_cost_ns();

private:
    Recording() = default;
    template <class Record>
    friend class StreamWriter;
    ChunkHeader* claim_chunk(StreamId id, std::size_t record_bytes, std::uint32_t ordinal);
    void start_keeper();
    void stop_keeper();
    void keep(const std::stop_token& stop);
    void prepare_chunks();  // maps the next chunks' pages ahead of the writers (keeper only)
    void prepare_chunks_to(std::size_t count);
    void prepare_first_bytes();

    struct Strings;
    Header* header_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::uint32_t capacity_ = 0;  // chunks
    int fd_ = -1;
    bool owns_fd_ = false;
    ChunkHeader* meta_chunk_ = nullptr;
    std::uint32_t meta_ordinal_ = 0;
    std::unique_ptr<Strings> strings_;
    std::array<std::atomic<std::int64_t>, core::kMaxDevices> reserved_{};  // by device
    std::atomic<std::uint32_t> claims_{0};  // wakes the keeper when a chunk has been taken
    std::size_t chunks_prepared_ = 0;       // the keeper's, once it runs
    ChunkHeader* samples_chunk_ = nullptr;  // likewise: where it writes its samples
    std::jthread keeper_;                   // samples memory, renews the anchor, prepares chunks
};

extern template class StreamWriter<FrontendRecord>;
extern template class StreamWriter<DropRecord>;
extern template class StreamWriter<ExecRecord>;
extern template class StreamWriter<SampleRecord>;
extern template class StreamWriter<DriverRecord>;

}  // namespace headway::trace
