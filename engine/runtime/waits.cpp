// Barriers and blockers, and the delivery of failures.
#include <algorithm>

#include "engine/runtime/buffer.h"
#include "engine/runtime/runtime.h"
#include "engine/trace/reader.h"

namespace headway::runtime {

using core::after;
using devices::Signature;
using memory::FreePolicy;
using trace::FrontendKind;
using trace::WaitKind;

std::uint16_t Runtime::wait_name(std::string_view name) {
    if (wait_name_id_ == 0 || name != wait_name_) {
        wait_name_ = name;
        wait_name_id_ = recording_.string_id(name);
    }
    return wait_name_id_;
}

std::uint64_t Runtime::begin_wait(WaitKind kind, std::string_view name, core::BufferId target, core::OpId through,
                                  std::uint8_t device_flag) {
    const auto begin = stamp();
    if (record_) {
        look_for_core(last_event_, begin, begin);
        trace::Header& header = recording_.header();
        header.wait_kind_name.store(static_cast<std::uint32_t>(kind) << 16 | wait_name(name),
                                    std::memory_order_relaxed);
        header.wait_line.store(line_, std::memory_order_relaxed);
        header.wait_target.store(target, std::memory_order_relaxed);
        header.wait_through.store(through == issued_ ? 0 : through, std::memory_order_relaxed);
        header.wait_device.store(static_cast<std::uint32_t>(device_flag) >> trace::kWaitDeviceShift,
                                 std::memory_order_relaxed);
        header.wait_begin.store(begin, std::memory_order_release);
    }
    return begin;
}

void Runtime::record_wait(std::uint64_t begin, WaitKind kind, std::string_view name, core::BufferId target,
                          core::OpId through, std::uint8_t device_flag) {
    if (!record_) {
        return;
    }
    core::order_ticks();  // the wait must not end before the work that it waited for
    const auto end = stamp();
    settle_work(begin);
    last_event_ = end;
    if (end - begin > long_) {
        costs_.forget_core();
    }
    recording_.header().wait_begin.store(0, std::memory_order_relaxed);
    record({begin, trace::pack_duration(end - begin), wait_name(name),
            static_cast<std::uint8_t>(static_cast<std::uint8_t>(FrontendKind::wait) | device_flag),
            static_cast<std::uint8_t>(kind), line_, target, issued_, through == issued_ ? 0 : through},
           end);
}

void Runtime::wait_lanes(const std::array<std::uint32_t, core::kMaxLanes>& seqs, std::uint32_t begin,
                         std::uint32_t end) {
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        if (seqs[lane] != 0 && !finished(lane, seqs[lane])) {
            device_of_lane(lane).wait(lane, seqs[lane]);
        }
    }
    device_of_lane(begin).wait_returned();
}

void Runtime::waitall() {
    wait_everything(WaitKind::waitall, "waitall");
}

// Ops that a wait may depend on must be issued first.
void Runtime::before_wait(std::string_view name) {
    if (forked_) [[unlikely]] {
        refuse_in_child();
    }
    attend_if_asked();
    if ((slow_ & kGathers) != 0) [[unlikely]] {
        if (tracing_) {
            raise(core::ErrorKind::failed, std::string(name) + ": values are not available while a function is traced");
        }
        issue_gathered();
    }
}

void Runtime::wait_everything(WaitKind kind, std::string_view name) {
    before_wait(name);
    const auto begin = begin_wait(kind, name, 0, issued_);
    wait_lanes(seq_, 0, lanes_);
    record_wait(begin, kind, name, 0, issued_);
    deliver_any_failure();
}

void Runtime::wait_device(core::DeviceId device, WaitKind kind, std::string_view name) {
    if (device_count_ == 1) {
        wait_everything(kind, name);
        return;
    }
    before_wait(name);
    const auto begin = begin_wait(kind, name, 0, issued_, trace::wait_for_device(device));
    wait_lanes(seq_, members_[device]->begin, members_[device]->end);
    record_wait(begin, kind, name, 0, issued_, trace::wait_for_device(device));
    deliver_any_failure();
}

void Runtime::wait_to_read(const Tensor& a, WaitKind kind, std::string_view name) {
    before_wait(name);
    const Buffer& buffer = *buffer_of(a, "wait_to_read");
    const auto begin = begin_wait(kind, name, buffer.id, 0);
    if (buffer.write_seq != 0) {
        device_of_lane(buffer.write_lane).wait(buffer.write_lane, buffer.write_seq);
        if (after(buffer.write_seq, seen_[buffer.write_lane])) {
            seen_[buffer.write_lane] = buffer.write_seq;
        }
    }
    device_of_lane(buffer.write_lane).wait_returned();
    record_wait(begin, kind, name, buffer.id, 0);
    deliver_failure(buffer.id);
}

float* Runtime::data_of(const Buffer& buffer) {
    return buffer.data != nullptr ? buffer.data : members_[buffer.device]->device.lazy_data(buffer.id);
}

std::vector<float> Runtime::to_host(const Tensor& a, WaitKind kind, std::string_view name) {
    wait_to_read(a, kind, name);
    std::vector<float> values(static_cast<std::size_t>(a.elements()));
    if (!values.empty()) {
        members_[a.buffer_->device]->device.read(values.data(), data_of(*a.buffer_), values.size());
        deliver_failure(a.buffer_->id);  // the device may have been lost during the read
    }
    return values;
}

