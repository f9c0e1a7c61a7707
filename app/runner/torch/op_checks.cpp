// Errors of arguments are errors of the call, as PyTorch's are, although the op runs later.
//
// PyTorch's shape functions find some of them. Others are found by the kernels themselves, and only if they look at the
// arguments; so a kernel is tried, once for all arguments of the same shapes, on small tensors of zeros.
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "app/runner/torch/op_info.h"

namespace headway::torch_module {

std::uint32_t expect_one_device(const OpInfo& op, const Stack& args) {
    // x[i] takes an `i` of the CPU, and copies are between devices.
    static const std::unordered_set<std::string> indexing{"aten::index", "aten::index_put", "aten::index_put_",
                                                          "aten::_index_put_impl_", "aten::_unsafe_index"};
    const auto has = [&](const char* part) { return op.name.find(part) != std::string::npos; };
    const bool takes_cpu = indexing.count(op.name) != 0;
    c10::optional<c10::Device> first, other;
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            if (is_ours(t) && !first) {
                first = t.device();
            } else if (is_ours(t) ? t.device() != *first : t.dim() > 0 && !takes_cpu) {
                other = other.value_or(t.device());
            }
        });
    }
    const bool copies = has("copy") && !has("index");
    const std::uint32_t number = first ? static_cast<std::uint32_t>(first->index()) : current_gpu();
    TORCH_CHECK(!other || copies, "Expected all tensors to be on the same device, but found at least two devices, ",
                gpu(number), " and ", *other, "! (in ", op.name, ")");
    return number;
}

// Types that shape functions let pass, and that CUDA's kernels refuse when they are called.
void expect_types(const OpInfo& op, const Stack& args) {
    static const std::unordered_set<std::string> products{"aten::mm",      "aten::addmm", "aten::bmm",
                                                          "aten::baddbmm", "aten::mv",    "aten::addmv",
                                                          "aten::dot",     "aten::vdot",  "aten::addbmm"};
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

namespace {

constexpr std::size_t kMostTried = std::size_t{64} << 10;   // bytes of tensors: less than a millisecond
constexpr std::size_t kMostStorage = std::size_t{1} << 20;  // bytes that they are views of

// Makes tensors of zeros with the same layout in memory as given tensors.
class Zeros {
public:
    // Undefined if the tensors get too large.
    at::Tensor like(const at::Tensor& t) {
        tensor_bytes_ += bytes_of(t);
        c10::Storage& storage = storages_[t.storage().unsafeGetStorageImpl()];
        if (!storage) {
            storage_bytes_ += t.storage().nbytes();
            if (too_large()) {
                return {};
            }
            storage = at::zeros({static_cast<std::int64_t>(t.storage().nbytes())}, at::kByte).storage();
        }
        return cpu_tensor(storage, t);
    }
    [[nodiscard]] bool too_large() const { return tensor_bytes_ > kMostTried || storage_bytes_ > kMostStorage; }

private:
    std::unordered_map<const c10::StorageImpl*, c10::Storage> storages_;
    std::size_t tensor_bytes_ = 0, storage_bytes_ = 0;
};

// The kernel's error if it is called with zeros; empty if it accepts them, or if they would be too large to try.
std::string refusal(const OpInfo& op, const Stack& args) {
    // LAPACK would use the zeros as indices into a matrix, and does not check them.
    if (op.name.find("linalg_") != std::string::npos || op.name.rfind("aten::lu_", 0) == 0) {
        return "";
    }
    const PlainDispatch plain;
    const at::DisableRecordFunctionGuard not_profiled;
    Zeros zeros;
    Stack values;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (op.functional && op.written[i]) {
            continue;
        }
        values.push_back(args[i].isDevice() ? IValue(c10::Device(c10::kCPU))
                                            : mapped(args[i], [&](const at::Tensor& t) {
                                                  return is_ours(t) ? zeros.like(t) : for_lane(t);
                                              }));
        if (zeros.too_large()) {
            return "";
        }
    }
    if (op.generator >= 0) {
        values[static_cast<std::size_t>(op.generator)] = generator().clone();
    }
    try {
        call_cpu_kernel(op.functional ? *op.functional : op.handle, values, true);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

std::string message(const c10::Error& error) {
    return error.what_without_backtrace();
}

}  // namespace

void expect_arguments(const OpInfo& op, const Stack& args) {
    const std::string said = refusal(op, args);
    if (said.empty()) {
        return;
    }
    // An error about overlapping memory: run_here() would not find it again, because it works on copies.
    TORCH_CHECK(said.rfind("unsupported operation", 0) != 0, said.substr(0, said.find('\n')));
    // The kernel may refuse only the zeros, so try it on the actual values.
    wait_for_arguments(op, args);
    Stack values;
    try {
        run_here(op, args, values);
    } catch (const c10::Error& error) {
        if (said.rfind(message(error), 0) == 0) {
            throw;
        }
    } catch (const std::exception&) {
    }
}

bool expect_written(const OpInfo& op, const Stack& args) {
    expect_types(op, args);
    bool resized = false;
    Stack metas;
    if (!op.functional && op.handle.hasKernelForDispatchKey(c10::DispatchKey::Meta)) {
        if (!infer(op, args, metas)) {
            wait_for_arguments(op, args);
            run_here(op, args, metas);
            return false;
        }
        for (std::size_t i = 0; i < op.returns.size() && i < metas.size(); ++i) {
            if (op.returns[i] == kNew || !metas[i].isTensor()) {
                continue;
            }
            const at::Tensor& out = args[static_cast<std::size_t>(op.returns[i])].toTensor();
            const at::Tensor& meta = metas[i].toTensor();
            if (!out.sizes().equals(meta.sizes())) {
                resize(out, meta.sizes(), meta.strides());
                resized = true;
            }
        }
    }
    if (!resized) {
        expect_arguments(op, args);
    }
    return resized;
}

}  // namespace headway::torch_module
