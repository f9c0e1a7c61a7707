#include "engine/trace/reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace headway::trace {

namespace {

core::Error unreadable(std::string message) {
    core::Error error;
    error.kind = core::ErrorKind::unreadable;
    error.message = std::move(message);
    return error;
}

std::uint32_t committed_of(const ChunkHeader& chunk, std::size_t record_bytes) {
    return std::min(chunk.committed.load(std::memory_order_acquire), records_per_chunk(record_bytes));
}

const std::byte* data_of(const ChunkHeader& chunk) {
    return reinterpret_cast<const std::byte*>(&chunk) + kChunkHeaderBytes;
}

// Reads a value once. The writer may change it at any moment, so the value that is checked must be the one that is
// used.
template <class Value>
Value read_once(const Value& value) {
    return const_cast<const volatile Value&>(value);
}

}  // namespace

core::Result<std::unique_ptr<Reader>> Reader::open(int fd) {
    struct stat status {};
    if (fstat(fd, &status) != 0) {
        return unreadable(std::string("cannot read the recording: ") + std::strerror(errno));
    }
    if (status.st_size < static_cast<off_t>(sizeof(Header))) {
        return unreadable("not a recording of Headway: the file is too short");
    }
    const auto bytes = static_cast<std::size_t>(status.st_size);
    // A read-only file is mapped privately; changes to control() are then not shared.
    auto memory = core::LazyMemory::of_file(fd, bytes);
    if (!memory && (errno == EACCES || errno == EPERM)) {
        memory = core::LazyMemory::of_file(fd, bytes, core::LazyMemory::Mapping::private_copy);
    }
    if (!memory) {
        return unreadable(std::string("cannot map the recording: ") + std::strerror(errno));
    }
    return over(std::make_shared<core::LazyMemory>(std::move(memory)));
}

core::Result<std::unique_ptr<Reader>> Reader::over(std::shared_ptr<const core::LazyMemory> recording) {
    const std::size_t bytes = recording->size();
    std::unique_ptr<Reader> reader(new Reader(std::move(recording)));
    const Header& header = *reader->header_;
    if (std::atomic_ref(reader->header_->magic).load(std::memory_order_acquire) != kMagic) {
        return unreadable("not a recording of Headway");
    }
    if (header.version != kVersion) {
        return unreadable("a recording of version " + std::to_string(header.version) + "; this program reads version " +
                          std::to_string(kVersion));
    }
    // A saved recording may end after its used chunks; one that is being written has its full size from the start.
    const std::size_t in_file = bytes > kHeaderBytes ? (bytes - kHeaderBytes) / kChunkBytes : 0;
    const std::size_t used = std::min(header.chunks_used.load(std::memory_order_acquire), header.chunk_capacity);
    if (used > in_file) {
        return unreadable("the recording is cut off: " + std::to_string(in_file) + " of " + std::to_string(used) +
                          " chunks are there");
    }
    reader->poll();
    return reader;
}

Reader::Reader(std::shared_ptr<const core::LazyMemory> memory)
    : memory_(std::move(memory)), header_(reinterpret_cast<Header*>(memory_->data())) {}

std::unique_ptr<Reader> Reader::another() const {
    std::unique_ptr<Reader> reader(new Reader(memory_));
    reader->poll();
    return reader;
}

