// A float32 tensor handle: a shape and a reference to a buffer. Copies and reshapes share the buffer and its versions.
// The values may not exist yet; a wait or a blocker makes sure that they do.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/source_location.h"
#include "engine/devices/op.h"

namespace headway::runtime {

class Runtime;
struct Buffer;

using devices::Shape;
using ShapeId = std::uint32_t;

class Tensor {
public:
    Tensor() = default;
    Tensor(const Tensor& other) noexcept;
    Tensor(Tensor&& other) noexcept
        : buffer_(std::exchange(other.buffer_, nullptr)), shape_(std::exchange(other.shape_, 0)) {}
    Tensor& operator=(const Tensor& other) noexcept;
    Tensor& operator=(Tensor&& other) noexcept;
    ~Tensor();

    [[nodiscard]] bool defined() const { return buffer_ != nullptr; }
    [[nodiscard]] const Shape& shape() const;
    [[nodiscard]] std::int64_t elements() const { return shape().elements(); }
    [[nodiscard]] Runtime& runtime() const;
    [[nodiscard]] core::BufferId buffer_id() const;
    [[nodiscard]] core::DeviceId device() const;  // the device whose memory contains the values
    // The op that last wrote the values, through this tensor or any other on the same buffer: the values' version.
    [[nodiscard]] core::OpId last_write() const;

    // Barrier for this tensor alone. Throws ProgramError if the op that made it failed.
    void wait_to_read() const;
    // Blockers: wait, then copy the values to the host.
    [[nodiscard]] std::vector<float> to_host() const;
    [[nodiscard]] float item() const;  // ProgramError unless the tensor has exactly one element

    // A view with other dimensions; one of them may be -1. ProgramError if the number of elements differs.
    [[nodiscard]] Tensor reshape(const Shape& shape) const;

    // For the runtime. The constructor takes ownership of one reference.
    Tensor(Buffer* buffer, ShapeId shape) : buffer_(buffer), shape_(shape) {}
    [[nodiscard]] Buffer* buffer() const { return buffer_; }
    [[nodiscard]] ShapeId shape_id() const { return shape_; }

private:
    Buffer* buffer_ = nullptr;
    ShapeId shape_ = 0;
};

// A tensor argument with the source position of the call, so that an operator's op knows its line.
struct Operand {
    const Tensor& tensor;
    core::SourceLocation where;
    Operand(const Tensor& t, core::SourceLocation w = core::SourceLocation::current()) : tensor(t), where(w) {}
};

// Only the operators that C++ programs use; all other ops are functions of Runtime.
Tensor operator+(Operand a, const Tensor& b);
Tensor operator-(Operand a, const Tensor& b);
Tensor operator+(Operand a, float b);
Tensor operator*(Operand a, float b);

}  // namespace headway::runtime
