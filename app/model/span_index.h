// Sums over spans that follow each other (ops on a lane, issues, waits): how long they took by family, and how many were
// marked, for any stretch of them and exactly. Grows at its end while a run is recorded, so that a picture of ten million
// spans costs by its columns and not by the spans.
//
// A sum before every 16th span is kept, and of each span its times and family in 8 bytes: 14 bytes a span, close together,
// where the ops themselves lie far apart. What does not fit (a span of a quarter of a second, say) is asked for.
//
// Threads: one that adds; any that read what is there, not at the same time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "app/model/blocks.h"
#include "app/model/fetch.h"
#include "engine/devices/op.h"

namespace headway::model {

inline constexpr std::size_t kSpanFamilies = static_cast<std::size_t>(devices::Family::other) + 1;

static_assert(kSpanFamilies <= 8);

struct SpanSums {
    std::array<std::uint64_t, kSpanFamilies> busy_ns{};  // by family; sums wrap around in damaged recordings
    std::uint64_t marked = 0;                            // failed ops, say

    void add(devices::Family family, std::int64_t ns, bool mark) {
        busy_ns[static_cast<std::size_t>(family)] += static_cast<std::uint64_t>(ns);
        marked += mark ? 1 : 0;
    }
    [[nodiscard]] SpanSums since(const SpanSums& before) const {
        SpanSums sums = *this;
        for (std::size_t i = 0; i < kSpanFamilies; ++i) {
            sums.busy_ns[i] -= before.busy_ns[i];
        }
        sums.marked -= before.marked;
        return sums;
    }
};

class SpanIndex {
public:
    static constexpr std::size_t kBlock = 16;

    // One of them, as the index has it.
    struct Span {
        std::int64_t begin_ns = 0, end_ns = 0;
        devices::Family family = devices::Family::other;
        bool mark = false;
    };

    // Begins ascend.
    void add(std::int64_t begin_ns, std::int64_t busy_ns, devices::Family family, bool mark) {
        if (size_ % kBlock == 0) {
            before_.push_back(total_);
            if (begins_.size() % kBlock == 0) {
                coarse_.push_back(begin_ns);
            }
            begins_.push_back(begin_ns);
        }
        const std::int64_t after_ns = begin_ns - begins_.back();
        const bool fits = after_ns >= 0 && after_ns < INT64_C(0xffff'ffff) && busy_ns >= 0 && busy_ns < kLongest;
        leaves_.push_back({fits ? static_cast<std::uint32_t>(after_ns) : kElsewhere,
                           (fits ? static_cast<std::uint32_t>(busy_ns) : 0) |
                               static_cast<std::uint32_t>(family) << 28 | (mark ? 1u << 31 : 0)});
        total_.add(family, busy_ns, mark);
        ++size_;
    }
    void clear() { *this = SpanIndex(); }
    [[nodiscard]] std::size_t size() const { return size_; }

    // The span at i; `times(i)`, a pair of begin and end, is asked where they did not fit.
    template <class Times>
    [[nodiscard]] Span at(std::size_t i, Times times) const {
        const Leaf leaf = leaves_[i];
        Span span;
        span.family = static_cast<devices::Family>(leaf.rest >> 28 & 7);
        span.mark = leaf.rest >> 31 != 0;
        if (leaf.after_ns == kElsewhere) {
            const auto [begin_ns, end_ns] = times(i);
            span.begin_ns = begin_ns;
            span.end_ns = end_ns;
        } else {
            span.begin_ns = begins_[i / kBlock] + leaf.after_ns;
            span.end_ns = span.begin_ns + (leaf.rest & (kLongest - 1));
        }
        return span;
    }

    // Over the first `count` spans.
    template <class Times>
    [[nodiscard]] SpanSums first(std::size_t count, Times times) const {
        if (count >= size_) {
            return total_;
        }
        SpanSums sums = before_[count / kBlock];
        for (std::size_t i = count / kBlock * kBlock; i < count; ++i) {
            const Span span = at(i, times);
            sums.add(span.family, span.end_ns - span.begin_ns, span.mark);
        }
        return sums;
    }

    // The last block whose first span begins before `ns`, or block 0: the first span that begins at `ns` or later is in
    // it, or the one right behind it.
    [[nodiscard]] std::size_t block_near(std::int64_t ns) const { return in_coarse(coarse_near(0, ns), ns); }
    // The same for many times, which ascend. All are looked up together, and what is asked next of each block (its spans
    // and the sums before it) comes from memory meanwhile: most of what a wide view costs is waiting for that.
    void blocks_near(std::span<const std::int64_t> ns, std::vector<std::size_t>& into) const {
        into.resize(ns.size());
        std::size_t low = 0;
        for (std::size_t i = 0; i < ns.size(); ++i) {
            low = coarse_near(low, ns[i]);
            into[i] = low;
            fetch_some(begins_, low * kBlock, kBlock);
        }
        for (std::size_t i = 0; i < ns.size(); ++i) {
            const std::size_t block = in_coarse(into[i], ns[i]);
            into[i] = block;
            fetch_some(leaves_, block * kBlock, kBlock);
            fetch_some(before_, block, 1);
        }
    }

    // Where in [from, size()) the first span is that begins at `ns` or later, to within a block: [first, last]; `block`
    // is block_near(ns).
    struct Range {
        std::size_t first = 0, last = 0;
    };
    [[nodiscard]] Range begin_near(std::size_t from, std::size_t block) const {
        const std::size_t first = std::min(size_, std::max(from, block * kBlock));
        return {first, std::max(first, std::min(size_, (block + 1) * kBlock))};
    }

private:
    static constexpr std::uint32_t kElsewhere = 0xffff'ffff;  // in Leaf::after_ns
    static constexpr std::int64_t kLongest = std::int64_t{1} << 28;
    struct Leaf {
        std::uint32_t after_ns = 0;  // its begin, after that of its block
        std::uint32_t rest = 0;      // how long it took, in 28 bits; family; mark
    };

    // From `low` on, the last of coarse_ before `ns`, in steps that double and then halve.
    [[nodiscard]] std::size_t coarse_near(std::size_t low, std::int64_t ns) const {
        std::size_t step = 1;
        while (low + step < coarse_.size() && coarse_[low + step] < ns) {
            low += step;
            step *= 2;
        }
        std::size_t high = std::min(coarse_.size(), low + step);
        while (low + 1 < high) {
            const std::size_t middle = low + (high - low) / 2;
            (coarse_[middle] < ns ? low : high) = middle;
        }
        return low;
    }
    [[nodiscard]] std::size_t in_coarse(std::size_t coarse, std::int64_t ns) const {
        std::size_t block = coarse * kBlock;
        const std::size_t end = std::min(block + kBlock, begins_.size());
        while (block + 1 < end && begins_[block + 1] < ns) {
            ++block;
        }
        return block;
    }
    template <class Things>
    [[gnu::always_inline]] static inline void fetch_some(const Things& things, std::size_t first, std::size_t count) {
        if (first < things.size()) {
            fetch(&things[first], &things[std::min(first + count, things.size()) - 1] + 1);
        }
    }

    Blocks<SpanSums, 10> before_;      // before every block
    Blocks<std::int64_t, 12> begins_;  // of every block's first span
    Blocks<std::int64_t, 12> coarse_;  // of every kBlock-th block
    Blocks<Leaf, 14> leaves_;
    SpanSums total_;
    std::size_t size_ = 0;
};

}  // namespace headway::model
