// The steps of a random program that issue ops or change what tensors there are.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "engine/devices/kernels/kernels.h"
#include "tests/conformance/random_program.h"

namespace headway {

using devices::OpKind;
using devices::Shape;
using reference::Array;
using runtime::ProgramError;
using runtime::Side;
using runtime::Tensor;

namespace {

constexpr double kLargest = 1 << 22;  // float holds whole numbers up to 2^24

}  // namespace

// --- making tensors ---

void RandomProgram::create() {
    // Few sizes, so that memory is reused soon; occasionally an op that takes long enough to be overtaken.
    Shape shape;
    const int rank = dice_.number(0, 3);
    while (shape.rank < rank) {
        shape.dims[static_cast<std::size_t>(shape.rank++)] = dice_.chance(0.04) ? 48 : dice_.number(1, 4);
    }
    if (dice_.chance(0.5)) {
        const Array values = dice_.integers(shape, -4, 4);
        keep([&] { return to_tensor(rt_, values); }, values, {});
    } else {
        const int value = dice_.number(-3, 3);
        keep([&] { return rt_.full(shape, static_cast<float>(value)); }, Array::full(shape, value), {});
    }
}

// A random number mapped to 0 or 1: the generator's values depend only on its stream, not on when or where they are
// drawn.
void RandomProgram::draw_bits() {
    const Shape shape{dice_.number(1, 6), dice_.number(1, 6)};
    const bool normal = dice_.chance(0.5);
    const std::uint64_t stream = ++programs_.random_ops;
    std::vector<float> drawn(static_cast<std::size_t>(shape.elements()));
    if (normal) {
        devices::kernels::fill_normal(drawn.data(), shape.elements(), programs_.seed_of_run, stream, 0.0f, 1.0f);
    } else {
        devices::kernels::fill_uniform(drawn.data(), shape.elements(), programs_.seed_of_run, stream, -1.0f, 1.0f);
    }
    const Array bits = reference::unary(OpKind::greater_scalar, Array(shape, {drawn.begin(), drawn.end()}), 0.0);
    Tensor values;
    if (issue([&] { values = normal ? rt_.normal(shape) : rt_.uniform(shape, -1.0f, 1.0f); })) {
        keep([&] { return rt_.with_scalar(OpKind::greater_scalar, values, 0.0f); }, bits, {});
    }
}

void RandomProgram::fresh_elementwise() {
    Handle& a = pick();
    Handle* b = pick_like(a.shape);
    if (b == nullptr) {
        return;
    }
    constexpr OpKind kKinds[] = {OpKind::add, OpKind::sub, OpKind::mul, OpKind::greater, OpKind::equal};
    const OpKind kind = kKinds[dice_.index(std::size(kKinds))];
    const bool swapped = dice_.chance(0.5);
    const Handle& left = swapped ? *b : a;
    const Handle& right = swapped ? a : *b;
    if (a.shape == b->shape && dice_.chance(0.2)) {
        keep([&] { return rt_.add_scaled(left.tensor, right.tensor, -2.0f); },
             reference::add_scaled(array_of(left), array_of(right), -2.0), {&left, &right});
        return;
    }
    keep([&] { return rt_.binary(kind, left.tensor, right.tensor); },
         reference::binary(kind, array_of(left), array_of(right)), {&left, &right});
}

void RandomProgram::fresh_of_one() {
    const Handle& a = pick();
    constexpr OpKind kKinds[] = {OpKind::neg,        OpKind::relu,       OpKind::copy,           OpKind::add_scalar,
                                 OpKind::sub_scalar, OpKind::mul_scalar, OpKind::greater_scalar, OpKind::rsub_scalar};
    const OpKind kind = kKinds[dice_.index(std::size(kKinds))];
    const int number = dice_.number(-2, 2);
    const bool scalar = devices::row_of(kind).arity == devices::Arity::one_and_scalar;
    keep(
        [&] {
            return scalar ? rt_.with_scalar(kind, a.tensor, static_cast<float>(number)) : rt_.unary(kind, a.tensor);
        },
        reference::unary(kind, array_of(a), number), {&a});
}

void RandomProgram::fresh_matmul() {
    const Handle& a = pick();
    const Handle& b = pick();
    const bool ta = dice_.chance(0.3), tb = dice_.chance(0.3);
    if (a.shape.rank != 2 || b.shape.rank != 2 || a.shape[ta ? 0 : 1] != b.shape[tb ? 1 : 0] ||
        static_cast<double>(a.shape[ta ? 0 : 1]) * largest(a) * largest(b) > kLargest) {
        return;
    }
    keep(
        [&] {
            return rt_.matmul(a.tensor, b.tensor, ta ? Side::transposed : Side::normal,
                              tb ? Side::transposed : Side::normal);
        },
        reference::matmul(array_of(a), array_of(b), ta, tb), {&a, &b});
}

void RandomProgram::fresh_reduction() {
    const Handle& a = pick();
    if (static_cast<double>(a.shape.elements()) * largest(a) > kLargest) {
        return;
    }
    const OpKind kind = dice_.chance(0.6) ? OpKind::sum : OpKind::max;
    if (a.shape.rank == 0 || dice_.chance(0.4)) {
        keep([&] { return rt_.reduce(kind, a.tensor); }, reference::reduce(kind, array_of(a)), {&a});
        return;
    }
    const int axis = dice_.number(0, a.shape.rank - 1);
    const bool kept = dice_.chance(0.5);
    keep([&] { return rt_.reduce(kind, a.tensor, axis, kept); }, reference::reduce(kind, array_of(a), axis, kept),
         {&a});
}

void RandomProgram::fresh_moved() {
    const Handle& a = pick();
    if (a.shape.rank == 0) {
        return;
    }
    if (dice_.chance(0.5)) {
        const int i = dice_.number(0, a.shape.rank - 1), j = dice_.number(0, a.shape.rank - 1);
        keep([&] { return rt_.transpose(a.tensor, i, j); }, reference::transpose(array_of(a), i, j), {&a});
    } else {
        const int rows = dice_.number(1, static_cast<int>(a.shape[0]));
        const int start = dice_.number(0, static_cast<int>(a.shape[0]) - rows);
        keep([&] { return rt_.slice(a.tensor, start, rows); }, reference::slice(array_of(a), start, rows), {&a});
    }
}

// --- changing tensors ---

void RandomProgram::in_place() {
    Handle& a = pick();
    if (dice_.chance(0.35)) {
        const OpKind kind = dice_.chance(0.6) ? OpKind::add_scalar : OpKind::mul_scalar;
        const int number = dice_.number(-2, 2);
        change(
            a, nullptr, [&] { rt_.with_scalar_in_place(kind, a.tensor, static_cast<float>(number)); },
            reference::unary(kind, array_of(a), number));
        return;
    }
    Handle* b = pick_like(a.shape);
    if (b == nullptr) {
        return;
    }
    if (b->storage == a.storage && b->shape != a.shape) {
        return;  // would be refused: the same memory with two shapes
    }
    if (b->shape == a.shape && dice_.chance(0.3)) {
        change(
            a, b, [&] { rt_.add_scaled_in_place(a.tensor, b->tensor, 2.0f); },
            reference::add_scaled(array_of(a), array_of(*b), 2.0));
        return;
    }
    if (a.shape.rank > 0 && b->shape.rank == a.shape.rank && b->storage != a.storage && dice_.chance(0.6) &&
        std::equal(a.shape.dims.begin() + 1, a.shape.dims.begin() + a.shape.rank, b->shape.dims.begin() + 1)) {
        const int start = dice_.number(0, static_cast<int>(a.shape[0] - b->shape[0]));
        change(
            a, b, [&] { rt_.assign_slice(a.tensor, start, b->tensor); },
            reference::assign_slice(array_of(a), start, array_of(*b)), a.shape[0] == b->shape[0]);
        return;
    }
    constexpr OpKind kKinds[] = {OpKind::add, OpKind::sub, OpKind::mul};
    const OpKind kind = kKinds[dice_.index(std::size(kKinds))];
    change(
        a, b, [&] { rt_.binary_in_place(kind, a.tensor, b->tensor); },
        reference::binary(kind, array_of(a), array_of(*b)));
}

void RandomProgram::view() {
    const Handle& a = pick();
    Handle seen = a;
    if (a.shape.rank >= 2 && dice_.chance(0.5)) {
        seen.shape = Shape{a.shape[0], a.shape.elements() / a.shape[0]};
    } else if (a.shape.elements() % 2 == 0) {
        seen.shape = Shape{2, 1, a.shape.elements() / 2};
    } else {
        seen.shape = Shape{a.shape.elements()};
    }
    seen.name = ++names_;
    seen.tensor = dice_.chance(0.5) ? rt_.reshape(a.tensor, seen.shape) : a.tensor.reshape(seen.shape);
    note("v" + std::to_string(seen.name) + " = view of v" + std::to_string(a.name) + " as " + to_string(seen.shape));
    handles_.push_back(std::move(seen));
}

void RandomProgram::HostOp::run(const devices::Command& command, void* context) {
    const auto& self = *static_cast<HostOp*>(context);
    for (int i = 0; i < self.spins; ++i) {
        core::ticks();
    }
    if (self.sleeps) {  // lets other lanes run, even with more lanes than cores
        std::this_thread::sleep_for(std::chrono::microseconds(30));
    }
    if (self.fails) {
        self.device->poison().fail(command, core::ErrorKind::failed, "asked to fail");
        return;
    }
    for (std::int64_t i = 0; i < self.elements; ++i) {
        command.out[i] = command.in1[i] + 1.0f;
    }
}

// A host op of random length, which may fail.
void RandomProgram::host_op() {
    const Handle& a = pick();
    const bool fails = options_.failures && dice_.chance(0.4);
    const bool threads = !programs_.bench.device().virtual_time();
    const int spins = dice_.number(0, 2000);  // always drawn, so that a seed gives the same program everywhere
    const bool sleeps = dice_.chance(0.5);
    host_ops_.push_back({&programs_.bench.device(), a.shape.elements(), threads ? spins : 0, threads && sleeps, fails});
    const std::set<core::OpId> spoiled = a.storage->origins;  // a copy: `a` is invalid once the result is stored
    const std::size_t before = handles_.size();
    keep([&] { return rt_.host_call(HostOp::run, &host_ops_.back(), a.tensor, a.shape); },
         reference::unary(OpKind::add_scalar, array_of(a), 1.0), {&a});
    if (fails && spoiled.empty() && handles_.size() > before) {
        const core::OpId op = rt_.recorder.issued();
        note("  which fails as op " + std::to_string(op));
        handles_.back().storage->origins = {op};
        undelivered_.insert(op);
    }
}

// An op that is refused at the call and has no effect.
void RandomProgram::mistake() {
    const Handle& a = pick();
    const core::OpId before = rt_.recorder.issued();
    try {
        if (dice_.chance(0.5)) {
            rt_.slice(a.tensor, 0, 1'000'000);
        } else {
            rt_.reduce(OpKind::sum, a.tensor, a.shape.rank);
        }
        differ("a shape that does not fit was accepted");
    } catch (const ProgramError& error) {
        if (error.error().kind != core::ErrorKind::shape || rt_.recorder.issued() != before) {
            differ("a shape that does not fit gave: " + std::string(error.what()));
        }
    }
}

void RandomProgram::forget() {
    const std::size_t i = dice_.index(handles_.size());
    note("drop v" + std::to_string(handles_[i].name));
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(i));
}

