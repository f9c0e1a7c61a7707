// A recorded run: ops with their times, lanes, waits with their causes, curves and numbers. Read from the trace
// alone, also while the trace is still being written.
//
// Threads: one. update() takes new records and returns; all other functions only read.
//
// Times are nanoseconds from the start of the run, on the trace's clock; kPending for events that have not happened
// yet.
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
#include "app/model/run/run_end.h"
#include "app/model/run/span_index.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/frontend_records.h"
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
    bool more_inputs = false;          // reads more than two buffers, see dependencies()
    bool more_outputs = false;         // writes more than one buffer: a composite op
    bool not_issued = false;           // another program's trace that contains only the op's execution
    bool out_on_other_device = false;  // `out` is in the memory of the run's other device: a copy between devices
    std::int32_t minibatch = -1;       // index into minibatches(), -1 outside of them
};

// Why an op depends on an earlier one: it reads what that one wrote, overwrites what that one read, or overwrites
// what that one wrote.
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
    BufferId target = 0;       // 0: waited for everything issued so far
    OpId issued = 0;           // ops issued before it
    OpId waits_through = 0;    // waited for ops up to this one (issued, or fewer for behind:K); 0 if target is set
    // The op just issued if that copies the target to the host, else the last op that wrote the target; 0 if target
    // is 0
    OpId target_op = 0;
    // The wait's duration without the learner's holds.
    [[nodiscard]] std::int64_t waited_ns() const { return end_ns - begin_ns - held_ns; }
};

using Waits = Blocks<Wait, 8>;

// A time range in which the frontend computed by itself (NumPy, say), without issuing or waiting.
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
    Blocks<OpId> ops{};         // in the order of execution; their begin_ns ascend
    std::vector<Part> parts{};  // parts of the composite ops, in the same order
    SpanIndex index{};          // over the ops; failed ones are marked
    KindSums kinds{};           // of the ops, by signature
};

// A device of the run and its memory. A run has one device, or a GPU and a CPU.
struct RunDevice {
    std::string kind, name;  // "cuda", "NVIDIA H100, 2 streams"
    bool simulated = false;
    std::uint32_t first_lane = 0, lanes = 0;  // the range of lanes() that belongs to it
    Curve live, pending, reserved;            // only filled if there are several devices
};

// The metadata that the runner wrote before the first op.
struct RunInfo {
    std::string program, title;
    std::string frontend;  // the language that issues: C++, Python
    std::string tab;       // chosen tab of a lesson or document: mxnet, pytorch, …; empty: the first one
    std::string device_kind, device_name;
    bool simulated = false;
    bool foreign = false;  // recorded by another program, so only part of the metadata is known
    // The source of the ops' times ("cupti", "events"; empty: the lanes read the host's clock), why no better source
    // was used, and the uncertainty relative to the host's clock.
    std::string timing, timing_note;
    std::uint64_t timing_uncertainty_ns = 0;
    std::string launch, copies, products;  // cuda: "engine", "pinned", "float32"; else empty
    std::string cpu, os;
    int cores = 0;
    std::string barrier, free_policy, issue;  // as on the command line
    // The framework whose behaviour the run imitates ("PyTorch", "Headway"), and the settings that were chosen
    // instead of that framework's: "free_policy", "streams", "workers".
    std::string profile;
    std::vector<std::string> chosen;
    std::vector<devices::CostModel> device_costs;  // the parsed device models, by the devices' numbers
    std::string cost_models;  // of a run in virtual time: JSON, {"device": …, "beside": …, "host": …}; else empty
    // Barriers that the learner chose while the run was in progress, in order.
    struct BarrierChange {
        std::int64_t ns = 0;
        std::string barrier;  // as on the command line
    };
    std::vector<BarrierChange> barrier_changes;
    bool no_minibatches = false;  // the run has ended without minibatches: barriers between them never act
    std::uint32_t workers = 0, streams = 0, queue_limit = 0;
    std::uint64_t budget = 0, seed = 0;  // budget chosen by the user; 0: none chosen, or "none"
    // The budget in effect (0: no limit), and whether it is the default; empty if the recording does not contain
    // it.
    std::optional<std::uint64_t> budget_in_effect;
    std::optional<bool> budget_is_default;
    std::string date;  // ISO, local
    std::string version;
    std::map<std::string, std::string> parameters;
    bool live_sampled = false;  // live bytes come from samples, not from the ops (traces of other programs)
    // Imported files: how many events were left out or repaired, and whether the file ended before the trace did.
    std::uint64_t left_out = 0, repaired = 0;
    bool file_cut_off = false;
    // For each lane, the first lane of its stream; empty: each lane is a stream of its own. In another program's
    // trace a stream has several lanes if its ops ran at the same time.
    std::vector<std::uint32_t> lane_streams;
};

