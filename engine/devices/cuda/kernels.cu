// Kernels and their launches. Compiled without fused multiply-add, so that elementwise results equal the CPU's bits.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/devices/cuda/launch.h"
#include "engine/devices/kernels/elementwise.h"
#include "engine/devices/kernels/normal_math.h"
#include "engine/devices/kernels/walk.h"

namespace headway::devices::cuda {

namespace {

using kernels::Axis;
using kernels::Walk;

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 1 << 16;
constexpr int kTile = 32;  // transposes: a tile of 32×32 by 32×8 threads
constexpr int kTileRows = 8;

unsigned blocks_for(std::int64_t threads) {
    const std::int64_t blocks = (threads + kThreads - 1) / kThreads;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks > kMaxBlocks ? kMaxBlocks : blocks);
}

__device__ std::int64_t first_index() {
    return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() {
    return std::int64_t{gridDim.x} * blockDim.x;
}

__global__ void nothing() {}

// --- element by element ---

// Functors over one or two elements, with their parameters.
template <class Op>
struct Unary {
    __device__ float operator()(float a) const { return Op::of(a); }
};
template <class Op>
struct Binary {
    __device__ float operator()(float a, float b) const { return Op::of(a, b); }
};
template <class Op>
struct WithScalar {
    float scalar;
    __device__ float operator()(float a) const { return Op::of(a, scalar); }
};
struct AddScaled {
    float scale;
    __device__ float operator()(float a, float b) const { return a + scale * b; }
};

// Four elements per access; memory blocks are 64-byte aligned. No __restrict__: out equals in0 for in-place ops.
template <class Function>
__global__ void map(Function function, float* out, const float* in, std::int64_t n) {
    const std::int64_t quads = n / 4;
    for (std::int64_t i = first_index(); i < quads; i += index_step()) {
        const float4 a = reinterpret_cast<const float4*>(in)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(function(a.x), function(a.y), function(a.z), function(a.w));
    }
    for (std::int64_t i = 4 * quads + first_index(); i < n; i += index_step()) {
        out[i] = function(in[i]);
    }
}

template <class Function>
__global__ void map2(Function function, float* out, const float* in0, const float* in1, std::int64_t n) {
    const std::int64_t quads = n / 4;
    for (std::int64_t i = first_index(); i < quads; i += index_step()) {
        const float4 a = reinterpret_cast<const float4*>(in0)[i];
        const float4 b = reinterpret_cast<const float4*>(in1)[i];
        reinterpret_cast<float4*>(out)[i] =
            make_float4(function(a.x, b.x), function(a.y, b.y), function(a.z, b.z), function(a.w, b.w));
    }
    for (std::int64_t i = 4 * quads + first_index(); i < n; i += index_step()) {
        out[i] = function(in0[i], in1[i]);
    }
}

__global__ void fill(float value, float* out, std::int64_t n) {
    for (std::int64_t i = first_index(); i < n; i += index_step()) {
        out[i] = value;
    }
}

// The offsets of output element i in both operands. Index is 32 bits wide if everything fits, because division is
// expensive.
template <class Index>
struct Steps {
    Index size[kMaxRank];
    Index step0[kMaxRank];
    Index step1[kMaxRank];
    int rank;
};

template <class Index>
Steps<Index> steps_of(const Walk& walk) {
    Steps<Index> steps{};
    steps.rank = walk.rank;
    for (int i = 0; i < walk.rank; ++i) {
        const Axis& axis = walk.axes[static_cast<std::size_t>(i)];
        steps.size[i] = static_cast<Index>(axis.size);
        steps.step0[i] = static_cast<Index>(axis.step0);
        steps.step1[i] = static_cast<Index>(axis.step1);
    }
    return steps;
}

template <class Index>
__device__ void offsets_of(const Steps<Index>& steps, Index i, Index& offset0, Index& offset1) {
    offset0 = 0;
    offset1 = 0;
    for (int axis = steps.rank - 1; axis > 0; --axis) {
        const Index rest = i / steps.size[axis];
        const Index at = i - rest * steps.size[axis];
        offset0 += at * steps.step0[axis];
        offset1 += at * steps.step1[axis];
        i = rest;
    }
    offset0 += i * steps.step0[0];
    offset1 += i * steps.step1[0];
}

template <class Function, class Index>
__global__ void broadcast(Function function, Steps<Index> steps, float* out, const float* in0, const float* in1,
                          Index n) {
    for (std::int64_t i = first_index(); i < static_cast<std::int64_t>(n); i += index_step()) {
        Index offset0 = 0;
        Index offset1 = 0;
        offsets_of(steps, static_cast<Index>(i), offset0, offset1);
        out[i] = function(in0[offset0], in1[offset1]);
    }
}

template <class Index>
__global__ void gather(Steps<Index> steps, float* out, const float* in, Index n) {
    for (std::int64_t i = first_index(); i < static_cast<std::int64_t>(n); i += index_step()) {
        Index offset = 0;
        Index unused = 0;
        offsets_of(steps, static_cast<Index>(i), offset, unused);
        out[i] = in[offset];
    }
}

// out[i, j] = in[i + j * step], through shared memory, so that reads and writes use whole cache lines.
__global__ void transpose_tiles(float* out, const float* in, std::int64_t rows, std::int64_t columns,
                                std::int64_t step) {
    __shared__ float tile[kTile][kTile + 1];  // the odd row length avoids bank conflicts
    const std::int64_t tiles_across = (columns + kTile - 1) / kTile;
    const std::int64_t tiles = tiles_across * ((rows + kTile - 1) / kTile);
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const std::int64_t row0 = t / tiles_across * kTile;
        const std::int64_t column0 = t % tiles_across * kTile;
        for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows) {
            const std::int64_t i = row0 + threadIdx.x;
            const std::int64_t j = column0 + k;
            if (i < rows && j < columns) {
                tile[k][threadIdx.x] = in[i + j * step];
            }
        }
        __syncthreads();
        for (int k = static_cast<int>(threadIdx.y); k < kTile; k += kTileRows) {
            const std::int64_t i = row0 + k;
            const std::int64_t j = column0 + threadIdx.x;
            if (i < rows && j < columns) {
                out[i * columns + j] = tile[threadIdx.x][k];
            }
        }
        __syncthreads();
    }
}

