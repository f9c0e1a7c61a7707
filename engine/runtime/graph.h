// A traced function: its ops and the values that they read and write, without data. GraphBuilder::run() issues
// all ops as one composite op.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/devices/op.h"
#include "engine/runtime/tensor.h"

namespace headway::runtime {

// Values are numbered: first the inputs, then the captured tensors, then the results of the ops.
struct Graph {
    static constexpr std::uint32_t kNone = ~0u;

    struct Step {
        const devices::Signature* signature = nullptr;
        std::uint32_t in0 = kNone, in1 = kNone, out = kNone;
        std::uint64_t payload = 0;
        bool random = false;
        bool fresh = false;  // creates `out`; otherwise writes it in place
    };
    struct Output {
        std::uint32_t value = kNone;
        ShapeId shape = 0;
    };

    std::string name;
    const devices::Signature* signature = nullptr;  // of the composite op; null without steps
    std::vector<Step> steps;
    std::vector<ShapeId> inputs;   // their shapes
    std::vector<Tensor> captured;  // tensors from outside the function; every run reads them
    std::vector<Output> outputs;
    std::uint32_t values = 0;
    core::DeviceId device = 0;  // all ops run there
};

}  // namespace headway::runtime
