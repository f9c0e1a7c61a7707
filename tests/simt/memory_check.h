// Looks at each access of a kernel, where the kernels are compiled with -fsanitize=thread and linked without its
// runtime: memory_check.cpp is then what the compiler's calls arrive at. It reports accesses outside of what a kernel
// may use, shared memory that is read before it is written, and races.
//
// Two accesses race if one of them writes, different threads made them, and no barrier of their block, nor the end of a
// launch, lies between them. This does not depend on the order in which this run executed them. The unit is four bytes.
// Races between launches on different streams are left to the thread sanitizer.
//
// Threads: each checks its own launches; device memory is known to all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headway::simt {

// Device memory, as cudaMalloc and cudaFree give and take it.
void add_device_memory(const void* data, std::size_t bytes);
void remove_device_memory(const void* data);

// What the thread of a GPU that runs now may use, beside device memory.
struct Running {
    const char* kernel = nullptr;
    std::uint32_t launch = 0;  // numbered from 1
    std::uint32_t block = 0, thread = 0;
    std::uint32_t phase = 0;  // barriers that the block has passed
    std::uintptr_t stack_begin = 0, stack_end = 0;
    std::uintptr_t parameters_begin = 0, parameters_end = 0;
    std::uintptr_t arena_begin = 0, arena_end = 0;  // reserved for shared memory
    std::uintptr_t shared_begin[8] = {}, shared_end[8] = {};
    int shared_variables = 0;
};
// Null: no kernel runs on this thread.
void set_running(const Running* running);

}  // namespace headway::simt
