// A recorded run: ops with their times, lanes, waits with their causes, curves and numbers. Read from the trace
// alone, also while the trace is still being written.
//
// Threads: one while update(), close(), process_ended() or a setting of folding changes it; else any number may read.
//
// Run has many public functions because panels, analyses and exporters all read a run through it: an accessor for each
// list, curve and index that update() fills. A question that these can answer is a function elsewhere (queries.h,
// devices.h, app/model/numbers, app/model/analysis).
//
// Times are nanoseconds from the start of the run, on the trace's clock; kPending for events that have not happened
// yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/containers/blocks.h"
#include "app/model/containers/curve.h"
#include "app/model/containers/holds.h"
#include "app/model/containers/kind_sums.h"
#include "app/model/containers/span_index.h"
#include "app/model/description/description.h"
#include "app/model/description/events.h"
#include "app/model/description/frontend_time.h"
#include "app/model/description/program_output.h"
#include "app/model/run/program_time.h"
#include "app/model/run/run_end.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/frontend_records.h"
#include "engine/trace/reader.h"

namespace headway::model {

class Folding;
class Restoring;
struct SavedFolds;
struct Tally;

class Run {
public:
    explicit Run(std::unique_ptr<trace::Reader> reader);
    // A folded run from a trace file: the recording contains what the file lists event by event.
    Run(std::unique_ptr<trace::Reader> reader, std::unique_ptr<SavedFolds> folds);
    ~Run();
    // Opens the same recording again, with nothing taken yet: for another thread, which may read at the same time
    // as this one and may outlive it. Null if a part of the recording was given back or is only in a file as sums.
    [[nodiscard]] bool can_be_read_again() const { return !reader_->gave_back() && restoring_ == nullptr; }
    [[nodiscard]] std::unique_ptr<Run> another() const {
        return can_be_read_again() ? std::make_unique<Run>(reader_->another()) : nullptr;
    }

    // Takes new records, for about `budget_ms` of work (0: all of them). True if more are left.
    bool update(double budget_ms = 0);
    // "reading the recording, 43 %": the share of the ops' records that update() has taken.
    [[nodiscard]] std::string reading_text() const;
    // How the program's process ended, if that is known. Call before close().
    void process_ended(const ProcessEnd& end) { process_end_ = end; }
    // The runner has ended: nothing more will be recorded. Open ends are closed at the latest time seen.
    void close();
    // How it ended, and what is missing. Once it is closed. What a recording says itself counts only where the process
    // is not known: else the program may have written it.
    [[nodiscard]] RunEnd end() const {
        return recorded_end_ && !process_end_ && !info_.file_cut_off ? *recorded_end_ : run_end(*this, process_end_);
    }

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

