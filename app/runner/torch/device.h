// PyTorch's CUDA devices, as the run's lanes: memory, tensors over it, and what is issued. Internal to this folder.
//
// A CPU-only libtorch has no kernels for the dispatch key CUDA. This module takes the key, so `device="cuda:1"` means
// the lanes of the run's second GPU. An op is issued with its outputs' memory; a lane runs PyTorch's own CPU kernel on
// CPU tensors over the same memory ("aliases").
//
// Threads: any.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "app/runner/torch/torch_host.h"

namespace headway::torch_module {

using c10::IValue;
using torch::jit::Stack;

Host& host();
void set_host(Host* host);

// Unlike TORCH_CHECK, it tells the compiler that it does not return.
[[noreturn]] inline void fail(const std::exception& error) {
    C10_THROW_ERROR(Error, error.what());
}

// Calls the host; its errors become PyTorch's.
template <class Call>
auto checked(Call call) {
    try {
        return call();
    } catch (const c10::Error&) {
        throw;
    } catch (const std::exception& error) {
        fail(error);
    }
}

// --- GPUs and streams (gpus.cpp) ---
[[nodiscard]] inline c10::Device gpu(std::uint32_t number) {
    return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(number)};
}
// The calling thread's GPU, which its allocations and ops go to; at first GPU 0.
[[nodiscard]] std::uint32_t current_gpu();
void set_current_gpu(std::uint32_t number) noexcept;
// Why there is no such GPU: "this run has one GPU; run it …".
[[nodiscard]] std::string no_gpu(std::uint32_t number);
// The number of the GPU; the current one if the device has no number. PyTorch's error if the run has no such GPU.
[[nodiscard]] std::uint32_t gpu_number(const c10::Device& device);
// While it lives, this is the calling thread's GPU.
class OnGpu {
public:
    explicit OnGpu(std::uint32_t number) : before_(current_gpu()) { set_current_gpu(number); }
    // That of the tensor if it is ours.
    explicit OnGpu(const at::Tensor& t);
    ~OnGpu() { set_current_gpu(before_); }
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

private:
    std::uint32_t before_;
};
// The calling thread's stream of a GPU; at first the default one.
[[nodiscard]] std::uint32_t current_stream(std::uint32_t number);
// From now on it is the calling thread's stream of the GPU that it belongs to.
void set_current_stream(std::uint32_t stream);

// --- memory and tensors ---
// The dispatch keys of a tensor of ours.
inline const c10::DispatchKeySet kOurKeys(c10::DispatchKey::CUDA);
c10::Allocator& device_allocator();
c10::Allocator& pinned_allocator();
[[nodiscard]] bool is_pinned(const c10::Storage& storage);
[[nodiscard]] inline bool is_ours(const at::Tensor& t) {
    return t.defined() && t.is_cuda();
}
// The memory of a tensor of ours; null if it has none.
[[nodiscard]] Block* block_of(const at::Tensor& t);
[[nodiscard]] Block* block_of(const c10::DataPtr& data);
[[nodiscard]] std::size_t bytes_of(const at::Tensor& t);
// The same bytes as a CPU tensor, which does not own them.
[[nodiscard]] at::Tensor cpu_alias(const at::Tensor& t);
// A tensor without values like `t`, for PyTorch's shape functions.
[[nodiscard]] at::Tensor meta_like(const at::Tensor& t);
// A CPU tensor with the sizes, strides and type of `like`.
[[nodiscard]] at::Tensor cpu_tensor(const c10::Storage& storage, const at::Tensor& like);
// A CPU tensor that shares the storage of `t`, but is not the object that the program holds.
[[nodiscard]] at::Tensor same_storage(const at::Tensor& t);
// Memory of the current GPU for a new tensor.
[[nodiscard]] at::Tensor make(c10::IntArrayRef sizes, c10::IntArrayRef strides, c10::ScalarType dtype);
// Gives a tensor of ours another size. If its storage is too small, it grows and keeps its contents.
void resize(const at::Tensor& t, c10::IntArrayRef sizes, c10::IntArrayRef strides);

// --- blockers ---
// The name that the next waits of this thread get; null: none, so that they are named after their op.
struct BlockerName {
    const char* name;
    Blocker kind;
};
void set_blocker(const std::string& name);
[[nodiscard]] BlockerName blocker_or(const char* name, Blocker kind);

// --- issuing ---
// What an op reads and writes.
struct Operands {
    std::vector<Block*> reads, writes;
    void read(const at::Tensor& t);
    void write(const at::Tensor& t);
    int from = -1;  // of a copy from another GPU: that GPU
};