// --- reductions ---
//
// A long row is reduced in two steps: each chunk gives a partial result, then the partial results are combined. Chunks,
// threads and trees depend only on the sizes.

struct Sum {
    __device__ static double start() { return 0.0; }
    __device__ static double joined(double a, double b) { return a + b; }
};
struct Max {
    __device__ static double start() { return -INFINITY; }
    // Propagates NaN.
    __device__ static double joined(double a, double b) { return b > a || b != b ? b : a; }
};

template <class Op>
__device__ double joined_in_block(double value) {
    __shared__ double partial[kThreads];
    partial[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] = Op::joined(partial[threadIdx.x], partial[threadIdx.x + half]);
        }
        __syncthreads();
    }
    const double result = partial[0];
    __syncthreads();
    return result;
}

// Contiguous rows: one block per chunk of a row. partials[row * chunks + chunk].
template <class Op, class In, class Out>
__global__ void reduce_rows(Out* out, const In* in, std::int64_t rows, std::int64_t length, std::int64_t chunks,
                            double divisor) {
    const std::int64_t chunk_length = (length + chunks - 1) / chunks;
    for (std::int64_t at = blockIdx.x; at < rows * chunks; at += gridDim.x) {
        const std::int64_t row = at / chunks;
        const std::int64_t begin = at % chunks * chunk_length;
        const std::int64_t end = begin + chunk_length < length ? begin + chunk_length : length;
        double value = Op::start();
        for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
            value = Op::joined(value, static_cast<double>(in[row * length + i]));
        }
        value = joined_in_block<Op>(value);
        if (threadIdx.x == 0) {
            out[at] = static_cast<Out>(value / divisor);
        }
    }
}

// Along another axis: one thread per column of each chunk of rows. partials[(outer * chunks + chunk) * inner + i].
template <class Op, class In, class Out>
__global__ void reduce_columns(Out* out, const In* in, std::int64_t outer, std::int64_t reduced, std::int64_t inner,
                               std::int64_t chunks, double divisor) {
    const std::int64_t chunk_length = (reduced + chunks - 1) / chunks;
    for (std::int64_t at = first_index(); at < outer * chunks * inner; at += index_step()) {
        const std::int64_t column = at % inner;
        const std::int64_t chunk = at / inner % chunks;
        const std::int64_t o = at / inner / chunks;
        const std::int64_t begin = chunk * chunk_length;
        const std::int64_t end = begin + chunk_length < reduced ? begin + chunk_length : reduced;
        double value = Op::start();
        for (std::int64_t r = begin; r < end; ++r) {
            value = Op::joined(value, static_cast<double>(in[(o * reduced + r) * inner + column]));
        }
        out[at] = static_cast<Out>(value / divisor);
    }
}

