// Records a run into a mapped file, for a reader in this or another process.
//
// Threads: each StreamWriter belongs to one thread. Recording takes no lock and does not allocate: a record is written
// in place and the committed count is updated. Once in 65,000 records a chunk is claimed with one atomic addition.
// Records that do not fit are counted in the header as lost, unless there is a reader that gives chunks back: then the
// writer waits for one. The frontend's records say so, as a wait of kind `recording`.
//
// The first write to a new page costs a page fault (1 to 14 µs), and a tenth of that if many pages are made resident
// together. So a keeper thread does this ahead of the writers, by as much as they use in 100 ms. A writer that catches
// up with the keeper does it for 64 KiB at a time.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <type_traits>

#include "engine/core/clock.h"
#include "engine/core/result.h"
#include "engine/core/system/lazy_memory.h"
#include "engine/core/system/unique_fd.h"
#include "engine/trace/format.h"

namespace headway::trace {

class Reader;
class Recording;

// Appends records of one type to one stream.
template <class Record>
class StreamWriter {
public:
    StreamWriter() = default;
    StreamWriter(Recording& recording, StreamId id) : recording_(&recording), id_(id) {}

    void add(const Record& record) {
        if (next_ == stop_) [[unlikely]] {
            if (!go_on()) {
                return;
            }
        }
        *next_++ = record;
        chunk_->committed.store(static_cast<std::uint32_t>(next_ - begin_), std::memory_order_release);
    }

    // The chunk written to last; null before the first record.
    [[nodiscard]] ChunkHeader* chunk() const { return chunk_; }

    // Whether the cost of the next record should be measured: the first records, the first one of each page, and one in
    // the middle of each page.
    [[nodiscard]] bool due() const { return next_ == stop_; }
    // Whether that measurement represents only itself: one of the first records, or the first of its page.
    [[nodiscard]] bool stands_alone() const;
    // Number of records added.
    [[nodiscard]] std::uint64_t count() const {
        return ordinal_ == 0 ? 0
                             : std::uint64_t{ordinal_ - 1} * records_per_chunk(sizeof(Record)) +
                                   static_cast<std::uint64_t>(next_ - begin_);
    }

private:
    bool go_on();  // called at stop_; false if the file is full
    bool grow();   // claims a new chunk
    void note_stall(std::uint64_t begin);

    static constexpr std::uint32_t kFirstOnes = 64;
    static constexpr bool kMeasured = std::is_same_v<Record, FrontendRecord> || std::is_same_v<Record, DropRecord>;
    static constexpr std::size_t kPageBytes = 4096;
    static constexpr std::size_t kStopBytes = kMeasured ? kPageBytes / 2 : std::size_t{64} << 10;

    Record* next_ = nullptr;
    Record* stop_ = nullptr;  // where add() leaves its fast path; at most end_
    Record* end_ = nullptr;
    Record* begin_ = nullptr;
    std::byte* resident_ = nullptr;  // pages before this address are resident
    ChunkHeader* chunk_ = nullptr;
    Recording* recording_ = nullptr;
    std::uint32_t ordinal_ = 0;
    StreamId id_ = kFrontendStream;
};

// Writes one recording: owns the mapping, the streams' chunks and the meta stream.
class Recording {
public:
    // Creates a memfd of at most `max_bytes` (pages are allocated as records arrive), or uses the given descriptor,
    // which the caller keeps. Fails with the reason if the memory cannot be mapped. The first `resident_bytes` are made
    // resident before this returns, in addition to the few that every run needs; the rest while it runs, ahead of the
    // writers. `clock` is the clock of the records' times.
    static core::Result<std::unique_ptr<Recording>> create(std::size_t max_bytes, int fd = -1,
                                                           std::size_t resident_bytes = 0,
                                                           ClockKind clock = ClockKind::ticks);
    // Uses this process's private memory, which can have huge pages: for a run that no other process watches. It has no
    // descriptor; after a fork the child process sees zeros.
    static core::Result<std::unique_ptr<Recording>> create_private(std::size_t max_bytes);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] Header& header() { return *header_; }
    [[nodiscard]] Control& control() { return header_->control; }
    [[nodiscard]] int fd() const { return fd_; }  // -1 if private
    // A reader of this recording, for this process.
    [[nodiscard]] core::Result<std::unique_ptr<Reader>> reader() const;

    // From now on ticks are virtual nanoseconds from 0. Call before anything is recorded.
    void use_virtual_clock();
    // Call in a child process right after fork(): what it writes from now on, into the control block too, stays in its
    // own memory, and it finds no requests there.
    void leave_to_the_parent() { memory_->become_private(); }

    // Names and metadata. Frontend thread only; not for hot paths. Text beyond 64 KiB is cut.
    void meta(MetaType type, std::uint16_t id, std::string_view text);
    void signature(std::uint16_t id, const SignatureInfo& info, std::string_view shapes, std::string_view name);
    std::uint16_t string_id(std::string_view text);  // interned; 0 once kMostStrings ids are in use
    static constexpr std::size_t kMostStrings = 65'535;

