// What a trace file keeps of a folded run (folding.h) besides the events that it lists one by one: the folded blocks,
// and the numbers of the whole run. A run that is read from such a file is put together from both.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/model/containers/curve.h"
#include "app/model/description/numbers.h"
#include "app/model/run/devices.h"
#include "app/model/run/run.h"
#include "app/model/run/tally.h"

namespace headway::model {

struct SavedFolds {
    // One folded block: the event that stands for all of its events, their times, and their sums.
    template <class Event>
    struct Block {
        std::size_t block = 0;
        Event whole{};
        std::int64_t begin_ns = 0, end_ns = 0;
        SpanSums sums;
        std::vector<KindSums::Sum> kinds;  // of lanes and waits
    };
    // A lane. Ops are folded in blocks of the run, a lane's spans in blocks of the lane. So at the edges of a folded
    // part there are spans whose ops are folded: only their times, families and some running totals by signature are
    // left.
    struct OfLane {
        std::vector<Block<OpId>> blocks;        // `whole`: the last op
        std::vector<devices::Family> families;  // of these spans, in order
        std::vector<KindSums::Total> totals;
    };

    std::vector<FoldedPart> parts;
    std::vector<Block<Op>> ops;
    std::vector<OfLane> lanes;
    std::vector<Block<Wait>> waits;
    std::vector<Block<Work>> works;
    std::vector<Block<Launch>> launches;
    std::vector<Block<Scope>> scopes;
    std::vector<Block<Minibatch>> minibatches;
    std::vector<std::pair<OpId, OpId>> minibatch_ops;  // first and last, of those that were not folded, in order
    std::vector<OpId> work_issued;                     // Work::issued of the work that was not folded, in order
    std::vector<OpId> wait_targets;                    // Wait::target_op of the waits that were not folded, in order
    std::vector<Curve> curves;                         // as in each_curve(); only when the file was read
    // Of the whole run. Not set by saved_folds().
    Numbers numbers;
    std::vector<LineCost> lines;
    std::vector<Tally::OfDevice> devices;
    std::vector<Tally::OfLink> links;

    [[nodiscard]] bool is_folded(OpId id) const;
    // How many ops before `id` were folded.
    [[nodiscard]] OpId folded_before(OpId id) const;
};

// Of a folded run that is closed.
[[nodiscard]] SavedFolds saved_folds(const Run& run);

// Calls call(name, unit, curve) for all curves of a run. The names are those of the trace's counters.
template <class Call>
void each_curve(const Run& run, Call call) {
    call("headway", "ops", run.headway());
    call("live bytes", "bytes", run.live_bytes());
    call("pending bytes", "bytes", run.pending_bytes());
    call("reserved bytes", "bytes", run.reserved_bytes());
    call("resident bytes", "bytes", run.resident_bytes());
    for (std::size_t device = 0; device < run.devices().size() && run.devices().size() > 1; ++device) {
        const std::string name = ", " + device_name(run, device);
        call(("live bytes" + name).c_str(), "bytes", live_bytes(run, device));
        call(("pending bytes" + name).c_str(), "bytes", pending_bytes(run, device));
        call(("reserved bytes" + name).c_str(), "bytes", reserved_bytes(run, device));
    }
}

// Calls call(name, value) for each of the numbers that a file keeps.
template <class Saved, class Call>
void each_saved_number(Saved& numbers, Call call) {
    call("paused_ns", numbers.paused_ns);
    call("warmup_ns", numbers.warmup_ns);
    call("blocked_ns", numbers.blocked_ns);
    call("backend_busy_ns", numbers.backend_busy_ns);
    call("backend_idle_ns", numbers.backend_idle_ns);
    call("backend_open_ns", numbers.backend_open_ns);
    call("lanes_ns", numbers.lanes_ns);
    call("op_issue_ns", numbers.op_issue_ns);
    call("recorded_work_ns", numbers.recorded_work_ns);
    call("recorder_ns", numbers.recorder_ns);
    call("launch_ns", numbers.launch_ns);
    call("recording_wait_ns", numbers.recording_wait_ns);
    call("parts", numbers.parts);
    auto& time = numbers.frontend;
    call("frontend_issue_ns", time.issue_ns);
    call("frontend_work_ns", time.work_ns);
    call("frontend_drop_ns", time.drop_ns);
    call("frontend_wait_ns", time.wait_ns);
    call("frontend_record_ns", time.record_ns);
    call("frontend_descheduled_ns", time.descheduled_ns);
    call("frontend_paused_ns", time.paused_ns);
    call("frontend_unnamed_ns", time.unnamed_ns);
    const auto spread = [&call](const std::string& name, auto& values) {
        call((name + "_p10_ns").c_str(), values.p10);
        call((name + "_median_ns").c_str(), values.median);
        call((name + "_p90_ns").c_str(), values.p90);
        call((name + "_most_ns").c_str(), values.most);
        call((name + "_count").c_str(), values.count);
    };
    spread("t1", numbers.t1);
    spread("t2", numbers.t2);
    spread("t3", numbers.t3);
    spread("record_each", time.record_each);
    spread("drop_each", time.drop_each);
}

// Puts the folded blocks of a run back to their places while its other events are taken.
class Restoring {
public:
    Restoring(Run& run, std::unique_ptr<SavedFolds> saved);

    // Call before an event of the frontend is taken: appends the folded blocks that come before it.
    void catch_up();
    void catch_up_launches();
    // Before a lane's op is taken.
    void catch_up(std::size_t lane);
    // For an executed op whose issue was folded.
    void take_edge(std::size_t lane, OpId id, bool failed, std::int64_t begin_ns, std::int64_t end_ns);
    // The target of the next wait, and how many ops had been issued before the next work.
    [[nodiscard]] OpId next_target();
    [[nodiscard]] OpId next_issued();
    // Call when everything was taken.
    void finish();

    [[nodiscard]] const SavedFolds& saved() const { return *saved_; }

private:
    void skip_in_intake(const Op& whole);
    void set_totals(std::size_t lane);

    struct Places {
        std::size_t block = 0, total = 0, family = 0;
    };
    Run& run_;
    std::unique_ptr<SavedFolds> saved_;
    std::size_t op_ = 0, wait_ = 0, work_ = 0, launch_ = 0, scope_ = 0, minibatch_ = 0, target_ = 0, issued_ = 0;
    std::vector<Places> lanes_;
};

}  // namespace headway::model
