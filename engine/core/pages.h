// Memory pages that are made resident before they are used.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

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

// Allocates zeroed, resident memory in whole huge pages. Costs a fifth of populating 4 KiB pages where the kernel
// grants huge pages, and a tenth of taking the page faults one by one. Throws std::bad_alloc.
inline void* take_pages(std::size_t bytes) {
    const std::size_t size = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    void* reserved = mmap(nullptr, size + kHugePageBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        throw std::bad_alloc();
    }
    const auto start = reinterpret_cast<std::uintptr_t>(reserved);
    const std::uintptr_t begin = (start + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    if (begin > start) {
        munmap(reserved, begin - start);
    }
    munmap(reinterpret_cast<void*>(begin + size), start + kHugePageBytes - begin);
    madvise(reinterpret_cast<void*>(begin), size, MADV_HUGEPAGE);
    make_resident(reinterpret_cast<void*>(begin), size);
    return reinterpret_cast<void*>(begin);
}
inline void give_pages(void* data, std::size_t bytes) {
    munmap(data, (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes);
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
        return static_cast<T*>(bytes < kLeastBytes ? ::operator new(bytes) : take_pages(bytes));
    }
    void deallocate(T* data, std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < kLeastBytes) {
            ::operator delete(data);
        } else {
            give_pages(data, bytes);
        }
    }
    friend bool operator==(const PageAllocator&, const PageAllocator&) { return true; }

private:
    static constexpr std::size_t kLeastBytes = std::size_t{256} << 10;
};

}  // namespace headway::core
