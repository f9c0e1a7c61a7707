#include "engine/devices/cuda_loader.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace headway::devices {

namespace {

constexpr const char* kModuleFile = "libheadway_cuda.so";

core::Error unavailable(std::string why) {
    return {core::ErrorKind::unavailable, "no CUDA device: " + std::move(why)};
}

std::string loader_message() {
    const char* message = dlerror();
    return message != nullptr ? message : "unknown reason";
}

std::string module_path(const CudaOptions& options) {
    if (!options.module.empty()) {
        return options.module;
    }
    std::error_code failed;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto beside = executable.parent_path() / kModuleFile;
    // Installed elsewhere it is found as any library is.
    return !failed && std::filesystem::exists(beside, failed) ? beside.string() : kModuleFile;
}

core::Result<CudaModuleEntry> load(const CudaOptions& options) {
    // The driver first: 0.1 ms, where the module brings 158 MB of cuBLAS along even if there is no GPU.
    if (dlopen(options.driver_library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        return unavailable("the NVIDIA driver is not installed (" + loader_message() + ")");
    }
    // Neither is ever closed: CUDA does not bear it, and nothing would be given back.
    void* module = dlopen(module_path(options).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        return unavailable(loader_message());
    }
    void* entry = dlsym(module, kCudaModuleEntry);
    if (entry == nullptr) {
        return unavailable(loader_message());
    }
    return reinterpret_cast<CudaModuleEntry>(entry);
}

}  // namespace

core::Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options, trace::Recording& recording) {
    const auto entry = load(options);
    if (!entry) {
        return entry.error();
    }
    std::array<char, 512> text{};
    Device* device = nullptr;
    if (!(*entry)(kCudaModuleAbi, &options, &recording, &device, text.data(), text.size()) || device == nullptr) {
        return unavailable(text.data());
    }
    return std::unique_ptr<Device>(device);
}

core::Result<std::string> probe_cuda(const CudaOptions& options) {
    const auto entry = load(options);
    if (!entry) {
        return entry.error();
    }
    std::array<char, 512> text{};
    if (!(*entry)(kCudaModuleAbi, &options, nullptr, nullptr, text.data(), text.size())) {
        return unavailable(text.data());
    }
    return std::string(text.data());
}

}  // namespace headway::devices