// "profile PyTorch: 1 stream, free policy stream", or with settings that were chosen: "profile PyTorch: 1 stream;
// chosen: free policy finish". Empty if the recording names no profile.
[[nodiscard]] std::string profile_words(const RunInfo& info);

// What a trace contains. A run of the engine contains everything. Another program's trace may not; numbers and
// curves for what is missing are meaningless and must not be shown.
struct TraceCapabilities {
    bool issues = true;    // issue times of at least some ops: t1, t3, headway, what a wait was for, predictions
    bool waits = true;     // waits of the frontend
    bool backend = true;   // lanes are a backend's, idle where no op is; else they are threads by nesting depth
    bool memory = true;    // allocated bytes
    bool tensors = true;   // which tensors hold them: pending bytes, and dependencies
    bool settings = true;  // seed, policies, hardware, and the frontend's own work
    [[nodiscard]] TraceCapabilities both(const TraceCapabilities& other) const;  // contained in both traces
};

struct RunError {
    std::string message, file;
    std::uint32_t line = 0;
    OpId op = 0;
    core::ErrorKind kind = core::ErrorKind::failed;
    // The learner stopped the run: not a failure.
    [[nodiscard]] bool stopped() const { return kind == core::ErrorKind::stopped; }
};

// What determines a run's total time: a side that alone needs at least kBoundShare of it.
enum class Regime {
    execution_bound,   // the busiest lane
    issue_bound,       // the frontend's issues and own work, if issuing is the larger part
    frontend_bound,    // the same, if the program's own work (NumPy, import, print …) is the larger part
    dependency_bound,  // a chain of ops that depend on each other
    barrier_bound,     // none alone: waits keep frontend and lanes from working at the same time
};
inline constexpr double kBoundShare = 0.85;
// The chapter's formula is shown if unequal ops and the frontend's own work change its result by at most this.
inline constexpr double kFormulaShare = 0.1;
inline constexpr double kEvenShare = 0.05;  // less than the variation between two runs

// One part of the difference between the measured and the predicted total.
struct PredictionPart {
    const char* name;
    std::int64_t ns = 0;  // negative: the run was faster
};

// The report's numbers (docs/times.md). All cover the measured part of the run, except warm-up.
struct Numbers {
    TraceCapabilities capabilities;  // which of these numbers are meaningful
    bool cut_off = false;            // Run::cut_off(): there is no prediction
    std::uint64_t ops = 0;
    std::uint64_t parts = 0;                // ops that composite ops consist of
    std::int64_t begin_ns = 0, end_ns = 0;  // the measured part
    std::int64_t total_ns = 0;              // without paused_ns
    std::int64_t paused_ns = 0;             // paused by the learner; not the program's time
    std::int64_t warmup_ns = 0, blocked_ns = 0, backend_busy_ns = 0, backend_idle_ns = 0;
    // Summed over lanes: ops that have not ended, and time in which the lane's state is unknown.
    std::int64_t backend_open_ns = 0;
    // As recorded: the issuing calls of all ops from begin to end, and the work sections that have records of their
    // own. `frontend` splits the frontend's time more finely.
    std::int64_t op_issue_ns = 0, recorded_work_ns = 0;
    std::int64_t recorder_ns = 0, launch_ns = 0;
    double t1_ns = 0, t2_ns = 0, t3_ns = 0;  // medians
    // t3: for barriers and blockers, from the end of the last op that they waited for to their own end. Waits that
    // had nothing left to wait for are included only if there are no others.
    Spread t1, t2, t3;
    FrontendTime frontend;
    Regime regime = Regime::execution_bound;
    bool regime_even = false;  // two sides within kEvenShare of each other: the regime is not significant
    // Only for a run that has ended (prediction.h): predicted_ns and the parts add up to total_ns.
    bool predicted = false;
    std::int64_t predicted_ns = 0;
    std::vector<PredictionPart> prediction_parts;
    // Time on the measured part's critical path spent in hand-overs: an op's dependencies were met, but its lane
    // had not started it. 0 if not computed (more than kReplayed ops).
    std::int64_t handover_ns = 0;
    std::int64_t h_ns = 0;  // the median hand-over from the frontend to an idle lane
    // The chapter's formula if it applies, and its result: "N·(t1+h+t2+t3)", "max(t1+N·t2, N·t1+t2)+h+t3"; else "".
    std::string prediction_formula;
    std::int64_t formula_ns = 0;
    // If waits and lane are as the formula assumes but ops or frontend are not: the reason; else "".
    std::string no_formula;
    // What each side would need alone: the frontend its time outside waits, a lane its ops in the measured part.
    std::int64_t frontend_ns = 0, busiest_lane_ns = 0, longest_chain_ns = 0;
    std::uint64_t headway_max = 0, live_bytes_peak = 0, pending_bytes_peak = 0, reserved_bytes_peak = 0,
                  rss_bytes_peak = 0;
    std::uint64_t lost_records = 0;
};

