// Ops check and infer shapes here, on the frontend, so that an error is reported at the line of the call.
#include <bit>
#include <cstring>

#include "engine/runtime/buffer.h"
#include "engine/runtime/runtime.h"

namespace headway::runtime {

using core::ErrorKind;
using devices::OpKind;

namespace {

std::uint64_t pack(float a, float b = 0.0f) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(b)} << 32 | std::bit_cast<std::uint32_t>(a);
}

}  // namespace

const Entry& Runtime::entry_for(const SignatureKey& key) {
    const Entry* recent = signatures_.recent(key);
    if (recent != nullptr) [[likely]] {
        return *recent;
    }
    auto found = signatures_.get(key);
    if (!found) {
        raise(ErrorKind::shape, found.error().message);
    }
    return **found;
}

ShapeId Runtime::checked(const Shape& shape, const char* op) {
    for (int i = 0; i < shape.rank; ++i) {
        if (shape[i] <= 0) {
            raise(ErrorKind::shape,
                  std::string(op) + ": the shape " + to_string(shape) + " has a side that is not positive");
        }
    }
    return signatures_.intern(shape);
}

Buffer* Runtime::buffer_of(const Tensor& a, const char* op) {
    Buffer* buffer = a.buffer_;
    if (buffer == nullptr || buffer->runtime != this || (buffer->write_seq == 0 && !buffer->gathered)) [[unlikely]] {
        refuse_operand(a, op);
    }
    return buffer;
}

void Runtime::refuse_operand(const Tensor& a, const char* op) {
    if (!a.defined()) {
        raise(ErrorKind::shape, std::string(op) + ": an operand is undefined");
    }
    if (a.buffer_->runtime != this) {
        raise(ErrorKind::shape, std::string(op) + ": an operand belongs to another run");
    }
    raise(ErrorKind::failed, std::string(op) +
                                 ": an operand has no values: it was made while a function was "
                                 "traced, or by ops for which there was no memory");
}

void Runtime::refuse_devices(const Tensor& a, const Tensor& b, const char* op) {
    raise(ErrorKind::failed, std::string(op) +
                                 ": expected all tensors to be on the same device, but found one of shape " +
                                 to_string(a.shape()) + " on the " + device_name(a.device()) + " and one of shape " +
                                 to_string(b.shape()) + " on the " + device_name(b.device()));
}

Tensor Runtime::issue_fresh(std::uint64_t begin, const Entry& entry, Buffer* in0, Buffer* in1, std::uint64_t payload) {
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.in0 = in0;
    operation.in1 = in1;
    operation.payload = payload;
    if (device_count_ > 1) [[unlikely]] {
        operation.device = operation.memory = in0 != nullptr ? in0->device : current_;
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
    const std::uint64_t begin = entered();
    return issue_fresh(begin, entry_for({OpKind::fill, 0, 0, 0, checked(shape, "full")}), nullptr, nullptr,
                       pack(value));
}

Tensor Runtime::random(OpKind kind, const Shape& shape, float a, float b) {
    const std::uint64_t begin = entered();
    const Entry& entry = entry_for({kind, 0, 0, 0, checked(shape, devices::name_of(kind))});
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.payload = pack(a, b);
    operation.random_stream = ++random_streams_;
    operation.device = operation.memory = current_;
    return Tensor(issue(operation), entry.out);
}

// Mixes the number, so that its random streams are far from those of other numbers and of programs that set none.
void Runtime::start_random(std::uint64_t number) {
    std::uint64_t mixed = number + 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    random_streams_ = (mixed ^ mixed >> 31) | std::uint64_t{1} << 63;
}

Tensor Runtime::normal(const Shape& shape, float mean, float deviation) {
    return random(OpKind::normal, shape, mean, deviation);
}

Tensor Runtime::uniform(const Shape& shape, float low, float high) {
    return random(OpKind::uniform, shape, low, high);
}

Tensor Runtime::from_host(const Shape& shape, std::span<const float> values) {
    const std::uint64_t begin = entered();
    const Entry& entry = entry_for({OpKind::copy_to_device, 0, 0, 0, checked(shape, "from_host")});
    if (values.size() != static_cast<std::size_t>(entry.signature.elements)) {
        raise(ErrorKind::shape,
              "from_host: " + std::to_string(values.size()) + " values do not fill " + to_string(shape));
    }
    // The op reads a copy of the values that lives until the op has run, so the program may change its own values at
    // once.
    Staged staged{0, 0, {values.begin(), values.end()}};
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.host = staged.values.data();
    operation.device = operation.memory = current_;
    Tensor result(issue(operation), entry.out);
    staged.lane = result.buffer_->write_lane;
    staged.seq = result.buffer_->write_seq;
    staged_.push_back(std::move(staged));
    return result;
}

Tensor Runtime::binary(OpKind kind, const Tensor& a, const Tensor& b) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    Buffer* in1 = buffer_of(b, devices::name_of(kind));
    expect_together(a, b, devices::name_of(kind));
    return issue_fresh(begin, entry_for({kind, 0, a.shape_, b.shape_, 0}), in0, in1);
}

