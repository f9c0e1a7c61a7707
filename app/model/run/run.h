// A recording as the eye and the report want it: ops with their times, lanes, waits with their causes, curves, numbers.
// Built from the trace alone, also while it is still being written.
//
// Threads: one. update() takes what is new and returns; everything else only reads.
//
// Times are nanoseconds from the start of the run, on the trace's clock; kPending where something has not happened yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/blocks.h"
#include "app/model/run/curve.h"
#include "app/model/run/frontend_time.h"
#include "app/model/run/holds.h"
#include "app/model/run/kind_sums.h"
#include "app/model/run/span_index.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/reader.h"

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
    bool more_inputs = false;     // reads further buffers, see dependencies()
    bool more_outputs = false;    // writes further buffers: a composite op
    bool not_issued = false;      // a trace of another program that tells of its execution only
    bool out_beside = false;      // `out` is memory of the run's other device: a copy from one to the other
    std::int32_t minibatch = -1;  // index into minibatches(), -1 outside of them
};

// Why an op has to follow another one: it reads what that one wrote, overwrites what that one read, or overwrites what
// that one wrote.
enum class DependencyKind : std::uint8_t { read_after_write, write_after_read, write_after_write };

struct Dependency {
    OpId op = 0;
    DependencyKind kind = DependencyKind::read_after_write;
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

// A buffer that a composite op writes besides Op::out.
struct MoreOutput {
    OpId op = 0;
    BufferId buffer = 0;
    std::uint16_t signature = 0;  // of the part that writes it, which says its bytes
    bool fresh = false;           // made by it
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
    int device = -1;           // it was for this device's ops alone, and what they need; -1: for all
    std::int64_t held_ns = 0;  // of it, the learner held lanes back: not the program's time
    BufferId target = 0;       // 0: everything issued so far
    OpId issued = 0;           // ops issued before it
    OpId waits_through = 0;    // it waited for ops up to this one (issued, or fewer for behind:K); 0 when target is set
    OpId target_op = 0;        // what it waits for: the op just issued if that copies the target to the host, else the
                               // last one that wrote it; 0 when target is 0
    // How long it took, less the learner's holds.
    [[nodiscard]] std::int64_t waited_ns() const { return end_ns - begin_ns - held_ns; }
};

using Waits = Blocks<Wait, 8>;

// A stretch in which the frontend neither issued nor waited but computed by itself: NumPy, say.
struct Work {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::string name;  // "NumPy", "import", "Python"
    core::Line line = 0;
    OpId issued = 0;  // ops issued before it
};

struct Scope {
    std::string name;
    std::int64_t begin_ns = 0, end_ns = kPending;
    int depth = 0;
};

struct Minibatch {
    std::int32_t index = 0;
    std::int64_t issue_begin_ns = 0, issue_end_ns = kPending;
    OpId first = 0, last = 0;  // ops issued in it: [first, last]
};

// One of the ops that a composite op consists of, where it ran.
struct Part {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;  // the composite
    std::uint16_t signature = 0;
};

// An op that a lane was executing at the last update(): not yet among Lane::ops.
struct Running {
    OpId op = 0;
    std::int64_t begin_ns = 0;
};

// Handing an op to the GPU's driver, between its issue and its execution, by the thread that does it.
struct Launch {
    std::int64_t begin_ns = 0, end_ns = 0;
    OpId op = 0;
};

// What the GPU's driver did beside the ops.
struct DriverEvent {
    std::int64_t begin_ns = 0, end_ns = 0;
    trace::DriverKind kind = trace::DriverKind::other_wait;
    std::uint64_t bytes = 0;  // of memory
    std::uint32_t stream = 0;
};

struct Lane {
    std::string name;
    Blocks<OpId> ops{};         // in the order of execution; their begin_ns ascend
    std::vector<Part> parts{};  // of the composite ones among them, in the same order
    SpanIndex index{};          // over the ops; failed ones are marked
    KindSums kinds{};           // of the ops, by signature
};

// A device of the run, with what it holds. A run has one, or a GPU and the CPU beside it.
struct RunDevice {
    std::string kind, name;  // "cuda", "NVIDIA H100, 2 streams"
    bool simulated = false;
    std::uint32_t first_lane = 0, lanes = 0;  // those of lanes() that are its own
    Curve live, pending, reserved;            // kept only where there are several devices
};

// The facts that the runner wrote down about the run, before the first op.
struct RunInfo {
    std::string program, title;
    std::string frontend;  // the language that issues: C++, Python
    std::string tab;       // of a lesson or document that was chosen: mxnet, pytorch, …; empty: its first
    std::string device_kind, device_name;
    bool simulated = false;
    bool foreign = false;  // recorded by another program, so that only some of what is here is known
    // Where the times of ops come from ("cupti", "events"; empty: the lanes read the host's clock), why not from
    // something better, and by how much they may be off against the host's clock.
    std::string timing, timing_note;
    std::uint64_t timing_uncertainty_ns = 0;
    std::string launch, copies, products;  // cuda: "engine", "pinned", "float32"; else empty
    std::string cpu, os;
    int cores = 0;
    std::string barrier, free_policy, issue;  // as on the command line
    // Whose behaviour the run has ("PyTorch", "Headway"), and which settings were chosen in place of that framework's:
    // "free_policy", "streams", "workers".
    std::string profile;
    std::vector<std::string> chosen;
    std::vector<devices::CostModel> device_costs;  // the same by the devices' numbers
    std::string cost_models;  // of a run in virtual time: JSON, {"device": …, "beside": …, "host": …}; else empty
    // What the learner chose while it ran, in order.
    struct BarrierChange {
        std::int64_t ns = 0;
        std::string barrier;  // as on the command line
    };
    std::vector<BarrierChange> barrier_changes;
    bool no_minibatches = false;  // it has ended without one: barriers between them never act
    std::uint32_t workers = 0, streams = 0, queue_limit = 0;
    std::uint64_t budget = 0, seed = 0;  // the budget that was chosen; 0: none was, or "none"
    // What tensors could take, 0 for no limit, and whether nobody chose it; nothing where a recording does not say.
    std::optional<std::uint64_t> budget_in_effect;
    std::optional<bool> budget_is_default;
    std::string date;  // ISO, local
    std::string version;
    std::map<std::string, std::string> parameters;
    bool live_sampled = false;  // live bytes come from samples, not from the ops (traces of other programs)
    // Of the file that it was read from: events, or what had become of them, that were left out or mended; and whether
    // the file ended before the trace did.
    std::uint64_t left_out = 0, repaired = 0;
    bool file_cut_off = false;
    // Of each lane the first one of its stream; empty: each is a stream's only one. A stream of another program's trace
    // has several where its ops ran at the same time.
    std::vector<std::uint32_t> lane_streams;
};

// "profile PyTorch: 1 stream, free policy stream", with what was chosen behind: "profile PyTorch: 1 stream; chosen:
// free policy finish". Empty where the recording names no profile.
[[nodiscard]] std::string profile_words(const RunInfo& info);

// What a trace tells of. A run of the engine tells of all of it. One that another program recorded may not, and then
// the numbers and curves of what it leaves out stand for nothing and are not to be shown.
struct TraceCapabilities {
    bool issues = true;    // when ops were issued, of some at least: t1, t3, headway, what a wait was for, predictions
    bool waits = true;     // when the frontend waited
    bool backend = true;   // lanes are a backend's, and idle where no op is; else they are threads by depth
    bool memory = true;    // how many bytes were held
    bool tensors = true;   // which tensors held them: pending bytes, and what depends on what
    bool settings = true;  // how the program was run: seed, policies, the machine; and the frontend's own work
    [[nodiscard]] TraceCapabilities both(const TraceCapabilities& other) const;  // what two traces tell of, each
};

struct RunError {
    std::string message, file;
    std::uint32_t line = 0;
    OpId op = 0;
    core::ErrorKind kind = core::ErrorKind::failed;
    // The learner ended it: no failure.
    [[nodiscard]] bool stopped() const { return kind == core::ErrorKind::stopped; }
};

// What a run's total goes into. It is bound by one side when that side alone needs nearly all of it (kBoundShare).
enum class Regime {
    execution_bound,   // the busiest lane
    issue_bound,       // the frontend: issuing, and what it does besides, where issuing is the larger part
    frontend_bound,    // the frontend, where the program's own work (NumPy, import, print …) is the larger part
    dependency_bound,  // a chain of ops that depend on each other
    barrier_bound,     // none of them alone: waits keep frontend and lanes from working at the same time
};
inline constexpr double kBoundShare = 0.85;
// The chapter's formula is given where unequal ops and the frontend's other work change its result by at most this.
inline constexpr double kFormulaShare = 0.1;
inline constexpr double kEvenShare = 0.05;  // less than what one run differs from the next by

// What a measured total has beside its prediction.
struct PredictionPart {
    const char* name;
    std::int64_t ns = 0;  // below zero where the run was faster
};

// What the report says (docs/times.md). All over the measured part of the run; warm-up apart.
struct Numbers {
    TraceCapabilities capabilities;  // which of these numbers stand for something
    bool cut_off = false;            // Run::cut_off(): nothing is predicted
    std::uint64_t ops = 0;
    std::uint64_t parts = 0;                // that composite ops among them consisted of
    std::int64_t begin_ns = 0, end_ns = 0;  // the measured part
    std::int64_t total_ns = 0;              // without paused_ns
    std::int64_t paused_ns = 0;             // the learner's time, not the program's
    std::int64_t warmup_ns = 0, blocked_ns = 0, backend_busy_ns = 0, backend_idle_ns = 0;
    std::int64_t backend_open_ns = 0;  // of lanes, too: ops that have not ended, and what nobody can tell
    // As recorded: of each op the call that issues it, from its begin to its end, and the stretches of work that have
    // records of their own. `frontend` divides the frontend's time more finely.
    std::int64_t op_issue_ns = 0, recorded_work_ns = 0;
    std::int64_t recorder_ns = 0, launch_ns = 0;
    double t1_ns = 0, t2_ns = 0, t3_ns = 0;  // medians
    // t3: of barriers and blockers, from when all was done that they were for to their end; of those that had nothing
    // left to wait for only where there are no others.
    Spread t1, t2, t3;
    FrontendTime frontend;
    Regime regime = Regime::execution_bound;
    bool regime_even = false;  // two sides within kEvenShare of each other: the regime is no word to lean on
    // Of a run that has ended (prediction.h): predicted_ns and the parts add up to total_ns.
    bool predicted = false;
    std::int64_t predicted_ns = 0;
    std::vector<PredictionPart> prediction_parts;
    // How long the measured part's critical path went through hand-overs: all that an op needed was there, and its lane
    // had not started it yet. 0 where that is not worked out (more than kReplayed ops).
    std::int64_t handover_ns = 0;
    std::int64_t h_ns = 0;  // the median hand-over from the frontend to a lane with nothing to do
    // The chapter's formula where it holds, and what it gives: "N·(t1+h+t2+t3)", "max(t1+N·t2, N·t1+t2)+h+t3"; else "".
    std::string prediction_formula;
    std::int64_t formula_ns = 0;
    // Where the waits and the lane are as it assumes, and the ops or the frontend are not: which; else "".
    std::string no_formula;
    // What each side would need alone: the frontend its time outside waits, a lane its ops within the measured part.
    std::int64_t frontend_ns = 0, busiest_lane_ns = 0, longest_chain_ns = 0;
    std::uint64_t headway_max = 0, live_bytes_peak = 0, pending_bytes_peak = 0, reserved_bytes_peak = 0,
                  rss_bytes_peak = 0;
    std::uint64_t lost_records = 0;
};

// "issue-bound", "execution-bound" …, or "about equal" where naming one side would say too much; "" where the trace has
// no issues, the run was cut off or has not ended.
[[nodiscard]] const char* regime_word(const Numbers& numbers);
[[nodiscard]] const char* word_of(Regime regime);
// Of the time of the lanes that ran something. Nothing where none did.
[[nodiscard]] std::optional<double> idle_share(const Numbers& numbers);

struct LineCost {
    core::Line line = 0;
    std::int64_t issue_ns = 0, blocked_ns = 0, recorded_work_ns = 0;  // of op_issue_ns and recorded_work_ns its share
    std::uint64_t ops = 0;
};

class Run {
public:
    explicit Run(std::unique_ptr<trace::Reader> reader);
    ~Run();
    // The same recording, nothing of it taken in yet: for another thread, which reads it while this one goes on, and
    // whether or not this one stays.
    [[nodiscard]] std::unique_ptr<Run> another() const { return std::make_unique<Run>(reader_->another()); }

