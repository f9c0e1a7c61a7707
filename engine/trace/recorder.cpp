#include "engine/trace/recorder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/system/lazy_memory.h"
#include "engine/core/system/pages.h"
#include "engine/core/system/thread.h"
#include "engine/trace/reader.h"

namespace headway::trace {

namespace {

constexpr std::int64_t kKeeperPeriodNs = 10'000'000;
constexpr std::size_t kFirstChunks = 6;                      // meta, samples, frontend, drops and two lanes
constexpr std::size_t kFirstBytes = std::size_t{256} << 10;  // of each of them, made resident before the run starts
constexpr std::size_t kLeastAhead = 3, kMostAhead = 32;      // chunks kept resident beyond those in use
constexpr std::int64_t kAheadNs = 100'000'000;               // target: as many chunks as the writers use in this time
constexpr std::size_t kWriterBytes = std::size_t{64} << 10;  // that a writer makes resident at a time
constexpr std::size_t kLeastChunks = 8;                      // minimum under an address space limit: 250,000 ops
constexpr std::uint32_t kReservedChunks = 16;
constexpr auto kLookForChunks = std::chrono::microseconds(200);
constexpr std::int64_t kPatienceNs = 10'000'000'000;  // for a reader that gives nothing back
constexpr std::size_t kMaxMetaText = 64 << 10;
constexpr std::size_t kMaxStrings = 65'535;

core::Error mapping_error(const char* what) {
    core::Error error;
    error.kind = core::ErrorKind::failed;
    error.message = std::string("cannot record: ") + what + " failed: " + std::strerror(errno);
    return error;
}

// Resident bytes of this process, from a descriptor of /proc/self/statm; 0 when it cannot be read.
std::uint64_t resident_bytes(int statm) {
    std::array<char, 128> text{};
    const auto got = pread(statm, text.data(), text.size() - 1, 0);
    if (got <= 0) {
        return 0;
    }
    char* end = nullptr;
    std::strtoull(text.data(), &end, 10);  // the first field is the size of the address space
    static const auto kPage = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return std::strtoull(end, nullptr, 10) * kPage;
}

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

struct Recording::Strings {
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
    header->virtual_clock = static_cast<std::uint32_t>(clock);
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
    header_->virtual_clock = static_cast<std::uint32_t>(ClockKind::virtual_ns);
    header_->first_ticks = 0;
    header_->first_ns = 0;
    header_->last_ticks.store(0, std::memory_order_relaxed);
    header_->last_ns.store(0, std::memory_order_relaxed);
    start_keeper();
}

// ---- chunks ----

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
    return header_->gives_back.load(std::memory_order_relaxed) != 0 && header_->control.stop.load() == 0;
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
        } else if (core::monotonic_ns() - since_ns > kPatienceNs) {
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

// Enough for a short run, and for the start of a long one until the keeper has run.
void Recording::prepare_first_bytes() {
    for (std::size_t i = resident_to_; i < std::min<std::size_t>(kFirstChunks, capacity_); ++i) {
        core::make_resident(chunk_at(i), kFirstBytes);
    }
    first_bytes_ = kFirstBytes;
}

void Recording::prepare_chunks(const std::stop_token& stop) {
    const std::size_t used = header_->chunks_used.load(std::memory_order_relaxed);
    if (used > kFirstChunks && used > resident_to_) {
        // The writers overtook the keeper and make these chunks resident themselves.
        resident_from_.store(static_cast<std::uint32_t>(used), std::memory_order_relaxed);
        resident_to_.store(static_cast<std::uint32_t>(used), std::memory_order_release);
    }
    const std::int64_t now_ns = core::monotonic_ns();
    const std::int64_t elapsed_ns = now_ns - rate_since_ns_;
    const std::size_t fresh = used - std::min(std::max(rate_used_, kFirstChunks), used);
    if (elapsed_ns >= kKeeperPeriodNs) {
        const double rate = static_cast<double>(fresh) / static_cast<double>(elapsed_ns);
        const double wanted = std::min(rate * static_cast<double>(kAheadNs), static_cast<double>(kMostAhead));
        ahead_ = std::max({kLeastAhead, ahead_ / 2, static_cast<std::size_t>(wanted)});
        rate_since_ns_ = now_ns;
        rate_used_ = used;
    } else if (2 * fresh > ahead_) {
        ahead_ = std::min(2 * ahead_, kMostAhead);
    }
    prepare_chunks_to(std::max(kFirstChunks, used + ahead_), stop);
}

void Recording::prepare_chunks_to(std::size_t count, const std::stop_token& stop) {
    const std::size_t end = std::min<std::size_t>(count, capacity_);
    for (std::uint32_t next = resident_to_.load(std::memory_order_relaxed); next < end && !stop.stop_requested();) {
        core::make_resident(chunk_at(next), kChunkBytes);
        resident_to_.store(++next, std::memory_order_release);
    }
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
        if (recording_->header().virtual_clock == 0 && recording_->stalled_) {
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
template class StreamWriter<ExecRecord>;
template class StreamWriter<SampleRecord>;
template class StreamWriter<DriverRecord>;
template class StreamWriter<CostRecord>;

// ---- names and metadata ----

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
    if (ids.size() >= kMaxStrings) {
        return 0;
    }
    const auto id = static_cast<std::uint16_t>(ids.size() + 1);
    ids.emplace(text, id);
    meta(MetaType::string, id, text);
    return id;
}

// ---- clock and keeper ----

void Recording::record_hold(std::uint32_t lane, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t kExact = std::uint64_t{1} << 30;  // durations beyond 2^31 ticks are rounded
    const std::lock_guard lock(holds_mutex_);
    for (; end - begin > kExact; begin += kExact) {
        holds_.add({begin, kExact, lane});
    }
    holds_.add({begin, static_cast<std::uint32_t>(end - begin), lane});
}

void Recording::renew_anchor() {
    if (header_->virtual_clock != 0) {
        return;
    }
    const core::Anchor anchor = core::read_anchor();
    std::uint32_t version = header_->anchor_version.load(std::memory_order_relaxed);
    if ((version & 1u) != 0 ||
        !header_->anchor_version.compare_exchange_strong(version, version + 1, std::memory_order_acquire)) {
        return;  // another thread is renewing it
    }
    // Release stores: a reader that sees a new value also sees the odd version. (Fences would be invisible to the
    // thread sanitizer.)
    header_->last_ticks.store(anchor.ticks, std::memory_order_release);
    header_->last_ns.store(anchor.ns, std::memory_order_release);
    header_->anchor_version.store(version + 2, std::memory_order_release);
}

void Recording::start_keeper() {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep(stop); });
}

void Recording::stop_keeper() {
    keeper_.request_stop();
    claims_.fetch_add(1, std::memory_order_release);
    core::futex_wake_all(claims_);
    keeper_.join();
}

void Recording::keep(const std::stop_token& stop) {
    core::name_thread("trace-keeper");
    const bool real_time = header_->virtual_clock == 0;
    const core::UniqueFd statm(real_time ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1);
    std::int64_t next_ns = core::monotonic_ns();
    while (!stop.stop_requested()) {
        const std::uint32_t claims = claims_.load(std::memory_order_acquire);
        prepare_chunks(stop);
        const std::int64_t now_ns = core::monotonic_ns();
        if (now_ns >= next_ns) {
            next_ns = now_ns + kKeeperPeriodNs;
            header_->heartbeat_ns.store(static_cast<std::uint64_t>(now_ns), std::memory_order_relaxed);
            if (real_time) {
                renew_anchor();
                resident_bytes_.store(resident_bytes(statm.get()), std::memory_order_relaxed);
                sample_memory();
            }
        }
        if (stop.stop_requested()) {
            break;
        }
        core::futex_wait_for(claims_, claims, std::max<std::int64_t>(next_ns - core::monotonic_ns(), 1));
    }
}

void Recording::count_reserved(std::int64_t bytes, core::DeviceId device) {
    const std::int64_t own = reserved_[device].fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const std::int64_t all = all_reserved_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const bool more = own > most_reserved_[device].load(std::memory_order_relaxed) ||
                      all > most_all_reserved_.load(std::memory_order_relaxed);
    if (bytes > 0 && more && header_->virtual_clock == 0) {
        sample_memory();
    }
}

void Recording::sample_memory() {
    const std::lock_guard lock(samples_mutex_);
    const std::uint64_t now = core::ticks();
    const auto reserved_by = [this](std::size_t device) {
        const std::int64_t bytes = reserved_[device].load(std::memory_order_relaxed);
        most_reserved_[device].store(std::max(bytes, most_reserved_[device].load(std::memory_order_relaxed)),
                                     std::memory_order_relaxed);
        return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    };
    std::uint64_t reserved = reserved_by(0);
    // Other devices first, so that a reader that sees the total also sees its parts.
    for (std::uint8_t device = 1; device < core::kMaxDevices; ++device) {
        StreamWriter<SampleRecord>& samples = device_samples_[device];
        if (const std::uint64_t own = reserved_by(device); own != 0 || samples.chunk() != nullptr) {
            if (samples.chunk() == nullptr) {
                samples = {*this, {StreamKind::samples, device}};
            }
            samples.add({now, 0, own, 0});
            reserved += own;
        }
    }
    most_all_reserved_.store(
        std::max(static_cast<std::int64_t>(reserved), most_all_reserved_.load(std::memory_order_relaxed)),
        std::memory_order_relaxed);
    samples_.add({now, resident_bytes_.load(std::memory_order_relaxed), reserved, 0});
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