// "issue-bound", "execution-bound" …, or "about equal" if no side is clearly larger; "" if the trace has no issues,
// or the run was cut off or has not ended.
[[nodiscard]] const char* regime_word(const Numbers& numbers);
[[nodiscard]] const char* word_of(Regime regime);
// The idle share of the time of all lanes that ran something; empty if none did.
[[nodiscard]] std::optional<double> idle_share(const Numbers& numbers);

struct LineCost {
    core::Line line = 0;
    // The line's share of op_issue_ns and recorded_work_ns.
    std::int64_t issue_ns = 0, blocked_ns = 0, recorded_work_ns = 0;
    std::uint64_t ops = 0;
};

class Run {
public:
    explicit Run(std::unique_ptr<trace::Reader> reader);
    ~Run();
    // Opens the same recording again, with nothing taken yet: for another thread, which may read at the same time
    // as this one and may outlive it.
    [[nodiscard]] std::unique_ptr<Run> another() const { return std::make_unique<Run>(reader_->another()); }

    // Takes new records, for about `budget_ms` of work (0: all of them). True if more are left.
    bool update(double budget_ms = 0);
    // How the program's process ended, if that is known. Call before close().
    void process_ended(const ProcessEnd& end) { process_end_ = end; }
    // The runner has ended: nothing more will be recorded. Open ends are closed at the latest time seen.
    void close();
    // How it ended, and what is missing. Once it is closed.
    [[nodiscard]] RunEnd end() const { return recorded_end_ ? *recorded_end_ : run_end(*this, process_end_); }

    [[nodiscard]] trace::Reader& reader() { return *reader_; }
    // How often all records were taken again because the rate of the clock was fixed. Times read before may differ
    // by a few parts per million.
    [[nodiscard]] std::uint32_t rescaled() const { return rescaled_; }
    [[nodiscard]] trace::RunState state() const;
    [[nodiscard]] const RunInfo& info() const { return info_; }
    [[nodiscard]] TraceCapabilities capabilities() const;
    [[nodiscard]] const std::optional<RunError>& error() const { return error_; }
    [[nodiscard]] const std::string& result_json() const { return result_; }  // the program's own result, or ""

