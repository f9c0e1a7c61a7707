#include "app/exchange/foreign/foreign_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace headway::exchange {

namespace {

// Case-insensitive; `part` must be lower case.
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
    // Capitalised: torch up to 1.9.
    constexpr std::array<std::string_view, 7> kGpu{"kernel", "gpu_memcpy", "gpu_memset", "concurrent_kernel",
                                                   "Kernel", "Memcpy",     "Memset"};
    constexpr std::array<std::string_view, 6> kRuntime{"cuda_runtime", "cuda_driver", "hip_runtime",
                                                       "hip_driver",   "Runtime",     "xpu_runtime"};
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
    constexpr std::array<std::string_view, 12> kCalls{"cudaStreamSynchronize",
                                                      "cudaDeviceSynchronize",
                                                      "cudaEventSynchronize",
                                                      "cuStreamSynchronize",
                                                      "cuCtxSynchronize",
                                                      "cuEventSynchronize",
                                                      "hipStreamSynchronize",
                                                      "hipDeviceSynchronize",
                                                      "hipEventSynchronize",
                                                      "cudaMemcpy",
                                                      "hipMemcpy",
                                                      "hipMemcpyWithStream"};
    return is_one_of(call, kCalls) || allocation_of(call) == Allocation::given_back;
}

bool is_copy_call(std::string_view call) {
    return contains(call, "memcpy");
}

bool is_asynchronous_copy_call(std::string_view call) {
    return is_copy_call(call) && contains(call, "async");
}

bool is_copy_to_host(std::string_view copy) {
    return contains(copy, "dtoh") || contains(copy, "devicetohost");
}

HostMemory host_memory_of(std::string_view copy) {
    return contains(copy, "pageable") ? HostMemory::pageable
           : contains(copy, "pinned") ? HostMemory::pinned
                                      : HostMemory::unknown;
}

bool is_staged_copy(std::string_view copy) {
    return contains(copy, "pageable -> device");
}

Allocation allocation_of(std::string_view call) {
    constexpr std::array<std::string_view, 14> kTaken{"cudaMalloc",       "cudaMallocManaged",     "cudaMallocHost",
                                                      "cudaHostAlloc",    "cudaHostRegister",      "cuMemAlloc",
                                                      "cuMemAlloc_v2",    "cuMemCreate",           "cuMemMap",
                                                      "hipMalloc",        "hipExtMallocWithFlags", "hipHostMalloc",
                                                      "hipMallocManaged", "hipMemCreate"};
    constexpr std::array<std::string_view, 7> kGivenBack{"cudaFree", "cudaFreeHost", "cuMemFree",  "cuMemFree_v2",
                                                         "hipFree",  "hipHostFree",  "hipFreeHost"};
    return is_one_of(call, kTaken)       ? Allocation::taken
           : is_one_of(call, kGivenBack) ? Allocation::given_back
                                         : Allocation::none;
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
                                            {"aten::to", {WaitKind::copy, "to()"}},
                                            {"aten::_to_copy", {WaitKind::copy, "to()"}},
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
    struct Copy {
        std::string_view theirs, name;
    };
    constexpr std::array<Copy, 4> kCopies{{{"CopyDeviceToHost", "Memcpy DtoH"},
                                           {"CopyHostToDevice", "Memcpy HtoD"},
                                           {"CopyDeviceToDevice", "Memcpy DtoD"},
                                           {"FillBuffer", "Memset"}}};
    for (const Copy& copy : kCopies) {
        if (full == copy.theirs) {
            return std::string(copy.name);
        }
    }
    // Remove template and function arguments, then take the last part of the qualified name.
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
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    return std::string(name.substr(0, 96));
}

devices::Family family_of(std::string_view name) {
    using devices::Family;
    struct Sign {
        std::string_view part;
        Family family;
    };
    // The first match decides; parts are lower case. Names from NVIDIA's and AMD's libraries (Tensile: Cijk_).
    // Collectives, which move data between GPUs, are in both.
    constexpr std::array<Sign, 53> kSigns{{{"memcpy", Family::copy},
                                           {"memset", Family::create},
                                           {"nccl", Family::copy},
                                           {"rccl", Family::copy},
                                           {"triton_poi", Family::elementwise},
                                           {"triton_red", Family::reduce},
                                           {"triton_per", Family::reduce},
                                           {"triton_tem", Family::matmul},
                                           {"gemm", Family::matmul},
                                           {"gemv", Family::matmul},
                                           {"matmul", Family::matmul},
                                           {"aten::mm", Family::matmul},
                                           {"addmm", Family::matmul},
                                           {"bmm", Family::matmul},
                                           {"cutlass", Family::matmul},
                                           {"conv", Family::matmul},
                                           {"cijk_", Family::matmul},
                                           {"cudnn_infer", Family::matmul},
                                           {"cudnn_train", Family::matmul},
                                           {"scudnn", Family::matmul},
                                           {"wgrad", Family::matmul},
                                           {"dgrad", Family::matmul},
                                           {"winograd", Family::matmul},
                                           {"flash_fwd", Family::matmul},
                                           {"flash_bwd", Family::matmul},
                                           {"attn_fwd", Family::matmul},
                                           {"attn_bwd", Family::matmul},
                                           {"fmha", Family::matmul},
                                           {"multi_tensor_apply", Family::update},
                                           {"adam", Family::update},
                                           {"sgd", Family::update},
                                           {"optimizer", Family::update},
                                           {"softmax", Family::reduce},
                                           {"bn_fw", Family::reduce},
                                           {"bn_bw", Family::reduce},
                                           {"pool", Family::reduce},
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
                                           {"tonhwc", Family::copy},
                                           {"tonchw", Family::copy},
                                           {"transpose", Family::copy},
                                           {"elementwise", Family::elementwise},
                                           {"subtensorop", Family::elementwise},
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