    // Reports that the allocator of one of the run's devices took `bytes`, or returned them (negative). Any thread. A
    // new maximum is recorded at once, so that no peak falls between two samples; that takes a lock.
    void count_reserved(std::int64_t bytes, core::DeviceId device = 0);

    // Records that the learner held back a lane with a ready command from `begin` to `end` (ticks). Any thread.
    void record_hold(std::uint32_t lane, std::uint64_t begin, std::uint64_t end);

    // Renews the second anchor. Any thread; does nothing if another thread is renewing it.
    void renew_anchor();

    // Cost in nanoseconds of recording one op, on the frontend and a lane together, measured now on scratch records.
    static double measure_cost_ns();

private:
    Recording() = default;
    template <class Record>
    friend class StreamWriter;
    static core::Result<std::unique_ptr<Recording>> map(std::size_t max_bytes, int fd, bool in_private,
                                                        std::size_t resident_bytes, ClockKind clock);
    // A chunk, and whether all of its pages are resident because it has been used before. Null if the file is full.
    struct Claimed {
        ChunkHeader* chunk = nullptr;
        bool resident = false;
    };
    // (chunks.cpp)
    Claimed claim_chunk(StreamId id, std::size_t record_bytes, std::uint32_t ordinal);
    // An index, or capacity_ if there is none. `reserve`: how many fresh chunks must be left for others.
    std::uint32_t free_chunk(std::uint32_t reserve, bool& used_before);
    [[nodiscard]] bool waits_for_chunks() const;
    // Makes the pages from `place` on resident, unless they are. Returns the end of the resident pages in that chunk.
    std::byte* resident_until(std::byte* place);
    [[nodiscard]] std::byte* chunk_at(std::size_t index) const {
        return reinterpret_cast<std::byte*>(header_) + kHeaderBytes + index * kChunkBytes;
    }
    // (keeper.cpp)
    void start_keeper();
    void stop_keeper();
    void keep(const std::stop_token& stop);
    // Records what the devices' allocators have reserved, and the process's last known resident size.
    void sample_memory();
    // Makes chunks resident ahead of the writers (keeper only).
    void prepare_chunks(const std::stop_token& stop);
    void prepare_chunks_to(std::size_t count, const std::stop_token& stop);
    void prepare_first_bytes();

    // Meta, samples, frontend, drops and two lanes: their first bytes are made resident before the run starts.
    static constexpr std::size_t kFirstChunks = 6;

    struct Strings;
    std::shared_ptr<core::LazyMemory> memory_;  // its readers in this process may outlive it
    Header* header_ = nullptr;                  // the beginning of memory_
    std::uint32_t capacity_ = 0;                // chunks
    int fd_ = -1;
    core::UniqueFd own_fd_;
    bool stalled_ = false;  // frontend thread only: it has waited for a chunk
    ChunkHeader* meta_chunk_ = nullptr;
    std::uint32_t meta_ordinal_ = 0;
    std::unique_ptr<Strings> strings_;
    std::array<std::atomic<std::int64_t>, core::kMaxDevices> reserved_{};       // by device
    std::array<std::atomic<std::int64_t>, core::kMaxDevices> most_reserved_{};  // highest value recorded, by device
    std::atomic<std::int64_t> all_reserved_{0}, most_all_reserved_{0};          // sum over all devices
    std::atomic<std::uint64_t> resident_bytes_{0};                              // last read by the keeper
    std::atomic<std::uint32_t> claims_{0};                          // futex: wakes the keeper when a chunk is claimed
    std::atomic<std::uint32_t> resident_from_{0}, resident_to_{0};  // chunks [from, to) are fully resident
    std::size_t first_bytes_ = 0;     // of each of the first chunks, resident from the start
    std::int64_t rate_since_ns_ = 0;  // keeper only: when it last measured the chunk rate
    std::size_t rate_used_ = 0, ahead_ = 3;
    std::mutex holds_mutex_;
    StreamWriter<ExecRecord> holds_{*this, {StreamKind::holds, 0}};
    std::mutex samples_mutex_;
    StreamWriter<SampleRecord> samples_{*this, {StreamKind::samples, 0}};
    std::array<StreamWriter<SampleRecord>, core::kMaxDevices> device_samples_;
    std::jthread keeper_;  // samples memory, renews the anchor, prepares chunks
};

extern template class StreamWriter<FrontendRecord>;
extern template class StreamWriter<DropRecord>;
extern template class StreamWriter<ExecRecord>;
extern template class StreamWriter<SampleRecord>;
extern template class StreamWriter<DriverRecord>;
extern template class StreamWriter<CostRecord>;

}  // namespace headway::trace