void Reader::poll() {
    const std::size_t bytes = memory_->size();
    const std::size_t in_file = bytes > kHeaderBytes ? (bytes - kHeaderBytes) / kChunkBytes : 0;
    const std::size_t used = std::min<std::size_t>(header_->chunks_used.load(std::memory_order_acquire),
                                                   std::min<std::size_t>(header_->chunk_capacity, in_file));
    for (; chunks_seen_ < used; ++chunks_seen_) {
        unclaimed_.push_back(reinterpret_cast<const ChunkHeader*>(
            reinterpret_cast<const std::byte*>(header_) + kHeaderBytes + std::size_t{chunks_seen_} * kChunkBytes));
    }
    // A chunk joins its stream once its header is valid, all earlier chunks have joined, and the previous one is full.
    // Chunks of a damaged file that never meet these conditions are ignored. Once chunks are used again, later ones of
    // a stream may come before earlier ones.
    const auto joins = [this](const ChunkHeader* chunk) {
        if (chunk->claimed.load(std::memory_order_acquire) != 1) {
            return false;
        }
        const StreamId id{read_once(chunk->kind), read_once(chunk->index)};
        const std::size_t record_bytes = record_bytes_of(id.kind);
        const std::uint32_t streams = id.kind == StreamKind::lane      ? core::kMaxTraceLanes
                                      : id.kind == StreamKind::samples ? core::kMaxDevices
                                                                       : 1;
        if (record_bytes == 0 || chunk->record_bytes != record_bytes || id.index >= streams) {
            return true;
        }
        const auto& chunks = std::as_const(*this).stream(id).chunks;
        if (chunk->ordinal != chunks.size()) {
            return false;
        }
        if (!chunks.empty() && id.kind != StreamKind::meta &&
            committed_of(*chunks.back(), record_bytes) != records_per_chunk(record_bytes)) {
            return false;
        }
        stream(id).chunks.push_back(chunk);
        return true;
    };
    while (std::erase_if(unclaimed_, joins) > 0) {
    }
}

void Reader::will_give_back() {
    header_->gives_back.store(1, std::memory_order_relaxed);
}

bool Reader::should_give_back() const {
    return header_->gives_back.load(std::memory_order_relaxed) != 0 &&
           header_->chunks_used.load(std::memory_order_relaxed) > header_->chunk_capacity / 2;
}

void Reader::give_back(StreamId id, std::uint64_t index) {
    Stream& of = stream(id);
    const std::uint64_t whole = index / records_per_chunk(record_bytes_of(id.kind));
    for (; of.given_back < whole && of.given_back + 1 < of.chunks.size(); ++of.given_back) {
        auto* chunk = const_cast<ChunkHeader*>(std::exchange(of.chunks[of.given_back], nullptr));
        const auto place = static_cast<std::size_t>(reinterpret_cast<std::byte*>(chunk) -
                                                    reinterpret_cast<std::byte*>(header_) - kHeaderBytes);
        header_->given_back.fetch_add(1, std::memory_order_relaxed);  // first: is_damaged() counts what is missing
        chunk->claimed.store(0, std::memory_order_release);
        unclaimed_.push_back(chunk);
        std::uint64_t first = header_->free_chunks.load(std::memory_order_relaxed);
        std::uint64_t mine = 0;
        do {
            chunk->next_free.store(static_cast<std::uint32_t>(first));
            mine = ((first >> 32) + 1) << 32 | (place / kChunkBytes + 1);
        } while (!header_->free_chunks.compare_exchange_weak(first, mine, std::memory_order_release));
    }
}

Reader::Stream& Reader::stream(StreamId id) {
    switch (id.kind) {
        case StreamKind::frontend:
            return frontend_;
        case StreamKind::drops:
            return drops_;
        case StreamKind::samples:
            return samples_[std::min<std::size_t>(id.index, core::kMaxDevices - 1)];
        case StreamKind::meta:
            return meta_;
        case StreamKind::launch:
            return launches_;
        case StreamKind::driver:
            return driver_;
        case StreamKind::costs:
            return costs_;
        case StreamKind::holds:
            return holds_;
        case StreamKind::orders:
            return orders_;
        case StreamKind::lane:
            break;
    }
    if (id.index >= lane_.size()) {
        lane_.resize(std::min<std::size_t>(id.index + 1u, core::kMaxTraceLanes));
    }
    return lane_[std::min<std::size_t>(id.index, lane_.size() - 1)];
}

