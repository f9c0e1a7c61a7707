// Interprets the names in other programs' traces: kernels, runtime calls, source lines. Private to app/exchange.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/devices/op.h"
#include "engine/trace/format.h"

namespace headway::exchange {

// The class of a span, from its category.
enum class SpanClass : std::uint8_t { gpu, runtime, cpu_op, python, annotation, other };
SpanClass class_of(std::string_view category);

// True for a call that waits for the device: cudaStreamSynchronize, cudaMemcpy …
bool is_synchronising(std::string_view call);

// True for copy calls; and for asynchronous ones, which wait only for copies from the device to pageable memory.
bool is_copy_call(std::string_view call);
bool is_asynchronous_copy_call(std::string_view call);

// True if the device's part of a copy is named as a copy to the host: "Memcpy DtoH (Device -> Pageable)", on AMD
// "Memcpy DtoH (Device -> Host)" or "CopyDeviceToHost".
bool is_copy_to_host(std::string_view device_copy);
enum class HostMemory : std::uint8_t { unknown, pageable, pinned };
HostMemory host_memory_of(std::string_view device_copy);
bool is_staged_copy(std::string_view device_copy);  // from pageable memory to the device

// Driver calls that allocate memory, and that free it, which waits for the device.
enum class Allocation : std::uint8_t { none, taken, given_back };
Allocation allocation_of(std::string_view call);

// Why a framework op waited for a value, from the op's name; empty for most.
struct WaitCause {
    trace::WaitKind kind = trace::WaitKind::synchronize;
    std::string_view name;
};
std::optional<WaitCause> cause_of(std::string_view cpu_op);

// "torch/nn/linear.py(115): forward"
struct PythonPlace {
    std::string_view file;
    std::uint32_t line = 0;
    bool library = false;  // part of a framework, not of the program
};
std::optional<PythonPlace> python_place(std::string_view frame);

// "vectorized_elementwise_kernel" from a C++ template's full name; "Memcpy DtoH" from a copy, for NVIDIA and AMD.
std::string short_kernel_name(std::string_view full);
devices::Family family_of(std::string_view name);

// N from "ProfilerStep#N".
std::optional<std::int64_t> profiler_step(std::string_view annotation);

}  // namespace headway::exchange
