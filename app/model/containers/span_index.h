// Sums over consecutive spans (ops on a lane, issues, waits): total duration by family and the number of flagged
// spans, exact over any range. Spans can be appended while a run is recorded. The cost of drawing ten million spans
// depends on the columns of the picture, not on the spans.
//
// A prefix sum is stored for every 16th span; times and family of each span take 8 bytes. In total that is 13 bytes
// per span, contiguous, while the ops themselves are spread over memory. Values that do not fit (a span of a
// quarter of a second, say) are read from the op through a callback.
//
// A block of kFolded consecutive spans can be folded: its sums, its first begin and its last end remain, and from then
// on it counts as one item, which all queries treat as a whole.
//
// Threads: one writer, or any number of readers; not both at the same time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "app/model/containers/blocks.h"
#include "app/model/containers/prefetch.h"
#include "engine/devices/op.h"

namespace headway::model {

inline constexpr std::size_t kSpanFamilies = static_cast<std::size_t>(devices::Family::other) + 1;

static_assert(kSpanFamilies <= 8);

struct SpanSums {
    std::array<std::uint64_t, kSpanFamilies> busy_ns{};  // by family; sums wrap around in damaged recordings
    std::uint64_t flagged = 0;                           // failed ops, say

    void add(devices::Family family, std::int64_t ns, bool flag) {
        busy_ns[static_cast<std::size_t>(family)] += static_cast<std::uint64_t>(ns);
        flagged += flag ? 1 : 0;
    }
    [[nodiscard]] SpanSums plus(const SpanSums& other) const {
        SpanSums sums = *this;
        for (std::size_t i = 0; i < kSpanFamilies; ++i) {
            sums.busy_ns[i] += other.busy_ns[i];
        }
        sums.flagged += other.flagged;
        return sums;
    }
    [[nodiscard]] SpanSums since(const SpanSums& before) const {
        SpanSums sums = *this;
        for (std::size_t i = 0; i < kSpanFamilies; ++i) {
            sums.busy_ns[i] -= before.busy_ns[i];
        }
        sums.flagged -= before.flagged;
        return sums;
    }
};

class SpanIndex {
public:
    static constexpr std::size_t kBlock = 16;
    static constexpr std::size_t kFolded = kFoldedItems;

    // One span, decoded.
    struct Span {
        std::int64_t begin_ns = 0, end_ns = 0;
        devices::Family family = devices::Family::other;
        bool flagged = false;
    };

    // Spans must be added in the order of their begins.
    void add(std::int64_t begin_ns, std::int64_t busy_ns, devices::Family family, bool flagged) {
        const std::size_t in_block = size_ % kBlock;
        if (in_block == 0) {
            const std::size_t block = size_ / kBlock;
            if (block % kBlock == 0) {
                coarse_.push_back(begin_ns);
                begins_.push_back(Begins::none());
            }
            begins_.back().ns[block % kBlock] = begin_ns;
            blocks_.push_back(Block::none(total_.busy_ns));
            flagged_before_.push_back(total_.flagged);
        }
        Block& block = blocks_.back();
        const std::int64_t after_ns = begin_ns - begin_of(size_ / kBlock);
        const bool begin_fits = after_ns >= 0 && after_ns < kElsewhere;
        const bool fits = begin_fits && busy_ns >= 0 && busy_ns < kLongest;
        block.after_ns[in_block] = begin_fits ? static_cast<std::uint32_t>(after_ns) : kElsewhere;
        block.rest[in_block] = (fits ? static_cast<std::uint32_t>(busy_ns) : kLongest) |
                               static_cast<std::uint32_t>(family) << 28 | (flagged ? 1u << 31 : 0);
        total_.add(family, busy_ns, flagged);
        ++size_;
    }
    void clear() { *this = SpanIndex(); }
    [[nodiscard]] std::size_t size() const { return size_; }

