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

    // The op is issued from `begin_ns` to `end_ns`, in the order of ids.
    virtual void issue(OpId id, std::int64_t begin_ns, std::int64_t end_ns) = 0;
    // Drops matter where they go through the lanes (the free policy `lazy`).
    [[nodiscard]] virtual bool needs_drops() const { return false; }
    virtual void drop(BufferId /*buffer*/, std::int64_t /*ns*/) {}
    // At this moment the frontend begins to wait: when everything that it waits for has ended, kPending where that is
    // not known.
    virtual std::int64_t finish(const Wait& wait, std::int64_t now_ns) = 0;
    // Under a queue limit: from when this op may be issued. Only where works_out_limit() is true.
    [[nodiscard]] virtual bool works_out_limit() const { return false; }
    virtual std::int64_t room_for(OpId /*id*/, std::int64_t now_ns) { return now_ns; }
    virtual void end() {}
    [[nodiscard]] virtual WhatIfRun::Times times(OpId id) const = 0;  // after end()

protected:
    Backend() = default;
};

// Ops stay in their lanes, with the durations and hand-overs that were recorded.
std::unique_ptr<Replay::Backend> make_recorded_backend(const Run& run, const Replay::Wish& wish);
// Of the simulated device. Null where the run is none, or does not say what its ops cost.
std::unique_ptr<Replay::Backend> make_simulated_backend(const Run& run);

}  // namespace headway::model
