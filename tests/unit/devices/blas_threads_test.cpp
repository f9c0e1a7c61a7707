// A lane computes on its own thread alone: OpenBLAS would otherwise use all cores for each matrix product.
#include <cblas.h>

#include "engine/devices/cpu/cpu_device.h"
#include "tests/unit/devices/simulated_rig.h"

namespace headway::devices {
namespace {

TEST(BlasThreads, TheCpuDeviceUsesOne) {
    openblas_set_num_threads(2);
    const auto recording = std::move(*trace::Recording::create(std::size_t{1} << 26));
    const CpuDevice device(2, *recording);
    EXPECT_EQ(openblas_get_num_threads(), 1);
}

TEST(BlasThreads, TheSimulatedDeviceUsesOne) {
    openblas_set_num_threads(2);
    const Rig rig(constant_costs(1, 1, 1));
    EXPECT_EQ(openblas_get_num_threads(), 1);
}

}  // namespace
}  // namespace headway::devices