    // Folds spans [block * kFolded, (block + 1) * kFolded), which must all be there.
    template <class Times>
    void fold(std::size_t block, Times times) {
        const std::size_t first_span = block * kFolded;
        if (is_folded(first_span)) {
            return;
        }
        Fold fold;
        fold.before = first(first_span, times);
        fold.sums = first(first_span + kFolded, times).since(fold.before);
        fold.begin_ns = at(first_span, times).begin_ns;
        fold.end_ns = at(first_span + kFolded - 1, times).end_ns;
        folds_.resize(std::max(folds_.size(), block + 1));
        folds_[block] = fold;
        blocks_.release(block);
        begins_.release(block);
        flagged_before_.release(block);
    }
    // Appends a block that is folded already. The size must be a multiple of kFolded.
    void append_folded(std::int64_t begin_ns, std::int64_t end_ns, const SpanSums& sums) {
        folds_.resize(size_ / kFolded + 1);
        folds_.back() = {begin_ns, std::max(begin_ns, end_ns), total_, sums};
        for (std::size_t i = 0; i < kFolded / kBlock / kBlock; ++i) {
            coarse_.push_back(begin_ns);
        }
        blocks_.append_released();
        begins_.append_released();
        flagged_before_.append_released();
        total_ = total_.plus(sums);
        size_ += kFolded;
    }
    [[nodiscard]] bool is_folded(std::size_t i) const { return fold_of(i) != nullptr; }
    // The item to which span `i` belongs: [first, end). A single span, or all spans that were folded with it.
    struct Item {
        std::size_t first = 0, end = 0;
        [[nodiscard]] std::size_t count() const { return end - first; }
    };
    [[nodiscard]] Item item(std::size_t i) const {
        const std::size_t first = i / kFolded * kFolded;
        return is_folded(i) ? Item{first, first + kFolded} : Item{i, i + 1};
    }
    // The sums of one item.
    template <class Times>
    [[nodiscard]] SpanSums sums(const Item& item, Times times) const {
        return first(item.end, times).since(first(item.first, times));
    }

    // The span at i; of folded spans, all of them as one. `times(i)` returns its start and end; it is called if they
    // did not fit.
    template <class Times>
    [[nodiscard]] Span at(std::size_t i, Times times) const {
        if (const Fold* fold = fold_of(i)) {
            const auto most = std::max_element(fold->sums.busy_ns.begin(), fold->sums.busy_ns.end());
            return {fold->begin_ns, fold->end_ns, static_cast<devices::Family>(most - fold->sums.busy_ns.begin()),
                    fold->sums.flagged > 0};
        }
        const std::size_t block = i / kBlock;
        const std::uint32_t rest = blocks_[block].rest[i % kBlock];
        Span span;
        span.family = static_cast<devices::Family>(rest >> 28 & 7);
        span.flagged = rest >> 31 != 0;
        if ((rest & kLongest) == kLongest) {
            std::tie(span.begin_ns, span.end_ns) = times(i);
        } else {
            span.begin_ns = begin_of(block) + blocks_[block].after_ns[i % kBlock];
            span.end_ns = span.begin_ns + (rest & kLongest);
        }
        return span;
    }

    // Sums over the first `count` spans. Of folded ones, all are counted or none.
    template <class Times>
    [[nodiscard]] SpanSums first(std::size_t count, Times times) const {
        if (count >= size_) {
            return total_;
        }
        if (const Fold* fold = fold_of(count)) {
            return fold->before;
        }
        const Block& block = blocks_[count / kBlock];
        SpanSums sums{block.before_ns, total_.flagged > 0 ? flagged_before_[count / kBlock] : 0};
        for (std::size_t i = 0; i < count % kBlock; ++i) {
            const std::uint32_t rest = block.rest[i];
            std::int64_t busy_ns = rest & kLongest;
            if (busy_ns == kLongest) {
                const auto [begin_ns, end_ns] = times(count / kBlock * kBlock + i);
                busy_ns = end_ns - begin_ns;
            }
            sums.add(static_cast<devices::Family>(rest >> 28 & 7), busy_ns, rest >> 31 != 0);
        }
        return sums;
    }

