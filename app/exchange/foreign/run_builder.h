// Collects the contents of a run from a trace of any kind, before it is written as a recording: files may be in any
// order, but recordings need the frontend's order.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/model/run/run.h"
#include "app/model/run/saved_folds.h"
#include "engine/core/result.h"

namespace headway::exchange {

// A list for each kind of record of a recording.
struct RunBuilder {
    struct Op {
        std::int64_t issue_begin_ns = 0, issue_end_ns = 0;
        core::Line line = 0, forward_line = 0;
        core::BufferId out = 0, in0 = 0, in1 = 0;
        std::uint16_t signature = 0;
        std::uint8_t lane = 0;
        std::uint8_t flags = 0;  // trace::kFreshOutput …
        bool known = false;      // false: this op is missing in the file
    };
    struct Exec {
        std::int64_t begin_ns = 0, end_ns = 0;
        core::OpId op = 0;
        bool failed = false;
    };
    struct Running {  // when the run was cut off
        std::uint32_t lane = 0;
        core::OpId op = 0;
        std::int64_t begin_ns = 0;
    };
    struct MoreInput {
        core::OpId op = 0;
        core::BufferId buffer = 0;
    };
    struct Part {  // of a composite op
        std::int64_t begin_ns = 0, end_ns = 0;
        core::OpId op = 0;
        std::uint16_t signature = 0;
    };
    struct Drop {
        std::int64_t ns = 0;
        core::BufferId buffer = 0;
        core::OpId after = 0;
    };
    struct Output {
        std::int64_t ns = 0;
        core::OpId issued = 0;  // ops issued before it
        std::uint8_t stream = 1;
        std::string text;
    };
    struct Sample {
        std::int64_t ns = 0;
        std::uint64_t resident_bytes = 0, live_bytes = 0, reserved_bytes = 0;
        std::uint64_t second_device_bytes = 0;  // the second device's part of reserved_bytes
    };
    struct Device {
        std::string kind, name;
        bool simulated = false;
        std::uint32_t first_lane = 0, lanes = 0;
    };

    model::RunInfo info;
    trace::ClockKind clock = trace::ClockKind::recorded_ns;
    trace::RunState state = trace::RunState::finished;
    double recorder_ns_per_op = 0;
    std::uint64_t lost_records = 0;
    std::vector<std::string> files;               // by id, 0 unused; at most core::kMostFiles more
    std::vector<model::Signature> signatures;     // by id, 0 unused
    std::vector<std::string> lane_names;          // at most core::kMaxTraceLanes, of all devices
    std::vector<Device> more_devices;             // other than the one in `info`; at most core::kMaxDevices - 1
    std::vector<Op> ops;                          // op 1 first
    std::vector<MoreInput> more_inputs;           // in the order of the ops
    std::vector<model::MoreOutput> more_outputs;  // in the order of the ops
    std::vector<std::vector<Exec>> lanes;         // in the order of execution
    std::vector<Running> running;                 // at most one of a lane
    std::vector<std::vector<Part>> parts;         // by lane, in the order of their ops
    std::vector<model::Launch> launches;          // in the order of the ops
    std::vector<model::DriverEvent> driver;       // in order
    std::vector<model::Wait> waits;               // in order; `target_op` unused
    std::vector<model::Work> works;               // in order
    std::vector<Output> output;                   // in order
    std::vector<model::Scope> scopes;             // in the order of their begins
    std::vector<model::Minibatch> minibatches;    // in the order of their begins
    std::vector<Drop> drops;                      // in order
    std::vector<model::Cost> costs;               // in order
    std::vector<model::Hold> holds;
    std::vector<trace::OrderRecord> orders;  // by op, ascending
    std::vector<Sample> samples;             // in order
    model::Run::Measured measured;           // if has_begin, has_end
    std::int64_t program_end_ns = model::kPending;
    std::string error_json, result_json, end_json;  // "" for none
    // Of a run that was folded; else null. `ops` and the other lists then lack what was folded, but the numbers of ops
    // count all of them.
    std::unique_ptr<model::SavedFolds> folds;
    // How many ops of the run precede element `place` of `ops`; at `ns`, if a folded part begins there.
    [[nodiscard]] core::OpId ops_before(std::size_t place, std::int64_t ns) const;
};

// Writes a recording in memory. Consumes `builder` step by step, so that peak memory is less than both together.
core::Result<std::unique_ptr<trace::Reader>> record(RunBuilder&& builder);

}  // namespace headway::exchange