    // A long run keeps its beginning, its end, what surrounds the start and the end of measuring, and ops that failed.
    // The rest is folded (folding.h), in these parts, ascending. Their ops, waits and work are counted in all numbers
    // and sums.
    [[nodiscard]] const std::vector<FoldedPart>& folded_parts() const { return folded_parts_; }
    [[nodiscard]] std::uint64_t folded_ops() const;
    [[nodiscard]] const Folding* folding() const { return folding_.get(); }  // null: nothing was folded
    // What the file said, if the run is one of those that were folded before they were saved; else null.
    [[nodiscard]] const SavedFolds* saved() const;
    [[nodiscard]] bool is_folded(OpId id) const { return ops_.is_folded(id - 1); }
    // Whether the wait is in one of the folded parts; some of these can still be read.
    [[nodiscard]] bool is_folded_wait(std::size_t index) const;
    // The first op from `id` on that is not folded.
    [[nodiscard]] OpId next_known(OpId id) const;
    // Folds when more ops than this are in memory; a quarter of them, the first ones, are never folded. Call before
    // update().
    void fold_beyond(std::size_t ops) { fold_beyond_ = ops; }
    // While a walk over the ops is in progress, folding would make it stale: it then waits until a quarter more ops are
    // in memory.
    void postpone_folding(bool postpone) { postpone_folding_ = postpone; }
    static constexpr std::size_t kFoldBeyond = std::size_t{1} << 21;
    [[nodiscard]] const Signature& signature(std::uint16_t id) const;
    [[nodiscard]] std::string line_text(core::Line line) const;  // "train.cpp:31"
    [[nodiscard]] const std::string& file(std::uint32_t file_id) const;

    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    [[nodiscard]] const std::vector<RunDevice>& devices() const { return devices_; }
    // Of a simulated machine with several GPUs; empty for other runs, and once ops of the run were folded.
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }
    [[nodiscard]] const Events<Launch>& launches() const { return launches_; }  // by their begin
    [[nodiscard]] const std::vector<DriverEvent>& driver_events() const { return driver_events_; }
    [[nodiscard]] const std::vector<Cost>& costs() const { return costs_; }
    [[nodiscard]] const Holds& holds() const { return holds_; }
    // The learner's pauses, and the holds that the frontend waited through: of the waits that have ended. `lane` is
    // unused.
    [[nodiscard]] const Holds& pauses() const { return pauses_; }
    // Without the learner's pauses and holds, from where measuring began: the time axis of a timeline.
    [[nodiscard]] const ProgramTime& program_time() const { return program_time_; }
    // Whether, at the last update(), the learner had paused the frontend, or held the lanes that it waited for.
    [[nodiscard]] bool stopped_by_learner() const;
    // What is not in holds() yet: the learner holds the lanes that the frontend waits for. `lane` is unused.
    [[nodiscard]] const std::optional<Hold>& open_hold() const { return open_hold_; }
    // Whether the learner ever paused, stepped or slowed the run, or held lanes.
    [[nodiscard]] bool paused_or_held() const {
        return any_paused_ || !holds_.list().empty() || (open_wait_ && open_wait_->kind == trace::WaitKind::paused);
    }
    [[nodiscard]] const Waits& waits() const { return waits_; }
    [[nodiscard]] const Events<Work>& works() const { return works_; }  // in their order
    [[nodiscard]] const ProgramOutput& program_output() const { return program_output_; }
    [[nodiscard]] const Events<Scope>& scopes() const { return scopes_; }
    [[nodiscard]] const Events<Minibatch>& minibatches() const { return minibatches_; }
    // Of ops; ops without an issue are flagged.
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
    // The time up to which it is known whether the lane ran an op: the start of the op that it is executing; the
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
    // Number of ops issued and not finished. Each counts from the end of its issue, or from its start where a lane
    // was faster than the return of the call, to its end.
    [[nodiscard]] const Curve& headway() const { return headway_; }
    [[nodiscard]] const Curve& live_bytes() const { return live_; }
    [[nodiscard]] const Curve& pending_bytes() const { return pending_; }
    [[nodiscard]] const Curve& resident_bytes() const { return resident_; }
    [[nodiscard]] const Curve& reserved_bytes() const { return reserved_; }  // reserved by the device's allocator

    // The latest time in the trace; while the frontend waits, the latest time written by the keeper thread.
    [[nodiscard]] std::int64_t now_ns() const { return last_ns_; }
    [[nodiscard]] std::int64_t measure_begin_ns() const;  // where measuring begins, or the first record
    [[nodiscard]] std::int64_t end_ns() const;            // end of the program, or now
    [[nodiscard]] std::uint64_t lost_records() const;     // did not fit into the recording

    // The ops of a composite op, in the order of execution; empty for other ops.
    [[nodiscard]] std::span<const Part> parts(OpId id) const;

