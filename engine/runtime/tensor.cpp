#include "engine/runtime/tensor.h"

#include "engine/runtime/runtime.h"
#include "engine/runtime/scheduling/buffer.h"

namespace headway::runtime {

using devices::OpKind;

Tensor::Tensor(const Tensor& other) noexcept : buffer_(other.buffer_), shape_(other.shape_) {
    if (buffer_ != nullptr) {
        ++buffer_->references;
    }
}

Tensor& Tensor::operator=(const Tensor& other) noexcept {
    Tensor copy(other);
    std::swap(buffer_, copy.buffer_);
    std::swap(shape_, copy.shape_);
    return *this;
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
    Tensor moved(std::move(other));
    std::swap(buffer_, moved.buffer_);
    std::swap(shape_, moved.shape_);
    return *this;
}

Tensor::~Tensor() {
    if (buffer_ != nullptr && --buffer_->references == 0) {
        buffer_->queue->drop(buffer_);
    }
}

const Shape& Tensor::shape() const {
    return buffer_->queue->signatures.shape(shape_);
}
Runtime& Tensor::runtime() const {
    return static_cast<Runtime&>(*buffer_->queue);  // every queue is a Runtime
}
core::BufferId Tensor::buffer_id() const {
    return buffer_->id;
}
core::DeviceId Tensor::device() const {
    return buffer_->device;
}
core::OpId Tensor::last_write() const {
    return buffer_->write_op;
}
void Tensor::wait_to_read() const {
    buffer_->queue->waits.to_read(*this);
}
std::vector<float> Tensor::to_host() const {
    return buffer_->queue->waits.to_host(*this);
}
float Tensor::item() const {
    return buffer_->queue->waits.item(*this);
}
Tensor Tensor::reshape(const Shape& shape) const {
    return runtime().reshape(*this, shape);
}

namespace {

Tensor binary(OpKind kind, const Operand& a, const Tensor& b) {
    const LineScope line(a.tensor.runtime().lines, a.where);
    return a.tensor.runtime().binary(kind, a.tensor, b);
}

Tensor with_scalar(OpKind kind, const Operand& a, float b) {
    const LineScope line(a.tensor.runtime().lines, a.where);
    return a.tensor.runtime().with_scalar(kind, a.tensor, b);
}

}  // namespace

Tensor operator+(Operand a, const Tensor& b) {
    return binary(OpKind::add, a, b);
}
Tensor operator-(Operand a, const Tensor& b) {
    return binary(OpKind::sub, a, b);
}
Tensor operator+(Operand a, float b) {
    return with_scalar(OpKind::add_scalar, a, b);
}
Tensor operator*(Operand a, float b) {
    return with_scalar(OpKind::mul_scalar, a, b);
}

}  // namespace headway::runtime
