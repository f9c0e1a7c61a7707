#include "app/exchange/foreign_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headway::exchange {

namespace {

bool contains(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
           }) != text.end();
}

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

SpanClass class_of(std::string_view category) {
    constexpr std::array<std::string_view, 5> kGpu{"kernel", "gpu_memcpy", "gpu_memset", "concurrent_kernel", "Kernel"};
    constexpr std::array<std::string_view, 5> kRuntime{"cuda_runtime", "cuda_driver", "hip_runtime", "Runtime",
                                                       "xpu_runtime"};
    if (is_one_of(category, kGpu)) {
        return SpanClass::gpu;
    }
    if (is_one_of(category, kRuntime)) {
        return SpanClass::runtime;
    }
    if (category == "cpu_op" || category == "Operator") {
        return SpanClass::cpu_op;
    }
    if (category == "python_function") {
        return SpanClass::python;
    }
    return category == "user_annotation" ? SpanClass::annotation : SpanClass::other;
}

bool is_synchronising(std::string_view call) {
    constexpr std::array<std::string_view, 12> kCalls{
        "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cuStreamSynchronize",
        "cuCtxSynchronize",      "cuEventSynchronize",    "hipStreamSynchronize", "hipDeviceSynchronize",
        "hipEventSynchronize",   "cudaMemcpy",            "hipMemcpy",            "hipMemcpyWithStream"};
    return is_one_of(call, kCalls);
}

std::optional<WaitCause> cause_of(std::string_view op) {
    struct Known {
        std::string_view op;
        WaitCause cause;
    };
    using trace::WaitKind;
    constexpr std::array<Known, 11> kKnown{{{"aten::item", {WaitKind::item, "item"}},
                                            {"aten::_local_scalar_dense", {WaitKind::item, "item"}},
                                            {"aten::is_nonzero", {WaitKind::boolean, "bool"}},
                                            {"aten::nonzero", {WaitKind::boolean, "nonzero"}},
                                            {"aten::masked_select", {WaitKind::boolean, "masked_select"}},
                                            {"aten::equal", {WaitKind::boolean, "equal"}},
                                            {"aten::to", {WaitKind::copy, "to"}},
                                            {"aten::_to_copy", {WaitKind::copy, "to"}},
                                            {"aten::cpu", {WaitKind::copy, "cpu"}},
                                            {"aten::copy_", {WaitKind::copy, "copy"}},
                                            {"aten::numpy_T", {WaitKind::numpy, "numpy"}}}};
    for (const Known& known : kKnown) {
        if (known.op == op) {
            return known.cause;
        }
    }
    return std::nullopt;
}

std::optional<PythonPlace> python_place(std::string_view frame) {
    const std::size_t end = frame.find("): ");
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t begin = frame.rfind('(', end);
    PythonPlace place;
    if (begin == std::string_view::npos || begin == 0) {
        return std::nullopt;
    }
    const auto [stop, problem] = std::from_chars(frame.data() + begin + 1, frame.data() + end, place.line);
    if (problem != std::errc() || stop != frame.data() + end || place.line == 0) {
        return std::nullopt;
    }
    place.file = frame.substr(0, begin);
    place.library = place.file.starts_with("torch/") || place.file.starts_with('<') ||
                    contains(place.file, "site-packages") || contains(place.file, "dist-packages") ||
                    contains(place.file, "/torch/") || contains(place.file, "lib/python");
    return place;
}

std::string short_kernel_name(std::string_view full) {
    // Up to the template's or function's arguments, then the last part of the qualified name.
    std::string_view name = full.starts_with("void ") ? full.substr(5) : full;
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    std::size_t from = 0;
    std::size_t end = name.size();
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with(kAnonymous)) {
            i += kAnonymous.size() - 1;
            from = i + 1;
        } else if (name[i] == '<' || name[i] == '(') {
            end = i;
            break;
        } else if (name[i] == ':' && i + 1 < name.size() && name[i + 1] == ':') {
            from = i + 2;
        }
    }
    name = from < end ? name.substr(from, end - from) : name.substr(0, std::max<std::size_t>(end, 1));
    return std::string(name.substr(0, 96));
}

devices::Family family_of(std::string_view name) {
    using devices::Family;
    struct Sign {
        std::string_view part;
        Family family;
    };
    // The first that is found decides.
    constexpr std::array<Sign, 28> kSigns{{{"memcpy", Family::copy},
                                           {"memset", Family::create},
                                           {"gemm", Family::matmul},
                                           {"gemv", Family::matmul},
                                           {"matmul", Family::matmul},
                                           {"aten::mm", Family::matmul},
                                           {"addmm", Family::matmul},
                                           {"bmm", Family::matmul},
                                           {"cutlass", Family::matmul},
                                           {"conv", Family::matmul},
                                           {"multi_tensor_apply", Family::update},
                                           {"adam", Family::update},
                                           {"sgd", Family::update},
                                           {"optimizer", Family::update},
                                           {"softmax", Family::reduce},
                                           {"norm", Family::reduce},
                                           {"reduce", Family::reduce},
                                           {"aten::sum", Family::reduce},
                                           {"philox", Family::random},
                                           {"distribution", Family::random},
                                           {"random", Family::random},
                                           {"fill", Family::create},
                                           {"aten::empty", Family::create},
                                           {"aten::zeros", Family::create},
                                           {"copy", Family::copy},
                                           {"elementwise", Family::elementwise},
                                           {"aten::add", Family::elementwise},
                                           {"aten::mul", Family::elementwise}}};
    for (const Sign& sign : kSigns) {
        if (contains(name, sign.part)) {
            return sign.family;
        }
    }
    return Family::other;
}

std::optional<std::int64_t> profiler_step(std::string_view annotation) {
    constexpr std::string_view kStep = "ProfilerStep#";
    if (!annotation.starts_with(kStep)) {
        return std::nullopt;
    }
    std::int64_t step = 0;
    const auto number = annotation.substr(kStep.size());
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), step);
    return problem == std::errc() && step >= 0 && step < INT32_MAX ? std::optional(step) : std::nullopt;
}

}  // namespace headway::exchange
