// Barriers and blockers: waits for everything, for a device, for one tensor, and for its values.
//
// Each wait is recorded under its kind and name. It then throws ProgramError for a failed op: a wait for a tensor the
// failure that spoiled it, other waits the first failure that no wait has delivered yet.
//
// Threads: the frontend only; no other call is made during a wait.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/runtime/frontend/frontend_recorder.h"
#include "engine/runtime/scheduling/lanes.h"
#include "engine/runtime/tensor.h"

namespace headway::runtime {

class OpQueue;
struct StreamPoint;

// What had been issued at a moment: the last command of each of the lanes [begin, end), and the last op.
struct IssuedSoFar {
    LaneSeqs seqs{};
    core::OpId last = 0;
    std::uint32_t begin = 0, end = 0;
    std::uint8_t device_flag = 0;  // as WaitEvent's
};

class Waits {
public:
    explicit Waits(OpQueue& queue) : queue_(queue) {}
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;

    void everything(trace::WaitKind kind, std::string_view name);
    // The same, but a failure stays for the next wait: for a caller that cannot raise it.
    void everything_undelivered(trace::WaitKind kind, std::string_view name);
    // All that has been issued up to now, on all devices or on one. `name` is for messages.
    [[nodiscard]] IssuedSoFar issued_so_far(std::string_view name, std::optional<core::DeviceId> device = {});
    // Whether all of it has finished. Does not wait.
    [[nodiscard]] bool finished(const IssuedSoFar& issued);
    // Waits until all of it has finished; what was issued later may still run.
    void until_finished(const IssuedSoFar& issued, trace::WaitKind kind, std::string_view name);
    // As until_finished(), without first issuing what is gathered in a graph.
    void commands(const IssuedSoFar& issued, trace::WaitKind kind, std::string_view name);
    // Waits for all commands submitted to one device, and so for their dependencies on other devices.
    void device(core::DeviceId device, trace::WaitKind kind, std::string_view name);
    // Waits for a moment in one of the program's streams.
    void stream(const StreamPoint& point, std::string_view name);
    void to_read(const Tensor& a, trace::WaitKind kind = trace::WaitKind::wait_to_read,
                 std::string_view name = "wait_to_read");
    // Waits for everything submitted to the lane of the op that writes `a`; see in_lane().
    void in_stream(const Tensor& a, trace::WaitKind kind, std::string_view name);

    // Waits for everything submitted to the lane so far, and delivers the failure that spoiled `buffer`, or the failure
    // of `op` itself: a failed copy to the program's memory spoils no buffer. If the lane's device has several lanes,
    // the wait is recorded as one for `buffer`.
    void in_lane(std::uint32_t lane, core::BufferId buffer, core::OpId op, trace::WaitKind kind, std::string_view name);

    // Blockers: wait for `a`, then copy its values out. item() is for tensors of one element.
    std::vector<float> to_host(const Tensor& a, trace::WaitKind kind = trace::WaitKind::numpy,
                               std::string_view name = "to_host");
    float item(const Tensor& a, std::string_view name = "item");
    // A blocker that reads the values with a copy op in the GPU's stream, and so waits for everything issued to that
    // stream. With several streams it waits for the copy and its dependencies only.
    std::vector<float> read_in_stream(const Tensor& a, trace::WaitKind kind, std::string_view name);

    // Whether any op has failed.
    [[nodiscard]] bool any_failure() const;
    // Throws the earliest failure that no wait has reported yet, if there is one.
    void deliver_any_failure();

private:
    void prepare(std::string_view name);
    void commands_alone(const IssuedSoFar& issued, trace::WaitKind kind, std::string_view name);  // delivers no failure
    // Throws that the run was stopped if the lane left out this command because of a stop: its output has no value.
    void expect_run(std::uint32_t lane, std::uint32_t seq) const;
    void deliver_failure_of(core::BufferId buffer);
    void deliver(const std::optional<devices::OpFailure>& failure);
    [[noreturn]] void raise(const devices::OpFailure& failure) const;
    [[nodiscard]] core::Line line_of(core::OpId op) const;
    void for_stream(std::uint32_t lane, core::BufferId buffer, trace::WaitKind kind, std::string_view name);

    OpQueue& queue_;
};

}  // namespace headway::runtime
