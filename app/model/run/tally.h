// Sums over the waits, the own work, the ops and the launches of a run, added one by one.
//
// Threads: one.
#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "app/model/description/numbers.h"
#include "app/model/description/quantiles.h"
#include "app/model/run/run.h"

namespace headway::model {

// Large enough for every lane number, even in a damaged recording.
using LaneSet = std::bitset<256>;

// A member for each sum that Numbers is computed from.
struct Tally {
    // As in Numbers.
    std::int64_t paused_ns = 0, blocked_ns = 0, backend_busy_ns = 0, op_issue_ns = 0, recorded_work_ns = 0,
                 launch_ns = 0, recording_wait_ns = 0;
    std::uint64_t parts = 0;

    std::uint64_t full_waits = 0;  // waits for everything issued so far, each with new ops since the one before
    OpId last_full_wait = 0;       // ops issued before the last of them
    bool waits_between = false;    // there were waits of other kinds
    std::uint64_t issued = 0;      // ops with a known issue
    std::uint64_t records = 0;     // of ops, waits and work
    std::int64_t last_end_ns = 0;  // of the last of these
    LaneSet lanes_used;
    std::set<std::uint16_t> signatures;  // of the ops that have ended
    Quantiles issues, executions, returns, idle_returns;
    std::vector<std::int64_t> lane_busy_ns;  // by the first lane of its stream; within the measured part
    std::int64_t busy_in_pauses_ns = 0;      // of these
    // By device. Waits are assigned to the device whose ops they were for.
    struct OfDevice {
        std::uint64_t ops = 0, waits = 0;
        std::int64_t busy_ns = 0, waited_ns = 0, busy_in_pauses_ns = 0;
    };
    std::vector<OfDevice> devices;
    // By link of a machine with several GPUs: the copies that it carried.
    struct OfLink {
        std::uint64_t copies = 0, bytes = 0;
        std::int64_t busy_ns = 0;
        friend bool operator==(const OfLink&, const OfLink&) = default;
    };
    std::vector<OfLink> links;

    void add(const Run& run, const Run::Measured& part, const Wait& wait);
    void add(const Run::Measured& part, const Work& work);
    // `ended`: its execution counts, too.
    void add(const Run& run, const Run::Measured& part, OpId id, bool ended);
    void add(const Run::Measured& part, const Launch& launch);
    void merge(const Tally& other);

    LineCost& cost_of(core::Line line);
    [[nodiscard]] std::vector<LineCost> lines() const;  // by line, ascending
    [[nodiscard]] RecordedTime recorded() const;

private:
    OfDevice& device_at(std::size_t device);
    void add_copy(std::uint32_t links_used, const OfLink& copy);

    std::vector<LineCost> lines_;
    std::unordered_map<core::Line, std::size_t> index_of_line_;
    std::size_t last_line_ = 0;  // index of the one that was asked for last
};

}  // namespace headway::model
