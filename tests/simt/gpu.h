// A GPU for tests: runs CUDA kernels, compiled by the C++ compiler, on one thread of the CPU. Each thread of a block is
// a fiber; blocks, and threads between two barriers, run in a random order.
//
// What it finds, and ends the process for (status 66), with one sentence:
//   - a barrier that some threads of a block do not reach, or where they wait at different lines;
//   - a block whose threads never stop meeting at barriers;
//   - where memory_check.h is linked (builds without sanitizers): each access outside of device memory, shared memory,
//     parameters and the own stack; each use of shared memory before it is written; each race, whether or not it
//     changed a value in this order.
// With the address and thread sanitizers, they see the kernels' accesses instead; the former also a thread's own arrays
// and addresses that are not aligned. For the thread sanitizer, threads of
// a GPU are ordered by barriers and by the beginning and end of a launch, and by nothing else, except that two blocks
// of the same launch share fibers every second time.
//
// What it does not know: warps and their functions (shuffles, votes, __syncwarp), atomics, clocks, textures, constant
// and dynamic shared memory, cooperative groups, assembly, and the GPU's own exp and the like. Kernels that use these do not
// compile. A thread is never interrupted between barriers: without races no order in there matters.
//
// Threads: launches on different threads are independent of each other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

namespace headway::simt {

struct Grid {
    dim3 blocks, threads;
    std::size_t shared_bytes;
    cudaStream_t stream;

    Grid(dim3 b, dim3 t, std::size_t bytes = 0, cudaStream_t s = nullptr)
        : blocks(b), threads(t), shared_bytes(bytes), stream(s) {}
};

// One kernel with its parameters.
struct Launch {
    Grid grid;
    const char* name;
    std::shared_ptr<const void> parameters;
    std::size_t parameter_bytes;
    void (*thread)(const void* parameters);  // what one thread executes
};

// Implemented outside this library: direct.cpp runs the launch at once; the fake driver adds it to its stream's queue.
void submit(const Launch& launch);

// Executes all blocks on this thread.
void run(const Launch& launch);

// Submits a launch with a copy of the parameters.
void submit_copy(const Grid& grid, const char* name, const void* parameters, std::size_t parameter_bytes,
                 void (*thread)(const void* parameters));

// What `kernel<<<grid>>>(arguments...)` becomes. Arguments are evaluated now, as by CUDA.
template <class Kernel, class... Arguments>
void launch(const Grid& grid, const char* name, Kernel, Arguments... arguments) {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...), "CUDA copies the bytes of parameters");
    using Parameters = std::tuple<Arguments...>;
    const Parameters parameters(arguments...);
    submit_copy(grid, name, &parameters, sizeof parameters,
                [](const void* given) { std::apply(Kernel{}, *static_cast<const Parameters*>(given)); });
}

// --- for tests ---

// The kernels must compute the same with any number of blocks: launches on this thread get at most `most`; 0: no limit.
void limit_blocks(unsigned most);
// The order of blocks and threads; also HEADWAY_SIMT_SEED.
void set_seed(std::uint64_t seed);
struct Counts {
    std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0;
};
Counts counts();  // of this process
// Prints and ends the process with status 66.
[[noreturn]] void stop(const std::string& what);

// --- for kernels ---

uint3 thread_index();
uint3 block_index();
dim3 block_size();
dim3 grid_size();
void barrier(int line);

// One for each __shared__ variable of each function.
struct SharedVariable {
    char unused;
};
void* shared_memory(const SharedVariable& variable, std::size_t bytes);
template <class T>
T& shared(const SharedVariable& variable) {
    return *static_cast<T*>(shared_memory(variable, sizeof(T)));
}

// Whether this is the change of the source that HEADWAY_SIMT_MUTANT asks for (translate.py --mutants).
bool mutated(int number);

}  // namespace headway::simt
