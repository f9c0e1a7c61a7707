// Ops check and infer shapes here, on the frontend, so that an error is reported at the line of the call.
#include <bit>

#include "engine/core/count_text.h"
#include "engine/core/system/lazy_memory.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

using core::ErrorKind;
using devices::OpKind;

namespace {

std::uint64_t pack(float a, float b = 0.0f) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(b)} << 32 | std::bit_cast<std::uint32_t>(a);
}

}  // namespace

ShapeId Runtime::checked(const Shape& shape, const char* op) {
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] <= 0) {
            lines.raise(ErrorKind::shape,
                        std::string(op) + ": the shape " + to_string(shape) + " has a side that is not positive");
        }
    }
    return signatures.intern(shape);
}

void Runtime::refuse_devices(const Tensor& a, const Tensor& b, OpKind kind) {
    lines.raise(ErrorKind::failed, std::string(devices::name_of(kind)) +
                                       ": expected all tensors to be on the same device, but found one of shape " +
                                       to_string(a.shape()) + " on " + lanes.name_of(a.device()) +
                                       " and one of shape " + to_string(b.shape()) + " on " +
                                       lanes.name_of(b.device()));
}

Tensor Runtime::issue_fresh(std::uint64_t begin, const Entry& entry, Buffer* in0, Buffer* in1, std::uint64_t payload) {
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.in0 = in0;
    operation.in1 = in1;
    operation.payload = payload;
    if (lanes.devices() > 1) [[unlikely]] {
        operation.device = operation.memory = in0 != nullptr ? in0->device : current_device();
    }
    return Tensor(issue(operation), entry.out);
}

void Runtime::issue_in_place(std::uint64_t begin, const Entry& entry, Buffer* out, Buffer* in1, std::uint64_t payload) {
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.in0 = out;
    operation.in1 = in1;
    operation.out = out;
    operation.payload = payload;
    operation.device = operation.memory = out->device;
    issue(operation);
}

Tensor Runtime::full(const Shape& shape, float value) {
    const std::uint64_t begin = recorder.called();
    return issue_fresh(begin, entry_for({OpKind::fill, 0, 0, 0, checked(shape, "full")}), nullptr, nullptr,
                       pack(value));
}

Tensor Runtime::random_values(OpKind kind, const Shape& shape, float a, float b) {
    const std::uint64_t begin = recorder.called();
    const Entry& entry = entry_for({kind, 0, 0, 0, checked(shape, devices::name_of(kind))});
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.payload = pack(a, b);
    operation.random_stream = random.next();
    operation.device = operation.memory = current_device();
    return Tensor(issue(operation), entry.out);
}

Tensor Runtime::normal(const Shape& shape, float mean, float deviation) {
    return random_values(OpKind::normal, shape, mean, deviation);
}

Tensor Runtime::uniform(const Shape& shape, float low, float high) {
    return random_values(OpKind::uniform, shape, low, high);
}

Tensor Runtime::from_host(const Shape& shape, std::span<const float> values) {
    const std::uint64_t begin = recorder.called();
    const Entry& entry = entry_for({OpKind::copy_to_device, 0, 0, 0, checked(shape, "from_host")});
    if (values.size() != static_cast<std::size_t>(entry.signature.elements)) {
        lines.raise(ErrorKind::shape,
                    "from_host: " + core::count_text(values.size()) + " values do not fill " + to_string(shape));
    }
    // The op reads a copy of the values that lives until the op has run, so the program may change its own values at
    // once.
    std::vector<float> copy(values.begin(), values.end());
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.host = copy.data();
    operation.device = operation.memory = current_device();
    Tensor result(issue(operation), entry.out);
    memory.host_values().keep(result.buffer()->write_lane, result.buffer()->write_seq, std::move(copy));
    return result;
}

Tensor Runtime::of_two(OpKind kind, std::uint16_t flags, const Tensor& a, const Tensor& b, std::uint64_t payload) {
    const std::uint64_t begin = recorder.called();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    Buffer* in1 = buffer_of(b, devices::name_of(kind));
    expect_together(*in0, *in1, a, b, kind);
    return issue_fresh(begin, entry_for({kind, flags, a.shape_id(), b.shape_id(), 0}), in0, in1, payload);
}

Tensor Runtime::binary(OpKind kind, const Tensor& a, const Tensor& b) {
    return of_two(kind, 0, a, b);
}

Tensor Runtime::add_scaled(const Tensor& a, const Tensor& b, float scale) {
    return of_two(OpKind::add_scaled, 0, a, b, pack(scale));
}

// OpenBLAS maps this much at a worker's first product, and if that fails it tries again for ever.
void Runtime::check_room_for_products() {
    constexpr std::size_t kBytesPerLane = std::size_t{128} << 20;
    if (!core::addresses_for(kBytesPerLane * lanes.count())) {
        lines.raise(
            ErrorKind::failed,
            "matmul: the address space of this process is limited (ulimit -v), and OpenBLAS needs 128 MiB of it "
            "for each worker: raise the limit");
    }
    room_for_products_ = true;
}

