#include "engine/runtime/op_queue.h"

namespace headway::runtime {

using core::ErrorKind;

namespace {

// `text` as a JSON string.
std::string json_string(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

// Not for the first device: the recording has its metadata before the run begins.
void record_device(const devices::Device& device, trace::Recording& recording) {
    const devices::DeviceInfo& info = device.info();
    std::string json = "{\"kind\":" + json_string(info.kind) + ",\"name\":" + json_string(info.name) +
                       ",\"simulated\":" + (info.simulated ? "true" : "false") +
                       ",\"first_lane\":" + std::to_string(device.first_lane()) + ",\"lanes\":[";
    for (std::size_t i = 0; i < info.lane_names.size(); ++i) {
        json += (i > 0 ? "," : "") + json_string(info.lane_names[i]);
    }
    recording.meta(trace::MetaType::device, device.number(), json + "]}");
}

}  // namespace

OpQueue::OpQueue(devices::Device& device, trace::Recording& recording, const Settings& with)
    : OpQueue(std::make_shared<devices::DeviceSet>(device), recording, with) {}

OpQueue::OpQueue(devices::DeviceSet& devices, trace::Recording& recording, const Settings& with)
    : OpQueue(std::shared_ptr<devices::DeviceSet>(std::shared_ptr<void>(), &devices), recording, with) {}

OpQueue::OpQueue(std::shared_ptr<devices::DeviceSet> devices, trace::Recording& recording, const Settings& with)
    : settings(with),
      lanes(std::move(devices)),
      lines(recording),
      recorder(lanes.device(0), recording, lines, settings),
      memory(this, lanes, lines, recorder, settings.free_policy),
      signatures(recording, lines, memory.pool(0), settings.seed),
      scheduler(lanes),
      control(lanes, lines, recorder, memory, settings),
      streams(*this),
      graphs(*this, settings.gather),
      opaque(*this),
      waits(*this),
      events(*this) {
    memory.set_streams(streams);
    if (settings.program_streams) {
        streams.begin();
    }
    for (core::DeviceId device = 1; device < lanes.devices(); ++device) {
        record_device(lanes.device(device), recording);
    }
}

OpQueue::~OpQueue() {
    recorder.record_totals(recorder.now());
    graphs.discard();
    lanes.set().hold(false);
    for (std::uint32_t lane = 0; lane < lanes.count(); ++lane) {
        lanes.wait(lane, lanes.submitted()[lane]);
    }
}

Buffer* OpQueue::issue(const Operation& operation) {
    std::uint64_t called = operation.begin;
    if (control.acts_before_issue()) [[unlikely]] {
        if (control.gathers() && graphs.takes(operation)) {
            return graphs.gather(operation);
        }
        control.before_issue();
        called = 0;  // before_issue() may have waited, and that is not part of the issue
    }
    const devices::Signature& signature = *operation.signature;
    core::DeviceId home = 0;  // whose memory the output is in
    bool other_memory = false;
    if (lanes.devices() > 1) [[unlikely]] {
        home = operation.memory;
        other_memory = operation.device != home;
    }
    const auto times = recorder.begin_issue(called != 0 ? called : recorder.called());
    const bool fresh = operation.out == nullptr && signature.out_bytes != 0;
    if (fresh) {
        memory.expect_room(home, signature.out_bytes, signature, recorder.issued() + 1);
    }
    recorder.expect_room_for_op();

    Placement placement;
    const bool program_streams = streams.active();
    if (program_streams) [[unlikely]] {
        streams.place(operation, placement);
    } else if (lanes.count() > 1) {
        scheduler.place(operation, placement);
    }
    const std::uint32_t lane = placement.lane;

    Buffer* out = operation.out;
    if (fresh) {
        float* data = memory.take(signature, home, lane, recorder.issued() + 1);
        out = memory.new_buffer(signature, home);
        out->data = data;
    }
    if (placement.waits > 1) [[unlikely]] {
        scheduler.submit_waits(placement);
    }

    devices::Device& device = lanes.device_of(lane);
    devices::Command& command = device.slot(lane);
    command = devices::Command();
    const std::uint32_t seq = lanes.next(lane);
    const core::OpId op = recorder.next_op();
    if (program_streams) [[unlikely]] {
        streams.issue(operation, out, op, lane, seq);
    }
    // The program may have forgotten to order the readers so far, so a later free must still wait for them.
    const std::uint32_t cleared = program_streams ? 0 : lanes.count();
    fill_command(command, operation, out, fresh, {op, lane, seq, cleared, lines.short_number()});
    if (placement.waits > 0) {
        command.wait_lane = static_cast<std::uint8_t>(placement.wait_lane[0]);
        command.wait_seq = placement.wait_seq[0];
    }
    if (memory.lazy()) [[unlikely]] {
        command.flags |= devices::kLazyOperands;
    }
    if (other_memory) [[unlikely]] {
        command.flags |= devices::kOutOnCpu;
    }
    const std::array<core::BufferId, 3> buffers{command.out_id, command.in0_id, command.in1_id};
    device.publish(lane);

    recorder.end_issue(times, signature, fresh, other_memory, lane, lines.current(), buffers);
    if (control.after_issue(lane, seq)) [[unlikely]] {
        streams.host_waited(lane, seq, op);
    }
    if (program_streams) [[unlikely]] {
        streams.issued(operation, lane);
    }
    if (recorder.issued() % RunControl::kLookAtQueueEvery == 0) [[unlikely]] {
        control.limit_queue(lane, seq);
    }
    return fresh ? out : nullptr;
}

const Entry& OpQueue::find_entry(const SignatureKey& key) {
    auto found = signatures.find(key);
    if (!found) {
        lines.raise(ErrorKind::shape, found.error().message);
    }
    return **found;
}

void OpQueue::refuse_operand(const Tensor& a, const char* op) const {
    if (!a.defined()) {
        lines.raise(ErrorKind::shape, std::string(op) + ": an operand is undefined");
    }
    if (a.buffer()->queue != this) {
        lines.raise(ErrorKind::shape, std::string(op) + ": an operand belongs to another run");
    }
    lines.raise(ErrorKind::failed, std::string(op) +
                                       ": an operand has no values: it was made while a function was "
                                       "traced, or by ops for which there was no memory");
}

core::DeviceId OpQueue::cpu() {
    auto found = lanes.set().cpu();
    if (!found) {
        lines.raise(ErrorKind::unavailable, found.error().message);
    }
    const devices::Device& device = **found;
    if (device.number() >= lanes.devices()) {
        lanes.add_device();
        memory.add_device(device.number());
        record_device(device, recorder.recording());
        control.read();  // sets the new device's budget
    }
    return device.number();
}

core::DeviceId OpQueue::gpu(std::uint32_t index) {
    if (gpus() == 0) {
        lines.raise(ErrorKind::unavailable,
                    "this run is on the device cpu and has no GPU: choose the device cuda or simulated");
    }
    if (index >= gpus()) {
        lines.raise(ErrorKind::unavailable,
                    "there is no GPU " + std::to_string(index) + ": this run has " +
                        (gpus() == 1 ? "one GPU, with the index 0"
                                     : std::to_string(gpus()) + " GPUs, from 0 to " + std::to_string(gpus() - 1)));
    }
    return static_cast<core::DeviceId>(index);
}

}  // namespace headway::runtime