// --- helpers ---

RandomProgram::Handle& RandomProgram::pick() {
    return handles_[dice_.index(handles_.size())];
}

RandomProgram::Handle* RandomProgram::pick_like(const Shape& shape) {
    std::vector<Handle*> fitting;
    for (Handle& handle : handles_) {
        const Shape& s = handle.shape;
        bool fits = s.rank <= shape.rank;
        for (int i = 1; fits && i <= s.rank; ++i) {
            fits = s[s.rank - i] == 1 || s[s.rank - i] == shape[shape.rank - i];
        }
        if (fits) {
            fitting.push_back(&handle);
        }
    }
    return fitting.empty() ? nullptr : fitting[dice_.index(fitting.size())];
}

Array RandomProgram::array_of(const Handle& handle) {
    return {handle.shape, handle.storage->values};
}

double RandomProgram::largest(const Handle& handle) {
    double most = 0.0;
    for (const double value : handle.storage->values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

bool RandomProgram::small_enough(const Array& array) {
    return std::all_of(array.values.begin(), array.values.end(),
                       [](double value) { return std::abs(value) <= kLargest; });
}

bool RandomProgram::issue(const std::function<void()>& call) {
    try {
        call();
        return true;
    } catch (const ProgramError& error) {
        if (!options_.out_of_memory || error.error().kind != core::ErrorKind::out_of_memory) {
            differ("an op was refused: " + std::string(error.what()));
        }
        return false;
    }
}

void RandomProgram::keep(const std::function<Tensor()>& call, Array expected,
                         std::initializer_list<const Handle*> read) {
    if (!small_enough(expected)) {
        return;
    }
    Handle result;
    result.storage = std::make_shared<Storage>();
    std::string from;
    for (const Handle* handle : read) {
        result.storage->origins.insert(handle->storage->origins.begin(), handle->storage->origins.end());
        from += " v" + std::to_string(handle->name);
    }
    result.shape = expected.shape;
    result.storage->values = std::move(expected.values);
    if (!issue([&] { result.tensor = call(); })) {
        return;
    }
    result.name = ++names_;
    note("op " + std::to_string(rt_.recorder.issued()) + ": v" + std::to_string(result.name) + " " +
         to_string(result.shape) + " (buffer " + std::to_string(result.tensor.buffer_id()) + ") from" + from);
    handles_.push_back(std::move(result));
}

void RandomProgram::change(Handle& target, const Handle* other, const std::function<void()>& call, Array expected,
                           bool overwrites) {
    if (!small_enough(expected) || !issue(call)) {
        return;
    }
    note("op " + std::to_string(rt_.recorder.issued()) + ": changes v" + std::to_string(target.name) +
         (other != nullptr ? " by v" + std::to_string(other->name) : std::string()));
    target.storage->values = std::move(expected.values);
    if (overwrites) {
        target.storage->origins.clear();  // overwritten: no longer spoiled
    }
    if (other != nullptr) {
        target.storage->origins.insert(other->storage->origins.begin(), other->storage->origins.end());
    }
}

}  // namespace headway
