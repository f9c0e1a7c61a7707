// Allocates device memory by size class; returned blocks are cached for reuse.
//
// Threads: the frontend only.
//
// A returned block is either free anywhere (every command that used it has finished) or free in one lane (every command
// that used it is queued in that lane, so later commands of that lane run after them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/system/pages.h"

namespace headway::memory {

// When the bytes of a dropped tensor count as free.
enum class FreePolicy : std::uint8_t {
    finish,  // taken at issue, freed when the last reader has finished (Headway's default)
    stream,  // taken at issue, freed at the drop and reused in lane order without waiting (PyTorch's caching allocator)
    lazy,    // taken when the op starts, freed when the last reader has finished (as MXNet)
};
std::string_view name_of(FreePolicy policy);

// Where fresh memory comes from.
class Source {
public:
    virtual ~Source() = default;
    [[nodiscard]] virtual void* allocate(std::size_t bytes) = 0;  // 64-byte aligned; null when there is none left
    virtual void deallocate(void* data, std::size_t bytes) = 0;
};

class Pool {
public:
    explicit Pool(Source& source) : source_(source) {}
    // A pool for a second device's memory. It has the same classes as `leader`, and leader.size_class() serves both.
    Pool(Source& source, Pool& leader);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // The class for blocks of `bytes`. Sizes are rounded up by at most an eighth, so there are few classes.
    std::uint32_t size_class(std::uint64_t bytes);

    // Returns a block that an op in `lane` may write: one free in that lane, else one free anywhere, else a new one.
    // Null if the source has no memory left even after trim().
    [[nodiscard]] float* take(std::uint32_t size_class, std::uint32_t lane) {
        float* used = take_used(size_class, lane);
        return used != nullptr ? used : take_fresh(classes_[size_class]);
    }
    // Like take(), but never allocates from the source: null if no cached block fits.
    [[nodiscard]] float* take_used(std::uint32_t size_class, std::uint32_t lane) {
        Class& c = classes_[size_class];
        for (auto* blocks : {&c.in_lane[lane], &c.anywhere}) {
            if (!blocks->empty()) {
                float* data = blocks->back();
                blocks->pop_back();
                return data;
            }
        }
        return nullptr;
    }
    // Whether take() would find a cached block.
    [[nodiscard]] bool has_used(std::uint32_t size_class, std::uint32_t lane) const {
        const Class& c = classes_[size_class];
        return !c.in_lane[lane].empty() || !c.anywhere.empty();
    }

    void give_in_lane(std::uint32_t size_class, std::uint32_t lane, float* data) {
        classes_[size_class].in_lane[lane].push_back(data);
    }
    void give_anywhere(std::uint32_t size_class, float* data) { classes_[size_class].anywhere.push_back(data); }

    // Returns cached blocks above the slab size that are free anywhere to the source.
    void trim();
    // The same for all cached blocks above that size. Only while no command is unfinished.
    void trim_lanes();

    [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_; }

private:
    using Blocks = std::vector<float*, core::PageAllocator<float*>>;
    struct Class {
        std::uint64_t bytes = 0;
        Blocks in_lane[core::kMaxLanes];
        Blocks anywhere;
        struct Slab {
            void* data;
            std::uint64_t bytes;
        };
        std::vector<Slab> slabs;   // blocks up to kSlabBlockBytes are allocated many at a time
        std::uint64_t blocks = 0;  // allocated from slabs so far
    };
    float* take_fresh(Class& c);
    void add_class(std::uint64_t bytes);
    [[nodiscard]] void* take_from_source(std::uint64_t bytes);

    Source& source_;
    Pool* follower_ = nullptr;
    std::vector<Class> classes_;
    std::unordered_map<std::uint64_t, std::uint32_t> index_;
    std::uint64_t reserved_ = 0;
};

}  // namespace headway::memory