Tensor Runtime::with_scalar(OpKind kind, const Tensor& a, float b) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    return issue_fresh(begin, entry_for({kind, 0, a.shape_, 0, 0}), in0, nullptr, pack(b));
}

Tensor Runtime::unary(OpKind kind, const Tensor& a) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    return issue_fresh(begin, entry_for({kind, 0, a.shape_, 0, 0}), in0);
}

Tensor Runtime::matmul(const Tensor& a, const Tensor& b, Side side_a, Side side_b) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, "matmul");
    Buffer* in1 = buffer_of(b, "matmul");
    expect_together(a, b, "matmul");
    const auto flags = static_cast<std::uint16_t>((side_a == Side::transposed ? kTransposeA : 0) |
                                                  (side_b == Side::transposed ? kTransposeB : 0));
    return issue_fresh(begin, entry_for({OpKind::matmul, flags, a.shape_, b.shape_, 0}), in0, in1);
}

int Runtime::checked_axis(const Tensor& a, int axis, const char* op) {
    const int rank = a.shape().rank;
    const int wanted = axis < 0 ? axis + rank : axis;
    if (wanted < 0 || wanted >= rank) {
        raise(ErrorKind::shape, std::string(op) + ": " + to_string(a.shape()) + " has no axis " + std::to_string(axis));
    }
    return wanted;
}

Tensor Runtime::reduce(OpKind kind, const Tensor& a) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    return issue_fresh(begin, entry_for({kind, kAllAxes, a.shape_, 0, 0}), in0);
}

Tensor Runtime::reduce(OpKind kind, const Tensor& a, int axis, bool keep_dimension) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, devices::name_of(kind));
    const int wanted = checked_axis(a, axis, devices::name_of(kind));
    const auto flags = static_cast<std::uint16_t>(axis_flags(wanted) | (keep_dimension ? kKeepDimension : 0));
    return issue_fresh(begin, entry_for({kind, flags, a.shape_, 0, 0}), in0);
}

Tensor Runtime::transpose(const Tensor& a, int axis0, int axis1) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, "transpose");
    const auto flags = axis_flags(checked_axis(a, axis0, "transpose"), checked_axis(a, axis1, "transpose"));
    return issue_fresh(begin, entry_for({OpKind::transpose, flags, a.shape_, 0, 0}), in0);
}

Tensor Runtime::add_scaled(const Tensor& a, const Tensor& b, float scale) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, "add_scaled");
    Buffer* in1 = buffer_of(b, "add_scaled");
    expect_together(a, b, "add_scaled");
    return issue_fresh(begin, entry_for({OpKind::add_scaled, 0, a.shape_, b.shape_, 0}), in0, in1, pack(scale));
}

std::int64_t Runtime::checked_rows(const Tensor& a, std::int64_t start, std::int64_t rows, const char* op) {
    const Shape& shape = a.shape();
    if (shape.rank == 0 || start < 0 || rows < 1 || start > shape[0] - rows) {
        raise(ErrorKind::shape, std::string(op) + ": rows " + std::to_string(start) + " to " +
                                    std::to_string(start + rows) + " are not all in " + to_string(shape));
    }
    return start * (shape.elements() / shape[0]);
}

