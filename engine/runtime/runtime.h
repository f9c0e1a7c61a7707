// The ops of a run. Each member issues one op and returns at once; the result's values exist once the op has run.
//
// Shape errors are thrown at the call (ProgramError). Execution errors propagate with the buffers and are thrown by the
// first wait that needs them.
//
// Threads: one frontend thread owns a Runtime and makes all calls. The watching process reads the recording and writes
// to its Control block; it never accesses a Runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/core/system/process_limits.h"
#include "engine/runtime/op_queue.h"

namespace headway::runtime {

enum class Side { normal, transposed };

class Runtime : public OpQueue {
public:
    using OpQueue::OpQueue;

    Tensor full(const Shape& shape, float value);
    Tensor ones(const Shape& shape) { return full(shape, 1.0f); }
    Tensor normal(const Shape& shape, float mean = 0.0f, float deviation = 1.0f);
    Tensor randn(const Shape& shape) { return normal(shape); }
    Tensor uniform(const Shape& shape, float low = 0.0f, float high = 1.0f);
    Tensor from_host(const Shape& shape, std::span<const float> values);

    // Kinds of Arity::two (engine/devices/op_table.h), with NumPy's broadcasting.
    Tensor binary(devices::OpKind kind, const Tensor& a, const Tensor& b);
    // Kinds of Arity::one_and_scalar.
    Tensor with_scalar(devices::OpKind kind, const Tensor& a, float b);
    // Kinds of Arity::one.
    Tensor unary(devices::OpKind kind, const Tensor& a) { return with_scalar(kind, a, 0.0f); }
    Tensor add_scaled(const Tensor& a, const Tensor& b, float scale);  // a + scale·b, same shapes
    Tensor matmul(const Tensor& a, const Tensor& b, Side side_a = Side::normal, Side side_b = Side::normal);
    // sum mean max over one axis (negative counts from the end), or over all.
    Tensor reduce(devices::OpKind kind, const Tensor& a, std::optional<int> axis = {}, bool keep_dimension = false);
    Tensor transpose(const Tensor& a, int axis0 = 0, int axis1 = 1);
    Tensor slice(const Tensor& a, std::int64_t start, std::int64_t rows);  // rows of axis 0, as a copy
    Tensor reshape(const Tensor& a, const Shape& shape);                   // a view, no op

    // In place: add sub mul (tensor, broadcast to a's shape, or scalar), add_scaled. All views of `a` change.
    void binary_in_place(devices::OpKind kind, const Tensor& a, const Tensor& b);
    void with_scalar_in_place(devices::OpKind kind, const Tensor& a, float b);
    void add_scaled_in_place(const Tensor& a, const Tensor& b, float scale);
    void assign_slice(const Tensor& a, std::int64_t start, const Tensor& rows);

    // The same values on `device`: issues a copy op, or returns `a` itself if it is on that device.
    Tensor to_device(const Tensor& a, core::DeviceId device);
    // Overwrites `to` with the values of `from`, which must have the same shape; both may be on any device.
    void copy_into(const Tensor& to, const Tensor& from);

    void noop();
    // Runs `function(command, context)` on a lane after the values of `reads` exist; the result has shape `shape`. For
    // tests and for ops of a given length. `context` must live until the op has run.
    Tensor host_call(devices::HostFunction function, void* context, const Tensor& reads, const Shape& shape);

    void waitall() { waits.everything(trace::WaitKind::waitall, "waitall"); }

private:
    // `begin`: when the program called.
    Tensor issue_fresh(std::uint64_t begin, const Entry& entry, Buffer* in0 = nullptr, Buffer* in1 = nullptr,
                       std::uint64_t payload = 0);
    void issue_in_place(std::uint64_t begin, const Entry& entry, Buffer* out, Buffer* in1, std::uint64_t payload);
    // Ops of two tensors: with a new result, or into `a`.
    Tensor of_two(devices::OpKind kind, std::uint16_t flags, const Tensor& a, const Tensor& b,
                  std::uint64_t payload = 0);
    void change(devices::OpKind kind, const Tensor& a, const Tensor& b, std::uint64_t payload = 0);
    Tensor random_values(devices::OpKind kind, const Shape& shape, float a, float b);
    void check_room_for_products();
    Operation crossing(const Tensor& from, core::DeviceId to);
    // Each throws ProgramError if its argument does not suit `op`.
    ShapeId checked(const Shape& shape, const char* op);
    int checked_axis(const Tensor& a, int axis, const char* op);
    std::int64_t checked_rows(const Tensor& a, std::int64_t start, std::int64_t rows, const char* op);
    void expect_together(const Buffer& in0, const Buffer& in1, const Tensor& a, const Tensor& b, devices::OpKind kind) {
        if (in0.device != in1.device) [[unlikely]] {
            refuse_devices(a, b, kind);
        }
    }
    [[noreturn, gnu::noinline]] void refuse_devices(const Tensor& a, const Tensor& b, devices::OpKind kind);

    bool room_for_products_ = !core::addresses_are_limited();
};

}  // namespace headway::runtime