std::vector<float> Runtime::read_in_stream(const Tensor& a, WaitKind kind, std::string_view name) {
    before_wait(name);
    const Buffer& buffer = *buffer_of(a, "copy");
    // The copy writes to this memory until it has run, also if this call throws.
    constexpr std::uint32_t kNever = 1u << 30;  // a sequence number that counts as unfinished
    staged_.push_back({0, seq_[0] + kNever, std::vector<float>(static_cast<std::size_t>(a.elements()))});
    Operation operation;
    operation.signature = &entry_for({devices::OpKind::copy_to_host, kToProgram, a.shape_, 0, 0}).signature;
    operation.in0 = a.buffer_;
    operation.device = operation.memory = buffer.device;
    operation.values = staged_.back().values.data();
    const auto before = seq_;
    issue(operation);
    const auto changed = std::mismatch(seq_.begin(), seq_.end(), before.begin()).first;
    const auto lane = static_cast<std::uint32_t>(changed - seq_.begin());
    staged_.back().lane = lane;
    staged_.back().seq = seq_[lane];
    wait_for_lane(lane, buffer, kind, name);
    std::vector<float> values = std::move(staged_.back().values);
    staged_.pop_back();
    return values;
}

void Runtime::wait_in_stream(const Tensor& a, WaitKind kind, std::string_view name) {
    before_wait(name);
    const Buffer& buffer = *buffer_of(a, "copy");
    wait_for_lane(buffer.write_lane, buffer, kind, name);
}

// If the device has only one lane, waits for everything submitted to it; otherwise for the last command of this lane,
// and records a wait for `buffer`.
void Runtime::wait_for_lane(std::uint32_t lane, const Buffer& buffer, WaitKind kind, std::string_view name) {
    devices::Device& device = device_of_lane(lane);
    const bool only = device.lanes() == 1;
    const std::uint8_t flag = device_count_ > 1 && only ? trace::wait_for_device(device.number()) : std::uint8_t{0};
    const core::BufferId target = only ? 0 : buffer.id;
    const auto begin = begin_wait(kind, name, target, only ? issued_ : 0, flag);
    device.wait(lane, seq_[lane]);
    if (after(seq_[lane], seen_[lane])) {
        seen_[lane] = seq_[lane];
    }
    device.wait_returned();
    record_wait(begin, kind, name, target, only ? issued_ : 0, flag);
    deliver_failure(buffer.id);
}

float Runtime::item(const Tensor& a, std::string_view name) {
    if (a.elements() != 1) {
        raise(core::ErrorKind::shape, "item: a tensor of shape " + to_string(a.shape()) + " is not one number");
    }
    return to_host(a, WaitKind::item, name)[0];
}

void Runtime::deliver_failure(core::BufferId buffer) {
    if (!device_.poison().any()) [[likely]] {
        return;
    }
    if (const auto failure = device_.poison().failure_of(buffer)) {
        device_.poison().set_delivered(failure->op);
        raise_failure(*failure);
    }
}

void Runtime::deliver_any_failure() {
    if (!device_.poison().any()) [[likely]] {
        return;
    }
    if (const auto failure = device_.poison().first_undelivered()) {
        device_.poison().set_all_delivered();
        raise_failure(*failure);
    }
}

void Runtime::raise_failure(const devices::OpFailure& failure) {
    const auto line = line_of_op(failure.op);
    throw ProgramError({failure.kind,
                        failure.message + ", detected at op " + std::to_string(failure.op) + at_line(line),
                        std::string(file_name(core::file_of(line))), core::number_of(line), failure.op});
}

void Runtime::raise(core::ErrorKind kind, std::string message) {
    const bool at_an_op = kind == core::ErrorKind::out_of_memory;
    throw ProgramError({kind, std::move(message) + at_line(line_), std::string(file_name(core::file_of(line_))),
                        core::number_of(line_), at_an_op ? issued_ + 1 : 0});
}

std::string Runtime::at_line(core::Line line) const {
    if (core::number_of(line) == 0) {
        return "";
    }
    return ", at " + std::string(file_name(core::file_of(line))) + ":" + std::to_string(core::number_of(line));
}

std::string Runtime::describe(const Signature& signature) const {
    return "op " + std::to_string(issued_ + 1) + ", " + devices::name_of(signature.kind) + " giving " +
           to_string(signature.out);
}

// Failures are rare, so an op's line is looked up in the trace instead of being stored a second time.
core::Line Runtime::line_of_op(core::OpId op) const {
    auto reader = recording_.reader();
    if (!reader || op == 0) {
        return 0;
    }
    (*reader)->poll();
    const trace::StreamId frontend{trace::StreamKind::frontend, 0};
    core::OpId seen = 0;
    for (std::uint64_t at = 0;;) {
        const auto records = (*reader)->records<trace::FrontendRecord>(frontend, at);
        if (records.empty()) {
            return 0;
        }
        for (const auto& record : records) {
            const auto kind = static_cast<FrontendKind>(record.kind & trace::kKindMask);
            if (kind == FrontendKind::issue && ++seen == op) {
                return record.line;
            }
        }
        at += records.size();
    }
}

}  // namespace headway::runtime