template <class Op>
void launch_reduction(const Signature& s, const Command& c, Scratch scratch, double divisor, cudaStream_t stream) {
    const std::int64_t outputs = s.outer * s.inner;
    // Enough chunks to fill a GPU even with few outputs, each long enough to be worthwhile, and no more than fit in
    // scratch.
    constexpr std::int64_t kWanted = 1024;
    const std::int64_t least = s.inner == 1 ? 4096 : 64;  // elements per chunk
    std::int64_t chunks = s.reduced / least;
    chunks = chunks < kWanted / outputs ? chunks : kWanted / outputs;
    const auto room = static_cast<std::int64_t>(scratch.elements) / outputs;
    chunks = chunks < room ? chunks : room;
    chunks = chunks > 1 ? chunks : 1;
    if (s.inner == 1) {
        const auto blocks = static_cast<unsigned>(outputs * chunks < kMaxBlocks ? outputs * chunks : kMaxBlocks);
        if (chunks == 1) {
            reduce_rows<Op><<<blocks, kThreads, 0, stream>>>(c.out, c.in0, s.outer, s.reduced, 1, divisor);
            return;
        }
        reduce_rows<Op><<<blocks, kThreads, 0, stream>>>(scratch.data, c.in0, s.outer, s.reduced, chunks, 1.0);
        reduce_rows<Op><<<static_cast<unsigned>(outputs), kThreads, 0, stream>>>(
            c.out, static_cast<const double*>(scratch.data), s.outer, chunks, 1, divisor);
        return;
    }
    if (chunks == 1) {
        reduce_columns<Op>
            <<<blocks_for(outputs), kThreads, 0, stream>>>(c.out, c.in0, s.outer, s.reduced, s.inner, 1, divisor);
        return;
    }
    reduce_columns<Op><<<blocks_for(outputs * chunks), kThreads, 0, stream>>>(scratch.data, c.in0, s.outer, s.reduced,
                                                                              s.inner, chunks, 1.0);
    reduce_columns<Op><<<blocks_for(outputs), kThreads, 0, stream>>>(c.out, static_cast<const double*>(scratch.data),
                                                                     s.outer, chunks, s.inner, 1, divisor);
}

// --- random numbers: one thread per Philox block, that is, per four elements ---

