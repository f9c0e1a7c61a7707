// Ops as devices see them: Signature describes an op (immutable, one per distinct op and shapes), and Command is one
// command to run it (one cache line).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/core/assert.h"
#include "engine/core/ids.h"
#include "engine/devices/op_table.h"

namespace headway::devices {

inline constexpr int kMaxRank = 8;

// Dimensions of a contiguous row-major tensor; rank 0 is a scalar (one element).
struct Shape {
    std::array<std::int64_t, kMaxRank> dims{};
    int rank = 0;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> d) {
        HEADWAY_ASSERT(d.size() <= static_cast<std::size_t>(kMaxRank), "a tensor has at most 8 dimensions");
        std::copy(d.begin(), d.end(), dims.begin());
        rank = static_cast<int>(d.size());
    }
    [[nodiscard]] std::int64_t operator[](int axis) const { return dims[static_cast<std::size_t>(axis)]; }
    std::int64_t& operator[](int axis) { return dims[static_cast<std::size_t>(axis)]; }
    [[nodiscard]] std::int64_t elements() const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i) {
            n *= (*this)[i];
        }
        return n;
    }
    friend bool operator==(const Shape&, const Shape&) = default;
};

// "(1024, 512)", used in error messages; "1024×512", used in the timeline.
std::string to_string(const Shape& shape);
std::string to_label(const Shape& shape);

// Step through an operand along axis i of the output (right-aligned, padded with 1 to `rank`); 0 along broadcast axes.
struct Strides {
    std::array<std::int64_t, kMaxRank> step{};
};

// Everything about an op except its data. Made once on the frontend when a combination of op and shapes first appears,
// immutable afterwards, alive as long as the runtime. Kernels read their sizes from here: the members of all kinds of
// ops stand side by side, so that every kernel gets the same type.
struct Signature {
    OpKind kind = OpKind::none;
    Family family = Family::other;
    std::uint16_t id = 0;
    std::uint8_t inputs = 0;
    bool in_place = false;   // out is in0
    bool contiguous = true;  // elementwise: all operands have the output's shape, so one flat loop suffices
    bool transpose_a = false, transpose_b = false;
    std::int64_t elements = 0;  // of the output
    Shape out, in0, in1;
    Strides stride0, stride1;                        // elementwise with broadcasting, and transpose (stride0)
    std::int64_t m = 0, n = 0, k = 0;                // matmul: (m×k)·(k×n)
    std::int64_t outer = 1, reduced = 1, inner = 1;  // reductions: out[o, i] over in[o, r, i]
    std::uint64_t out_bytes = 0, flops = 0, moved_bytes = 0;
    std::uint64_t seed = 0;        // random ops: the run's seed
    std::uint32_t size_class = 0;  // of the output, from memory::Pool
    double simulated_ns = 0;       // if above 0: the op's duration on a simulated device

    // To a GPU from the host or another GPU, or from a GPU to the host.
    [[nodiscard]] bool is_copy_between_devices() const {
        return kind == OpKind::copy_to_device || kind == OpKind::copy_to_host;
    }
};

struct Command;
struct Composite;
struct OpaqueWork;
using HostFunction = void (*)(const Command&, void* context);

// One op for a lane to execute.
struct alignas(64) Command {
    const Signature* signature = nullptr;
    float* out = nullptr;  // null under the lazy policy: allocated when the op starts
    union {
        const float* in0;            // host_call: the HostFunction's context
        const Composite* composite;  // kComposite
        OpaqueWork* opaque;          // kOpaque
    };
    union {
        const float* in1;
        std::uint64_t random_stream;  // random ops, which have no inputs: the random stream
    };
    union {
        float scalar[2];        // a, b
        HostFunction function;  // host_call
        std::int64_t offset;    // slice, assign_slice: first element; copy_to_device: see kFromDevice
    };
    core::OpId op = 0;  // 0: nothing to run or record, only waits or frees
    core::BufferId out_id = 0, in0_id = 0, in1_id = 0;
    std::uint32_t wait_seq = 0;    // run after lane `wait_lane` has completed this many commands
    std::uint8_t wait_lane = 255;  // a lane of any device; 255: no wait
    std::uint8_t flags = 0;
    std::uint16_t line = 0;  // source line, for profilers; 0: unknown, 65535: 65535 or above

    Command() : in0(nullptr), in1(nullptr), offset(0) {}
};
static_assert(sizeof(Command) == 64);

inline constexpr std::uint8_t kFreeBuffer = 1;    // lazy policy: free out_id's memory; op is 0
inline constexpr std::uint8_t kLazyOperands = 2;  // lazy policy: operands with an id are looked up when the op starts
inline constexpr std::uint8_t kComposite = 4;     // an op with a body
inline constexpr std::uint8_t kOutOnCpu = 8;      // `out` is in the memory of the CPU, and the lane is a GPU's
inline constexpr std::uint8_t kOpaque = 16;           // work of another library; never on the CUDA device
inline constexpr std::uint8_t kNoLaneWait = 255;
// Command::offset of a copy_to_device from another GPU: this plus that GPU's number. Otherwise it is from the host.
inline constexpr std::int64_t kFromDevice = 1;

// The body of a composite op: commands that its lane runs one after another, as one command with one issue. The steps
// have no waits of their own, and carry the composite's op id. The submitter keeps it until the command has completed.
struct Composite {
    std::vector<Command> steps;
};

// The body of an opaque op: a function of another library, with any number of operands. The submitter keeps it until
// the command has completed.
struct OpaqueWork {
    // Does the work, on the lane. False if it failed, with one sentence in `error`. Must not throw.
    using Function = bool (*)(void* context, std::string& error);
    Function function = nullptr;
    void* context = nullptr;
    // If one of these has no values because an earlier op failed, the op is not run.
    std::vector<core::BufferId> reads;
    // These may be changed in part, so they are read as well. Without values if the op fails.
    std::vector<core::BufferId> writes;
};

}  // namespace headway::devices
