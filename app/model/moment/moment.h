// A run as it was at one moment: where the frontend is, and each lane's queue. Computed by binary searches, so that a
// moment of a run of ten million ops is found within a frame.
//
// Of the ops that were folded only sums are left: they count, and are not listed.
//
// Threads: one; the run must not be updated at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

struct LaneMoment {
    OpId running = 0;           // 0: none
    std::uint64_t done = 0;     // ops that have ended
    std::uint64_t queued = 0;   // issued, not begun
    std::vector<OpId> waiting;  // the first of these, in the lane's order
};

struct Moment {
    std::int64_t ns = 0;
    // What the frontend does: it issues an op, waits, computes by itself, or is between two of these.
    OpId issuing = 0;
    int wait = -1;        // index for Run::wait_at()
    int work = -1;        // index into Run::works()
    bool ended = false;   // the program has ended
    core::Line line = 0;  // where it is: of the op, wait or work that it is in, else of the last one that has begun
    std::uint64_t issued = 0;  // ops whose issue has ended
    std::vector<LaneMoment> lanes;
    std::uint64_t headway = 0, live_bytes = 0, pending_bytes = 0;
};

// The run at `ns`, in the run's time, after the events at exactly `ns`. At most `most_waiting` ops are listed for each
// lane. The ops that the lanes of a growing run have not executed yet are among them.
[[nodiscard]] Moment moment_at(const Run& run, std::int64_t ns, std::size_t most_waiting = 8);

// The events that a run is stepped through: an issue ends, an op begins or ends, a wait begins or ends. The time of the
// next one after `ns`, of the last one before it; empty: there is none.
[[nodiscard]] std::optional<std::int64_t> next_event_ns(const Run& run, std::int64_t ns);
[[nodiscard]] std::optional<std::int64_t> previous_event_ns(const Run& run, std::int64_t ns);
// How many events have happened at `ns`. Folded ops count once for each part that was folded.
[[nodiscard]] std::uint64_t events_until(const Run& run, std::int64_t ns);

// The ops that this op still needs at `ns`: its dependencies that have not ended.
[[nodiscard]] std::vector<OpId> needs_at(const Run& run, OpId op, std::int64_t ns);

// What the frontend does: "Line 6 waits in print for #4 add."
[[nodiscard]] std::string frontend_sentence(const Run& run, const Moment& moment);
// What the lanes do: "Worker 0 runs #2 fill; 2 ops are queued."
[[nodiscard]] std::string backend_sentence(const Run& run, const Moment& moment);

}  // namespace headway::model
