#include <dlfcn.h>

#include <array>

#include "engine/devices/cuda/cupti.h"

namespace headway::devices::cuda {

core::Result<CuptiApi> load_cupti(const std::string& path) {
    void* library = nullptr;
    std::string reason;
    const std::array<std::string, 4> names = {path, "libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (const auto& name : names) {
        if (library == nullptr && !name.empty()) {
            library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (library == nullptr && reason.empty()) {
                reason = dlerror();
            }
        }
    }
    if (library == nullptr) {
        return core::Error{core::ErrorKind::unavailable, reason};
    }
    CuptiApi api;
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name, bool needed) {
        void* symbol = dlsym(library, name);
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
        if (symbol == nullptr && needed && missing == nullptr) {
            missing = name;
        }
    };
    find(api.register_timestamps, "cuptiActivityRegisterTimestampCallback", true);
    find(api.register_callbacks, "cuptiActivityRegisterCallbacks", true);
    find(api.enable, "cuptiActivityEnable", true);
    find(api.disable, "cuptiActivityDisable", true);
    find(api.flush_all, "cuptiActivityFlushAll", true);
    find(api.next_record, "cuptiActivityGetNextRecord", true);
    find(api.push_external, "cuptiActivityPushExternalCorrelationId", true);
    find(api.pop_external, "cuptiActivityPopExternalCorrelationId", true);
    find(api.enable_runtime_api, "cuptiActivityEnableRuntimeApi", false);
    find(api.enable_driver_api, "cuptiActivityEnableDriverApi", false);
    if (missing != nullptr) {
        return core::Error{core::ErrorKind::unavailable, std::string("libcupti lacks ") + missing};
    }
    return api;
}

}  // namespace headway::devices::cuda
