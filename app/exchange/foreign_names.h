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

// "vectorized_elementwise_kernel" of a C++ template's full name.
std::string short_kernel_name(std::string_view full);
devices::Family family_of(std::string_view name);

// N of "ProfilerStep#N".
std::optional<std::int64_t> profiler_step(std::string_view annotation);

}  // namespace headway::exchange