    [[nodiscard]] std::size_t op_count() const { return ops_.size(); }
    [[nodiscard]] std::size_t ended_count() const;                      // those that have ended
    [[nodiscard]] const Op& op(OpId id) const { return ops_[id - 1]; }  // ids count from 1
    [[nodiscard]] const Signature& signature(std::uint16_t id) const;
    [[nodiscard]] std::string line_text(core::Line line) const;  // "train.cpp:31"
    [[nodiscard]] const std::string& file(std::uint32_t file_id) const;

    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    [[nodiscard]] const std::vector<RunDevice>& devices() const { return devices_; }
    [[nodiscard]] std::size_t device_of_lane(std::size_t lane) const;
    // The first lane of this lane's stream: the lane itself, except for streams whose ops ran at the same time.
    [[nodiscard]] std::size_t stream_of_lane(std::size_t lane) const;
    [[nodiscard]] bool shares_stream(std::size_t lane) const;  // with another lane
    // The summed duration of the measured ops, less the time in which their streams were busy.
    [[nodiscard]] std::int64_t shared_ns() const;
    // The device whose memory holds the op's output.
    [[nodiscard]] std::size_t memory_device(const Op& op) const {
        const std::size_t device = device_of_lane(op.lane);
        return op.out_on_other_device && devices_.size() > 1 ? 1 - device : device;
    }
    // "GPU" or "CPU" where the run has several devices, else "".
    [[nodiscard]] std::string device_name(std::size_t device) const;
    // Curves of one device; the run's own if there is only one.
    [[nodiscard]] const Curve& live_bytes(std::size_t device) const;
    [[nodiscard]] const Curve& pending_bytes(std::size_t device) const;
    [[nodiscard]] const Curve& reserved_bytes(std::size_t device) const;
    // The device whose ops a wait was for: the wait's device, or where its target's last writer or its only op ran;
    // -1 if it was for all devices, or unknown.
    [[nodiscard]] int device_of(const Wait& wait) const;
    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }  // in the order of issue
    [[nodiscard]] const std::vector<DriverEvent>& driver_events() const { return driver_events_; }
    [[nodiscard]] const std::vector<Cost>& costs() const { return costs_; }
    [[nodiscard]] const Holds& holds() const { return holds_; }
    [[nodiscard]] const Waits& waits() const { return waits_; }
    [[nodiscard]] const std::vector<Work>& works() const { return works_; }  // in their order
    [[nodiscard]] const std::vector<Scope>& scopes() const { return scopes_; }
    [[nodiscard]] const std::vector<Minibatch>& minibatches() const { return minibatches_; }
    // Of ops; ops without an issue are marked.
    [[nodiscard]] const SpanIndex& issue_index() const { return issue_index_; }
    // The wait that the frontend was in at the last update(), up to that time. Not in waits() yet.
    [[nodiscard]] const std::optional<Wait>& open_wait() const { return open_wait_; }
    // Element `index` of waits(); the open wait for index waits().size(); null otherwise.
    [[nodiscard]] const Wait* wait_at(std::size_t index) const {
        return index < waits_.size() ? &waits_[index] : index == waits_.size() && open_wait_ ? &*open_wait_ : nullptr;
    }
    // The op that the lane was executing at the last update(); for a run that was cut off, at its end. Null if the
    // lane was idle, or if its ops are reported only when they end (GPU).
    [[nodiscard]] const Running* running(std::size_t lane) const {
        return lane < running_.size() && running_[lane].op != 0 ? &running_[lane] : nullptr;
    }
    // The time up to which it is known whether the lane ran an op: the begin of the op that it is executing; the
    // end of its last op if further issued ops have not ended for unknown reasons (the run was cut off, or it is
    // still running and ops are reported only when they end); else the end.
    [[nodiscard]] std::int64_t recorded_until_ns(std::size_t lane) const;
    // The run failed, was stopped, or its file ends before all issued ops had ended: its full duration is unknown.
    [[nodiscard]] bool cut_off() const;
    // When the op's execution began: as recorded, or as observed while the op is running. kPending: not yet.
    [[nodiscard]] std::int64_t begun_ns(OpId id) const;
    [[nodiscard]] const SpanIndex& wait_index() const { return wait_index_; }
    [[nodiscard]] const KindSums& wait_kinds() const { return wait_kinds_; }  // by trace::WaitKind
    [[nodiscard]] const SpanIndex& work_index() const { return work_index_; }
    [[nodiscard]] const SpanIndex& launch_index() const { return launch_index_; }
    // Number of ops issued and not finished. Each counts from the end of its issue, or from its begin where a lane
    // was faster than the return of the call, to its end.
    [[nodiscard]] const Curve& headway() const { return headway_; }
    [[nodiscard]] const Curve& live_bytes() const { return live_; }
    [[nodiscard]] const Curve& pending_bytes() const { return pending_; }
    [[nodiscard]] const Curve& resident_bytes() const { return resident_; }
    [[nodiscard]] const Curve& reserved_bytes() const { return reserved_; }  // reserved by the device's allocator

    // The latest time in the trace; while the frontend waits, the latest time written by the recorder's own thread.
    [[nodiscard]] std::int64_t now_ns() const { return last_ns_; }
    [[nodiscard]] std::int64_t measure_begin_ns() const;  // the program's mark, or the first record
    [[nodiscard]] std::int64_t end_ns() const;            // end of the program, or now
    [[nodiscard]] std::uint64_t lost_records() const;     // did not fit into the recording

    // The ops of a composite op, in the order of execution; empty for other ops.
    [[nodiscard]] std::span<const Part> parts(OpId id) const;

    // The measured part: from the program's first mark to its last one, or the whole run.
    struct Measured {
        std::int64_t begin_ns = 0, end_ns = 0;
        OpId first = 1, last = 0;                   // ops [first, last]
        std::size_t first_wait = 0, waits_end = 0;  // waits [first_wait, waits_end)
        bool begin_marked = false, end_marked = false;
    };
    [[nodiscard]] Measured measured() const;

    // The ops that had to end before this op could start: producers of its inputs, and readers and writers of what
    // it overwrites. Direct ones, ascending.
    [[nodiscard]] std::vector<OpId> dependencies(OpId id) const;
    // A faster variant for callers that visit all ops: in any order, perhaps with duplicates, in a vector that is
    // reused.
    void dependencies(OpId id, std::vector<OpId>& into) const;
    // The same ops, each with its reason; of several reasons, the first in DependencyKind's order.
    [[nodiscard]] std::vector<Dependency> dependencies_with_reasons(OpId id) const;
    // The unfinished ops that a wait was for, at its begin: those of its target and all that these depend on.
    // Ascending, at most `limit`; `count`, if given, receives the full count. Over all waits of a run the cost is
    // proportional to the ops. For a wait for a value or one device at most `most` ops are searched, in no
    // particular order, and only these are counted.
    [[nodiscard]] std::vector<OpId> caused_by(const Wait& wait, std::size_t limit = 1000, std::size_t* count = nullptr,
                                              std::size_t most = SIZE_MAX) const;

    // When all ops up to this one had ended (with `device`: those on that device); kPending if some never did.
    [[nodiscard]] std::int64_t finish_ns(OpId through, int device = -1) const;

    // For exporters.
    [[nodiscard]] std::vector<MoreOutput> more_outputs(OpId id) const;
    [[nodiscard]] std::vector<BufferId> more_inputs(OpId id) const;  // inputs besides in0 and in1
    [[nodiscard]] std::size_t signature_count() const { return signatures_.size(); }
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }
    [[nodiscard]] std::optional<std::int64_t> program_end_ns() const;
    [[nodiscard]] trace::ClockKind clock() const;
    [[nodiscard]] double recorder_ns_per_op() const;
    // Calls call(buffer, ns, ops issued before) for each tensor that the program dropped, in order.
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

    // Calls call(buffer, ns) for at most about `most` drops, starting with index `first`. Returns the index of the
    // next one; `first` if there are no more.
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

    // The frontend's time for issuing the op; 0 if it was issued by the same launch as the previous op.
    [[nodiscard]] std::int64_t issue_ns(OpId id) const;
    // How long the learner paused the run in the measured part, and the duration of that part without it. As in
    // Numbers, but fast.
    [[nodiscard]] std::int64_t paused_ns() const;
    // The pauses in one wait, within the measured part.
    [[nodiscard]] std::int64_t paused_in(const Wait& wait, const Measured& part) const;
    [[nodiscard]] std::int64_t total_ns() const;
    // Visits all measured ops, see numbers_walk.h.
    [[nodiscard]] Numbers numbers() const;
    // Updates total, number of ops and peaks of earlier numbers, without visiting the ops.
    void renew(Numbers& numbers) const;
    // The largest value of one of the curves in the measured part, at least 0.
    [[nodiscard]] std::uint64_t measured_peak(const Curve& curve) const;
    [[nodiscard]] std::vector<LineCost> line_costs() const;  // by line, ascending; the measured part

