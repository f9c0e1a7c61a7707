// The shapes of what an op returns, without running it or by a first run.
#include <ATen/record_function.h>

#include "app/runner/torch/op_info.h"

// Python's, where the process has one: shape functions that are written in Python leave their error behind.
extern "C" {
int PyGILState_Ensure() __attribute__((weak));
void PyGILState_Release(int) __attribute__((weak));
void PyErr_Clear() __attribute__((weak));
}

namespace headway::torch_module {

namespace {

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

}  // namespace

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

void wait_for_arguments(const OpInfo& op, const Stack& args) {
    const BlockerName blocker = blocker_or(op.name.c_str(), Blocker::copy);
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            if (Block* block = is_ours(t) ? block_of(t) : nullptr; block != nullptr) {
                checked([&] { host().wait_for(block, blocker.kind, blocker.name); });
            }
        });
    }
}

void run_here(const OpInfo& op, const Stack& args, Stack& values) {
    values.clear();
    const PlainDispatch plain;
    const at::DisableRecordFunctionGuard not_profiled;
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

namespace {

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

}  // namespace

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
        expect_arguments(op, args);
    } else {
        returns = Returns();
        wait_for_arguments(op, args);
        run_here(op, args, values);
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

}  // namespace headway::torch_module
