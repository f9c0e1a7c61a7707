// Costs of the frontend's own work in virtual time, the counterpart of the devices' cost models. Read from
// assets/cost_models/host.json by app/model/costs/cost_model_file.h.
//
// Threads: any; it is a value.
#pragma once

#include <string>

namespace headway::devices {

// All zero: only issuing and waiting take time, not the program's own work.
struct HostCosts {
    std::string name;
    std::string source;
    double line_ns = 0;   // executing one line of a Python program
    double print_ns = 0;  // one call of print
    // A NumPy call takes call_ns plus the longest of its arithmetic, its memory traffic and its random numbers. A rate
    // of 0 means no limit.
    double numpy_call_ns = 0;
    double numpy_flops_per_s = 0, numpy_bytes_per_s = 0, numpy_random_per_s = 0;
};

}  // namespace headway::devices
