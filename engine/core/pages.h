// Pages of memory, met before they are needed.
#pragma once

#include <sys/mman.h>

#include <cstddef>

// Kernel 5.14; older C libraries lack the name.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace headway::core {

// Makes whole pages resident and leaves what they hold. Any thread, also while others write to them. Where the kernel
// does not know how, whoever writes first meets the page faults.
inline void make_resident(void* data, std::size_t bytes) {
    madvise(data, bytes, MADV_POPULATE_WRITE);
}

}  // namespace headway::core