    // Takes in what has been recorded since. At most about `budget_ms` of work (0: all there is); true when more is
    // left.
    bool update(double budget_ms = 0);
    // The runner is gone: nothing more will come. Open ends are closed at the last time seen.
    void close();

    [[nodiscard]] trace::Reader& reader() { return *reader_; }
    // How often all that had been taken in was taken in again, because the rate of the clock was settled: times that
    // were read before may differ by a few in a million.
    [[nodiscard]] std::uint32_t rescaled() const { return rescaled_; }
    [[nodiscard]] trace::RunState state() const;
    [[nodiscard]] const RunInfo& info() const { return info_; }
    [[nodiscard]] TraceCapabilities capabilities() const;
    [[nodiscard]] const std::optional<RunError>& error() const { return error_; }
    [[nodiscard]] const std::string& result_json() const { return result_; }  // what the program says of itself, or ""

    [[nodiscard]] std::size_t op_count() const { return ops_.size(); }
    [[nodiscard]] std::size_t ended_count() const;                      // of these
    [[nodiscard]] const Op& op(OpId id) const { return ops_[id - 1]; }  // ids count from 1
    [[nodiscard]] const Signature& signature(std::uint16_t id) const;
    [[nodiscard]] std::string line_text(core::Line line) const;  // "train.cpp:31"
    [[nodiscard]] const std::string& file(std::uint32_t file_id) const;

    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    [[nodiscard]] const std::vector<RunDevice>& devices() const { return devices_; }
    [[nodiscard]] std::size_t device_of_lane(std::size_t lane) const;
    // The first lane of the stream that this one is of: itself, but for streams whose ops ran at the same time.
    [[nodiscard]] std::size_t stream_of_lane(std::size_t lane) const;
    [[nodiscard]] bool shares_stream(std::size_t lane) const;  // with another lane
    // How much longer the measured ops took, added up, than their streams were busy.
    [[nodiscard]] std::int64_t shared_ns() const;
    // The device that holds what an op writes.
    [[nodiscard]] std::size_t memory_device(const Op& op) const {
        const std::size_t device = device_of_lane(op.lane);
        return op.out_beside && devices_.size() > 1 ? 1 - device : device;
    }
    // "GPU" or "CPU" where the run has several devices, else "".
    [[nodiscard]] std::string device_name(std::size_t device) const;
    // Of one device; the run's own where it has no other.
    [[nodiscard]] const Curve& live_bytes(std::size_t device) const;
    [[nodiscard]] const Curve& pending_bytes(std::size_t device) const;
    [[nodiscard]] const Curve& reserved_bytes(std::size_t device) const;
    // Whose ops a wait was for: a device, or where its target's last writer or its one op ran; -1 for all, or where
    // nobody can tell.
    [[nodiscard]] int device_of(const Wait& wait) const;
    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }  // in the order of issue
    [[nodiscard]] const std::vector<DriverEvent>& driver_events() const { return driver_events_; }
    [[nodiscard]] const std::vector<Cost>& costs() const { return costs_; }
    [[nodiscard]] const Holds& holds() const { return holds_; }
    [[nodiscard]] const Waits& waits() const { return waits_; }
    [[nodiscard]] const std::vector<Work>& works() const { return works_; }  // in their order
    [[nodiscard]] const std::vector<Scope>& scopes() const { return scopes_; }
    [[nodiscard]] const std::vector<Minibatch>& minibatches() const { return minibatches_; }
    [[nodiscard]] const SpanIndex& issue_index() const { return issue_index_; }  // of ops; those not issued are marked
    // The wait that the frontend was in at the last update(), up to then, whether or not anything has finished since:
    // not yet among waits().
    [[nodiscard]] const std::optional<Wait>& open_wait() const { return open_wait_; }
    // One of waits(), or at their end the open one; null where there is none.
    [[nodiscard]] const Wait* wait_at(std::size_t index) const {
        return index < waits_.size() ? &waits_[index] : index == waits_.size() && open_wait_ ? &*open_wait_ : nullptr;
    }
    // What the lane was executing at the last update(), until then, and of a run that was cut off, at its end; null
    // where it ran nothing, and where lanes do not run on the host's clock (a GPU tells of ops when they are over).
    [[nodiscard]] const Running* running(std::size_t lane) const {
        return lane < running_.size() && running_[lane].op != 0 ? &running_[lane] : nullptr;
    }
    // Up to when it is known whether the lane ran an op: to the begin of the one that it is at; to the end of its last
    // one where others that were issued for it have not ended and nobody can tell why (the run was cut off, or goes on
    // and tells of ops when they are over); else to the end.
    [[nodiscard]] std::int64_t told_until_ns(std::size_t lane) const;
    // It failed or was stopped, or its file ends, before all ops that had been issued were done: what it would have
    // taken is not known.
    [[nodiscard]] bool cut_off() const;
    // When the op's execution began: as recorded, or as its lane was seen at it. kPending: not yet.
    [[nodiscard]] std::int64_t begun_ns(OpId id) const;
    [[nodiscard]] const SpanIndex& wait_index() const { return wait_index_; }
    [[nodiscard]] const KindSums& wait_kinds() const { return wait_kinds_; }  // by trace::WaitKind
    [[nodiscard]] const SpanIndex& work_index() const { return work_index_; }
    [[nodiscard]] const SpanIndex& launch_index() const { return launch_index_; }
    // Ops issued and not finished: each from the end of its issue, or from its begin where a lane was faster than the
    // return of the call, to its end.
    [[nodiscard]] const Curve& headway() const { return headway_; }
    [[nodiscard]] const Curve& live_bytes() const { return live_; }
    [[nodiscard]] const Curve& pending_bytes() const { return pending_; }
    [[nodiscard]] const Curve& resident_bytes() const { return resident_; }
    [[nodiscard]] const Curve& reserved_bytes() const { return reserved_; }  // taken by the device's allocator

