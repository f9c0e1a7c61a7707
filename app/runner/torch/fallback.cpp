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
#include <unordered_set>

#include "app/runner/torch/device.h"
#include "app/runner/torch/op_info.h"

// Python's, where the process has one: shape functions that are written in Python leave their error behind.
extern "C" {
int PyGILState_Ensure() __attribute__((weak));
void PyGILState_Release(int) __attribute__((weak));
void PyErr_Clear() __attribute__((weak));
}

namespace headway::torch_module {

namespace {

constexpr std::size_t kMostKnown = 10'000;  // shapes kept for an op

// --- arguments ---

// A CPU tensor is given to the lane with its values as they are now.
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

void expect_one_device(const OpInfo& op, const Stack& args) {
    const auto has = [&](const char* part) { return op.name.find(part) != std::string::npos; };
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            if (!is_ours(t) && t.dim() > 0 && !has("index") && !has("copy")) {
                TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ",
                            kDevice, " and cpu! (in ", op.name, ")");
            }
        });
    }
}

// Types that shape functions let pass, and that CUDA's kernels refuse when they are called.
void expect_types(const OpInfo& op, const Stack& args) {
    static const std::unordered_set<std::string> products{"aten::mm",    "aten::addmm", "aten::bmm",  "aten::baddbmm",
                                                          "aten::mv",    "aten::addmv", "aten::dot",  "aten::vdot",
                                                          "aten::addbmm"};
    const bool product = products.count(op.name) != 0, bits = op.name.rfind("aten::bitwise_", 0) == 0;
    if (op.name.rfind("aten::nll_loss", 0) == 0 && op.name.find("backward") == std::string::npos) {
        const auto labels = args[1].toTensor().scalar_type();
        TORCH_CHECK(labels == at::kLong || labels == at::kByte, "expected scalar type Long but found ", labels);
    }
    c10::optional<c10::ScalarType> first;
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            TORCH_CHECK(!product || t.scalar_type() == first.value_or(t.scalar_type()), "expected scalar type ", *first,
                        " but found ", t.scalar_type());
            TORCH_CHECK(!bits || at::isIntegralType(t.scalar_type(), true), op.name, " not implemented for '",
                        t.scalar_type(), "'");
            first = t.scalar_type();
        });
    }
}

// --- shapes ---

Geometry geometry_of(const at::Tensor& t) {
    Geometry g;
    g.defined = t.defined();
    if (g.defined) {
        g.sizes = c10::DimVector(t.sizes());
        g.strides = c10::DimVector(t.strides());
        g.offset = t.storage_offset();
        g.dtype = t.scalar_type();
    }
    return g;
}

// False if a value is neither a tensor nor a list of tensors.
bool returns_of(const Stack& values, Returns& returns) {
    for (const IValue& v : values) {
        if (v.isTensor()) {
            returns.lengths.push_back(-1);
            returns.tensors.push_back(geometry_of(v.toTensor()));
        } else if (v.isTensorList()) {
            const auto list = v.toTensorVector();
            returns.lengths.push_back(static_cast<int>(list.size()));
            for (const at::Tensor& t : list) {
                returns.tensors.push_back(geometry_of(t));
            }
        } else {
            return false;
        }
    }
    return true;
}

// What the op's meta kernel returns; false if there is none, or if it refuses the arguments.
bool infer(const OpInfo& op, const Stack& args, Stack& values) {
    values.clear();
    for (const IValue& v : args) {
        values.push_back(v.isDevice() ? IValue(c10::Device(c10::kMeta)) : mapped(v, [](const at::Tensor& t) {
            return is_ours(t) || t.dim() > 0 ? meta_like(t) : t;
        }));
    }
    const Stack held = values;  // see call_cpu_kernel()
    try {
        const PlainDispatch plain;
        op.handle.callBoxed(&values);
        return true;
    } catch (const std::exception&) {
        if (PyErr_Clear != nullptr) {
            const int state = PyGILState_Ensure();
            PyErr_Clear();
            PyGILState_Release(state);
        }
        return false;
    }
}