Tensor Runtime::slice(const Tensor& a, std::int64_t start, std::int64_t rows) {
    const std::uint64_t begin = entered();
    Buffer* in0 = buffer_of(a, "slice");
    const auto offset = checked_rows(a, start, rows, "slice");
    if (rows > 0xffff'ffffll) {
        raise(ErrorKind::shape, "slice: more than 4294967295 rows");
    }
    return issue_fresh(begin, entry_for({OpKind::slice, 0, a.shape_, 0, static_cast<std::uint32_t>(rows)}), in0,
                       nullptr, static_cast<std::uint64_t>(offset));
}

void Runtime::binary_in_place(OpKind kind, const Tensor& a, const Tensor& b) {
    const std::uint64_t begin = entered();
    Buffer* out = buffer_of(a, devices::name_of(kind));
    Buffer* in1 = buffer_of(b, devices::name_of(kind));
    expect_together(a, b, devices::name_of(kind));
    if (in1 == out && a.shape_ != b.shape_) {
        raise(ErrorKind::shape, std::string(devices::name_of(kind)) +
                                    " in place: the operands share memory but not "
                                    "their shape");
    }
    issue_in_place(begin, entry_for({kind, kInPlace, a.shape_, b.shape_, 0}), out, in1, 0);
}

void Runtime::with_scalar_in_place(OpKind kind, const Tensor& a, float b) {
    const std::uint64_t begin = entered();
    Buffer* out = buffer_of(a, devices::name_of(kind));
    issue_in_place(begin, entry_for({kind, kInPlace, a.shape_, 0, 0}), out, nullptr, pack(b));
}

void Runtime::add_scaled_in_place(const Tensor& a, const Tensor& b, float scale) {
    const std::uint64_t begin = entered();
    Buffer* out = buffer_of(a, "add_scaled");
    Buffer* in1 = buffer_of(b, "add_scaled");
    expect_together(a, b, "add_scaled");
    issue_in_place(begin, entry_for({OpKind::add_scaled, kInPlace, a.shape_, b.shape_, 0}), out, in1, pack(scale));
}

void Runtime::assign_slice(const Tensor& a, std::int64_t start, const Tensor& rows) {
    const std::uint64_t begin = entered();
    Buffer* out = buffer_of(a, "assign_slice");
    Buffer* in1 = buffer_of(rows, "assign_slice");
    expect_together(a, rows, "assign_slice");
    const Shape& from = rows.shape();
    Shape wanted = a.shape();
    if (wanted.rank != 0 && from.rank == wanted.rank) {
        wanted[0] = from[0];
    }
    if (wanted.rank == 0 || from != wanted || in1 == out) {
        raise(ErrorKind::shape, "assign_slice: " + to_string(from) + " are no rows for " + to_string(a.shape()) +
                                    (in1 == out ? ", or share its memory" : ""));
    }
    const auto offset = checked_rows(a, start, from[0], "assign_slice");
    issue_in_place(begin, entry_for({OpKind::assign_slice, kInPlace, a.shape_, rows.shape_, 0}), out, in1,
                   static_cast<std::uint64_t>(offset));
}

void Runtime::noop() {
    Operation operation;
    operation.begin = entered();
    operation.signature = &entry_for({OpKind::noop, 0, 0, 0, 0}).signature;
    operation.device = operation.memory = current_;
    issue(operation);
}

Tensor Runtime::host_call(devices::HostFunction function, void* context, const Tensor& reads, const Shape& shape) {
    const std::uint64_t begin = entered();
    const Entry& entry = entry_for({OpKind::host_call, 0, 0, 0, checked(shape, "host_call")});
    Operation operation;
    operation.begin = begin;
    operation.signature = &entry.signature;
    operation.in1 = reads.defined() ? buffer_of(reads, "host_call") : nullptr;
    operation.payload = std::bit_cast<std::uint64_t>(function);
    operation.host = static_cast<const float*>(context);
    operation.device = operation.memory = operation.in1 != nullptr ? operation.in1->device : current_;
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
        raise(ErrorKind::shape, "reshape: " + to_string(a.shape()) + " does not fit into " + to_string(shape));
    }
    ++buffer->references;
    return Tensor(buffer, signatures_.intern(wanted));
}

}  // namespace headway::runtime