    // The latest time seen in the trace; while the frontend waits, that at which the recorder was last seen alive.
    [[nodiscard]] std::int64_t now_ns() const { return last_ns_; }
    [[nodiscard]] std::int64_t measure_begin_ns() const;  // the mark, or the first record
    [[nodiscard]] std::int64_t end_ns() const;            // end of the program, or now
    [[nodiscard]] std::uint64_t lost_records() const;     // did not fit into the recording

    // What a composite op consisted of, in the order of execution; empty for other ops.
    [[nodiscard]] std::span<const Part> parts(OpId id) const;

    // What was measured: from the program's first mark to its last one, or the whole run.
    struct Measured {
        std::int64_t begin_ns = 0, end_ns = 0;
        OpId first = 1, last = 0;                   // ops [first, last]
        std::size_t first_wait = 0, waits_end = 0;  // waits [first_wait, waits_end)
        bool begin_marked = false, end_marked = false;
    };
    [[nodiscard]] Measured measured() const;

    // The ops whose completion this op had to follow: producers of its inputs, and readers and writer of what it
    // overwrites. Direct ones, ascending.
    [[nodiscard]] std::vector<OpId> dependencies(OpId id) const;
    // The same for who asks for all ops: in any order, perhaps more than once each, in a vector that is used again.
    void dependencies(OpId id, std::vector<OpId>& into) const;
    // The same ops, each with its reason; where there are several, the one first in DependencyKind's order.
    [[nodiscard]] std::vector<Dependency> dependencies_with_reasons(OpId id) const;
    // The unfinished ops that a wait was for: those of its target and all that these depend on, at its begin.
    // Ascending, at most `limit`; `count`, where given, is how many there are in all. Over all waits of a run this
    // takes time in proportion to the ops. Of what a value or one device has to do no more than `most` ops are looked
    // for, any of them; then these are counted.
    [[nodiscard]] std::vector<OpId> caused_by(const Wait& wait, std::size_t limit = 1000, std::size_t* count = nullptr,
                                              std::size_t most = SIZE_MAX) const;

