// The kernels of faults.cu by name, on `elements` floats of device memory. False: no such kernel.
//
// Threads: any.
#pragma once

#include <string>

namespace headway::simt {

bool launch_fault(const std::string& name, float* memory, int elements, const float* of_host);

}  // namespace headway::simt
