// Stands between the device and the kernels: the linker makes the device's calls of launch_op() arrive here (--wrap),
// so that the order checker knows what the op's kernels access.
#include "engine/devices/cuda/launch.h"
#include "tests/unit/cuda/fake_state.h"

using headway::devices::Command, headway::devices::Signature, headway::devices::cuda::Scratch;
using headway::fake::Access, headway::fake::next_accesses;

#define HEADWAY_LAUNCH_OP _ZN7headway7devices4cuda9launch_opERKNS0_9SignatureERKNS0_7CommandENS1_7ScratchEP11CUstream_st
#define HEADWAY_JOINED(a, b) a##b
#define HEADWAY_JOIN(a, b) HEADWAY_JOINED(a, b)

extern "C" {

cudaError_t HEADWAY_JOIN(__real_, HEADWAY_LAUNCH_OP)(const Signature&, const Command&, Scratch, cudaStream_t);

cudaError_t HEADWAY_JOIN(__wrap_, HEADWAY_LAUNCH_OP)(const Signature& s, const Command& c, Scratch scratch,
                                                     cudaStream_t stream) {
    const auto floats = [](std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(float); };
    if (s.inputs > 0) {
        next_accesses.push_back({c.in0, floats(s.in0.elements()), false});
    }
    if (s.inputs > 1) {
        next_accesses.push_back({c.in1, floats(s.in1.elements()), false});
    }
    next_accesses.push_back({c.out, floats(s.elements), true});
    if (s.family == headway::devices::Family::reduce) {
        next_accesses.push_back({scratch.data, scratch.elements * sizeof(double), true});
    }
    const auto status = HEADWAY_JOIN(__real_, HEADWAY_LAUNCH_OP)(s, c, scratch, stream);
    next_accesses.clear();
    return status;
}

}  // extern "C"