__device__ kernels::PhiloxBlock philox(std::uint64_t seed, std::uint64_t block, std::uint64_t stream) {
    return kernels::philox_rounds({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                    static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
                                  static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

__device__ void store_four(float* out, std::int64_t block, std::int64_t n, const float (&values)[4]) {
    for (int k = 0; k < 4; ++k) {
        if (4 * block + k < n) {
            out[4 * block + k] = values[k];
        }
    }
}

__global__ void normal(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float mean,
                       float deviation) {
    for (std::int64_t block = first_index(); 4 * block < n; block += index_step()) {
        const auto words = philox(seed, static_cast<std::uint64_t>(block), stream);
        float values[4];
        for (int half = 0; half < 4; half += 2) {
            const float radius = sqrtf(kernels::minus_two_log(kernels::radius_argument_from_word(words.word[half])));
            const auto turn = kernels::sine_cosine_of_turn(words.word[half + 1]);
            values[half] = mean + deviation * (radius * turn.cosine);
            values[half + 1] = mean + deviation * (radius * turn.sine);
        }
        store_four(out, block, n, values);
    }
}

__global__ void uniform(float* out, std::int64_t n, std::uint64_t seed, std::uint64_t stream, float low, float span,
                        float below_high) {
    for (std::int64_t block = first_index(); 4 * block < n; block += index_step()) {
        const auto words = philox(seed, static_cast<std::uint64_t>(block), stream);
        float values[4];
        for (int k = 0; k < 4; ++k) {
            const float value = low + span * kernels::unit_from_word(words.word[k]);
            values[k] = value < below_high ? value : below_high;
        }
        store_four(out, block, n, values);
    }
}

// --- launches ---

template <class Function>
void launch_map(Function function, const Signature& s, const Command& c, cudaStream_t stream) {
    map<<<blocks_for((s.elements + 3) / 4), kThreads, 0, stream>>>(function, c.out, c.in0, s.elements);
}

template <class Function>
void launch_map2(Function function, const Signature& s, const Command& c, cudaStream_t stream) {
    map2<<<blocks_for((s.elements + 3) / 4), kThreads, 0, stream>>>(function, c.out, c.in0, c.in1, s.elements);
}

bool fits_32_bits(const Signature& s) {
    constexpr std::int64_t kLimit = 0x7fffffff;
    return s.elements <= kLimit && s.in0.elements() <= kLimit && s.in1.elements() <= kLimit;
}

// Launches of single kinds, with the same parameters.

template <class Op>
void launch_unary(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    launch_map(Unary<Op>{}, s, c, stream);
}

template <class Op>
void launch_with_scalar(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    launch_map(WithScalar<Op>{c.scalar[0]}, s, c, stream);
}

template <class Op>
void launch_binary(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    constexpr Binary<Op> function{};
    if (s.contiguous) {
        launch_map2(function, s, c, stream);
        return;
    }
    const Walk walk = kernels::walk_of(s);
    const auto blocks = blocks_for(s.elements);
    if (fits_32_bits(s)) {
        broadcast<<<blocks, kThreads, 0, stream>>>(function, steps_of<std::uint32_t>(walk), c.out, c.in0, c.in1,
                                                   static_cast<std::uint32_t>(s.elements));
    } else {
        broadcast<<<blocks, kThreads, 0, stream>>>(function, steps_of<std::int64_t>(walk), c.out, c.in0, c.in1,
                                                   s.elements);
    }
}

void launch_transpose(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    const Walk walk = kernels::walk_of(s);
    if (walk.rank == 2 && walk.axes[0].step0 == 1) {
        const std::int64_t rows = walk.axes[0].size;
        const std::int64_t columns = walk.axes[1].size;
        const std::int64_t tiles = ((rows + kTile - 1) / kTile) * ((columns + kTile - 1) / kTile);
        const auto blocks = static_cast<unsigned>(tiles < kMaxBlocks ? tiles : kMaxBlocks);
        transpose_tiles<<<blocks, dim3(kTile, kTileRows), 0, stream>>>(c.out, c.in0, rows, columns, walk.axes[1].step0);
    } else if (fits_32_bits(s)) {
        gather<<<blocks_for(s.elements), kThreads, 0, stream>>>(steps_of<std::uint32_t>(walk), c.out, c.in0,
                                                                static_cast<std::uint32_t>(s.elements));
    } else {
        gather<<<blocks_for(s.elements), kThreads, 0, stream>>>(steps_of<std::int64_t>(walk), c.out, c.in0, s.elements);
    }
}

void launch_fill(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    fill<<<blocks_for(s.elements), kThreads, 0, stream>>>(c.scalar[0], c.out, s.elements);
}

void launch_normal(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    normal<<<blocks_for((s.elements + 3) / 4), kThreads, 0, stream>>>(c.out, s.elements, s.seed, c.random_stream,
                                                                      c.scalar[0], c.scalar[1]);
}

void launch_uniform(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    const float low = c.scalar[0];
    const float high = c.scalar[1];
    uniform<<<blocks_for((s.elements + 3) / 4), kThreads, 0, stream>>>(c.out, s.elements, s.seed, c.random_stream, low,
                                                                       high - low, std::nextafterf(high, low));
}

void launch_add_scaled(const Signature& s, const Command& c, Scratch, cudaStream_t stream) {
    launch_map2(AddScaled{c.scalar[0]}, s, c, stream);
}

void launch_sum(const Signature& s, const Command& c, Scratch scratch, cudaStream_t stream) {
    launch_reduction<Sum>(s, c, scratch, 1.0, stream);
}

void launch_mean(const Signature& s, const Command& c, Scratch scratch, cudaStream_t stream) {
    launch_reduction<Sum>(s, c, scratch, static_cast<double>(s.reduced), stream);
}

void launch_max(const Signature& s, const Command& c, Scratch scratch, cudaStream_t stream) {
    launch_reduction<Max>(s, c, scratch, 1.0, stream);
}

void launch_noop(const Signature&, const Command&, Scratch, cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
}

struct Table {
    using Launch = void (*)(const Signature&, const Command&, Scratch, cudaStream_t);
    std::array<Launch, kOpKinds> launch{};

    constexpr void put(OpKind kind, Launch entry) { launch[static_cast<std::size_t>(kind)] = entry; }
    template <class Op>
    constexpr void put_one(OpKind kind) {
        put(kind, launch_unary<Op>);
    }
    template <class Op>
    constexpr void put_scalar(OpKind kind) {
        put(kind, launch_with_scalar<Op>);
    }
    template <class Op>
    constexpr void put_two(OpKind kind) {
        put(kind, launch_binary<Op>);
    }
};

constexpr Table make_table() {
    Table table;
    kernels::put_elementwise(table);
    table.put(OpKind::fill, launch_fill);
    table.put(OpKind::normal, launch_normal);
    table.put(OpKind::uniform, launch_uniform);
    table.put(OpKind::add_scaled, launch_add_scaled);
    table.put(OpKind::sum, launch_sum);
    table.put(OpKind::mean, launch_mean);
    table.put(OpKind::max, launch_max);
    table.put(OpKind::transpose, launch_transpose);
    table.put(OpKind::noop, launch_noop);
    return table;
}

constexpr Table kTable = make_table();

}  // namespace

cudaError_t launch_nothing(cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

cudaError_t launch_op(const Signature& s, const Command& c, Scratch scratch, cudaStream_t stream) {
    if (s.elements == 0) {
        return launch_nothing(stream);
    }
    const auto launch = s.kind < OpKind::count_ ? kTable.launch[static_cast<std::size_t>(s.kind)] : nullptr;
    if (launch == nullptr) {
        return cudaErrorNotSupported;
    }
    launch(s, c, scratch, stream);
    return cudaGetLastError();
}

}  // namespace headway::devices::cuda
