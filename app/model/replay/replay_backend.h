// The lanes of a replay. Private to replay.cpp and its backends.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>

#include "app/model/replay/replay.h"

namespace headway::model {

class Replay::Backend {
public:
    virtual ~Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    // Issues the op from `begin_ns` to `end_ns`; called in the order of ids.
    virtual void issue(OpId id, std::int64_t begin_ns, std::int64_t end_ns) = 0;
    // True if drops go through the lanes (free policy `lazy`).
    [[nodiscard]] virtual bool needs_drops() const { return false; }
    virtual void drop(BufferId /*buffer*/, std::int64_t /*ns*/) {}
    // The frontend begins to wait at `now_ns`. Returns when everything that it waits for has ended; kPending if
    // unknown.
    virtual std::int64_t finish(const Wait& wait, std::int64_t now_ns) = 0;
    // When the frees of memory that finish() waits for had ended in the recording, as far as drop() knows.
    [[nodiscard]] virtual std::int64_t recorded_frees_ns(const Wait& /*wait*/) const { return INT64_MIN; }
    // Under a queue limit: the time from which this op may be issued. Only if works_out_limit() is true.
    [[nodiscard]] virtual bool works_out_limit() const { return false; }
    virtual std::int64_t room_for(OpId /*id*/, std::int64_t now_ns) { return now_ns; }
    virtual void end() {}
    [[nodiscard]] virtual WhatIfRun::Times times(OpId id) const = 0;  // after end()

protected:
    Backend() = default;
};

// Ops stay in their lanes, with the recorded durations and hand-overs.
std::unique_ptr<Replay::Backend> make_recorded_backend(const Run& run, const Replay::Options& options);
// Follows the simulated device's rules. Null if the run is not simulated or does not contain the costs of its ops.
std::unique_ptr<Replay::Backend> make_simulated_backend(const Run& run);

}  // namespace headway::model
