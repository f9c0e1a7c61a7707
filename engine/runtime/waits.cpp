#include "engine/runtime/waits.h"

#include <algorithm>

#include "engine/runtime/op_queue.h"
#include "engine/trace/newest_first.h"

namespace headway::runtime {

using trace::WaitKind;

namespace {

// All devices of the run share it.
devices::Poison& poison_of(const OpQueue& queue) {
    return queue.lanes.device(0).poison();
}

}  // namespace

// Ops that a wait may depend on must be issued first.
void Waits::prepare(std::string_view name) {
    queue_.control.expect_own_process();
    queue_.control.attend_if_asked();
    if (queue_.control.gathers()) [[unlikely]] {
        if (queue_.graphs.tracing()) {
            queue_.lines.raise(core::ErrorKind::failed,
                               std::string(name) + ": values are not available while a function is traced");
        }
        queue_.graphs.issue_gathered();
    }
}

void Waits::commands(const IssuedSoFar& issued, WaitKind kind, std::string_view name) {
    commands_alone(issued, kind, name);
    deliver_any_failure();
}

void Waits::commands_alone(const IssuedSoFar& issued, WaitKind kind, std::string_view name) {
    queue_.control.expect_own_process();
    const WaitEvent event{kind, name, 0, issued.last, issued.device_flag};
    const auto begun = queue_.recorder.begin_wait(event);
    queue_.lanes.wait(issued.seqs, issued.begin, issued.end);
    queue_.lanes.device_of(issued.begin).wait_returned();
    queue_.recorder.end_wait(begun, event);
    queue_.streams.host_waited(issued.seqs, issued.begin, issued.end, issued.last);
    for (std::uint32_t lane = issued.begin; lane < issued.end; ++lane) {
        expect_run(lane, issued.seqs[lane]);
    }
}

void Waits::stream(const StreamPoint& point, std::string_view name) {
    prepare(name);
    const WaitEvent event{WaitKind::synchronize, name, trace::kWaitForLane | point.lane, point.op};
    const auto begun = queue_.recorder.begin_wait(event);
    if (point.seq != 0) {
        queue_.lanes.wait_until_seen(point.lane, point.seq);
    }
    queue_.lanes.device_of(point.lane).wait_returned();
    queue_.recorder.end_wait(begun, event);
    queue_.streams.host_waited(point);
    expect_run(point.lane, point.seq);
    deliver_any_failure();
}

void Waits::everything(WaitKind kind, std::string_view name) {
    commands(issued_so_far(name), kind, name);
}

void Waits::everything_undelivered(WaitKind kind, std::string_view name) {
    commands_alone(issued_so_far(name), kind, name);
}

IssuedSoFar Waits::issued_so_far(std::string_view name, std::optional<core::DeviceId> device) {
    prepare(name);
    IssuedSoFar issued{queue_.lanes.submitted(), queue_.recorder.issued(), 0, queue_.lanes.count()};
    if (device && queue_.lanes.devices() > 1) {
        issued.begin = queue_.lanes.begin(*device);
        issued.end = queue_.lanes.end(*device);
        issued.device_flag = trace::wait_for_device(*device);
    }
    return issued;
}

bool Waits::finished(const IssuedSoFar& issued) {
    queue_.control.expect_own_process();
    queue_.control.attend_if_asked();
    for (std::uint32_t lane = issued.begin; lane < issued.end; ++lane) {
        if (issued.seqs[lane] != 0 && !queue_.lanes.finished(lane, issued.seqs[lane])) {
            return false;
        }
        expect_run(lane, issued.seqs[lane]);
    }
    queue_.streams.host_waited(issued.seqs, issued.begin, issued.end, issued.last);
    return true;
}

void Waits::until_finished(const IssuedSoFar& issued, WaitKind kind, std::string_view name) {
    prepare(name);
    commands(issued, kind, name);
}

void Waits::device(core::DeviceId device, WaitKind kind, std::string_view name) {
    if (queue_.lanes.devices() == 1) {
        everything(kind, name);
        return;
    }
    const IssuedSoFar issued = issued_so_far(name, device);
    queue_.streams.host_waits_for_lanes(issued.begin, issued.end);
    commands(issued, kind, name);
}

void Waits::to_read(const Tensor& a, WaitKind kind, std::string_view name) {
    prepare(name);
    const Buffer& buffer = *queue_.buffer_of(a, "wait_to_read");
    const WaitEvent event{kind, name, buffer.id};
    const auto begun = queue_.recorder.begin_wait(event);
    if (buffer.write_seq != 0) {
        queue_.lanes.wait_until_seen(buffer.write_lane, buffer.write_seq);
    }
    queue_.lanes.device_of(buffer.write_lane).wait_returned();
    queue_.recorder.end_wait(begun, event);
    queue_.streams.host_waited(buffer.write_lane, buffer.write_seq, buffer.write_op);
    expect_run(buffer.write_lane, buffer.write_seq);
    deliver_failure_of(buffer.id);
}

// If the device has only one lane, waits for everything submitted to it; otherwise for the last command of this lane,
// and records a wait for `buffer`, or for the lane where the program uses streams of its own.
void Waits::for_stream(std::uint32_t lane, core::BufferId buffer, WaitKind kind, std::string_view name) {
    devices::Device& device = queue_.lanes.device_of(lane);
    WaitEvent event{kind, name, buffer};
    if (device.lanes() == 1) {
        event.target = 0;
        event.through = queue_.recorder.issued();
        event.device_flag = queue_.lanes.devices() > 1 ? trace::wait_for_device(device.number()) : std::uint8_t{0};
    } else if (queue_.streams.governs(device.number())) {
        event.target = trace::kWaitForLane | lane;
        event.through = queue_.streams.last_op(lane);
    }
    const std::uint32_t last = queue_.lanes.submitted()[lane];
    const auto begun = queue_.recorder.begin_wait(event);
    queue_.lanes.wait_until_seen(lane, last);
    device.wait_returned();
    queue_.recorder.end_wait(begun, event);
    queue_.streams.host_waits_for_lanes(lane, lane + 1);
    queue_.streams.host_waited(lane, last, queue_.recorder.issued());
    expect_run(lane, last);
    deliver_failure_of(buffer);
}

void Waits::in_stream(const Tensor& a, WaitKind kind, std::string_view name) {
    prepare(name);
    const Buffer& buffer = *queue_.buffer_of(a, "copy");
    for_stream(buffer.write_lane, buffer.id, kind, name);
}

void Waits::in_lane(std::uint32_t lane, core::BufferId buffer, core::OpId op, WaitKind kind, std::string_view name) {
    prepare(name);
    for_stream(lane, buffer, kind, name);
    if (poison_of(queue_).any()) [[unlikely]] {
        deliver(poison_of(queue_).failure_at(op));
    }
}

std::vector<float> Waits::to_host(const Tensor& a, WaitKind kind, std::string_view name) {
    to_read(a, kind, name);
    std::vector<float> values(static_cast<std::size_t>(a.elements()));
    if (!values.empty()) {
        queue_.lanes.device(a.device()).read(values.data(), queue_.memory.data_of(*a.buffer()), values.size());
        deliver_failure_of(a.buffer_id());  // the device may have been lost during the read
    }
    return values;
}

float Waits::item(const Tensor& a, std::string_view name) {
    if (a.elements() != 1) {
        queue_.lines.raise(core::ErrorKind::shape,
                           "item: a tensor of shape " + to_string(a.shape()) + " is not one number");
    }
    return to_host(a, WaitKind::item, name)[0];
}

std::vector<float> Waits::read_in_stream(const Tensor& a, WaitKind kind, std::string_view name) {
    prepare(name);
    const Buffer& buffer = *queue_.buffer_of(a, "copy");
    std::vector<float> values(static_cast<std::size_t>(a.elements()));
    Operation operation;
    operation.signature = &queue_.entry_for({devices::OpKind::copy_to_host, kToProgram, a.shape_id(), 0, 0}).signature;
    operation.in0 = a.buffer();
    operation.device = operation.memory = buffer.device;
    operation.values = values.data();
    const LaneSeqs before = queue_.lanes.submitted();
    queue_.issue(operation);  // if it throws, the copy was not submitted
    const LaneSeqs& after = queue_.lanes.submitted();
    const auto lane =
        static_cast<std::uint32_t>(std::mismatch(after.begin(), after.end(), before.begin()).first - after.begin());
    // The copy writes to this memory until it has run, also if the wait throws.
    UntilFinished<std::vector<float>>& kept = queue_.memory.host_values();
    kept.keep(lane, after[lane], std::move(values));
    for_stream(lane, buffer.id, kind, name);
    return kept.take_last(lane);
}

// --- failures ---

void Waits::expect_run(std::uint32_t lane, std::uint32_t seq) const {
    if (seq != 0 && poison_of(queue_).left_out(lane, seq)) [[unlikely]] {
        throw ProgramError(stopped_error());
    }
}

bool Waits::any_failure() const {
    return poison_of(queue_).any();
}

void Waits::deliver_failure_of(core::BufferId buffer) {
    devices::Poison& poison = poison_of(queue_);
    if (!poison.any()) [[likely]] {
        return;
    }
    deliver(poison.failure_of(buffer));
}

void Waits::deliver(const std::optional<devices::OpFailure>& failure) {
    if (failure) {
        poison_of(queue_).set_delivered(failure->op);
        raise(*failure);
    }
}

void Waits::deliver_any_failure() {
    devices::Poison& poison = poison_of(queue_);
    if (!poison.any()) [[likely]] {
        return;
    }
    if (const auto failure = poison.first_undelivered()) {
        poison.set_all_delivered();
        raise(*failure);
    }
}

void Waits::raise(const devices::OpFailure& failure) const {
    const auto line = line_of(failure.op);
    const bool given_up = line == 0 && failure.op != 0 && queue_.lines.current() != 0;
    throw ProgramError(queue_.lines.error(
        failure.kind,
        failure.message + ", caused by op " + std::to_string(failure.op) + queue_.events.minibatch_text(failure.op) +
            (given_up ? " (its line is no longer in the recording)" : queue_.lines.text(line)),
        line, failure.op));
}

// Failures are rare, so an op's line is looked up in the trace instead of being stored a second time.
core::Line Waits::line_of(core::OpId op) const {
    trace::Recording& recording = queue_.recorder.recording();
    if (op == 0 || recording.header().lost_records.load() != 0) {
        return 0;
    }
    core::OpId id = queue_.recorder.recorded();
    core::Line line = 0;
    trace::newest_first<trace::FrontendRecord>(recording, trace::kFrontendStream, [&](const auto& record) {
        if (static_cast<trace::FrontendKind>(record.kind & trace::kKindMask) == trace::FrontendKind::issue) {
            line = id == op ? record.line : 0;
            --id;
        }
        return line == 0 && id >= op;
    });
    return line;
}

}  // namespace headway::runtime
