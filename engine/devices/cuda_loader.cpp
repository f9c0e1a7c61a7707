#include "engine/devices/cuda_loader.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace headway::devices {

namespace {

constexpr const char* kModuleFile = "libheadway_cuda.so";

core::Error unavailable(std::string why) {
    return {core::ErrorKind::unavailable, std::move(why)};
}

std::string loader_message() {
    const char* message = dlerror();
    return message != nullptr ? message : "unknown reason";
}

// The explicit option, else the environment variable, else the default.
std::string chosen(const std::string& asked, const char* variable, const char* usual) {
    const char* named = std::getenv(variable);
    return !asked.empty() ? asked : named != nullptr && *named != '\0' ? named : usual;
}

std::string module_path(const CudaOptions& options) {
    if (auto path = chosen(options.module, "HEADWAY_CUDA_MODULE", ""); !path.empty()) {
        return path;
    }
    std::error_code failed;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto next_to_it = executable.parent_path() / kModuleFile;
    // Otherwise the dynamic loader searches for it.
    return !failed && std::filesystem::exists(next_to_it, failed) ? next_to_it.string() : kModuleFile;
}

core::Result<CudaModuleEntry> load(const CudaOptions& options) {
    // Try the driver first: that takes 0.1 ms, whereas the module loads 158 MB of cuBLAS even if there is no GPU.
    const std::string driver = chosen(options.driver_library, "HEADWAY_CUDA_DRIVER", "libcuda.so.1");
    if (dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        return unavailable("the NVIDIA driver is not installed (" + loader_message() + ")");
    }
    // Neither is ever closed: CUDA does not support unloading, and it would free nothing.
    void* module = dlopen(module_path(options).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        // loader_message() names the file that is missing: the module itself, or a library that it needs.
        const std::string message = loader_message();
        return unavailable(message.starts_with(kModuleFile)
                               ? "this build has no CUDA device: install a CUDA toolkit and call scripts/run again (" +
                                     message + ")"
                               : message);
    }
    void* entry = dlsym(module, kCudaModuleEntry);
    if (entry == nullptr) {
        return unavailable(loader_message());
    }
    return reinterpret_cast<CudaModuleEntry>(entry);
}

}  // namespace

core::Result<void> find_cuda(const CudaOptions& options) {
    const auto entry = load(options);
    return entry ? core::Result<void>() : entry.error();
}

core::Result<std::unique_ptr<Device>> open_cuda(const CudaOptions& options, trace::Recording& recording) {
    const auto entry = load(options);
    if (!entry) {
        return entry.error();
    }
    std::array<char, 512> text{};
    Device* device = nullptr;
    CudaOptions with_environment = options;
    with_environment.cupti = options.cupti && chosen("", "HEADWAY_CUDA_TIMES", "") != "events";
    if (!(*entry)(kCudaModuleAbi, &with_environment, &recording, &device, text.data(), text.size()) ||
        device == nullptr) {
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
