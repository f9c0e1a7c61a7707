// Compiled with the sanitizers, as all users of a Launch are.
#include <cstring>

#include "tests/simt/gpu.h"

namespace headway::simt {

void submit_copy(const Grid& grid, const char* name, const void* parameters, std::size_t parameter_bytes,
                 void (*thread)(const void* parameters)) {
    // In units that keep the alignment.
    using Unit = std::max_align_t;
    const std::shared_ptr<Unit[]> copy(new Unit[(parameter_bytes + sizeof(Unit) - 1) / sizeof(Unit)]);
    std::memcpy(copy.get(), parameters, parameter_bytes);
    submit({grid, name, copy, parameter_bytes, thread});
}

}  // namespace headway::simt
