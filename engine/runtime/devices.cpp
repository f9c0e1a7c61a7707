// Runs with several devices: adding a device, and copies between devices.
#include "engine/runtime/buffer.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

using core::ErrorKind;
using devices::OpKind;

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

}  // namespace

void Runtime::add_member(devices::Device& device) {
    // Reserves a resident huge page per lane before the program starts. A growing vector caused 80 page faults on the
    // frontend within 10,000 small ops, which took longer than the ops where page faults are expensive.
    constexpr std::size_t kPendingReserved = core::kHugePageBytes / sizeof(Pending);
    const core::DeviceId number = device_count_++;
    if (members_[number] == nullptr) {
        members_[number] = std::make_unique<Member>(device, &*members_[0]->pool);
    }
    Member& member = *members_[number];
    pool_[number] = &*member.pool;
    for (std::uint32_t lane = member.begin; lane < member.end; ++lane) {
        lane_device_[lane] = &device;
        if (!virtual_time_) {  // in virtual time page faults disturb no measurement
            pending_[lane].blocks.reserve(kPendingReserved);
        }
    }
    lanes_ = member.end;
}

core::DeviceId Runtime::cpu() {
    auto found = devices_.cpu();
    if (!found) {
        raise(ErrorKind::unavailable, found.error().message);
    }
    devices::Device& device = **found;
    if (device.number() >= device_count_) {
        HEADWAY_ASSERT(device.virtual_time() == virtual_time_, "the devices of a run have one clock");
        add_member(device);
        record_device(device);
        read_control();  // sets its budget
    }
    return device.number();
}

core::DeviceId Runtime::gpu() {
    if (device_.info().kind == "cpu") {
        raise(ErrorKind::unavailable,
              "this run is on the device cpu and has no GPU: choose the device cuda or simulated");
    }
    return 0;
}

// Only for devices that join later: the recording has the first device's metadata before the run begins.
void Runtime::record_device(const devices::Device& device) {
    const devices::DeviceInfo& info = device.info();
    std::string json = "{\"kind\":" + json_string(info.kind) + ",\"name\":" + json_string(info.name) +
                       ",\"simulated\":" + (info.simulated ? "true" : "false") +
                       ",\"first_lane\":" + std::to_string(device.first_lane()) + ",\"lanes\":[";
    for (std::size_t i = 0; i < info.lane_names.size(); ++i) {
        json += (i > 0 ? "," : "") + json_string(info.lane_names[i]);
    }
    recording_.meta(trace::MetaType::device, device.number(), json + "]}");
}

std::string Runtime::device_name(core::DeviceId device) {
    const devices::DeviceInfo& info = members_[device]->device.info();
    return std::string(devices::short_name(info)) + " (device " + info.kind + ")";
}

// Copies between the devices run in a lane of the GPU in both directions, because the CPU cannot access the GPU's
// memory.
Runtime::Operation Runtime::crossing(const Tensor& from, core::DeviceId to) {
    const bool to_cpu = members_[to]->device.info().kind == "cpu";
    Operation operation;
    operation.in0 = from.buffer_;
    operation.device = to_cpu ? from.buffer_->device : to;
    operation.memory = to;
    operation.signature = &entry_for({to_cpu ? OpKind::copy_to_host : OpKind::copy_to_device, 0, from.shape_, 0,
                                      to_cpu ? 0 : from.shape_})
                               .signature;
    return operation;
}

Tensor Runtime::to_device(const Tensor& a, core::DeviceId device) {
    const Buffer* buffer = buffer_of(a, "copy");
    if (buffer->device == device) {
        return a;
    }
    return Tensor(issue(crossing(a, device)), a.shape_);
}

void Runtime::copy_into(const Tensor& to, const Tensor& from) {
    Buffer* out = buffer_of(to, "copy");
    const Buffer* in = buffer_of(from, "copy");
    if (to.shape() != from.shape()) {
        raise(ErrorKind::shape, "copy: " + to_string(from.shape()) + " does not fit into " + to_string(to.shape()));
    }
    if (in == out) {
        return;
    }
    Operation operation;
    if (in->device != out->device) {
        operation = crossing(from, out->device);
    } else {
        operation.signature = &entry_for({OpKind::copy, 0, from.shape_, 0, 0}).signature;
        operation.in0 = from.buffer_;
        operation.device = operation.memory = out->device;
    }
    operation.out = out;
    issue(operation);
}

}  // namespace headway::runtime
