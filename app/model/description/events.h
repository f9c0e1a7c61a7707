// What a run consists of: ops, waits, own work, scopes, lanes.
//
// Times are nanoseconds from the start of the run, on the trace's clock; kPending for events that have not happened
// yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/model/containers/blocks.h"
#include "app/model/containers/curve.h"
#include "app/model/containers/kind_sums.h"
#include "app/model/containers/span_index.h"
#include "engine/core/ids.h"
#include "engine/devices/op.h"
#include "engine/trace/format.h"

namespace headway::model {

using core::BufferId;
using core::OpId;
inline constexpr std::int64_t kPending = INT64_MAX;

struct Op {
    std::int64_t issue_begin_ns = 0, issue_end_ns = 0;
    std::int64_t begin_ns = kPending, end_ns = kPending;  // execution
    core::Line line = 0;
    BufferId out = 0, in0 = 0, in1 = 0;
    std::uint16_t signature = 0;
    std::uint8_t lane = 0;
    bool fresh_output = false, reads_output = false, failed = false;
    bool more_inputs = false;          // reads more than two buffers, see dependencies()
    bool more_outputs = false;         // writes more than one buffer: a composite op
    bool not_issued = false;           // another program's trace that contains only the op's execution
    bool out_on_cpu = false;           // a GPU's lane wrote `out` into the memory of the run's CPU
    // Stands for all ops that were folded together with it: their first issue and begin, their last end; the rest is
    // the first one's.
    bool folded = false;
    std::int32_t minibatch = -1;   // index into minibatches(), -1 outside of them
    std::uint32_t links = 0;       // of a copy that went over links of the run: one bit each
    core::Line forward_line = 0;   // of an op of a backward pass: where its forward op was called; 0: unknown
};

// Why an op depends on an earlier one: it reads what that one wrote, overwrites what that one read, or overwrites
// what that one wrote; or the program made its stream wait for that one's.
enum class DependencyKind : std::uint8_t { read_after_write, write_after_read, write_after_write, stream_wait };

struct Dependency {
    OpId op = 0;
    DependencyKind kind = DependencyKind::read_after_write;
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

// A buffer that a composite op writes besides Op::out.
struct MoreOutput {
    OpId op = 0;
    BufferId buffer = 0;
    std::uint16_t signature = 0;  // of the part that writes the buffer; gives its size
    bool fresh = false;           // created by this op
};

struct Signature {
    std::string name;    // "matmul"
    std::string shapes;  // "(1024×512)·(512×2048)"
    devices::Family family = devices::Family::other;
    std::uint64_t out_bytes = 0, flops = 0, moved_bytes = 0;
    devices::OpKind kind = devices::OpKind::none;
};

struct Wait {
    std::int64_t begin_ns = 0, end_ns = 0;
    trace::WaitKind kind = trace::WaitKind::waitall;
    std::string name;  // "wait_to_read"
    core::Line line = 0;
    int device = -1;           // waited only for this device's ops and their dependencies; -1: for all
    std::int64_t held_ns = 0;  // time in which the learner held lanes back; not the program's time
    BufferId target = 0;       // 0: waited for everything issued so far; or trace::kWaitForLane and a lane
    OpId issued = 0;           // ops issued before it
    OpId waits_through = 0;    // waited for ops up to this one (issued, or fewer for behind:K); 0 if target is set
    // The op just issued if that copies the target to the host, else the last op that wrote the target; 0 if target
    // is 0
    OpId target_op = 0;
    bool folded =
        false;  // stands for all waits that were folded together with it, from the first begin to the last end
    // The wait's duration without the learner's holds.
    [[nodiscard]] std::int64_t waited_ns() const { return end_ns - begin_ns - held_ns; }
    // The lane whose ops it waited for, up to `target_op`; -1: it waited for something else.
    [[nodiscard]] int stream() const {
        return (target & trace::kWaitForLane) != 0 ? static_cast<int>(target & ~trace::kWaitForLane) : -1;
    }
};

// In small blocks, since most runs have few of them. A folded one stands for all that were folded together with it,
// from the first begin to the last end.
template <class Event>
using Events = Foldable<Event, 8>;
using Waits = Events<Wait>;

// A time range in which the frontend computed by itself (NumPy, say), without issuing or waiting.
struct Work {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::string name;  // "NumPy", "import", "Python"
    core::Line line = 0;
    OpId issued = 0;  // ops issued before it
    bool folded = false;
};

struct Scope {
    std::string name;
    std::int64_t begin_ns = 0, end_ns = kPending;
    int depth = 0;
    bool folded = false;
};

struct Minibatch {
    std::int32_t index = 0;
    std::int64_t issue_begin_ns = 0, issue_end_ns = kPending;
    OpId first = 0, last = 0;  // ops issued in it: [first, last]
    bool folded = false;
};

// Consecutive ops of a long run that were folded: only their sums are left, and those of all that the frontend did from
// the issue of the first of them to the next issue after the last.
struct FoldedPart {
    OpId first = 0, last = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
    std::size_t first_wait = 0, waits_end = 0;
    std::size_t first_work = 0, works_end = 0;
};

// One op of a composite op, with the time of its execution.
struct Part {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;  // the composite
    std::uint16_t signature = 0;
};

// An op that a lane was executing at the last update(); not in Lane::ops yet.
struct Running {
    OpId op = 0;
    std::int64_t begin_ns = 0;
};

// The launch of an op: the call that hands it to the GPU's driver, on the thread that makes it. Between issue and
// execution.
struct Launch {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;
    bool folded = false;
};

// An activity of the GPU's driver other than running an op.
struct DriverEvent {
    std::int64_t begin_ns = 0, end_ns = 0;
    trace::DriverKind kind = trace::DriverKind::other_wait;
    std::uint64_t bytes = 0;  // for memory
    std::uint32_t stream = 0;
};

struct Lane {
    std::string name;
    Foldable<OpId> ops{};       // in the order of execution; their begin_ns ascend. In a folded block: its last op
    std::vector<Part> parts{};  // parts of the composite ops, in the same order
    SpanIndex index{};          // over the ops; failed ones are flagged
    KindSums kinds{};           // of the ops, by signature
};

// A link between devices of a machine with several GPUs, and the copies that it carried.
struct Link {
    std::string name;         // "NVLink 0 → 1"
    std::vector<OpId> ops{};  // in the order of execution; they do not overlap
    SpanIndex index{};        // over them
    std::vector<std::uint64_t> bytes_through{};  // by op: moved by it and those before it
};

// A device of the run and its memory. A run has one device, or GPUs and perhaps a CPU after them.
struct RunDevice {
    std::string kind, name;  // "cuda", "NVIDIA H100, 2 streams"
    bool simulated = false;
    std::uint32_t first_lane = 0, lanes = 0;  // the range of lanes() that belongs to it
    Curve live, pending, reserved;            // only filled if there are several devices
};

}  // namespace headway::model
