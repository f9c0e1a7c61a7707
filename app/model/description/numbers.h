// The report's numbers of a run (docs/times.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/description/description.h"
#include "app/model/description/frontend_time.h"
#include "engine/core/ids.h"

namespace headway::model {

// What determines a run's total time (docs/times.md, "Regimes").
enum class Regime {
    // One side alone needs at least kBoundShare of the total:
    execution_bound,   // the busiest lane
    issue_bound,       // the frontend's issues and own work, if issuing is the larger part
    frontend_bound,    // the same, if the program's own work (NumPy, import, print …) is the larger part
    dependency_bound,  // a chain of ops that depend on each other
    about_equal,       // one does, and the other is within kEvenShare of it
    // No side does, and waits between frontend and lanes cost at least kWaitShare of the total:
    barrier_bound,  // because of barriers
    blocker_bound,  // because of waits that the program did not ask for: blockers, and those of the framework
    // If neither applies, the larger side is named nevertheless, provided that it needs at least kMostShare of the
    // total and clearly more than the other side.
    mixed,    // none of these
    unknown,  // no side does, and the trace does not contain what ops depend on
};
inline constexpr double kBoundShare = 0.85;
inline constexpr double kWaitShare = 0.15;
inline constexpr double kMostShare = 2.0 / 3;
// The factor that counts as "clearly more": between the costs of barriers and blockers, and between the two sides.
inline constexpr double kClearlyMore = 2;
// The chapter's formula is shown if unequal ops and the frontend's own work change its result by at most this.
inline constexpr double kFormulaShare = 0.1;
inline constexpr double kEvenShare = 0.05;  // less than the variation between two runs

// One part of the difference between the measured and the predicted total.
struct PredictionPart {
    const char* name;
    std::int64_t ns = 0;  // negative: the run was faster
};

// The report's numbers (docs/times.md), a member for each. All cover the measured part of the run, except warm-up.
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
    std::int64_t lanes_ns = 0;  // total_ns times the lanes that executed something in the measured part
    // As recorded: the issuing calls of all ops from begin to end, and the work sections that have records of their
    // own. `frontend` splits the frontend's time more finely.
    std::int64_t op_issue_ns = 0, recorded_work_ns = 0;
    std::int64_t recorder_ns = 0, launch_ns = 0;
    std::int64_t recording_wait_ns = 0;      // part of blocked_ns: the recording was full and held the frontend back
    double t1_ns = 0, t2_ns = 0, t3_ns = 0;  // medians
    // t3: for barriers and blockers, from the end of the last op that they waited for to their own end. Waits that
    // had nothing left to wait for are included only if there are no others.
    Spread t1, t2, t3;
    FrontendTime frontend;
    Regime regime = Regime::unknown;
    // Only for a run that has ended (prediction.h): predicted_ns and the parts add up to total_ns.
    bool predicted = false;
    std::int64_t predicted_ns = 0;
    std::vector<PredictionPart> prediction_parts;
    std::int64_t held_ns = 0;  // the part "held by the learner"
    // Time on the measured part's critical path spent in hand-overs: an op's dependencies were met, but its lane
    // had not started it. Empty if not computed: without a prediction, without dependencies, or of more
    // than kReplayed ops.
    std::optional<std::int64_t> handover_ns;
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

// "issue-bound", "execution-bound", "mixed" …; "" if it is not known: the trace lacks what it follows from, or the run
// issued no op, was cut off or has not ended.
[[nodiscard]] const char* regime_word(const Numbers& numbers);
[[nodiscard]] const char* word_of(Regime regime);
// The idle share of the time of all lanes that ran something; empty if none did.
[[nodiscard]] std::optional<double> idle_share(const Numbers& numbers);

struct LineCost {
    core::Line line = 0;
    // The line's share of op_issue_ns and recorded_work_ns.
    std::int64_t issue_ns = 0, blocked_ns = 0, recorded_work_ns = 0;
    std::uint64_t ops = 0;
    // Ops of backward passes that are gradients of this line's ops, and how long they executed. They were issued by the
    // line that called backward().
    std::uint64_t backward_ops = 0;
    std::int64_t backward_ns = 0;
};

}  // namespace headway::model
