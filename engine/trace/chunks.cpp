// How the writers of a recording get their chunks.
#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/core/system/pages.h"
#include "engine/core/system/thread.h"
#include "engine/trace/recorder.h"

namespace headway::trace {

namespace {

constexpr std::size_t kWriterBytes = std::size_t{64} << 10;  // that a writer makes resident at a time
constexpr std::uint32_t kReservedChunks = 16;
constexpr auto kLookForChunks = std::chrono::microseconds(200);
// How long a writer waits for a reader that gives nothing back; shorter once the run is stopped, so that it ends soon.
constexpr std::int64_t kPatienceNs = 10'000'000'000, kPatienceStoppedNs = 500'000'000;

}  // namespace

std::uint32_t Recording::free_chunk(std::uint32_t reserve, bool& used_before) {
    std::uint64_t first = header_->free_chunks.load(std::memory_order_acquire);
    while ((first & 0xffff'ffffu) != 0) {
        const auto index = static_cast<std::uint32_t>(first) - 1;
        if (index >= capacity_) {
            break;  // only a program that writes into its recording causes that
        }
        const std::uint64_t next = reinterpret_cast<ChunkHeader*>(chunk_at(index))->next_free.load();
        const std::uint64_t change = ((first >> 32) + 1) << 32;
        if (header_->free_chunks.compare_exchange_weak(first, change | next, std::memory_order_acquire)) {
            used_before = true;
            return index;
        }
    }
    // Checked before adding, so that a run that continues with a full file never wraps the counter.
    if (header_->chunks_used.load(std::memory_order_relaxed) + reserve < capacity_) {
        return std::min(header_->chunks_used.fetch_add(1, std::memory_order_relaxed), capacity_);
    }
    return capacity_;
}

bool Recording::waits_for_chunks() const {
    return header_->gives_back.load(std::memory_order_relaxed) != 0;
}

Recording::Claimed Recording::claim_chunk(StreamId id, std::size_t record_bytes, std::uint32_t ordinal) {
    // The frontend leaves some to the lanes: they must go on, and the frontend's own wait can be recorded.
    const std::uint32_t reserve =
        id.kind == StreamKind::frontend && waits_for_chunks() ? std::min(kReservedChunks, capacity_ / 4) : 0;
    bool used_before = false;
    std::uint32_t index = free_chunk(reserve, used_before);
    std::uint32_t given_back = header_->given_back.load(std::memory_order_relaxed);
    std::int64_t since_ns = core::monotonic_ns();
    while (index >= capacity_ && waits_for_chunks()) {
        stalled_ = stalled_ || id.kind == StreamKind::frontend;
        std::this_thread::sleep_for(kLookForChunks);
        index = free_chunk(reserve, used_before);
        if (const auto now = header_->given_back.load(std::memory_order_relaxed); now != given_back) {
            given_back = now;
            since_ns = core::monotonic_ns();
        } else if (core::monotonic_ns() - since_ns >
                   (header_->control.stop.load() != 0 ? kPatienceStoppedNs : kPatienceNs)) {
            // The reader is stuck, or the recording too small for it: losing records is better than never ending.
            header_->gives_back.store(0, std::memory_order_relaxed);
        }
    }
    if (index >= capacity_) {
        header_->lost_records.fetch_add(1, std::memory_order_relaxed);
        return {};
    }
    auto* chunk = reinterpret_cast<ChunkHeader*>(chunk_at(index));
    if (!used_before) {
        resident_until(chunk_at(index));
    }
    chunk->kind = id.kind;
    chunk->index = id.index;
    chunk->record_bytes = static_cast<std::uint16_t>(record_bytes);
    chunk->ordinal = ordinal;
    chunk->committed.store(0, std::memory_order_relaxed);
    chunk->claimed.store(1, std::memory_order_release);
    // Once in 65,000 records: wakes the keeper so that it makes the next chunks resident.
    claims_.fetch_add(1, std::memory_order_release);
    core::futex_wake_all(claims_);
    return {chunk, used_before};
}

std::byte* Recording::resident_until(std::byte* place) {
    const auto offset = static_cast<std::size_t>(place - chunk_at(0));
    const std::size_t index = offset / kChunkBytes;
    std::byte* chunk = chunk_at(index);
    if (index < resident_to_.load(std::memory_order_acquire) &&
        index >= resident_from_.load(std::memory_order_relaxed)) {
        return chunk + kChunkBytes;
    }
    const std::size_t within = offset % kChunkBytes;
    if (index < kFirstChunks && within < first_bytes_) {
        return chunk + first_bytes_;
    }
    const std::size_t first = within / kWriterBytes * kWriterBytes;
    core::make_resident(chunk + first, kWriterBytes);
    return chunk + first + kWriterBytes;
}

template <class Record>
bool StreamWriter<Record>::grow() {
    if (recording_ == nullptr) {
        return false;
    }
    const std::uint64_t begin = core::ticks();
    const auto [chunk, resident] = recording_->claim_chunk(id_, sizeof(Record), ordinal_);
    if (chunk == nullptr) {
        return false;
    }
    ++ordinal_;
    chunk_ = chunk;
    begin_ = reinterpret_cast<Record*>(reinterpret_cast<std::byte*>(chunk) + kChunkHeaderBytes);
    next_ = begin_;
    end_ = begin_ + records_per_chunk(sizeof(Record));
    resident_ = reinterpret_cast<std::byte*>(chunk) + (resident ? kChunkBytes : 0);
    note_stall(begin);
    return true;
}

// If the frontend had to wait for its chunk since `begin`, the chunk begins with a record of that.
template <class Record>
void StreamWriter<Record>::note_stall([[maybe_unused]] std::uint64_t begin) {
    if constexpr (std::is_same_v<Record, FrontendRecord>) {
        const std::uint64_t end = core::ticks();
        if (recording_->header().clock() == ClockKind::ticks && recording_->stalled_) {
            resident_ = recording_->resident_until(reinterpret_cast<std::byte*>(next_));
            *next_++ = {begin,
                        pack_duration(end - begin),
                        0,
                        static_cast<std::uint8_t>(FrontendKind::wait),
                        static_cast<std::uint8_t>(WaitKind::recording),
                        0,
                        0,
                        ~0u,
                        0};
            chunk_->committed.store(1, std::memory_order_release);
        }
        recording_->stalled_ = false;
    }
}

template <class Record>
bool StreamWriter<Record>::go_on() {
    if (next_ == end_ && !grow()) {
        return false;
    }
    auto* place = reinterpret_cast<std::byte*>(next_);
    if (place + sizeof(Record) > resident_) {
        resident_ = recording_->resident_until(place + sizeof(Record) - 1);
    }
    const auto* chunk = reinterpret_cast<const std::byte*>(chunk_);
    const auto index = static_cast<std::size_t>(next_ - begin_);
    const std::size_t bytes = static_cast<std::size_t>(place - chunk) / kStopBytes * kStopBytes + kStopBytes;
    const std::size_t stop = (bytes - kChunkHeaderBytes + sizeof(Record) - 1) / sizeof(Record);
    const bool first_ones = kMeasured && ordinal_ == 1 && index < kFirstOnes;
    stop_ = first_ones ? next_ + 1 : std::min(end_, begin_ + std::max(stop, index + 1));
    return true;
}

template <class Record>
bool StreamWriter<Record>::stands_alone() const {
    if (next_ == end_ || (ordinal_ == 1 && next_ - begin_ < kFirstOnes)) {
        return true;
    }
    const auto place = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(next_) -
                                                reinterpret_cast<const std::byte*>(chunk_));
    return place % kPageBytes < sizeof(Record);
}

template class StreamWriter<FrontendRecord>;
template class StreamWriter<DropRecord>;
template class StreamWriter<OrderRecord>;
template class StreamWriter<ExecRecord>;
template class StreamWriter<SampleRecord>;
template class StreamWriter<DriverRecord>;
template class StreamWriter<CostRecord>;

}  // namespace headway::trace
