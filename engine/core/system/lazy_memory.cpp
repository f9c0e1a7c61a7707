#include "engine/core/system/lazy_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "engine/core/system/pages.h"

namespace headway::core {
namespace {

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// An aligned range of private memory; null on failure.
std::byte* aligned(std::size_t bytes, int protection) {
    const std::size_t room = bytes + kHugePageBytes;
    void* reserved = mmap(nullptr, room, protection, kReserved, -1, 0);
    if (reserved == MAP_FAILED) {
        return nullptr;
    }
    auto* first = static_cast<std::byte*>(reserved);
    const std::size_t skip =
        (kHugePageBytes - reinterpret_cast<std::uintptr_t>(first) % kHugePageBytes) % kHugePageBytes;
    if (skip != 0) {
        munmap(first, skip);
    }
    // The end of a file's range may lie within a page, which belongs to it.
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t end = skip + (bytes + page - 1) / page * page;
    if (end < room) {
        munmap(first + end, room - end);
    }
    return first + skip;
}

}  // namespace

LazyMemory LazyMemory::zeroed(std::size_t bytes) {
    const std::size_t size = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    std::byte* data = aligned(size, PROT_READ | PROT_WRITE);
    LazyMemory memory(data, data != nullptr ? size : 0);
    if (memory) {
        memory.use_huge_pages();
    }
    return memory;
}

LazyMemory LazyMemory::of_file(int fd, std::size_t bytes, Mapping mapping) {
    std::byte* data = aligned(bytes, PROT_NONE);
    LazyMemory memory(data, data != nullptr ? bytes : 0);
    const int kind = mapping == Mapping::shared_file ? MAP_SHARED : MAP_PRIVATE;
    if (memory && mmap(data, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED) {
        const int why = errno;
        memory = {};
        errno = why;
    }
    return memory;
}

LazyMemory::~LazyMemory() {
    if (data_ != nullptr) {
        munmap(data_, bytes_);
    }
}

void LazyMemory::use_huge_pages() {
    madvise(data_, bytes_, MADV_HUGEPAGE);
}

void LazyMemory::keep_from_dumps() {
    madvise(data_, bytes_, MADV_DONTDUMP);
}

void LazyMemory::zero_after_fork() {
    madvise(data_, bytes_, MADV_WIPEONFORK);
}

void LazyMemory::become_private() {
    mmap(data_, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool addresses_for(std::size_t bytes) {
    void* probe = mmap(nullptr, bytes, PROT_NONE, kReserved, -1, 0);
    if (probe == MAP_FAILED) {
        return false;
    }
    munmap(probe, bytes);
    return true;
}

}  // namespace headway::core