const Reader::Stream& Reader::stream(StreamId id) const {
    static const Stream kNothing;
    if (id.kind == StreamKind::lane && id.index >= lane_.size()) {
        return kNothing;
    }
    return const_cast<Reader*>(this)->stream(id);
}

std::uint64_t Reader::size(StreamId id) const {
    const auto& chunks = stream(id).chunks;
    if (chunks.empty()) {
        return 0;
    }
    const std::size_t record_bytes = record_bytes_of(id.kind);
    return (chunks.size() - 1) * std::uint64_t{records_per_chunk(record_bytes)} +
           committed_of(*chunks.back(), record_bytes);
}

std::pair<const void*, std::size_t> Reader::run_of(StreamId id, std::uint64_t index, std::size_t record_bytes) const {
    const auto& chunks = stream(id).chunks;
    if (record_bytes != record_bytes_of(id.kind)) {
        return {nullptr, 0};
    }
    const std::uint64_t per_chunk = records_per_chunk(record_bytes);
    const std::uint64_t place = index / per_chunk;
    if (place >= chunks.size() || chunks[place] == nullptr) {
        return {nullptr, 0};
    }
    const ChunkHeader& chunk = *chunks[place];
    const std::uint64_t first = index % per_chunk;
    const std::uint64_t count = committed_of(chunk, record_bytes);
    if (first >= count) {
        return {nullptr, 0};
    }
    return {data_of(chunk) + first * record_bytes, static_cast<std::size_t>(count - first)};
}

// The next meta record and its payload; false when there is none yet.
bool Reader::next_meta(MetaRecord& record, std::string& text) {
    while (meta_chunk_ < meta_.chunks.size()) {
        const ChunkHeader& chunk = *meta_.chunks[meta_chunk_];
        const std::uint64_t committed = committed_of(chunk, 1);
        if (meta_offset_ + sizeof(MetaRecord) <= committed) {
            const std::byte* place = data_of(chunk) + meta_offset_;
            const auto& shared = *reinterpret_cast<const MetaRecord*>(place);
            record = {read_once(shared.bytes), read_once(shared.type), read_once(shared.id)};
            const std::uint64_t end = meta_offset_ + sizeof(MetaRecord) + (std::uint64_t{record.bytes} + 7) / 8 * 8;
            if (end <= committed) {
                text.assign(reinterpret_cast<const char*>(place + sizeof(MetaRecord)), record.bytes);
                meta_offset_ = end;
                return true;
            }
            meta_offset_ = kChunkBytes;  // damaged: skip the rest of this chunk
        }
        if (meta_chunk_ + 1 >= meta_.chunks.size()) {
            return false;
        }
        ++meta_chunk_;
        meta_offset_ = 0;
    }
    return false;
}

core::TickScale Reader::scale() const {
    if (header_->clock() != ClockKind::ticks) {
        return {};
    }
    const core::Anchor first{header_->first_ticks, header_->first_ns};
    core::Anchor last;
    // A writer that is killed while renewing the anchor leaves the version odd; then the values are used as they are.
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const auto version = header_->anchor_version.load(std::memory_order_acquire);
        last = {header_->last_ticks.load(std::memory_order_acquire), header_->last_ns.load(std::memory_order_acquire)};
        if ((version & 1u) == 0 && header_->anchor_version.load(std::memory_order_relaxed) == version) {
            break;
        }
    }
    // Clock rates between 1 MHz and 100 GHz are plausible; for any other (a damaged file) one tick counts as 1 ns.
    const auto ticks = static_cast<long double>(last.ticks) - static_cast<long double>(first.ticks);
    const auto ns = static_cast<long double>(last.ns) - static_cast<long double>(first.ns);
    const bool plausible = ticks > 0 && first.ns >= 0 && ns / ticks >= 0.01L && ns / ticks <= 1000.0L;
    return plausible ? core::TickScale(first, last) : core::TickScale();
}

}  // namespace headway::trace
