// ATen ops with kernels of their own on the device: memory, views, copies, reading a value, dropout, and the cells of
// recurrent networks that ATen calls for CUDA tensors only.
#include "app/runner/torch/device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/NativeFunctions.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/library.h>

namespace headway::torch_module {

namespace {

std::uint32_t chosen(const c10::optional<c10::Device>& device) {
    return device ? gpu_number(*device) : current_gpu();
}

at::Tensor empty_memory_format(c10::IntArrayRef size, c10::optional<c10::ScalarType> dtype, c10::optional<c10::Layout>,
                               c10::optional<c10::Device> device, c10::optional<bool> pinned,
                               c10::optional<c10::MemoryFormat> format) {
    const OnGpu there(chosen(device));
    TORCH_CHECK(!pinned.value_or(false), "Only dense CPU tensors can be pinned");
    return at::Tensor(
        at::detail::empty_generic(size, &device_allocator(), kOurKeys, c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, c10::optional<c10::ScalarType> dtype,
                         c10::optional<c10::Layout>, c10::optional<c10::Device> device, c10::optional<bool>) {
    const OnGpu there(chosen(device));
    return make(size, stride, c10::dtype_or_default(dtype));
}

at::Tensor as_strided(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
                      c10::optional<std::int64_t> offset) {
    note_node();
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}
at::Tensor view(const at::Tensor& self, c10::IntArrayRef size) {
    note_node();
    return at::native::view(self, size);
}
at::Tensor reshape_alias(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride) {
    note_node();
    return at::native::_reshape_alias(self, size, stride);
}

const at::Tensor& resize_(const at::Tensor& self, c10::IntArrayRef size, c10::optional<c10::MemoryFormat> format) {
    c10::DimVector strides(size.size());
    std::int64_t step = 1;
    for (std::size_t i = size.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<std::int64_t>(size[i], 1);
    }
    resize(self, size, strides);
    if (format && *format != at::MemoryFormat::Contiguous) {
        self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    }
    return self;
}

at::Tensor& set_storage(at::Tensor& self, c10::Storage source, std::int64_t offset, c10::IntArrayRef size,
                        c10::IntArrayRef stride) {
    TORCH_CHECK(source.device() == self.device(), "Attempted to set the storage of a tensor on device \"",
                self.device(), "\" to a storage on different device \"", source.device(), "\".");
    c10::TensorImpl& impl = *self.unsafeGetTensorImpl();
    impl.set_storage_keep_dtype(std::move(source));
    impl.set_storage_offset(offset);
    resize(self, size, stride);  // a storage that is too small grows
    return self;
}
at::Tensor& set_whole_storage(at::Tensor& self, c10::Storage source) {
    const auto n = static_cast<std::int64_t>(source.nbytes() / self.itemsize());
    return set_storage(self, std::move(source), 0, {n}, {1});
}
at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
    return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

// --- copies ---

void copy_values(Task& task) {
    at::Tensor to = task.stack[0].toTensor();
    to.copy_(task.stack[1].toTensor());
}

// Between two GPUs it goes to the one that it writes.
Issued issue_copy(const at::Tensor& to, const at::Tensor& from, const char* name) {
    const OnGpu there(is_ours(to) ? to : from);
    const bool between_gpus = is_ours(to) && is_ours(from) && to.device() != from.device();
    Task* task = Task::take();
    task->call = &copy_values;
    task->stack = {is_ours(to) ? cpu_alias(to) : same_storage(to),
                   is_ours(from) ? cpu_alias(from) : same_storage(from)};
    Operands operands;
    operands.write(to);
    operands.read(from);
    if (between_gpus) {
        operands.from = from.device().index();
    }
    OpText text = describe(name, {from}, {to});
    text.family = Family::copy;
    text.direction = !is_ours(to)                     ? Direction::to_host
                     : between_gpus || !is_ours(from) ? Direction::to_device
                                                      : Direction::none;
    text.moved_bytes = bytes_of(from) + bytes_of(to);
    text.flops = 0;
    text.out_bytes = bytes_of(to);
    return issue(host().signature(text), operands, task);
}

void wait_for(Issued op, const at::Tensor& t, const char* name, Blocker kind) {
    const BlockerName blocker = blocker_or(name, kind);
    checked([&] { host().wait(op, block_of(t), blocker.kind, blocker.name); });
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
    if (self.is_same(src) || (self.numel() == 0 && src.numel() <= 1)) {
        return self;
    }
    // A wrong shape is an error of the call.
    at::assert_no_internal_overlap(self);
    at::assert_no_partial_overlap(self, src);
    if (const auto both = at::infer_size(self.sizes(), src.sizes()); !self.sizes().equals(both)) {
        TORCH_CHECK(false, "output with shape ", self.sizes(), " doesn't match the broadcast shape ",
                    c10::IntArrayRef(both));
    }
    const at::Tensor from = src.sizes().equals(self.sizes()) ? src : src.expand(self.sizes());
    if (is_ours(self) && is_ours(from)) {
        issue_copy(self, from, "aten::copy_");
        wait_if_blocking("aten::copy_");
        return self;
    }
    // As CUDA's: only pinned memory is read or written while the program goes on.
    const at::Tensor& on_host = is_ours(self) ? from : self;
    TORCH_CHECK(on_host.device().is_cpu(), "cannot copy between ", self.device(), " and ", src.device());
    const Issued op = issue_copy(self, from, "aten::copy_");
    if (!non_blocking || !is_pinned(on_host.storage())) {
        wait_for(op, is_ours(self) ? self : from, "copy", Blocker::copy);
    }
    return self;
}

at::Scalar value_of(const at::Tensor& self, const char* name, Blocker kind) {
    at::Tensor value = at::empty(self.sizes(), at::TensorOptions().dtype(self.scalar_type()).device(c10::kCPU));
    const Issued op = issue_copy(value, self, "aten::_local_scalar_dense");
    wait_for(op, self, name, kind);
    return at::_local_scalar_dense(value);
}
at::Scalar local_scalar_dense(const at::Tensor& self) {
    return value_of(self, "item", Blocker::item);
}

bool equal(const at::Tensor& a, const at::Tensor& b) {
    TORCH_CHECK(a.device() == b.device(), "Cannot compare two tensors on different devices. Got: ", a.device(), " and ",
                b.device());
    if (!a.sizes().equals(b.sizes())) {
        return false;
    }
    const at::Tensor all = at::eq(a, b).all();
    return value_of(all, "equal", Blocker::boolean).toBool();
}

bool is_pinned_tensor(const at::Tensor& self, c10::optional<c10::Device>) {
    return self.device().is_cpu() && is_pinned(self.storage());
}
at::Tensor pin_memory(const at::Tensor& self, c10::optional<c10::Device>) {
    TORCH_CHECK(self.device().is_cpu(), "cannot pin 'torch.cuda' memory: only dense CPU tensors can be pinned");
    at::Tensor pinned(at::detail::empty_strided_generic(self.sizes(), self.strides(), &pinned_allocator(),
                                                        c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                        self.scalar_type()));
    pinned.copy_(self);
    return pinned;
}
void record_stream(at::Tensor&, c10::Stream) {}  // Python's method reports to the host; calls from C++ have no effect

// The answer that keeps a transformer's encoder from nested tensors, which the device does not have.
bool no_nested_tensor(const at::Tensor&, const at::Tensor&) {
    return false;
}

bool no_cudnn(const at::Tensor&, const at::Tensor&, at::IntArrayRef, at::IntArrayRef, std::int64_t) {
    return false;
}

// torch.jit.trace records what this op calls, not the op itself; here it calls nothing.
void convolution(const c10::OperatorHandle& op, Stack* stack) {
    namespace tracer = torch::jit::tracer;
    if (!tracer::isTracing()) {
        fallback(op, stack);
        return;
    }
    const auto& names = op.schema().arguments();
    const Stack args(stack->end() - static_cast<std::ptrdiff_t>(names.size()), stack->end());
    const auto state = tracer::getTracingState();
    torch::jit::Graph& graph = *state->graph;
    torch::jit::Node* node = graph.create(c10::Symbol::fromQualString(op.schema().name()), 0);
    tracer::recordSourceLocation(node);
    for (std::size_t i = 0; i < args.size(); ++i) {
        const char* name = names[i].name().c_str();
        if (args[i].isTensor()) {
            tracer::addInputs(node, name, args[i].toTensor());
        } else if (args[i].isIntList()) {
            tracer::addInputs(node, name, c10::IntArrayRef(args[i].toIntVector()));
        } else if (args[i].isBool()) {
            tracer::addInputs(node, name, args[i].toBool());
        } else if (args[i].isInt()) {
            tracer::addInputs(node, name, args[i].toInt());
        } else {
            tracer::addInputs(node, name, c10::optional<at::Tensor>());
        }
    }
    graph.insertNode(node);
    {
        tracer::setTracingState(nullptr);
        const std::shared_ptr<void> afterwards(nullptr, [&](void*) { tracer::setTracingState(state); });
        fallback(op, stack);
    }
    tracer::addOutput(node, stack->back().toTensor());
}

// --- torch.cuda.amp.GradScaler: CUDA has a kernel for each of these, and the CPU none ---

void unscale(at::TensorList gradients, at::Tensor& found_inf, const at::Tensor& inverse_scale) {
    for (at::Tensor gradient : gradients) {
        found_inf.copy_(at::maximum(found_inf, gradient.isfinite().logical_not().any().to(found_inf.scalar_type())));
        gradient.mul_(inverse_scale.reshape({}));
    }
}

at::Tensor& update_scale(at::Tensor& scale, at::Tensor& good_steps, const at::Tensor& found_inf, double growth,
                         double backoff, std::int64_t interval) {
    const at::Tensor inf = found_inf.gt(0), next = good_steps + 1, full = next.eq(interval), grown = scale * growth;
    const at::Tensor larger = at::where(full.logical_and(grown.isfinite()), grown, scale);
    scale.copy_(at::where(inf, scale * backoff, larger));
    good_steps.copy_(at::where(inf.logical_or(full), at::zeros_like(next), next));
    return scale;
}

// --- dropout and recurrent cells ---

// For CUDA tensors dropout is one op whose CPU kernel takes no generator.
std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& x, double p, c10::optional<bool> train) {
    at::Tensor mask = at::empty_like(x, x.options().dtype(at::kBool));
    if (train && !*train) {
        mask.fill_(true);
        return {x.clone(), mask};
    }
    mask.bernoulli_(1 - p);
    return {x * mask * (p == 1 ? 0.0 : 1 / (1 - p)), mask};
}

at::Tensor with_bias(const at::Tensor& gates, const c10::optional<at::Tensor>& bias) {
    return bias && bias->defined() ? gates + *bias : gates;
}

// Also registered for autograd: their gradients follow from those of the ops that they consist of.
std::tuple<at::Tensor, at::Tensor, at::Tensor> lstm_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                                         const at::Tensor& cx,
                                                         const c10::optional<at::Tensor>& input_bias,
                                                         const c10::optional<at::Tensor>& hidden_bias) {
    const at::Tensor gates = with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias);
    const auto part = gates.chunk(4, 1);
    const at::Tensor cy = part[1].sigmoid() * cx + part[0].sigmoid() * part[2].tanh();
    return {part[3].sigmoid() * cy.tanh(), cy, gates};
}

std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor& input_gates, const at::Tensor& hidden_gates,
                                            const at::Tensor& hx, const c10::optional<at::Tensor>& input_bias,
                                            const c10::optional<at::Tensor>& hidden_bias) {
    const at::Tensor input = with_bias(input_gates, input_bias), hidden = with_bias(hidden_gates, hidden_bias);
    const auto i = input.chunk(3, 1), h = hidden.chunk(3, 1);
    const at::Tensor reset = (h[0] + i[0]).sigmoid(), update = (h[1] + i[1]).sigmoid();
    const at::Tensor fresh = (i[2] + h[2] * reset).tanh();
    return {(hx - fresh) * update + fresh, input};
}

