// Memory pages that are made resident before they are used.
//
// Threads: any.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>

#include "engine/core/system/lazy_memory.h"

// Kernel 5.14; older C libraries lack the name.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace headway::core {

// Makes whole pages resident and keeps their contents. Any thread, also while other threads write to them. On kernels
// without MADV_POPULATE_WRITE it does nothing, and the first write to each page takes the page fault.
inline void make_resident(void* data, std::size_t bytes) {
    madvise(data, bytes, MADV_POPULATE_WRITE);
}

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// Zeroed, resident memory in whole huge pages. Costs a fifth of populating 4 KiB pages where the kernel grants huge
// pages, and a tenth of taking the page faults one by one. Throws std::bad_alloc.
inline LazyMemory resident_pages(std::size_t bytes) {
    LazyMemory memory = LazyMemory::zeroed(bytes);
    if (!memory) {
        throw std::bad_alloc();
    }
    make_resident(memory.data(), memory.size());
    return memory;
}

// Allocator for vectors that grow while time is measured: allocations of 256 KiB and more use resident pages.
template <class T>
class PageAllocator {
public:
    using value_type = T;
    using is_always_equal = std::true_type;
    PageAllocator() = default;
    template <class Other>
    PageAllocator(const PageAllocator<Other>& /*other*/) {}
    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        return static_cast<T*>(bytes < kLeastBytes ? ::operator new(bytes) : resident_pages(bytes).release());
    }
    void deallocate(T* data, std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < kLeastBytes) {
            ::operator delete(data);
        } else {
            const LazyMemory returned(data, (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes);
        }
    }
    friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }

private:
    static constexpr std::size_t kLeastBytes = std::size_t{256} << 10;
};

}  // namespace headway::core