// Work for a lane: an op with its arguments as CPU tensors, or any function.
struct Task {
    const c10::OperatorHandle* op = nullptr;
    Stack stack;
    std::vector<at::Tensor> results;  // if not empty: what the op returns is copied there
    std::vector<at::Tensor> checked;  // arguments that the op writes and must not resize
    std::vector<c10::DimVector> checked_sizes;
    void (*call)(Task& task) = nullptr;  // instead of an op; uses `stack`

    static bool run(void* task, std::string& error);
    static void drop(void* task);
    [[nodiscard]] static Task* take();
};

// To the current stream of the current GPU.
Issued issue(const Signature* signature, const Operands& operands, Task* task);

// Calls an op's CPU kernel (cpu_kernel.cpp). Where it has none for float16, computes in float32; what it returns is
// rounded to float16 only if `round`.
void call_cpu_kernel(const c10::OperatorHandle& op, Stack& stack, bool round);

// --- autograd's graph (graph_nodes.cpp) ---
// The last node that this thread made; of an op that is being called, its own, if autograd follows it.
[[nodiscard]] GraphNode last_node();
// The node that this thread evaluates in a backward pass.
[[nodiscard]] GraphNode current_backward();
// Tells the host of last_node() if it is a new one: for ops that are not issued, such as views.
void note_node();
// From now on backward passes and the program's scopes are followed.
void follow_program();

// --- ops on CPU tensors (cpu_ops.cpp) ---
// Counts the ops that the calling thread calls, until the program uses the device: each costs up to a microsecond more.
void count_cpu_ops();
void stop_counting_cpu_ops();
inline std::atomic<bool> cpu_ops_counted{false};
inline void device_used() {
    if (cpu_ops_counted.load(std::memory_order_relaxed)) [[unlikely]] {
        stop_counting_cpu_ops();
    }
}
// Number and nanoseconds; empty if not all were counted.
[[nodiscard]] std::vector<std::int64_t> cpu_ops();

// While it lives, this thread's dispatcher is in its usual state, below autograd: kernels see plain CPU tensors.
struct PlainDispatch {
    c10::impl::ForceDispatchKeyGuard usual{c10::impl::LocalDispatchKeySet(c10::impl::PODLocalDispatchKeySet{})};
    at::AutoDispatchBelowADInplaceOrView below;
};

// --- random numbers of the current GPU (gpus.cpp) ---
// A generator gives its numbers in the order of issue. Seeding makes a new one, for the ops issued from then on.
at::Generator generator();
void seed(std::int64_t seed);
void set_generator_state(const at::Tensor& state);
// Ops of several lanes must take a generator's numbers one after another. Null if there is one lane. `own`: for the
// GPU's own generator; otherwise for one of the program's, which several GPUs may use.
[[nodiscard]] Block* generator_block(bool own);

// --- describing ops (op_text.cpp) ---
// Name, shapes, family and costs of an op with these arguments. `outs`: tensors that it writes.
OpText describe(const std::string& name, const Stack& args, const std::vector<at::Tensor>& outs);

// Calls `f` for each tensor in the value.
template <class F>
void each_tensor(const IValue& v, F&& f) {
    if (v.isTensor()) {
        if (v.toTensor().defined()) {
            f(v.toTensor());
        }
    } else if (v.isTensorList()) {
        for (const at::Tensor& t : v.toTensorVector()) {
            if (t.defined()) {
                f(t);
            }
        }
    } else if (v.isOptionalTensorList()) {
        for (const c10::optional<at::Tensor>& t : v.toOptionalTensorVector()) {
            if (t && t->defined()) {
                f(*t);
            }
        }
    }
}

// The value with `f(t)` for each tensor in it.
template <class F>
IValue mapped(const IValue& v, F&& f) {
    if (v.isTensor()) {
        return v.toTensor().defined() ? IValue(f(v.toTensor())) : v;
    }
    if (v.isTensorList()) {
        c10::List<at::Tensor> out;
        for (const at::Tensor& t : v.toTensorVector()) {
            out.push_back(t.defined() ? f(t) : t);
        }
        return out;
    }
    if (v.isOptionalTensorList()) {
        c10::List<c10::optional<at::Tensor>> out;
        for (const c10::optional<at::Tensor>& t : v.toOptionalTensorVector()) {
            out.push_back(t && t->defined() ? c10::optional<at::Tensor>(f(*t)) : t);
        }
        return out;
    }
    return v;
}

// The kernel for every op that has no own (fallback.cpp).
void fallback(const c10::OperatorHandle& handle, Stack* stack);
// (op_info.cpp) {"aten::add": [asynchronous, shape learned by a first run, waited], …}: how often each op was issued in
// which way.
std::string issue_counts();
// Waits if CUDA_LAUNCH_BLOCKING is set, as PyTorch does then after each op.
void wait_if_blocking(const char* op);

}  // namespace headway::torch_module
