// Memory layout of a recording: one file (a memfd or a file on disk) with a header and equal chunks, written by the
// runner and mapped by every reader. Everything that is drawn, graded, compared or exported is read from here.
//
// A reader may give chunks back that it has read, so that a run of any length fits into a file of limited size
// (Reader::give_back). While there is such a reader, a writer without a free chunk waits for one; without, records are
// lost.
//
// A stream is a sequence of records from one thread. It consists of the chunks with its StreamId, ordered by their
// ordinals. A record is complete once its chunk's `committed` includes it (release/acquire), and never changes after
// that. So a reader needs no lock, and a killed writer leaves every record that it had committed.
//
// Times are raw ticks of core::ticks() (virtual nanoseconds on the simulated device); the header contains two anchors
// that convert them to nanoseconds.
//
// Threads: each stream has one writer; any number of readers, in any process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/core/ids.h"

namespace headway::trace {

inline constexpr std::uint64_t kMagic = 0x3159415744414548;  // "HEADWAY1"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kChunkBytes = std::size_t{2} << 20;  // a huge page: page faults cost 1.5 ns per record
inline constexpr std::size_t kHeaderBytes = kChunkBytes;          // keeps the chunks aligned
inline constexpr std::size_t kChunkHeaderBytes = 64;

enum class StreamKind : std::uint8_t {
    frontend = 1,  // FrontendRecord: issues, waits and program events, in program order
    drops = 2,     // DropRecord: tensors that the program dropped
    lane = 3,      // ExecRecord: what one lane executed, in its order
    samples = 4,   // SampleRecord: memory of the process, about every 10 ms; index i > 0: reserved by device i
    meta = 5,      // MetaRecord: names, signatures, settings; variable size
    launch = 6,    // ExecRecord: host time spent launching an op on the GPU, by its begin
    driver = 7,    // DriverRecord: driver calls other than launches, as reported by the profiling library
    costs = 8,     // CostRecord: frontend time outside issues and waits, measured on a sample of events
    holds = 9,     // ExecRecord: the learner held back a lane (its number in `op`) that had a command ready
    orders = 10,   // OrderRecord: the program's streams: what orders ops of several streams, and what does not
};

struct StreamId {
    StreamKind kind;
    std::uint8_t index = 0;  // lane: the lane; samples: the device
    friend bool operator==(StreamId, StreamId) = default;
};
inline constexpr StreamId kFrontendStream{StreamKind::frontend};

// A duration in 32 bits: exact below 2^31 ticks (about 0.8 s), in units of 1024 ticks above, saturating at 10 minutes.
constexpr std::uint32_t pack_duration(std::uint64_t ticks) {
    if (ticks < 0x8000'0000ull) {
        return static_cast<std::uint32_t>(ticks);
    }
    const std::uint64_t coarse = ticks >> 10;
    return 0x8000'0000u | static_cast<std::uint32_t>(coarse < 0x7fff'ffffull ? coarse : 0x7fff'ffffull);
}
constexpr std::uint64_t unpack_duration(std::uint32_t packed) {
    return (packed & 0x8000'0000u) != 0 ? std::uint64_t{packed & 0x7fff'ffffu} << 10 : packed;
}

enum class FrontendKind : std::uint8_t {
    issue = 1,            // an op was issued
    wait = 2,             // the frontend waited; recorded also if everything had already finished
    scope_begin = 3,      // a named scope of the program; `signature` is the name's string id
    scope_end = 4,        // likewise
    minibatch_begin = 5,  // `out` is its index, from 0
    minibatch_end = 6,    // likewise
    measure_begin = 7,    // everything before it is warm-up
    measure_end = 8,
    work = 9,  // the frontend computed without the engine (NumPy, for example); `signature` is the name's string id
    more_inputs = 10,  // more of the op just issued: two inputs, in in0 and in1; see MoreInputsRecord
    line = 11,         // no longer written
    program_end = 12,
    more_output = 13,  // a further buffer that the op just issued writes: `out`; its bytes are in `signature`
    barrier = 14,      // the learner chose another policy: its kind in `signature`, K in `out`
    output = 15,       // the program wrote text; see OutputRecord
};

// Issue flags, in the high bits of FrontendRecord::kind.
inline constexpr std::uint8_t kKindMask = 0x0f;
inline constexpr std::uint8_t kFreshOutput = 0x10;  // `out` was made for this op; its bytes are in the signature
inline constexpr std::uint8_t kReadsOutput = 0x20;  // in place: `out` is read as well as written
inline constexpr std::uint8_t kNotIssued =
    0x40;  // a trace of another program that does not tell when: `begin` is its start

inline constexpr std::uint8_t kOutOnCpu = 0x80;  // a lane of a GPU wrote `out` into the memory of the run's CPU

// Which device a wait is for, in the same bits: its number plus 1 if the wait is for all ops of one device; 0 if it is
// for all devices or for one buffer.
inline constexpr int kWaitDeviceShift = 4;
constexpr std::uint8_t wait_for_device(core::DeviceId device) {
    return static_cast<std::uint8_t>((device + 1) << kWaitDeviceShift);
}

// In FrontendRecord::out of a wait: it was for all ops of one lane up to the op in `in1`; the lane is in the low bits.
inline constexpr std::uint32_t kWaitForLane = 0x8000'0000u;

enum class WaitKind : std::uint8_t {
    // Barriers: the program, or the learner's policy, asked for a wait.
    waitall = 1,
    wait_to_read = 2,
    synchronize = 3,
    op_barrier = 4,         // barrier policy `op`
    minibatch_barrier = 5,  // barrier policy `minibatch` or `behind:K`
    // Blockers: a value was needed.
    item = 16,
    numpy = 17,
    print = 18,
    boolean = 19,
    copy = 20,
    // Limits.
    queue_limit = 32,
    memory = 33,     // free policy or budget: waited until memory was free
    recording = 34,  // Headway's recording was full: waited until its reader had given a chunk back
    // The learner: paused, stepping, slow motion. Not the program's time.
    paused = 48,
};
constexpr bool is_barrier(WaitKind kind) {
    return kind < WaitKind::item;
}
constexpr bool is_blocker(WaitKind kind) {
    return kind >= WaitKind::item && kind < WaitKind::queue_limit;
}

struct FrontendRecord {
    std::uint64_t begin;      // ticks
    std::uint32_t duration;   // packed ticks
    std::uint16_t signature;  // issue: Signature id; wait, scope, work: string id of the name
    std::uint8_t kind;        // FrontendKind and flags
    std::uint8_t lane;        // issue: the lane; wait: WaitKind
    core::Line line;
    std::uint32_t out;  // issue: the buffer written; wait: the buffer waited for, 0 for all; minibatch: index
    std::uint32_t in0;  // issue: buffer read, 0 for none; wait: how many ops had been issued
    std::uint32_t in1;  // issue: buffer read, 0 for none; wait: the last op waited for, 0 for all issued
};
static_assert(sizeof(FrontendRecord) == 32);

inline constexpr core::OpId kFailedOp = 0x8000'0000u;  // in ExecRecord::op: the op failed or was skipped
// In ExecRecord::op: this record is a part of a composite op, whose own record follows in the same lane. The low bits
// are the part's signature id instead of an op id.
inline constexpr core::OpId kPart = 0x4000'0000u;

struct ExecRecord {
    std::uint64_t begin;
    std::uint32_t duration;
    core::OpId op;  // with the flags above