    // The first span that begins at `ns` or later, or size().
    template <class Times>
    [[nodiscard]] std::size_t first_from(std::int64_t ns, Times times) const {
        return first_from(ns, in_coarse(coarse_near(0, ns), ns), times);
    }
    // The same, with the block known from blocks_near().
    template <class Times>
    [[nodiscard]] std::size_t first_from(std::int64_t ns, std::size_t block, Times times) const {
        const std::size_t first = block * kBlock;
        if (const Fold* fold = first < size_ ? fold_of(first) : nullptr) {
            const Item all = item(first);
            return ns <= fold->begin_ns ? all.first : std::min(all.end, size_);
        }
        if (first >= size_ || ns <= begin_of(block)) {
            return std::min(first, size_);
        }
        const std::uint64_t after_ns = static_cast<std::uint64_t>(ns) - static_cast<std::uint64_t>(begin_of(block));
        if (after_ns <= kElsewhere) {  // compare all of them: faster than a binary search, as there are no branches
            const auto after = static_cast<std::uint32_t>(after_ns);
            std::uint32_t earlier = 0;
            for (const std::uint32_t begin : blocks_[block].after_ns) {
                earlier += begin < after ? 1 : 0;
            }
            return first + earlier;
        }
        const std::size_t end = std::min(first + kBlock, size_);
        std::size_t at = first;
        while (at < end && this->at(at, times).begin_ns < ns) {
            ++at;
        }
        return at;
    }

    // For each of many ascending times: the last block whose first span begins earlier, or block 0. All are looked
    // up together, and the data needed next is prefetched: cache misses are most of the cost of a wide view.
    void blocks_near(std::span<const std::int64_t> ns, std::vector<std::size_t>& into) const {
        into.resize(ns.size());
        if (size_ == 0) {
            std::fill(into.begin(), into.end(), 0);
            return;
        }
        std::size_t low = 0;
        for (std::size_t i = 0; i < ns.size(); ++i) {
            low = coarse_near(low, ns[i]);
            into[i] = low;
            prefetch(&begins_[low], &begins_[low] + 1);
        }
        for (std::size_t i = 0; i < ns.size(); ++i) {
            const std::size_t block = in_coarse(into[i], ns[i]);
            into[i] = block;
            prefetch(&blocks_[block], &blocks_[block] + 1);
        }
    }

private:
    static constexpr std::uint32_t kElsewhere = 0xffff'ffff;                 // in Block::after_ns
    static constexpr std::uint32_t kLongest = (std::uint32_t{1} << 28) - 1;  // in Block::rest: the value did not fit

    // Aligned to cache lines, so that each fetched line is fully used.
    struct alignas(64) Block {
        std::array<std::uint32_t, kBlock> after_ns;          // begin of each span, relative to the block's begin
        std::array<std::uint32_t, kBlock> rest;              // duration in 28 bits; family; flagged
        std::array<std::uint64_t, kSpanFamilies> before_ns;  // of all spans before the block, as in SpanSums
        static Block none(const std::array<std::uint64_t, kSpanFamilies>& before_ns) {
            Block block;
            block.after_ns.fill(kElsewhere);
            block.rest.fill(0);
            block.before_ns = before_ns;
            return block;
        }
    };
    struct alignas(64) Begins {
        std::array<std::int64_t, kBlock> ns;
        static Begins none() {
            Begins begins;
            begins.ns.fill(INT64_MAX);
            return begins;
        }
    };

    struct Fold {
        std::int64_t begin_ns = 0, end_ns = -1;  // end before begin: not folded
        SpanSums before, sums;                   // of all spans before it, and of its own
    };

    [[nodiscard]] const Fold* fold_of(std::size_t i) const {
        const std::size_t block = i / kFolded;
        return block < folds_.size() && folds_[block].end_ns >= folds_[block].begin_ns ? &folds_[block] : nullptr;
    }
    [[nodiscard]] std::int64_t begin_of(std::size_t block) const { return begins_[block / kBlock].ns[block % kBlock]; }

    // Galloping search from `low` on for the last element of coarse_ before `ns`.
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
        if (coarse >= begins_.size()) {
            return 0;
        }
        std::size_t earlier = 0;
        for (const std::int64_t begin : begins_[coarse].ns) {
            earlier += begin < ns ? 1 : 0;
        }
        return coarse * kBlock + (earlier > 0 ? earlier - 1 : 0);
    }

    // One block of each of these three has kFolded spans.
    Blocks<Block, 10> blocks_;                  // kBlock spans each
    Blocks<Begins, 6> begins_;                  // begins of the first spans of kBlock blocks each
    Blocks<std::uint64_t, 10> flagged_before_;  // by block: flagged spans before it; read only if any span is flagged
    Blocks<std::int64_t, 12> coarse_;           // the first element of each of begins_
    std::vector<Fold> folds_;                   // by block of kFolded spans; shorter if the later ones are not folded
    SpanSums total_;
    std::size_t size_ = 0;
};

}  // namespace headway::model
