// What the names in traces of other programs mean: kernels, runtime calls, source lines. Private to app/exchange.
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

// What kind of thing a span is, by its category.
enum class SpanClass : std::uint8_t { gpu, runtime, cpu_op, python, annotation, other };
SpanClass class_of(std::string_view category);

// A call that returns only when the device has done something: cudaStreamSynchronize, cudaMemcpy …
bool is_synchronising(std::string_view call);

// A call that copies; and an asynchronous one, which waits only for copies from the device to pageable memory.
bool is_copy_call(std::string_view call);
bool is_asynchronous_copy_call(std::string_view call);

// What the device's part of a copy says of itself: "Memcpy DtoH (Device -> Pageable)", on AMD "Memcpy DtoH (Device ->
// Host)" or "CopyDeviceToHost".
bool is_copy_to_host(std::string_view device_copy);
enum class HostMemory : std::uint8_t { unknown, pageable, pinned };
HostMemory host_memory_of(std::string_view device_copy);
bool is_staged_copy(std::string_view device_copy);  // from pageable memory to the device

// Taking memory from the driver, and giving it back, which waits for the device.
enum class Allocation : std::uint8_t { none, taken, given_back };
Allocation allocation_of(std::string_view call);

// The op whose need of a value made the frontend wait, from the name of a framework's op; none for most.
struct WaitCause {
    trace::WaitKind kind = trace::WaitKind::synchronize;
    std::string_view name;
};
std::optional<WaitCause> cause_of(std::string_view cpu_op);

// "torch/nn/linear.py(115): forward"
struct PythonPlace {
    std::string_view file;
    std::uint32_t line = 0;
    bool library = false;  // of a framework, not of the program
};
std::optional<PythonPlace> python_place(std::string_view frame);

// "vectorized_elementwise_kernel" of a C++ template's full name; "Memcpy DtoH" of a copy, on NVIDIA's and AMD's GPUs.
std::string short_kernel_name(std::string_view full);
devices::Family family_of(std::string_view name);

// N of "ProfilerStep#N".
std::optional<std::int64_t> profiler_step(std::string_view annotation);

}  // namespace headway::exchange