    // When all ops up to this one had ended, or those of them that one device ran; kPending where some never did.
    [[nodiscard]] std::int64_t finish_ns(OpId through, int device = -1) const;

    // For those who write the run down somewhere else.
    [[nodiscard]] std::vector<MoreOutput> more_outputs(OpId id) const;
    [[nodiscard]] std::vector<BufferId> more_inputs(OpId id) const;  // that it reads besides in0 and in1
    [[nodiscard]] std::size_t signature_count() const { return signatures_.size(); }
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }
    [[nodiscard]] std::optional<std::int64_t> program_end_ns() const;
    [[nodiscard]] trace::ClockKind clock() const;
    [[nodiscard]] double recorder_ns_per_op() const;
    // call(buffer, ns, ops issued before) for each tensor that the program let go of, in order.
    template <class Call>
    void each_drop(Call call) const {
        const trace::StreamId drops{trace::StreamKind::drops, 0};
        for (std::uint64_t i = 0; i < reader_->size(drops);) {
            const auto records = reader_->records<trace::DropRecord>(drops, i);
            for (const trace::DropRecord& record : records) {
                call(record.buffer, ns_from_ticks(record.time), record.after);
            }
            i += records.size();
            if (records.empty()) {
                return;
            }
        }
    }

    // call(buffer, ns) for at most about `most` of them, from the one at `first` on; the place of the next, `first`
    // where there is none.
    template <class Call>
    [[nodiscard]] std::uint64_t drops_from(std::uint64_t first, std::uint64_t most, Call call) const {
        const trace::StreamId drops{trace::StreamKind::drops, 0};
        const std::uint64_t end = std::min(reader_->size(drops), first + most);
        for (std::uint64_t i = first; i < end;) {
            const auto records = reader_->records<trace::DropRecord>(drops, i);
            for (const trace::DropRecord& record : records) {
                call(record.buffer, ns_from_ticks(record.time));
            }
            i += records.size();
            if (records.empty() || i >= end) {
                return i;
            }
        }
        return first;
    }

    // That the frontend spent on issuing the op: nothing beside the op before it, where one launch issued both.
    [[nodiscard]] std::int64_t issue_ns(OpId id) const;
    // How long the learner had it stand still while it was measured; and how long the measured part took without that.
    // As in Numbers, and quick.
    [[nodiscard]] std::int64_t paused_ns() const;
    // Of one wait, within what was measured.
    [[nodiscard]] std::int64_t paused_in(const Wait& wait, const Measured& part) const;
    [[nodiscard]] std::int64_t total_ns() const;
    // Walks over the measured ops, see numbers_walk.h.
    [[nodiscard]] Numbers numbers() const;
    // Brings total, count of ops and peaks of earlier numbers up to now, without a walk.
    void renew(Numbers& numbers) const;
    // The most that one of the curves below reached while it was measured, at least 0.
    [[nodiscard]] std::uint64_t measured_peak(const Curve& curve) const;
    [[nodiscard]] std::vector<LineCost> line_costs() const;  // by line, ascending; the measured part