// Waits for what the op reads, and runs it here on the same values. Changes nothing: what it writes are copies.
void run_once(OpInfo& op, const Stack& args, Stack& values) {
    const BlockerName blocker = blocker_or(op.name.c_str(), Blocker::copy);
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            if (Block* block = is_ours(t) ? block_of(t) : nullptr; block != nullptr) {
                checked([&] { host().wait_for(block, blocker.kind, blocker.name); });
            }
        });
    }
    values.clear();
    const PlainDispatch plain;
    for (std::size_t i = 0; i < args.size(); ++i) {
        values.push_back(lane_value(args[i]));
        if (op.written[i]) {
            values.back() = mapped(values.back(), [](const at::Tensor& t) { return t.clone(); });
        }
    }
    if (op.generator >= 0) {
        auto& used = values[static_cast<std::size_t>(op.generator)];
        used = used.isNone() ? generator().clone() : used.toGenerator().clone();
    }
    call_cpu_kernel(op.handle, values, true);
}

// Shape functions of backward ops may return a gradient that is not wanted, where the kernel returns none.
void drop_unwanted(const OpInfo& op, const Stack& args, Returns& returns) {
    if (op.output_mask < 0) {
        return;
    }
    const auto wanted = args[static_cast<std::size_t>(op.output_mask)].toBoolList();
    for (std::size_t i = 0; i < returns.tensors.size() && i < wanted.size(); ++i) {
        returns.tensors[i].defined &= wanted[i];
    }
}

// The shapes of what the op returns. `values` is set if they were not known before: to meta tensors, or to the values
// themselves if it had to be run.
Way shapes_of(OpInfo& op, const Stack& args, Returns& returns, Stack& values, bool& plain) {
    std::string key;
    bool has_key = !op.waits_always;
    for (std::size_t i = 0; has_key && i < args.size(); ++i) {
        has_key = append_value(key, args[i]);
    }
    plain = true;
    if (has_key) {
        if (const auto found = op.known.find(key); found != op.known.end()) {
            returns = found->second;
            return kAsynchronous;
        }
    }
    Way way = kWaited;
    if (!op.waits_always && !op.no_meta && infer(op, args, values) && returns_of(values, returns)) {
        way = kAsynchronous;
        drop_unwanted(op, args, returns);
    } else {
        returns = Returns();
        run_once(op, args, values);
        plain = returns_of(values, returns);
        if (has_key && plain) {
            op.no_meta = true;
            way = kLearned;
        }
    }
    if (has_key && plain) {
        if (op.known.size() >= kMostKnown) {
            op.known.clear();
        }
        op.known[key] = returns;
    }
    return way;
}

// --- issuing ---

const Signature* signature_of(OpInfo& op, const Stack& args, const std::vector<at::Tensor>& outs) {
    thread_local std::string key;
    key.clear();
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) { append_tensor(key, t, false); });
        key.push_back(';');
    }
    for (const at::Tensor& t : outs) {
        append_tensor(key, t, false);
    }
    if (op.last_signature == nullptr || key != op.last_key) {
        const Signature*& known = op.signatures[key];
        if (known == nullptr) {
            expect_types(op, args);
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
        if (used.isNone()) {
            used = generator();
        }
        if (Block* numbers = generator_block(); numbers != nullptr) {
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

// Where several elements would be one place in memory, which some meta kernels take from an expanded argument.
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
    TORCH_CHECK(infer(op, args, values), op.name, ": PyTorch cannot tell the shape of this view before it has run");
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

// Outputs that the program, or ATen, gave without a size.
bool has_empty_output(const OpInfo& op, const Stack& args) {
    bool any = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (op.written[i] && args[i].isTensor() && args[i].toTensor().defined()) {
            any |= args[i].toTensor().numel() == 0;
        }
    }
    return any && !op.returns.empty();
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
    Stack args(std::make_move_iterator(stack->end() - static_cast<std::ptrdiff_t>(n)),
               std::make_move_iterator(stack->end()));
    stack->resize(stack->size() - n);
    expect_one_device(op, args);
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
            stack->push_back(mapped(v, [](const at::Tensor& t) { return t.to(kDevice); }));
        }
        return;
    }
    const std::vector<at::Tensor> outs = make_all(returns);
    submit(op, args, outs);
    answer(returns, outs, stack);
}

}  // namespace headway::torch_module
