// Every ATen op that has no kernel of its own here: finds out the shapes of its outputs, takes their memory, and issues
// it. In this order:
//
//   written outputs   structured ops come with outputs that ATen has sized, in-place ops with their tensor
//   shape functions   PyTorch's meta kernel; what it gave is kept by the arguments' shapes and values
//   a first run       without a meta kernel: the frontend waits for the arguments and runs the op once to see the
//                     shapes, which are kept as well
//   always waited     ops whose shapes depend on values (nonzero), and those that return numbers
//
// Views need no op.
#include <ATen/ExpandUtils.h>

#include <cstdlib>
#include <cstring>

#include "app/runner/torch/device.h"
#include "app/runner/torch/op_info.h"

namespace headway::torch_module {

// --- arguments ---

at::Tensor for_lane(const at::Tensor& t) {
    if (is_ours(t)) {
        return cpu_alias(t);
    }
    if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
        return t;
    }
    const PlainDispatch plain;
    return same_storage(t).clone();
}
IValue lane_value(const IValue& v) {
    return v.isDevice() ? IValue(c10::Device(c10::kCPU)) : mapped(v, for_lane);
}

namespace {

// --- issuing ---

const Signature* signature_of(OpInfo& op, const Stack& args, const std::vector<at::Tensor>& outs) {
    thread_local std::string key;
    key.clear();
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) { append_tensor(key, t, false); });
        if (op.any_written && (v.isInt() || v.isBool() || (v.isDouble() && op.generator >= 0))) {  // for the checks
            append_value(key, v);
        }
        key.push_back(';');
    }
    for (const at::Tensor& t : outs) {
        append_tensor(key, t, false);
    }
    if (op.last_signature == nullptr || key != op.last_key) {
        const auto found = op.signatures.find(key);
        const Signature* known = found != op.signatures.end() ? found->second : nullptr;
        if (known == nullptr) {
            if (op.any_written && expect_written(op, args)) {
                return signature_of(op, args, outs);
            }
            if (!op.any_written) {
                expect_types(op, args);
            }
            std::vector<at::Tensor> writes;
            for (std::size_t i = 0; i < args.size(); ++i) {
                if (op.written[i]) {
                    each_tensor(args[i], [&](const at::Tensor& t) { writes.push_back(t); });
                }
            }
            for (const at::Tensor& t : outs) {
                if (t.defined()) {
                    writes.push_back(t);
                }
            }
            OpText text = describe(op.name, args, writes);
            text.out_bytes = writes.empty() ? 0 : bytes_of(writes.front());
            known = host().signature(text);
            if (op.signatures.size() >= kMostKnown) {
                op.signatures.clear();
            }
            op.signatures[key] = known;
        }
        op.last_key = key;
        op.last_signature = known;
    }
    return op.last_signature;
}

void submit(OpInfo& op, const Stack& args, const std::vector<at::Tensor>& outs) {
    Operands operands;
    const Signature* signature = signature_of(op, args, outs);
    Task* task = Task::take();
    task->stack.reserve(args.size() + outs.size());
    bool all_defined = !outs.empty();
    for (const at::Tensor& t : outs) {
        all_defined &= t.defined();
        operands.write(t);
    }
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (op.functional && op.written[i]) {
            operands.write(args[i].toTensor());
            task->results.push_back(cpu_alias(args[i].toTensor()));
            continue;
        }
        task->stack.push_back(lane_value(args[i]));
        each_tensor(args[i], [&](const at::Tensor& t) {
            if (op.written[i]) {
                operands.write(t);
            } else {
                operands.read(t);
            }
        });
        if (op.written[i]) {
            each_tensor(task->stack.back(), [&](const at::Tensor& t) {
                task->checked.push_back(t);
                task->checked_sizes.emplace_back(t.sizes());
            });
        }
    }
    if (op.generator >= 0) {
        auto& used = task->stack[static_cast<std::size_t>(op.generator)];
        const bool own = used.isNone();
        if (own) {
            used = generator();
        }
        if (Block* numbers = generator_block(own); numbers != nullptr) {
            operands.writes.push_back(numbers);
        }
    }
    if (all_defined && op.out) {
        task->op = &*op.out;
        for (const at::Tensor& t : outs) {
            at::Tensor alias = cpu_alias(t);
            task->checked.push_back(alias);
            task->checked_sizes.emplace_back(alias.sizes());
            task->stack.emplace_back(std::move(alias));
        }
    } else {
        task->op = op.functional ? &*op.functional : &op.handle;
        for (const at::Tensor& t : outs) {
            task->results.push_back(t.defined() ? cpu_alias(t) : t);
        }
    }
    issue(signature, operands, task);
    wait_if_blocking(op.name.c_str());
}

// Whether several elements share a place in memory. Some meta kernels copy such strides from an expanded argument.
bool overlaps(const Geometry& g) {
    for (std::size_t i = 0; i < g.sizes.size(); ++i) {
        if (g.sizes[i] > 1 && g.strides[i] == 0) {
            return true;
        }
    }
    return false;
}

