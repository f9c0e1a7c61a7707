// Opens the CUDA device: looks for the driver, then loads libheadway_cuda.so and gets the device from it. Needs no CUDA
// header, and loads nothing of CUDA if there is no driver.
//
// Threads: any; the device belongs to the recording's run like every other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/devices/device.h"
#include "engine/trace/recorder.h"

namespace headway::devices {

// Which thread launches ops on the GPU, at a few microseconds each.
enum class CudaLaunch : std::uint8_t {
    engine,    // a thread of the engine (as MXNet does): issuing pushes to a queue
    frontend,  // the program's thread (as PyTorch does): issuing is the launch, and blocks when the driver's queue is
               // full
};

struct CudaOptions {
    std::uint32_t streams = 2;  // lanes, 1 to 16
    int device = 0;             // the driver's device number
    DeviceSlot place;           // among the devices of the run; all GPUs of a run are of this kind
    CudaLaunch launch = CudaLaunch::engine;
    bool tf32 = false;   // products with 10 bits of mantissa, on tensor cores
    bool pinned = true;  // host copies use page-locked memory; false: "async" copies that block
    bool record = true;  // turned off only to measure the recorder's cost
    // true: times come from CUPTI's records; false: from events around each op. HEADWAY_CUDA_TIMES=events also selects
    // events, for use with tools that need CUPTI themselves.
    bool cupti = true;
    std::string cupti_library;  // empty: the toolkit's
    // Empty: libcuda.so.1, and libheadway_cuda.so next to the executable, unless the environment names others
    // (HEADWAY_CUDA_DRIVER, HEADWAY_CUDA_MODULE).
    std::string driver_library;
    std::string module;
};

// Covers the kinds of ops. Increase the first number when anything else that crosses the module's boundary changes:
// these options, Device, Command, Recording.
inline constexpr std::uint32_t kCudaModuleAbi = 6 + hash_of(kOps);
inline constexpr const char* kCudaModuleEntry = "headway_cuda_open";

// The module's only symbol. With a recording it makes a device; without one it only checks whether it could. Returns
// whether it succeeded; `text` receives the device's name, or the reason as one sentence without a full stop.
using CudaModuleEntry = bool (*)(std::uint32_t abi, const CudaOptions* options, trace::Recording* recording,
                                 Device** device, char* text, std::size_t text_bytes);

// Opens the device. Errors are of kind unavailable: no driver, a missing library (named), no GPU, a GPU that is too
// old, or a module of another build. The recording must outlive the device.
core::Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options, trace::Recording& recording);

// Checks whether the driver and the module can be loaded. Calls no CUDA function: if times come from CUPTI, open_cuda()
// must make the process's first CUDA call.
core::Result<void> find_cuda(const CudaOptions& options = {});

// The name of the GPU that open_cuda() would use, or why it would fail. Loads the module: about 0.1 s if there is a
// driver, nothing otherwise.
core::Result<std::string> probe_cuda(const CudaOptions& options = {});

}  // namespace headway::devices
