#include "engine/memory/pool.h"

#include <algorithm>
#include <bit>

namespace headway::memory {

namespace {

constexpr std::uint64_t kSlabBlockBytes = std::uint64_t{1} << 20;  // blocks up to this size come from slabs
constexpr std::uint64_t kFirstSlabBytes = std::uint64_t{64} << 10;
// Large enough for huge pages: many blocks cost one page fault per 2 MiB instead of one per 4 KiB.
constexpr std::uint64_t kMostSlabBytes = std::uint64_t{4} << 20;

// Rounds up to a multiple of 64 bytes up to 4 KiB, above that to an eighth of a power of two.
std::uint64_t rounded(std::uint64_t bytes) {
    if (bytes <= 4096) {
        return bytes == 0 ? 64 : (bytes + 63) / 64 * 64;
    }
    const std::uint64_t step = std::bit_floor(bytes) / 8;
    return (bytes + step - 1) / step * step;
}

}  // namespace

std::string_view name_of(FreePolicy policy) {
    switch (policy) {
        case FreePolicy::finish:
            return "finish";
        case FreePolicy::stream:
            return "stream";
        case FreePolicy::lazy:
            return "lazy";
    }
    return "finish";
}

Pool::~Pool() {
    // Last blocks first: pages that are still being made resident ahead of their use are among the first.
    for (auto& c : classes_) {
        for (auto slab = c.slabs.rbegin(); slab != c.slabs.rend(); ++slab) {
            source_.deallocate(slab->data, slab->bytes);
        }
        if (c.bytes <= kSlabBlockBytes) {
            continue;
        }
        const auto deallocate_all = [&](const auto& blocks) {
            for (auto data = blocks.rbegin(); data != blocks.rend(); ++data) {
                source_.deallocate(*data, c.bytes);
            }
        };
        std::for_each(std::begin(c.in_lane), std::end(c.in_lane), deallocate_all);
        deallocate_all(c.anywhere);
    }
}

Pool::Pool(Source& source, Pool& leader) : source_(source) {
    Pool* last = &leader;  // of the chain of followers, along which new classes are passed on
    while (last->follower_ != nullptr) {
        last = last->follower_;
    }
    last->follower_ = this;
    for (const Class& c : leader.classes_) {
        add_class(c.bytes);
    }
}

std::uint32_t Pool::size_class(std::uint64_t bytes) {
    const auto size = rounded(bytes);
    const auto [entry, fresh] = index_.try_emplace(size, static_cast<std::uint32_t>(classes_.size()));
    if (fresh) {
        add_class(size);
    }
    return entry->second;
}

void Pool::add_class(std::uint64_t bytes) {
    classes_.emplace_back().bytes = bytes;
    if (follower_ != nullptr) {
        follower_->add_class(bytes);
    }
}

void* Pool::take_from_source(std::uint64_t bytes) {
    void* data = source_.allocate(bytes);
    if (data == nullptr) {
        trim();
        data = source_.allocate(bytes);
    }
    reserved_ += data != nullptr ? bytes : 0;
    return data;
}

// Slab size grows with the number of blocks in the class: a class with few blocks stays small, a class with many soon
// uses huge pages.
float* Pool::take_fresh(Class& c) {
    if (c.bytes > kSlabBlockBytes) {
        return static_cast<float*>(take_from_source(c.bytes));
    }
    const auto most = kMostSlabBytes / c.bytes;
    const auto least = std::max<std::uint64_t>(1, kFirstSlabBytes / c.bytes);
    auto blocks = std::clamp(c.blocks / 8, std::min(least, most), most);
    void* data = take_from_source(blocks * c.bytes);
    if (data == nullptr) {
        blocks = 1;
        data = take_from_source(c.bytes);
        if (data == nullptr) {
            return nullptr;
        }
    }
    c.slabs.push_back({data, blocks * c.bytes});
    c.blocks += blocks;
    auto* first = static_cast<char*>(data);
    for (std::uint64_t i = blocks; i-- > 1;) {
        c.anywhere.push_back(reinterpret_cast<float*>(first + i * c.bytes));
    }
    return static_cast<float*>(data);
}

void Pool::trim() {
    for (auto& c : classes_) {
        if (c.bytes <= kSlabBlockBytes) {
            continue;
        }
        for (float* data : c.anywhere) {
            source_.deallocate(data, c.bytes);
            reserved_ -= c.bytes;
        }
        c.anywhere.clear();
    }
}

void Pool::trim_lanes() {
    for (auto& c : classes_) {
        for (Blocks& blocks : c.in_lane) {
            c.anywhere.insert(c.anywhere.end(), blocks.begin(), blocks.end());
            blocks.clear();
        }
    }
    trim();
}

}  // namespace headway::memory