Tensor Runtime::matmul(const Tensor& a, const Tensor& b, Side side_a, Side side_b) {
    if (!room_for_products_) {
        check_room_for_products();
    }
    const auto flags = static_cast<std::uint16_t>((side_a == Side::transposed ? kTransposeA : 0) |
                                                  (side_b == Side::transposed ? kTransposeB : 0));
    return of_two(OpKind::matmul, flags, a, b);
}

Tensor Runtime::with_scalar(OpKind kind, const Tensor& a, float b) {
    const std::uint64_t begin = recorder.called();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    return issue_fresh(begin, entry_for({kind, 0, a.shape_id(), 0, 0}), in0, nullptr, pack(b));
}

int Runtime::checked_axis(const Tensor& a, int axis, const char* op) {
    const int rank = a.shape().rank;
    const int wanted = axis < 0 ? axis + rank : axis;
    if (wanted < 0 || wanted >= rank) {
        lines.raise(ErrorKind::shape,
                    std::string(op) + ": " + to_string(a.shape()) + " has no axis " + std::to_string(axis));
    }
    return wanted;
}

Tensor Runtime::reduce(OpKind kind, const Tensor& a, std::optional<int> axis, bool keep_dimension) {
    const std::uint64_t begin = recorder.called();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    int flags = kAllAxes;
    if (axis.has_value()) {
        flags = axis_flags(checked_axis(a, *axis, devices::name_of(kind))) | (keep_dimension ? kKeepDimension : 0);
    }
    return issue_fresh(begin, entry_for({kind, static_cast<std::uint16_t>(flags), a.shape_id(), 0, 0}), in0);
}

Tensor Runtime::transpose(const Tensor& a, int axis0, int axis1) {
    const std::uint64_t begin = recorder.called();
    Buffer* in0 = buffer_of(a, "transpose");
    const auto flags = axis_flags(checked_axis(a, axis0, "transpose"), checked_axis(a, axis1, "transpose"));
    return issue_fresh(begin, entry_for({OpKind::transpose, flags, a.shape_id(), 0, 0}), in0);
}

std::int64_t Runtime::checked_rows(const Tensor& a, std::int64_t start, std::int64_t rows, const char* op) {
    const Shape& shape = a.shape();
    if (shape.rank == 0 || start < 0 || rows < 1 || start > shape[0] - rows) {
        lines.raise(ErrorKind::shape, std::string(op) + ": rows " + std::to_string(start) + " to " +
                                          std::to_string(start + rows) + " are not all in " + to_string(shape));
    }
    return start * (shape.elements() / shape[0]);
}

Tensor Runtime::slice(const Tensor& a, std::int64_t start, std::int64_t rows) {
    const std::uint64_t begin = recorder.called();
    Buffer* in0 = buffer_of(a, "slice");
    const auto offset = checked_rows(a, start, rows, "slice");
    if (rows > 0xffff'ffffll) {
        lines.raise(ErrorKind::shape, "slice: more than 4294967295 rows");
    }
    return issue_fresh(begin, entry_for({OpKind::slice, 0, a.shape_id(), 0, static_cast<std::uint32_t>(rows)}), in0,
                       nullptr, static_cast<std::uint64_t>(offset));
}

void Runtime::change(OpKind kind, const Tensor& a, const Tensor& b, std::uint64_t payload) {
    const std::uint64_t begin = recorder.called();
    Buffer* out = buffer_of(a, devices::name_of(kind));
    Buffer* in1 = buffer_of(b, devices::name_of(kind));
    expect_together(*out, *in1, a, b, kind);
    issue_in_place(begin, entry_for({kind, kInPlace, a.shape_id(), b.shape_id(), 0}), out, in1, payload);
}

void Runtime::binary_in_place(OpKind kind, const Tensor& a, const Tensor& b) {
    if (a.buffer() == b.buffer() && a.shape_id() != b.shape_id()) {
        lines.raise(ErrorKind::shape,
                    std::string(devices::name_of(kind)) + " in place: the operands share memory but not their shape");
    }
    change(kind, a, b);
}

void Runtime::add_scaled_in_place(const Tensor& a, const Tensor& b, float scale) {
    change(OpKind::add_scaled, a, b, pack(scale));
}

void Runtime::with_scalar_in_place(OpKind kind, const Tensor& a, float b) {
    const std::uint64_t begin = recorder.called();
    Buffer* out = buffer_of(a, devices::name_of(kind));
    issue_in_place(begin, entry_for({kind, kInPlace, a.shape_id(), 0, 0}), out, nullptr, pack(b));
}

