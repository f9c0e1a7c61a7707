// A range of memory whose pages are taken from the system only when they are first touched (or made resident, pages.h).
// Reserving more memory than the machine has costs only address space.
//
// It is aligned to huge pages. The range is returned to the system by the destructor.
//
// Threads: one per object; the memory itself may be used by any.
#pragma once

#include <cstddef>
#include <utility>

namespace headway::core {

class LazyMemory {
public:
    // Whether writes to a file's mapping stay private, or reach the file and everyone else who maps it.
    enum class Mapping { private_copy, shared_file };

    LazyMemory() = default;  // none
    // Private, zeroed, and in huge pages where the kernel grants them. Whole huge pages are reserved. On failure the
    // object is empty and errno says why; usually a limit on the address space (ulimit -v).
    static LazyMemory zeroed(std::size_t bytes);
    // The first `bytes` of a file, whose descriptor may be closed afterwards. On failure as above.
    static LazyMemory of_file(int fd, std::size_t bytes, Mapping mapping = Mapping::shared_file);
    // Takes ownership of a range that release() returned.
    LazyMemory(void* data, std::size_t bytes) : data_(static_cast<std::byte*>(data)), bytes_(bytes) {}
    LazyMemory(LazyMemory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    LazyMemory& operator=(LazyMemory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~LazyMemory();

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    explicit operator bool() const { return data_ != nullptr; }
    // Gives up ownership.
    [[nodiscard]] std::byte* release() {
        bytes_ = 0;
        return std::exchange(data_, nullptr);
    }

    void use_huge_pages();   // for a file, whose file system may grant them
    void keep_from_dumps();  // leaves it out of core dumps
    void zero_after_fork();  // a child process sees zeros, so that writing here copies no pages; private memory only
    void become_private();   // this process sees zeros from now on, and its writes stay private; no allocation, no lock

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// Whether `bytes` more of address space are available.
bool addresses_for(std::size_t bytes);

}  // namespace headway::core
