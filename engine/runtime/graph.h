// A function that was traced once: its ops, and what they read and write, without values. Runtime::run() issues all of
// them as one op.
//
// Threads: the frontend only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/devices/op.h"
#include "engine/runtime/tensor.h"

namespace headway::runtime {

// Values are numbered: the inputs first, then what the function took from outside of it, then what its ops make.
struct Graph {
    static constexpr std::uint32_t kNone = ~0u;

    struct Step {
        const devices::Signature* signature = nullptr;
        std::uint32_t in0 = kNone, in1 = kNone, out = kNone;
        std::uint64_t payload = 0;
        bool random = false;
        bool fresh = false;  // makes `out`; else writes it in place
    };
    struct Output {
        std::uint32_t value = kNone;
        ShapeId shape = 0;
    };

    std::string name;
    const devices::Signature* signature = nullptr;  // of the composite op; null without steps
    std::vector<Step> steps;
    std::vector<ShapeId> inputs;   // their shapes
    std::vector<Tensor> captured;  // kept, as every run reads them
    std::vector<Output> outputs;
    std::uint32_t values = 0;
    core::DeviceId device = 0;  // all of it runs there
};

}  // namespace headway::runtime
