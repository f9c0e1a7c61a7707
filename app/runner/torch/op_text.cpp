// What the recording and the simulated device's cost model need to know of an op: names, shapes, families, costs.
#include <algorithm>
#include <array>
#include <string_view>

#include "app/runner/torch/device.h"

namespace headway::torch_module {

namespace {

std::string shape_text(const at::Tensor& t) {
    if (t.dim() == 0) {
        return "scalar";
    }
    std::string text = "(";
    for (int i = 0; i < t.dim(); ++i) {
        text += (i > 0 ? "×" : "") + std::to_string(t.size(i));
    }
    return text + ")";
}

const char* type_text(c10::ScalarType type) {
    switch (type) {
        case c10::ScalarType::Float:
            return "float32";
        case c10::ScalarType::Double:
            return "float64";
        case c10::ScalarType::Half:
            return "float16";
        case c10::ScalarType::BFloat16:
            return "bfloat16";
        case c10::ScalarType::Byte:
            return "uint8";
        case c10::ScalarType::Char:
            return "int8";
        case c10::ScalarType::Short:
            return "int16";
        case c10::ScalarType::Int:
            return "int32";
        case c10::ScalarType::Long:
            return "int64";
        case c10::ScalarType::Bool:
            return "bool";
        default:
            return c10::toString(type);
    }
}

struct NamedFamily {
    std::string_view begin;  // of the name after "aten::"
    Family family;
};
// The first that fits decides.
constexpr std::array<NamedFamily, 59> kFamilies{{
    {"mm", Family::matmul},         {"addmm", Family::matmul},       {"bmm", Family::matmul},
    {"baddbmm", Family::matmul},    {"addbmm", Family::matmul},      {"mv", Family::matmul},
    {"addmv", Family::matmul},      {"addr", Family::matmul},        {"dot", Family::matmul},
    {"vdot", Family::matmul},       {"convolution", Family::matmul}, {"linalg_vector_norm", Family::reduce},
    {"linalg_", Family::matmul},    {"_linalg_", Family::matmul},    {"normal", Family::random},
    {"uniform", Family::random},    {"random", Family::random},      {"rand", Family::random},
    {"bernoulli", Family::random},  {"multinomial", Family::random}, {"exponential", Family::random},
    {"log_normal", Family::random}, {"cauchy", Family::random},      {"geometric", Family::random},
    {"poisson", Family::random},    {"fill", Family::create},        {"zero", Family::create},
    {"arange", Family::create},     {"linspace", Family::create},    {"logspace", Family::create},
    {"eye", Family::create},        {"copy", Family::copy},          {"cat", Family::copy},
    {"clone", Family::copy},        {"index", Family::copy},         {"_index", Family::copy},
    {"gather", Family::copy},       {"scatter", Family::copy},       {"take", Family::copy},
    {"embedding", Family::copy},    {"flip", Family::copy},          {"roll", Family::copy},
    {"repeat", Family::copy},       {"sum", Family::reduce},         {"mean", Family::reduce},
    {"max", Family::reduce},  // maximum comes before it, see family_of()
    {"min", Family::reduce},        {"amax", Family::reduce},        {"amin", Family::reduce},
    {"arg", Family::reduce},        {"prod", Family::reduce},        {"norm", Family::reduce},
    {"var", Family::reduce},        {"std", Family::reduce},         {"all", Family::reduce},
    {"any", Family::reduce},        {"_softmax", Family::reduce},    {"_log_softmax", Family::reduce},
    {"native_", Family::reduce},
}};

Family family_of(std::string_view name) {
    if (name.rfind("aten::", 0) == 0) {
        name.remove_prefix(6);
    }
    if (name == "maximum" || name == "minimum" || name.rfind("native_dropout", 0) == 0) {
        return Family::elementwise;
    }
    for (const NamedFamily& known : kFamilies) {
        if (name.rfind(known.begin, 0) == 0) {
            return known.family;
        }
    }
    return Family::elementwise;  // its cost follows from its bytes
}

// Multiplications and additions of a product: twice the output's elements times the length of each sum.
std::uint64_t product_flops(std::string_view name, const std::vector<at::Tensor>& in, std::uint64_t out_elements) {
    if (name.find("convolution") != std::string_view::npos && in.size() >= 2) {
        // Forward: (input, weight). Backward: (gradient, input, weight), with two such sums.
        const bool backward = name.find("backward") != std::string_view::npos && in.size() >= 3;
        const at::Tensor& weight = in[backward ? 2 : 1];
        const std::uint64_t outputs = backward ? static_cast<std::uint64_t>(in[0].numel()) : out_elements;
        const auto channels =
            static_cast<std::uint64_t>(std::max<std::int64_t>(weight.dim() > 0 ? weight.size(0) : 1, 1));
        const auto terms = static_cast<std::uint64_t>(weight.numel()) / channels;
        return 2 * outputs * terms * (backward ? 2 : 1);
    }
    for (const at::Tensor& t : in) {  // the left factor is the first matrix whose rows the output has, or a vector
        if (t.dim() >= 1 && t.numel() > 0 && !(name.find("add") != std::string_view::npos && &t == &in.front())) {
            return 2 * out_elements * static_cast<std::uint64_t>(t.size(t.dim() - 1));
        }
    }
    return 2 * out_elements;
}

}  // namespace

OpText describe(const std::string& name, const Stack& args, const std::vector<at::Tensor>& outs) {
    OpText text;
    text.name = name;
    text.family = family_of(name);
    std::vector<at::Tensor> in;
    std::uint64_t in_elements = 0;
    for (const IValue& v : args) {
        each_tensor(v, [&](const at::Tensor& t) {
            const bool written =
                std::any_of(outs.begin(), outs.end(), [&](const at::Tensor& o) { return o.is_same(t); });
            if (is_ours(t) && !written) {
                in.push_back(t);
                text.moved_bytes += bytes_of(t);
                in_elements += static_cast<std::uint64_t>(t.numel());
            }
        });
    }
    std::uint64_t out_elements = 0;
    for (const at::Tensor& t : outs) {
        text.moved_bytes += bytes_of(t);
        out_elements += static_cast<std::uint64_t>(t.numel());
    }
    text.flops = text.family == Family::matmul                                  ? product_flops(name, in, out_elements)
                 : text.family == Family::random                                ? 16 * out_elements
                 : text.family == Family::copy || text.family == Family::create ? 0
                                                                                : std::max(in_elements, out_elements);
    // "(64×8), (8×4) → (64×4) float32"; a type beside its shape where types differ.
    constexpr std::size_t kMostShown = 4;
    bool one_type = true;
    const at::Tensor* first = !outs.empty() ? &outs[0] : !in.empty() ? &in[0] : nullptr;
    for (const std::vector<at::Tensor>* list : {static_cast<const std::vector<at::Tensor>*>(&in), &outs}) {
        for (const at::Tensor& t : *list) {
            one_type &= t.scalar_type() == first->scalar_type();
        }
    }
    const auto list = [&](const std::vector<at::Tensor>& tensors) {
        std::string all;
        for (std::size_t i = 0; i < std::min(tensors.size(), kMostShown); ++i) {
            all += (i > 0 ? ", " : "") + shape_text(tensors[i]) +
                   (one_type ? "" : std::string(" ") + type_text(tensors[i].scalar_type()));
        }
        return tensors.size() > kMostShown ? all + ", " + std::to_string(tensors.size() - kMostShown) + " more" : all;
    };
    text.shapes = list(in);
    const bool same = in.size() == 1 && outs.size() == 1 && in[0].sizes() == outs[0].sizes() && one_type;
    if (!outs.empty() && !same) {
        text.shapes += (in.empty() ? "" : " → ") + list(outs);
    }
    if (one_type && first != nullptr) {
        text.shapes += std::string(" ") + type_text(first->scalar_type());
    }
    return text;
}

}  // namespace headway::torch_module
