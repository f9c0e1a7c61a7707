// What the frontend's own work costs in virtual time: the other half of the cost models. Read from
// assets/cost_models/host.json, see engine/devices/simulated/cost_model.h.
//
// Threads: any; it is a value.
#pragma once

#include <string>

namespace headway::devices {

// All zero: the program's own work takes no time, and only issuing and waiting do.
struct HostCosts {
    std::string name;
    std::string source;
    double line_ns = 0;   // coming to one line of a Python program
    double print_ns = 0;  // one call of print
    // One call of NumPy takes call_ns plus the longest of its arithmetic, its memory traffic and its random numbers; a
    // rate of 0 is no limit.
    double numpy_call_ns = 0;
    double numpy_flops_per_s = 0, numpy_bytes_per_s = 0, numpy_random_per_s = 0;
};

}  // namespace headway::devices