    // The measured part: without a warm-up and what follows the end of measuring; else the whole run.
    struct Measured {
        std::int64_t begin_ns = 0, end_ns = 0;
        OpId first = 1, last = 0;                   // ops [first, last]
        std::size_t first_wait = 0, waits_end = 0;  // waits [first_wait, waits_end)
        bool has_begin = false, has_end = false;    // whether something is left out before, behind
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
    // What the program's streams order, and what they do not: the races; by the later op, ascending.
    [[nodiscard]] const std::vector<trace::OrderRecord>& orders() const { return orders_; }
    [[nodiscard]] bool has_races() const { return has_races_; }
    // Whether the program chooses the lanes of its ops on this device, from this op on: they are streams of the run's
    // first device or of a further GPU.
    [[nodiscard]] bool program_chose(OpId id, std::size_t device) const {
        return !orders_.empty() && orders_.front().kind == trace::OrderKind::begin && id >= orders_.front().op &&
               (device == 0 || devices_[device].kind != "cpu");
    }
    // For exporters.
    [[nodiscard]] std::vector<MoreOutput> more_outputs(OpId id) const;
    [[nodiscard]] std::vector<BufferId> more_inputs(OpId id) const;  // inputs besides in0 and in1
    [[nodiscard]] std::size_t signature_count() const { return signatures_.size(); }
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }
    [[nodiscard]] std::optional<std::int64_t> program_end_ns() const;
    [[nodiscard]] trace::ClockKind clock() const;
    [[nodiscard]] double recorder_ns_per_op() const;
    // Calls call(buffer, ns, ops issued before) for each tensor that the program dropped, in order; of a folded run,
    // after the last folded part only.
    template <class Call>
    void each_drop(Call call) const {
        const trace::StreamId drops{trace::StreamKind::drops, 0};
        for (std::uint64_t i = first_drop(); i < reader_->size(drops);) {
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

private:
    friend class NumbersWalk;
    friend struct Tally;
    friend class Folding;
    friend class Restoring;
    struct Intake;  // state of update()
    class Dependencies;

    // (run.cpp)
    void refresh_scale();
    void forget();
    [[nodiscard]] std::int64_t ns_from_ticks(std::uint64_t ticks) const;
    [[nodiscard]] std::int64_t end_of(std::uint64_t begin, std::uint32_t duration) const;
    void take_the_rest();
    void give_back();
    void settle();
    void see(std::int64_t ns);  // raises last_ns_ to the time of an event
    // (now.cpp)
    void look_at_open_wait();
    void look_at_running_ops();
    void look_at_open_hold();
    // (stream_intake.cpp)
    bool take_frontend(std::uint64_t end, std::int64_t& horizon_ns);
    bool take_lanes(std::int64_t horizon_ns);
    bool take_drops(std::uint64_t end, std::int64_t horizon_ns);
    void take_samples();
    void take_reserved_of_devices(const trace::SampleRecord& sum);
    void take_transfers();
    void take_launches();
    void take_driver_events();
    void take_costs();
    void take_holds();
    void take_orders();
    // (records.cpp)
    [[nodiscard]] OpId op_waited_for(const Wait& wait, OpId through) const;
    void count_headway();
    void take(const trace::FrontendRecord& record);
    void take_issue(const trace::IssueRecord& record);
    [[nodiscard]] std::uint32_t links_of(const Op& op) const;
    void take_more_inputs(const trace::MoreInputsRecord& record);
    void take_more_output(const trace::MoreOutputRecord& record);
    void take_wait(const trace::WaitRecord& record);
    void add_wait(Wait wait);
    void end_open_wait();
    void take_work(const trace::WorkRecord& record);
    void take_program_event(const trace::FrontendRecord& record);
    void take_exec(std::size_t lane, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns);
    // (folding.cpp)
    void fold();
    [[nodiscard]] std::size_t most_ops() const;  // in memory
    [[nodiscard]] std::uint64_t first_drop() const;
    // (metadata.cpp)
    void take_metadata();
    void take_run(std::string_view json);
    void take_device(std::size_t number, std::string_view json);
    [[nodiscard]] const std::string& string(std::uint16_t id) const;
    std::unique_ptr<trace::Reader> reader_;
    RunInfo info_;
    std::optional<RunError> error_;
    std::optional<ProcessEnd> process_end_;
    std::optional<RunEnd> recorded_end_;  // of a trace file
    std::string result_;
    std::vector<Signature> signatures_;
    std::vector<std::string> strings_, files_;
    Foldable<Op> ops_;
    std::vector<Lane> lanes_;
    std::vector<RunDevice> devices_;
    std::vector<Link> links_;
    Events<Launch> launches_;
    std::vector<DriverEvent> driver_events_;
    std::vector<Cost> costs_;
    Holds holds_;
    Holds pauses_{SIZE_MAX};  // slow motion pauses after each op
    ProgramTime program_time_;
    Waits waits_;
    std::optional<Wait> open_wait_;
    std::optional<Hold> open_hold_;
    std::vector<Running> running_;               // by lane
    std::array<std::uint32_t, 256> open_ops_{};  // by lane number: issued and not ended
    Events<Work> works_;
    ProgramOutput program_output_;
    Events<Scope> scopes_;
    Events<Minibatch> minibatches_;
    Curve headway_, live_, pending_, resident_, reserved_;
    SpanIndex issue_index_, launch_index_, wait_index_, work_index_;
    KindSums wait_kinds_;
    std::int64_t first_ns_ = kPending, last_ns_ = 0, last_exec_ns_ = 0;
    std::int64_t program_end_ns_ = kPending;
    std::int64_t measure_begin_ns_ = kPending, measure_end_ns_ = kPending;
    OpId measure_begin_op_ = 0, measure_end_op_ = 0;  // ops issued before it
    bool any_issued_ = false;                         // at least one issue was recorded, not only executions
    bool any_paused_ = false;                         // waits_ has a pause
    std::size_t measure_begin_wait_ = 0, measure_end_wait_ = 0;
    std::uint32_t rescaled_ = 0;
    double ns_per_tick_ = 0;  // 0: not known yet
    bool scale_final_ = false;
    bool closed_ = false;
    std::vector<trace::OrderRecord> orders_;
    bool has_races_ = false;
    std::unique_ptr<Dependencies> dependencies_;
    std::unique_ptr<Intake> intake_;
    std::size_t fold_beyond_ = kFoldBeyond;
    bool postpone_folding_ = false;
    std::vector<FoldedPart> folded_parts_;
    std::unique_ptr<Folding> folding_;      // null: nothing was folded
    std::unique_ptr<Restoring> restoring_;  // null: not from the file of a folded run
};

}  // namespace headway::model
