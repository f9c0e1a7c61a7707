// The devices of a run, their lanes, and the names that sentences, rows and reports give them.
//
// In another program's trace the ops of one stream may have run at the same time; such a stream has several lanes.
//
// Threads: any that may read the run.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/run/run.h"

namespace headway::model {

[[nodiscard]] std::size_t device_of_lane(const Run& run, std::size_t lane);
// The first lane of this lane's stream: the lane itself, except for streams whose ops ran at the same time.
[[nodiscard]] std::size_t stream_of_lane(const Run& run, std::size_t lane);
[[nodiscard]] bool shares_stream(const Run& run, std::size_t lane);  // with another lane
// The summed duration of a stream's measured ops, less the time in which the stream was busy: by the stream's first
// lane, and of all streams. Empty if no stream has several lanes.
[[nodiscard]] std::vector<std::int64_t> shared_by_stream(const Run& run);
[[nodiscard]] std::int64_t shared_ns(const Run& run);
// The device whose memory holds the op's output.
[[nodiscard]] std::size_t memory_device(const Run& run, const Op& op);
// The device whose ops a wait was for: the wait's device, or where its target's last writer or its only op ran; -1 if
// it was for all devices, or unknown.
[[nodiscard]] int device_of(const Run& run, const Wait& wait);

// "CPU" and "GPU", or "GPU 1" if there are several, where the run has several devices; else "".
[[nodiscard]] std::string device_name(const Run& run, std::size_t device);
// The same in a sentence: "the CPU", "the GPU", "GPU 1".
[[nodiscard]] std::string device_phrase(const Run& run, std::size_t device);
// A lane by its name: "Stream 1", or with several GPUs, each of which has one, "Stream 1 of GPU 0"; "Worker 0".
[[nodiscard]] std::string stream_name(const Run& run, std::size_t lane);
// "both devices", "all 5 devices"; "" if there is one.
[[nodiscard]] std::string all_devices(const Run& run);
// "simulated", or "simulated:1" where the run has several GPUs. For reports.
[[nodiscard]] std::string device_word(const Run& run, std::size_t device);

// The measured copies that a link had begun to carry by this time.
struct CopySum {
    std::uint64_t copies = 0, bytes = 0;
};
[[nodiscard]] CopySum copies_on(const Run& run, const Link& link, std::int64_t before_ns);

[[nodiscard]] std::size_t gpu_count(const Run& run);
// Of a simulated GPU, relative to its cost model; 1 for other devices.
[[nodiscard]] double speed_of(const Run& run, std::size_t device);
// The costs of a simulated device; null if the recording does not contain them.
[[nodiscard]] const devices::CostModel* costs_of(const Run& run, std::size_t device);
// Curves of one device; the run's own if there is only one.
[[nodiscard]] const Curve& live_bytes(const Run& run, std::size_t device);
[[nodiscard]] const Curve& pending_bytes(const Run& run, std::size_t device);
[[nodiscard]] const Curve& reserved_bytes(const Run& run, std::size_t device);

}  // namespace headway::model