std::vector<at::Tensor> make_all(const Returns& returns) {
    std::vector<at::Tensor> made;
    for (const Geometry& g : returns.tensors) {
        if (!g.defined) {
            made.emplace_back();
        } else if (overlaps(g)) {
            made.push_back(make(g.sizes, at::infer_dense_strides(g.sizes, g.strides), g.dtype));
        } else {
            made.push_back(make(g.sizes, g.strides, g.dtype));
        }
    }
    return made;
}

void answer(const Returns& returns, const std::vector<at::Tensor>& tensors, Stack* stack) {
    std::size_t next = 0;
    for (const int length : returns.lengths) {
        if (length < 0) {
            stack->emplace_back(tensors[next++]);
            continue;
        }
        c10::List<at::Tensor> list;
        for (int i = 0; i < length; ++i) {
            list.push_back(tensors[next++]);
        }
        stack->emplace_back(std::move(list));
    }
}

void make_view(OpInfo& op, const Stack& args, Stack* stack) {
    Stack values;
    if (!infer(op, args, values)) {  // call the kernel for its error; a view reads no values
        values.clear();
        for (const IValue& v : args) {
            values.push_back(mapped(v, for_lane));
        }
        const PlainDispatch plain;
        op.handle.callBoxed(&values);
    }
    const at::Tensor base = args[0].toTensor();
    for (const IValue& v : values) {
        stack->push_back(mapped(v, [&](const at::Tensor& t) {
            auto impl = c10::make_intrusive<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                             base.key_set(), t.dtype());
            impl->set_storage_offset(t.storage_offset());
            impl->set_sizes_and_strides(t.sizes(), t.strides());
            return at::Tensor(std::move(impl));
        }));
    }
}

// Whether the program, or ATen, passed an output that has no size yet.
bool has_empty_output(const OpInfo& op, const Stack& args) {
    bool any = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (op.written[i] && args[i].isTensor() && args[i].toTensor().defined()) {
            any |= args[i].toTensor().numel() == 0;
        }
    }
    return any && !op.returns.empty();
}

bool on_several_gpus(at::ArrayRef<IValue> args) {
    c10::optional<c10::Device> first;
    bool several = false;
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            several = several || (first && is_ours(t) && t.device() != *first);
            first = is_ours(t) ? t.device() : first;
        });
    }
    return several;
}

}  // namespace

void wait_if_blocking(const char* op) {
    static const bool blocking = [] {
        const char* set = std::getenv("CUDA_LAUNCH_BLOCKING");
        return set != nullptr && *set != '\0' && std::strcmp(set, "0") != 0;
    }();
    if (blocking) {
        checked([&] { host().wait_for_all(Blocker::synchronize, op); });
    }
}

void fallback(const c10::OperatorHandle& handle, Stack* stack) {
    OpInfo& op = info_of(handle);
    const std::size_t n = op.written.size();
    if (op.foreach && on_several_gpus(torch::jit::last(*stack, n))) {  // the CPU's kernel calls an op for each tensor
        handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
        return;
    }
    Stack args(std::make_move_iterator(stack->end() - static_cast<std::ptrdiff_t>(n)),
               std::make_move_iterator(stack->end()));
    stack->resize(stack->size() - n);
    const OnGpu there(expect_one_device(op, args));
    if (op.view) {
        note_node();
        make_view(op, args, stack);
        return;
    }
    Way way = kAsynchronous;
    Returns returns;
    Stack values;
    bool plain = true;
    if (op.any_written) {
        if (has_empty_output(op, args)) {
            way = shapes_of(op, args, returns, values, plain);
            for (std::size_t i = 0; plain && i < op.returns.size() && i < returns.tensors.size(); ++i) {
                if (op.returns[i] != kNew) {
                    const at::Tensor& out = args[static_cast<std::size_t>(op.returns[i])].toTensor();
                    if (!out.sizes().equals(returns.tensors[i].sizes)) {
                        resize(out, returns.tensors[i].sizes, returns.tensors[i].strides);
                    }
                }
            }
        }
        submit(op, args, {});
        ++op.count[way];
        for (const int i : op.returns) {
            TORCH_CHECK(i != kNew, op.name, ": writes one tensor and returns another, which Headway cannot issue");
            stack->push_back(args[static_cast<std::size_t>(i)]);
        }
        return;
    }
    way = shapes_of(op, args, returns, values, plain);
    ++op.count[way];
    if (!plain) {  // numbers, perhaps beside tensors
        for (const IValue& v : values) {
            stack->push_back(mapped(v, [](const at::Tensor& t) { return t.to(gpu(current_gpu())); }));
        }
        return;
    }
    const std::vector<at::Tensor> outs = make_all(returns);
    submit(op, args, outs);
    answer(returns, outs, stack);
}

}  // namespace headway::torch_module
