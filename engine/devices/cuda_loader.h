// How a program gets the CUDA device: looks for the driver, then loads libheadway_cuda.so and asks it for the device.
// No CUDA header is needed to build or to call this, and nothing of CUDA is touched where there is no driver.
//
// Threads: any; the device belongs to the recording's run as every other one does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/devices/device.h"
#include "engine/trace/recorder.h"

namespace headway::devices {

// Who hands ops to the GPU's driver, which takes a few microseconds each.
enum class CudaLaunch : std::uint8_t {
    engine,    // a thread of the engine's own (as MXNet does): issuing costs a push into a queue
    frontend,  // the program's thread (as PyTorch does): issuing is the launch, and blocks when the driver's queue is
               // full
};

struct CudaOptions {
    std::uint32_t streams = 2;  // lanes, 1 to 16
    int device = 0;             // as the driver counts them
    CudaLaunch launch = CudaLaunch::engine;
    bool tf32 = false;   // products with 10 bits of mantissa, on tensor cores
    bool pinned = true;  // copies from and to the host go through page-locked memory; false: "async that is not"
    bool record = true;  // off only to measure the recorder
    // Times from the GPU's own records; false: from events around each op. HEADWAY_CUDA_TIMES=events does the same, for
    // tools that want CUPTI for themselves.
    bool cupti = true;
    std::string cupti_library;  // empty: the toolkit's
    // Empty: libcuda.so.1, and libheadway_cuda.so beside the executable, unless the environment names others
    // (HEADWAY_CUDA_DRIVER, HEADWAY_CUDA_MODULE).
    std::string driver_library;
    std::string module;
};

// Changes whenever what crosses the module's boundary does: these options, Device, Command, Recording.
inline constexpr std::uint32_t kCudaModuleAbi = 3;
inline constexpr const char* kCudaModuleEntry = "headway_cuda_open";

// The module's one symbol. With a recording it makes a device; without, it only looks whether it could. Returns whether
// it succeeded; `text` gets the device's name or the reason why not, in one sentence without its end.
using CudaModuleEntry = bool (*)(std::uint32_t abi, const CudaOptions* options, trace::Recording* recording,
                                 Device** device, char* text, std::size_t text_bytes);

// The device, or why there is none (ErrorKind::unavailable): no driver, a library missing by name, no GPU, one that is
// too old, a module of another build. The recording outlives the device.
core::Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options, trace::Recording& recording);

// Whether the driver and the module can be loaded, or why not. Nothing of CUDA is called: where times are to come from
// CUPTI, open_cuda() has to make the process's first call.
core::Result<void> find_cuda(const CudaOptions& options = {});

// The name of the GPU that open_cuda() would give, or why it would not. Loads the module: about 0.1 s where there is a
// driver, nothing where there is none.
core::Result<std::string> probe_cuda(const CudaOptions& options = {});

}  // namespace headway::devices
