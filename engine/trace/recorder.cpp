#include "engine/trace/recorder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/system/lazy_memory.h"
#include "engine/core/system/output_file.h"
#include "engine/trace/reader.h"

namespace headway::trace {

namespace {

constexpr std::size_t kLeastChunks = 8;  // minimum under an address space limit: 250,000 ops
constexpr std::size_t kMaxMetaText = 64 << 10;

core::Error mapping_error(const char* what) {
    core::Error error;
    error.kind = core::ErrorKind::failed;
    error.message = std::string("cannot record: ") + what + " failed: " + core::write_problem(errno);
    return error;
}

}  // namespace

struct Recording::Strings {
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, std::uint16_t, TextHash, std::equal_to<>> ids;
};

core::Result<std::unique_ptr<Recording>> Recording::create(std::size_t max_bytes, int fd, std::size_t resident_bytes,
                                                           ClockKind clock) {
    return map(max_bytes, fd, false, resident_bytes, clock);
}

core::Result<std::unique_ptr<Recording>> Recording::create_private(std::size_t max_bytes) {
    return map(max_bytes, -1, true, 0, ClockKind::ticks);
}

core::Result<std::unique_ptr<Recording>> Recording::map(std::size_t max_bytes, int fd, bool in_private,
                                                        std::size_t resident_bytes, ClockKind clock) {
    std::size_t chunks =
        std::clamp<std::size_t>(max_bytes > kHeaderBytes ? (max_bytes - kHeaderBytes) / kChunkBytes : 0, 1, 1u << 20);
    // Under an address space limit (ulimit -v), leave room for this mapping, a reader's mapping and the program.
    while (chunks > kLeastChunks && !core::addresses_for(3 * chunks * kChunkBytes)) {
        chunks = std::max(kLeastChunks, chunks / 2);
    }
    const std::size_t bytes = kHeaderBytes + chunks * kChunkBytes;

    std::unique_ptr<Recording> recording(new Recording);
    recording->strings_ = std::make_unique<Strings>();
    if (fd < 0 && !in_private) {
        recording->own_fd_.reset(fd = memfd_create("headway-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (fd < 0) {
            return mapping_error("memfd_create");
        }
    }
    recording->fd_ = fd;
    if (fd >= 0 && (ftruncate(fd, 0) != 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0)) {
        return mapping_error("ftruncate");
    }
    if (recording->own_fd_) {
        // Seal the file: truncating it would crash readers that have it mapped.
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    }
    auto memory = std::make_shared<core::LazyMemory>(in_private ? core::LazyMemory::zeroed(bytes)
                                                                : core::LazyMemory::of_file(fd, bytes));
    if (!*memory) {
        return mapping_error("mmap");
    }
    if (in_private) {
        memory->zero_after_fork();  // otherwise a fork causes copy-on-write faults here
        memory->keep_from_dumps();
    } else {
        memory->use_huge_pages();  // 171 ns instead of 1148 ns per 4 KiB if granted
    }
    recording->memory_ = memory;

    auto* header = new (memory->data()) Header{};
    recording->header_ = header;
    recording->capacity_ = header->chunk_capacity = static_cast<std::uint32_t>(chunks);
    header->clock_kind = static_cast<std::uint32_t>(clock);
    const core::Anchor anchor = clock == ClockKind::ticks ? core::read_anchor() : core::Anchor{};
    header->first_ticks = anchor.ticks;
    header->first_ns = anchor.ns;
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    header->wall_clock_ns = std::int64_t{wall.tv_sec} * 1'000'000'000 + wall.tv_nsec;
    header->last_ticks.store(anchor.ticks, std::memory_order_relaxed);
    header->last_ns.store(anchor.ns, std::memory_order_relaxed);
    header->heartbeat_ns.store(static_cast<std::uint64_t>(anchor.ns), std::memory_order_relaxed);
    header->version = kVersion;
    std::atomic_ref(header->magic).store(kMagic, std::memory_order_release);

    if (clock == ClockKind::ticks) {  // with other clocks page faults disturb no measurement
        recording->prepare_chunks_to(resident_bytes / kChunkBytes, {});
        recording->prepare_first_bytes();
        recording->start_keeper();
    }
    return recording;
}

Recording::~Recording() {
    if (keeper_.joinable()) {
        stop_keeper();
        renew_anchor();
    }
}

core::Result<std::unique_ptr<Reader>> Recording::reader() const {
    return Reader::over(memory_);  // not the descriptor: the runner closes it before the program begins
}

void Recording::use_virtual_clock() {
    stop_keeper();  // it may have sampled real time already
    if (ChunkHeader* samples = samples_.chunk(); samples != nullptr) {
        samples->committed.store(0, std::memory_order_release);
    }
    header_->clock_kind = static_cast<std::uint32_t>(ClockKind::virtual_ns);
    header_->first_ticks = 0;
    header_->first_ns = 0;
    header_->last_ticks.store(0, std::memory_order_relaxed);
    header_->last_ns.store(0, std::memory_order_relaxed);
    start_keeper();
}

void Recording::meta(MetaType type, std::uint16_t id, std::string_view text) {
    const std::size_t bytes = std::min(text.size(), kMaxMetaText);
    const std::size_t padded = sizeof(MetaRecord) + (bytes + 7) / 8 * 8;
    std::size_t offset = meta_chunk_ != nullptr ? meta_chunk_->committed.load(std::memory_order_relaxed) : 0;
    if (meta_chunk_ == nullptr || offset + padded > kChunkBytes - kChunkHeaderBytes) {
        ChunkHeader* chunk = claim_chunk({StreamKind::meta, 0}, 1, meta_ordinal_).chunk;
        if (chunk == nullptr) {
            return;
        }
        ++meta_ordinal_;
        meta_chunk_ = chunk;
        offset = 0;
    }
    auto* place = reinterpret_cast<std::byte*>(meta_chunk_) + kChunkHeaderBytes + offset;
    const MetaRecord record{static_cast<std::uint32_t>(bytes), type, id};
    std::memcpy(place, &record, sizeof record);
    std::memcpy(place + sizeof record, text.data(), bytes);
    meta_chunk_->committed.store(static_cast<std::uint32_t>(offset + padded), std::memory_order_release);
}

void Recording::signature(std::uint16_t id, const SignatureInfo& info, std::string_view shapes, std::string_view name) {
    std::string text(reinterpret_cast<const char*>(&info), sizeof info);
    text += shapes.substr(0, kMaxMetaText / 2);
    text += '\0';
    text += name.substr(0, kMaxMetaText / 4);
    meta(MetaType::signature, id, text);
}

std::uint16_t Recording::string_id(std::string_view text) {
    auto& ids = strings_->ids;
    if (const auto known = ids.find(text); known != ids.end()) {
        return known->second;
    }
    if (ids.size() >= kMostStrings) {
        return 0;
    }
    const auto id = static_cast<std::uint16_t>(ids.size() + 1);
    ids.emplace(text, id);
    meta(MetaType::string, id, text);
    return id;
}

void Recording::record_hold(std::uint32_t lane, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kExact = std::uint64_t{1} << 30;  // durations beyond 2^31 ticks are rounded
    const std::lock_guard lock(holds_mutex_);
    for (; end - begin > kExact; begin += kExact) {
        holds_.add({begin, kExact, lane});
    }
    holds_.add({begin, static_cast<std::uint32_t>(end - begin), lane});
}

double Recording::measure_cost_ns() {
    constexpr std::size_t kRecords = 4096;
    std::vector<FrontendRecord> frontend(kRecords);
    std::vector<ExecRecord> exec(kRecords);
    ChunkHeader frontend_chunk{};
    ChunkHeader exec_chunk{};
    double best = 1e9;
    for (int round = 0; round < 6; ++round) {  // the first rounds warm up
        const std::int64_t begin_ns = core::monotonic_ns();
        for (std::size_t i = 0; i < kRecords; ++i) {
            const std::uint64_t issue_begin = core::ticks();
            const std::uint64_t issue_end = core::ticks();
            frontend[i] = {issue_begin, pack_duration(issue_end - issue_begin), 1, 1, 0, 1, 1, 1, 1};
            frontend_chunk.committed.store(static_cast<std::uint32_t>(i), std::memory_order_release);
            const std::uint64_t exec_begin = core::ticks();
            const std::uint64_t exec_end = core::ticks();
            exec[i] = {exec_begin, pack_duration(exec_end - exec_begin), static_cast<core::OpId>(i)};
            exec_chunk.committed.store(static_cast<std::uint32_t>(i), std::memory_order_release);
        }
        const std::int64_t end_ns = core::monotonic_ns();
        best = std::min(best, static_cast<double>(end_ns - begin_ns) / static_cast<double>(kRecords));
    }
    return best;
}

}  // namespace headway::trace