    [[nodiscard]] bool failed() const { return (op & kFailedOp) != 0; }
    [[nodiscard]] bool is_part() const { return (op & kPart) != 0; }
    // Of an op's own record.
    [[nodiscard]] core::OpId id() const { return op & ~kFailedOp; }
    // Of a part's record.
    [[nodiscard]] std::uint16_t part_signature() const { return static_cast<std::uint16_t>(op & 0xffffu); }
};
static_assert(sizeof(ExecRecord) == 16);

enum class OrderKind : std::uint8_t {
    stream_wait = 1,  // the program made the op's stream wait for the stream of `other`, or for one that waited for it
    // Races: nothing that the program does orders `op` and `other`, and one of them writes `buffer`.
    read_write = 2,   // `op` reads what `other` writes
    write_read = 3,   // `op` writes what `other` reads
    write_write = 4,  // both write
    reuse = 5,        // `op` writes memory that `other` uses as `other_buffer`, which the program has dropped
    begin = 6,        // from `op` on the program chooses the streams; there is no `other`
    // Ops from `op` on follow `other`: the frontend waited for an event or a stream that followed it, or asked whether
    // an event was reached. Only what the waits' own records do not contain.
    host_wait = 7,
};
constexpr bool is_race(OrderKind kind) {
    return kind > OrderKind::stream_wait && kind <= OrderKind::reuse;
}

constexpr bool is_wait(OrderKind kind) {
    return kind == OrderKind::stream_wait || kind == OrderKind::host_wait;
}

// Only in runs whose program uses streams. Recorded before the issue of `op`. Together with the waits of the frontend
// they contain what the program orders from `begin` on. Readers leave out kinds that they do not know.
struct OrderRecord {
    core::OpId op;     // issued later
    core::OpId other;  // issued earlier
    core::BufferId buffer, other_buffer;
    core::Line line;  // of a wait: where the program asked for it
    OrderKind kind;
    std::uint8_t lane, other_lane, reserved;
};
static_assert(sizeof(OrderRecord) == 24);

struct DropRecord {
    std::uint64_t time;
    core::BufferId buffer;
    core::OpId after;  // number of ops issued when it was dropped
};
static_assert(sizeof(DropRecord) == 16);

enum class CostKind : std::uint16_t {
    recording = 1,            // writing a frontend record, measured from the end of its event
    drop = 2,                 // dropping a tensor, with its record
    not_scheduled = 3,        // the frontend's thread was runnable but not on a core, between two events
    not_scheduled_issue = 4,  // likewise, during the issue of an op
    totals = 5,               // totals since the thread began: page faults, and interpreter time within issues
};

// A cost that the frontend measured on itself. Recording and dropping are measured for the first events, for one in a
// hundred after that, and for each event whose record is the first on its page.
struct CostRecord {
    std::uint64_t begin;     // ticks
    std::uint64_t amount;    // not_scheduled: ns; recording and totals: interpreter ticks within issues
    std::uint32_t duration;  // packed ticks; totals: minor page faults
    std::uint32_t weight;    // number of events that it represents (1: only itself); totals: major page faults
    std::uint16_t stamp;     // ticks that reading the clock once took
    std::uint16_t sampling;  // ticks that taking the previous measurement took
    CostKind kind;
    std::uint16_t reserved;
};
static_assert(sizeof(CostRecord) == 32);

struct SampleRecord {
    std::uint64_t time;
    std::uint64_t resident_bytes;  // of the process
    std::uint64_t reserved_bytes;  // by the devices' allocators, in use or not; index i > 0: by device i
    std::uint64_t live_bytes;      // of tensors, if RunInfo says that they were sampled; else 0
};
static_assert(sizeof(SampleRecord) == 32);

enum class DriverKind : std::uint16_t {
    other_wait = 0,
    event_wait = 1,              // the host waited for an event
    stream_waits_for_event = 2,  // a stream was made to wait for an event: a dependency between lanes
    stream_wait = 3,             // the host waited for a stream
    device_wait = 4,             // … for the whole device
    device_taken = 16,           // memory calls from here on
    device_given_back = 17,
    pinned_taken = 18,
    pinned_given_back = 19,
    // Nobody reported the times of the `bytes` ops of lane `stream` that begin within this record's time: the profiling
    // library lost their records. They ran at some moments within it, and their own records divide it.
    bounded_ops = 32,
};
constexpr bool is_wait(DriverKind kind) {
    return kind < DriverKind::device_taken;
}

struct DriverRecord {
    std::uint64_t begin;
    std::uint32_t duration;
    DriverKind kind;
    std::uint16_t stream;  // the driver's stream id; bounded_ops: the lane
    std::uint64_t bytes;   // of memory calls; bounded_ops: how many ops
};
static_assert(sizeof(DriverRecord) == 24);

enum class MetaType : std::uint16_t {
    string = 1,     // id -> text
    file = 2,       // id -> path of a source file
    signature = 3,  // id -> SignatureInfo, then the shapes as text
    run = 4,        // JSON: program, device, machine, settings, lanes; written before the first op
    error = 5,      // JSON: kind (core::word_of(ErrorKind); not in early recordings), message, file, line, op
    result = 6,     // JSON: values that the program reports (losses, for example)
    device = 7,     // its number -> JSON: a device that joined the run, with its first lane and their names
    end = 8,        // JSON: verdict, sentence, missing; only in recordings made from trace files
    torch = 9,      // JSON: the torch that the program has imported; its ops on CPU tensors. The last one counts
};

struct MetaRecord {
    std::uint32_t bytes;  // size of the payload that follows, padded to 8 in the stream
    MetaType type;
    std::uint16_t id;
};
static_assert(sizeof(MetaRecord) == 8);

// The fixed part of a signature; its text ("(1024×512)·(512×2048)") follows, then the op's name after a zero byte.
struct SignatureInfo {
    std::uint16_t op_kind;  // devices::OpKind
    std::uint8_t family;    // devices::Family
    std::uint8_t inputs;
    std::uint32_t reserved;
    std::uint64_t out_bytes;
    std::uint64_t flops;
    std::uint64_t moved_bytes;  // bytes read plus bytes written
};
static_assert(sizeof(SignatureInfo) == 32);

struct ChunkHeader {
    StreamKind kind;
    std::uint8_t index;
    std::uint16_t record_bytes;            // 1 for meta
    std::uint32_t ordinal;                 // 0, 1, 2 … within the stream
    std::atomic<std::uint32_t> committed;  // records (bytes for meta) that may be read
    std::atomic<std::uint32_t> claimed;    // 1 once the fields above are valid
    std::atomic<std::uint32_t> next_free;  // in the list of chunks that were given back: 1 + the next one's index
};
static_assert(sizeof(ChunkHeader) <= kChunkHeaderBytes);

// Bytes of a record of this kind: 1 for meta, whose records differ in size; 0 for an unknown kind.
constexpr std::size_t record_bytes_of(StreamKind kind) {
    switch (kind) {
        case StreamKind::frontend:
            return sizeof(FrontendRecord);
        case StreamKind::drops:
            return sizeof(DropRecord);
        case StreamKind::lane:
        case StreamKind::launch:
        case StreamKind::holds:
            return sizeof(ExecRecord);
        case StreamKind::samples:
            return sizeof(SampleRecord);
        case StreamKind::driver:
            return sizeof(DriverRecord);
        case StreamKind::costs:
            return sizeof(CostRecord);
        case StreamKind::orders:
            return sizeof(OrderRecord);
        case StreamKind::meta:
            return 1;
    }
    return 0;
}

constexpr std::uint32_t records_per_chunk(std::size_t record_bytes) {
    return static_cast<std::uint32_t>((kChunkBytes - kChunkHeaderBytes) / record_bytes);
}

enum class RunState : std::uint32_t { starting = 0, running = 1, finished = 2, failed = 3 };

enum class BarrierKind : std::uint32_t { as_written = 0, none = 1, op = 2, minibatch = 3, behind = 4 };

struct BarrierPolicy {
    BarrierKind kind = BarrierKind::as_written;
    std::uint32_t behind = 0;  // K of behind:K
    friend bool operator==(BarrierPolicy, BarrierPolicy) = default;
};
constexpr std::uint64_t pack_barrier(BarrierPolicy p) {
    return static_cast<std::uint64_t>(p.behind) << 32 | static_cast<std::uint64_t>(p.kind);
}
constexpr BarrierPolicy unpack_barrier(std::uint64_t bits) {
    return {static_cast<BarrierKind>(bits & 0xffff'ffffu), static_cast<std::uint32_t>(bits >> 32)};
}

// "Not chosen yet", for settings where 0 is a valid choice. No setting packs to these values.
inline constexpr std::uint64_t kNotChosen = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoLimitChosen = ~std::uint32_t{0};

// Settings that the watching process may change while the program runs. The frontend reads `attention` once per op (a
// plain load); set it after changing any other field. Values set before the program begins are kept; the runtime fills
// in only those not chosen.
struct Control {
    std::atomic<std::uint32_t> attention{0};
    std::atomic<std::uint32_t> pause{0};
    std::atomic<std::uint32_t> stop{0};
    std::atomic<std::uint32_t> step_ops{0};                  // while paused: number of ops that may still be issued
    std::atomic<std::uint64_t> barrier{kNotChosen};          // pack_barrier()
    std::atomic<std::uint64_t> budget_bytes{kNotChosen};     // 0: none
    std::atomic<std::uint32_t> queue_limit{kNoLimitChosen};  // 0: none
    std::atomic<std::uint32_t> hold_backend{0};              // nonzero: lanes start no commands
    std::atomic<std::uint32_t> backend_steps{0};  // while held: number of commands that lanes may still start
    std::atomic<std::uint64_t> op_delay_ns{0};    // slow motion
    // For programs with line events (Python). Stopping at a line sets `pause`; clearing `pause` resumes.
    std::atomic<std::uint64_t> line_delay_ns{0};
    std::atomic<std::uint32_t> line_mode{0};  // LineMode
    std::atomic<std::uint32_t> until_line{0};
    std::atomic<std::uint32_t> breakpoint_count{0};
    std::atomic<std::uint64_t> breakpoints[64]{};  // one bit per line, 1 to 4095
    // Written by the frontend: its position, and whether it is stopped there.
    std::atomic<std::uint32_t> current_line{0};   // core::Line
    std::atomic<std::uint32_t> stop_position{0};  // StopPosition
};

// Where the frontend is stopped.
enum class StopPosition : std::uint32_t {
    no = 0,
    before_line = 1,
    within_line = 2,  // before an op; of a program without line events too
};

enum class LineMode : std::uint32_t {
    run = 0,
    step = 1,   // stop before the next line
    over = 2,   // stop before the next line that is not inside a call made from here
    until = 3,  // stop before `until_line`
};

enum class ClockKind : std::uint32_t {
    ticks = 0,        // core::ticks(), which the anchors turn into nanoseconds
    virtual_ns = 1,   // virtual nanoseconds from 0
    recorded_ns = 2,  // nanoseconds from 0, imported from another program's trace
};

// The op that a lane is executing; its record is written when it ends. One word, so that it costs the lane one store:
// the op id in the upper half, its start time in the lower half, in units of 2^kRunningShift ticks (less than half a
// microsecond; the lower half wraps after more than ten minutes). It stays until the next op begins. In virtual time
// the start is exact, in a word of its own; the other one is 0 while it changes.
struct alignas(64) RunningOp {
    std::atomic<std::uint64_t> op_and_begin;  // 0: none yet
    std::atomic<std::uint64_t> virtual_begin_ns;
};
inline constexpr int kRunningShift = 10;
inline constexpr std::uint32_t kFirstRunning = 16;  // lanes in Header::running; the others are in Header::more_running
constexpr std::uint64_t pack_running(core::OpId op, std::uint64_t begin_ticks) {
    return static_cast<std::uint64_t>(op) << 32 | (begin_ticks >> kRunningShift & 0xffff'ffffu);
}
// Begin time in ticks of a RunningOp read at `now_ticks`.
constexpr std::uint64_t running_begin(std::uint64_t op_and_begin, std::uint64_t now_ticks) {
    const std::uint64_t now = now_ticks >> kRunningShift;
    const auto elapsed = static_cast<std::uint32_t>(now - op_and_begin);
    constexpr std::uint32_t kBehind = 0xffff'0000u;  // larger: `now` was read slightly before the word was written
    return elapsed > kBehind ? now_ticks : (now - elapsed) << kRunningShift;
}

// The beginning of the file: what a reader needs besides the chunks, and what the watching process asks for (Control).
struct Header {
    // What the times of records count; of a damaged file some clock.
    [[nodiscard]] ClockKind clock() const {
        return clock_kind < 2 ? static_cast<ClockKind>(clock_kind) : ClockKind::recorded_ns;
    }

    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t chunk_capacity;             // chunks that the file may grow to
    std::atomic<std::uint32_t> chunks_used;   // may exceed the capacity if the file is full
    std::atomic<std::uint32_t> state;         // RunState
    std::atomic<std::uint64_t> lost_records;  // records that did not fit because the file was full
    // Clock: two anchors. The second one is renewed during the run (odd `anchor_version`: write in progress).
    std::uint64_t first_ticks;
    std::int64_t first_ns;
    std::int64_t wall_clock_ns;  // CLOCK_REALTIME at the first anchor
    std::atomic<std::uint32_t> anchor_version;
    std::uint32_t clock_kind;  // see clock()
    std::atomic<std::uint64_t> last_ticks;
    std::atomic<std::int64_t> last_ns;
    double recorder_ns_per_op;                // cost of recording one op, measured at the start
    std::atomic<std::uint64_t> heartbeat_ns;  // CLOCK_MONOTONIC, about every 10 ms
    // The wait that the frontend is in; its record is written when it ends. wait_begin 0: none. wait_begin is published
    // last and cleared first.
    std::atomic<std::uint64_t> wait_begin;      // ticks
    std::atomic<std::uint32_t> wait_kind_name;  // WaitKind in the upper half, the name's string id in the lower
    std::atomic<std::uint32_t> wait_line;       // core::Line
    std::atomic<std::uint32_t> wait_target;     // as in its record: the buffer waited for, 0 for all
    std::atomic<std::uint32_t> wait_through;    // as in its record
    std::atomic<std::uint32_t> wait_device;     // as in its record: the device waited for, from 1; 0: all
    alignas(64) Control control;
    std::array<RunningOp, kFirstRunning> running;  // only for lanes that run on the host's clock
    // Chunks that were given back: 1 + the first one's index, and a count of changes in the upper half, so that a
    // writer notices when the list has changed in between.
    alignas(64) std::atomic<std::uint64_t> free_chunks;
    std::atomic<std::uint32_t> gives_back;  // 1: there is a reader that gives chunks back
    std::atomic<std::uint32_t> given_back;  // how many chunks it has given back so far; wraps
    std::array<RunningOp, core::kMaxLanes - kFirstRunning> more_running;

    [[nodiscard]] RunningOp& running_in(std::uint32_t lane) {
        return lane < kFirstRunning ? running[lane] : more_running[lane - kFirstRunning];
    }
    [[nodiscard]] const RunningOp& running_in(std::uint32_t lane) const {
        return lane < kFirstRunning ? running[lane] : more_running[lane - kFirstRunning];
    }
};
static_assert(sizeof(Header) <= kHeaderBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace headway::trace