TORCH_LIBRARY_IMPL(_, CUDA, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
    m.impl("empty.memory_format", empty_memory_format);
    m.impl("empty_strided", empty_strided);
    m.impl("as_strided", as_strided);
    m.impl("view", view);
    m.impl("_reshape_alias", reshape_alias);
    m.impl("resize_", resize_);
    m.impl("set_.source_Storage_storage_offset", set_storage);
    m.impl("set_.source_Storage", set_whole_storage);
    m.impl("set_.source_Tensor", set_tensor);
    m.impl("copy_", copy_);
    m.impl("_local_scalar_dense", local_scalar_dense);
    m.impl("equal", equal);
    m.impl("is_pinned", is_pinned_tensor);
    m.impl("_pin_memory", pin_memory);
    m.impl("record_stream", record_stream);
    m.impl("_nested_tensor_from_mask_left_aligned", no_nested_tensor);
    m.impl("_use_cudnn_ctc_loss", no_cudnn);
    m.impl("_amp_foreach_non_finite_check_and_unscale_", unscale);
    m.impl("_amp_update_scale_", update_scale);
    m.impl("native_dropout", native_dropout);
    m.impl("_thnn_fused_lstm_cell", lstm_cell);
    m.impl("_thnn_fused_gru_cell", gru_cell);
    // Ops whose composite kernels look for a kernel of the device's own.
    m.impl("convolution", torch::CppFunction::makeFromBoxedFunction<&convolution>());
    for (const char* name : {"convolution_backward", "native_group_norm", "native_group_norm_backward",
                             "native_layer_norm", "native_layer_norm_backward"}) {
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fallback>());
    }
}

TORCH_LIBRARY_IMPL(aten, AutogradCUDA, m) {
    m.impl("_thnn_fused_lstm_cell", lstm_cell);
    m.impl("_thnn_fused_gru_cell", gru_cell);
}

}  // namespace

}  // namespace headway::torch_module