private:
    friend class NumbersWalk;
    struct Intake;  // what only update() needs
    class Dependencies;

    // (run.cpp)
    void refresh_scale();
    void forget();
    [[nodiscard]] std::int64_t ns_from_ticks(std::uint64_t ticks) const;
    [[nodiscard]] std::int64_t end_of(std::uint64_t begin, std::uint32_t duration) const;
    void settle();
    void see(std::int64_t ns);
    // (records.cpp)
    bool take_frontend(std::uint64_t end, std::int64_t& horizon_ns);
    bool take_lanes(std::int64_t horizon_ns);
    bool take_drops(std::uint64_t end, std::int64_t horizon_ns);
    void take_samples();
    void take_reserved_of_devices(const trace::SampleRecord& sum);
    void take_launches();
    void take_driver_events();
    [[nodiscard]] OpId op_waited_for(const Wait& wait) const;
    void take_costs();
    void take_holds();
    void count_headway();
    void take(const trace::FrontendRecord& record);
    void take_issue(const trace::FrontendRecord& record);
    void take_more_inputs(const trace::FrontendRecord& record);
    void take_more_output(const trace::FrontendRecord& record);
    void take_wait(const trace::FrontendRecord& record);
    void take_work(const trace::FrontendRecord& record);
    void take_mark(const trace::FrontendRecord& record);
    void take_exec(std::size_t lane, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns);
    void look_at_open_wait();
    void look_at_running_ops();
    // (facts.cpp)
    void take_facts();
    void take_run(std::string_view json);
    void take_device(std::size_t number, std::string_view json);
    [[nodiscard]] const std::string& string(std::uint16_t id) const;
    // (causes.cpp)
    [[nodiscard]] std::size_t issued_through(const Lane& lane, OpId id) const;  // of its executed ops
    [[nodiscard]] std::size_t finished_at(const Lane& lane, std::int64_t ns) const;
    [[nodiscard]] bool is_full(const Wait& wait) const;

    std::unique_ptr<trace::Reader> reader_;
    RunInfo info_;
    std::optional<RunError> error_;
    std::string result_;
    std::vector<Signature> signatures_;
    std::vector<std::string> strings_, files_;
    Blocks<Op> ops_;
    std::vector<Lane> lanes_;
    std::vector<RunDevice> devices_;
    std::vector<Launch> launches_;
    std::vector<DriverEvent> driver_events_;
    std::vector<Cost> costs_;
    Holds holds_;
    Waits waits_;
    std::optional<Wait> open_wait_;
    std::vector<Running> running_;               // by lane
    std::array<std::uint32_t, 256> open_ops_{};  // issued for a lane and not ended, by its number
    std::vector<Work> works_;
    std::vector<Scope> scopes_;
    std::vector<Minibatch> minibatches_;
    Curve headway_, live_, pending_, resident_, reserved_;
    SpanIndex issue_index_, launch_index_, wait_index_, work_index_;
    KindSums wait_kinds_;
    std::int64_t first_ns_ = kPending, last_ns_ = 0, last_exec_ns_ = 0;
    std::int64_t program_end_ns_ = kPending;
    std::int64_t measure_begin_ns_ = kPending, measure_end_ns_ = kPending;
    OpId measure_begin_op_ = 0, measure_end_op_ = 0;  // issued before the mark
    bool any_issued_ = false;                         // some op's issue was recorded, not only its execution
    std::size_t measure_begin_wait_ = 0, measure_end_wait_ = 0;
    std::uint32_t rescaled_ = 0;
    double ns_per_tick_ = 0;  // 0: not known yet
    bool scale_final_ = false;
    bool closed_ = false;
    std::unique_ptr<Dependencies> dependencies_;
    std::unique_ptr<Intake> intake_;
};

}  // namespace headway::model
