// The module's one symbol: see cuda_loader.h.
#include <algorithm>
#include <cstring>

#include "engine/core/count_text.h"
#include "engine/devices/cuda/cuda_device.h"

using namespace headway;

namespace {

bool say(bool answer, const std::string& message, char* text, std::size_t bytes) {
    const std::size_t length = std::min(message.size(), bytes - 1);
    std::memcpy(text, message.data(), length);
    text[length] = '\0';
    return answer;
}

}  // namespace

// Its name must be kCudaModuleEntry, its type CudaModuleEntry.
extern "C" __attribute__((visibility("default"))) bool headway_cuda_open(std::uint32_t abi,
                                                                         const devices::CudaOptions* options,
                                                                         trace::Recording* recording,
                                                                         devices::Device** device, char* text,
                                                                         std::size_t text_bytes) {
    const auto no = [&](const std::string& why) { return say(false, why, text, text_bytes); };
    if (abi != devices::kCudaModuleAbi) {
        return no("libheadway_cuda.so is from another build than this program (interface " +
                  std::to_string(devices::kCudaModuleAbi) + ", wanted " + std::to_string(abi) + ")");
    }
    if (recording == nullptr) {
        const auto name = devices::cuda::find_gpu(options->device);
        int count = 0;
        const bool several = cudaGetDeviceCount(&count) == cudaSuccess && count > 1;
        const std::string more =
            several ? " and " + core::counted(static_cast<std::uint64_t>(count - 1), "more GPU") : "";
        return name ? say(true, *name + more, text, text_bytes) : no(name.error().message);
    }
    if (options->streams < 1 || options->streams > core::kMaxLanesOfDevice) {
        return no("it has 1 to 16 streams, not " + std::to_string(options->streams));
    }
    devices::cuda::Cupti* cupti = nullptr;
    std::string note;
    if (options->record && options->cupti) {
        if (auto started = devices::cuda::Cupti::start(options->cupti_library)) {
            cupti = *started;
        } else {
            note = started.error().message;
        }
    }
    const auto name = devices::cuda::find_gpu(options->device);
    if (!name) {
        if (cupti != nullptr) {
            cupti->stop();
        }
        return no(name.error().message);
    }
    try {
        *device = new devices::cuda::CudaDevice(*options, *name, cupti, std::move(note), *recording);
    } catch (const devices::cuda::CudaError& error) {
        if (cupti != nullptr) {
            cupti->stop();
        }
        return no(*name + " cannot be used (" + error.what() + ")");
    }
    return say(true, (*device)->info().name, text, text_bytes);
}