private:
    friend class NumbersWalk;
    struct Intake;  // state of update()
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
    void take_issue(const trace::IssueRecord& record);
    void take_more_inputs(const trace::MoreInputsRecord& record);
    void take_more_output(const trace::MoreOutputRecord& record);
    void take_wait(const trace::WaitRecord& record);
    void take_work(const trace::WorkRecord& record);
    void take_program_event(const trace::FrontendRecord& record);
    void take_exec(std::size_t lane, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns);
    void look_at_open_wait();
    void look_at_running_ops();
    // (metadata.cpp)
    void take_metadata();
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
    std::optional<ProcessEnd> process_end_;
    std::optional<RunEnd> recorded_end_;  // of a trace file
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
    std::array<std::uint32_t, 256> open_ops_{};  // by lane number: issued and not ended
    std::vector<Work> works_;
    std::vector<Scope> scopes_;
    std::vector<Minibatch> minibatches_;
    Curve headway_, live_, pending_, resident_, reserved_;
    SpanIndex issue_index_, launch_index_, wait_index_, work_index_;
    KindSums wait_kinds_;
    std::int64_t first_ns_ = kPending, last_ns_ = 0, last_exec_ns_ = 0;
    std::int64_t program_end_ns_ = kPending;
    std::int64_t measure_begin_ns_ = kPending, measure_end_ns_ = kPending;
    OpId measure_begin_op_ = 0, measure_end_op_ = 0;  // ops issued before the mark
    bool any_issued_ = false;                         // at least one issue was recorded, not only executions
    std::size_t measure_begin_wait_ = 0, measure_end_wait_ = 0;
    std::uint32_t rescaled_ = 0;
    double ns_per_tick_ = 0;  // 0: not known yet
    bool scale_final_ = false;
    bool closed_ = false;
    std::unique_ptr<Dependencies> dependencies_;
    std::unique_ptr<Intake> intake_;
};

}  // namespace headway::model
