// Runs one kernel of faults.cu: headway_simt_faults_test NAME. The status is 0 if nothing was reported.
#include "tests/simt/faults.h"

#include <cstdio>
#include <cstdlib>

#include "tests/simt/memory_check.h"

int main(int count, char** arguments) {
    using namespace headway::simt;
    constexpr int kElements = 256;
    void* memory = nullptr;
    if (count != 2 || posix_memalign(&memory, 64, kElements * sizeof(float)) != 0) {
        return 2;
    }
    auto* floats = static_cast<float*>(memory);
    for (int i = 0; i < kElements; ++i) {
        floats[i] = 0.0f;
    }
    add_device_memory(memory, kElements * sizeof(float));
    const std::string name = arguments[1];
    const auto* of_host = static_cast<float*>(std::malloc(sizeof(float)));
    if (name == "sound") {
        add_device_memory(of_host, sizeof(float));
    }
    if (!launch_fault(name, floats, kElements, of_host)) {
        std::fprintf(stderr, "there is no kernel %s\n", arguments[1]);
        return 2;
    }
    std::free(const_cast<float*>(of_host));
    std::free(memory);
    return 0;
}