void Runtime::assign_slice(const Tensor& a, std::int64_t start, const Tensor& rows) {
    const std::uint64_t begin = recorder.called();
    Buffer* out = buffer_of(a, "assign_slice");
    Buffer* in1 = buffer_of(rows, "assign_slice");
    expect_together(*out, *in1, a, rows, OpKind::assign_slice);
    const Shape& from = rows.shape();
    Shape wanted = a.shape();
    if (wanted.rank != 0 && from.rank == wanted.rank) {
        wanted[0] = from[0];
    }
    if (wanted.rank == 0 || from != wanted || in1 == out) {
        lines.raise(ErrorKind::shape, "assign_slice: " + to_string(from) +
                                          (in1 == out ? " shares the memory of " : " does not fit into rows of ") +
                                          to_string(a.shape()));
    }
    const auto offset = checked_rows(a, start, from[0], "assign_slice");
    issue_in_place(begin, entry_for({OpKind::assign_slice, kInPlace, a.shape_id(), rows.shape_id(), 0}), out, in1,
                   static_cast<std::uint64_t>(offset));
}

void Runtime::noop() {
    Operation operation;
    operation.begin = recorder.called();
    operation.signature = &entry_for({OpKind::noop, 0, 0, 0, 0}).signature;
    operation.device = operation.memory = current_device();
    issue(operation);
}

Tensor Runtime::host_call(devices::HostFunction function, void* context, const Tensor& reads, const Shape& shape) {
    const std::uint64_t begin = recorder.called();
    const ShapeId read = reads.defined() ? reads.shape_id() : ShapeId{0};
    const Entry& entry = entry_for({OpKind::host_call, 0, 0, read, checked(shape, "host_call")});
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.in1 = reads.defined() ? buffer_of(reads, "host_call") : nullptr;
    operation.payload = std::bit_cast<std::uint64_t>(function);
    operation.host = static_cast<const float*>(context);
    operation.device = operation.memory = operation.in1 != nullptr ? operation.in1->device : current_device();
    return Tensor(issue(operation), entry.out);
}

Tensor Runtime::reshape(const Tensor& a, const Shape& shape) {
    Buffer* buffer = buffer_of(a, "reshape");
    Shape wanted = shape;
    int open = -1;
    std::int64_t known = 1;
    for (int i = 0; i < wanted.rank; ++i) {
        if (wanted[i] == -1 && open < 0) {
            open = i;
        } else if (wanted[i] <= 0 || wanted[i] > a.elements() / known) {  // division, because a product may overflow
            known = 0;
            break;
        } else {
            known *= wanted[i];
        }
    }
    if (open >= 0 && known > 0 && a.elements() % known == 0) {
        wanted[open] = a.elements() / known;
        known = a.elements();
    }
    if (known != a.elements()) {
        lines.raise(ErrorKind::shape, "reshape: " + to_string(a.shape()) + " does not fit into " + to_string(shape));
    }
    ++buffer->references;
    return Tensor(buffer, signatures.intern(wanted));
}

// --- copies between devices ---

// They run in a lane of a GPU, because the CPU cannot access a GPU's memory: of the GPU that they copy to, or, for
// copies to the CPU, of the one that they copy from.
Operation Runtime::crossing(const Tensor& from, core::DeviceId to) {
    const bool to_cpu = lanes.device(to).info().kind == "cpu";
    Operation operation;
    operation.in0 = from.buffer();
    operation.device = to_cpu ? from.device() : to;
    operation.memory = to;
    operation.signature = &entry_for({to_cpu ? OpKind::copy_to_host : OpKind::copy_to_device, 0, from.shape_id(), 0,
                                      to_cpu ? 0 : from.shape_id()})
                               .signature;
    if (!to_cpu && lanes.device(from.device()).info().kind != "cpu") {
        operation.payload = static_cast<std::uint64_t>(devices::kFromDevice) + from.device();
    }
    return operation;
}

Tensor Runtime::to_device(const Tensor& a, core::DeviceId device) {
    if (buffer_of(a, "copy")->device == device) {
        return a;
    }
    return Tensor(issue(crossing(a, device)), a.shape_id());
}

void Runtime::copy_into(const Tensor& to, const Tensor& from) {
    Buffer* out = buffer_of(to, "copy");
    Buffer* in = buffer_of(from, "copy");
    if (to.shape() != from.shape()) {
        lines.raise(ErrorKind::shape,
                    "copy: " + to_string(from.shape()) + " does not fit into " + to_string(to.shape()));
    }
    if (in == out) {
        return;
    }
    Operation operation;
    if (in->device != out->device) {
        operation = crossing(from, out->device);
    } else {
        operation.signature = &entry_for({OpKind::copy, 0, from.shape_id(), 0, 0}).signature;
        operation.in0 = in;
        operation.device = operation.memory = out->device;
    }
    operation.out = out;
    issue(operation);
}

}  // namespace headway::runtime
