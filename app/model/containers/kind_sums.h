// The count and total duration of consecutive spans by kind (ops of a lane by signature, waits by cause), exact
// over any range of spans. Spans can be appended while a run is recorded.
//
// Prefix sums are stored at intervals that grow with the number of kinds: at most 4 bytes per span, and a query
// visits at most a few thousand spans, however many there are. Spans that have been folded (span_index.h) need not be
// known any more: ranges that begin and end between blocks of folded spans do not visit any of them.
//
// Threads: one writer, or any number of readers; not both at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/model/containers/blocks.h"

namespace headway::model {

class KindSums {
public:
    struct Sum {
        std::uint32_t kind = 0;
        std::uint64_t count = 0;
        std::uint64_t busy_ns = 0;  // wraps around in damaged recordings
    };

    void add(std::uint32_t kind, std::int64_t busy_ns) {
        if (size_ - noted_at() >= std::max(kLeastStep, 4 * kinds_.size()) ||
            (size_ % kFoldedItems == 0 && size_ != noted_at())) {
            notes_.push_back({size_, sums_});
        }
        slot_of(kind).add(busy_ns);
        ++size_;
    }
    // Adds `count` spans of which only the sums are known.
    void append(std::size_t count, const std::vector<Sum>& sums) {
        if (size_ != noted_at()) {
            notes_.push_back({size_, sums_});
        }
        for (const Sum& sum : sums) {
            Slot& slot = slot_of(sum.kind);
            slot.count += sum.count;
            slot.busy_ns += sum.busy_ns;
        }
        size_ += count;
        notes_.push_back({size_, sums_});
    }
    void clear() { *this = KindSums(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    // The total of every kind so far.
    [[nodiscard]] std::vector<Sum> all() const { return sums_of(sums_); }
    // Counts a span whose kind is not known.
    void skip() { ++size_; }
    // The running totals that are stored within spans [first, end]; `end` is included if it is size().
    struct Total {
        std::size_t at = 0;  // of spans [0, at)
        std::vector<Sum> sums;
    };
    [[nodiscard]] std::vector<Total> totals(std::size_t first, std::size_t end) const {
        std::vector<Total> totals;
        for (const Note& note : notes_) {
            if (note.at >= first && note.at <= end) {
                totals.push_back({note.at, sums_of(note.sums)});
            }
        }
        if (end == size_ && (totals.empty() || totals.back().at != size_)) {
            totals.push_back({size_, all()});
        }
        return totals;
    }
    // Sets the total of every kind of the spans so far, some of which may have been skipped.
    void set_total(const std::vector<Sum>& sums) {
        std::fill(sums_.begin(), sums_.end(), Slot());
        for (const Sum& sum : sums) {
            slot_of(sum.kind) = {sum.count, sum.busy_ns};
        }
        if (!notes_.empty() && notes_.back().at == size_) {
            notes_.back().sums = sums_;
        } else {
            notes_.push_back({size_, sums_});
        }
    }
    // Keeps of spans [block * kFoldedItems, (block + 1) * kFoldedItems) only the sums before and after them.
    void fold(std::size_t block) {
        std::erase_if(notes_, [begin = block * kFoldedItems](const Note& note) {
            return note.at > begin && note.at < begin + kFoldedItems;
        });
    }

    // Sums over spans [first, last), for the kinds that occur. `at(i)` returns kind and duration of span i, as
    // passed to add().
    template <class At>
    [[nodiscard]] std::vector<Sum> between(std::size_t first, std::size_t last, At at) const {
        std::vector<Slot> slots(kinds_.size());
        last = std::min(last, size_);
        if (first < last) {
            const Note* before = note_before(first);
            const Note* behind = note_before(last);
            if (before == behind) {
                walk(first, last, at, slots, 1);
            } else {
                add_note(behind, slots, 1);
                walk(behind->at, last, at, slots, 1);
                add_note(before, slots, ~std::uint64_t{0});
                walk(before != nullptr ? before->at : 0, first, at, slots, ~std::uint64_t{0});
            }
        }
        std::vector<Sum> sums;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            // Of folded ops next to kept ones only the kind of the first is known: a count may then be too low.
            if (slots[i].count != 0 && slots[i].count <= last - std::min(first, last)) {
                sums.push_back({kinds_[i], slots[i].count, slots[i].busy_ns});
            }
        }
        return sums;
    }

private:
    static constexpr std::size_t kLeastStep = 1024;
    static constexpr std::uint32_t kNone = 0xffff'ffff;
    struct Slot {
        std::uint64_t count = 0, busy_ns = 0;
        void add(std::int64_t ns) {
            ++count;
            busy_ns += static_cast<std::uint64_t>(ns);
        }
    };
    struct Note {
        std::size_t at = 0;      // covers spans [0, at)
        std::vector<Slot> sums;  // by slot, for the kinds seen so far
    };

    Slot& slot_of(std::uint32_t kind) {
        if (kind >= slots_.size()) {
            slots_.resize(kind + std::size_t{1}, kNone);
        }
        if (slots_[kind] == kNone) {
            slots_[kind] = static_cast<std::uint32_t>(kinds_.size());
            kinds_.push_back(kind);
            sums_.emplace_back();
        }
        return sums_[slots_[kind]];
    }
    [[nodiscard]] std::vector<Sum> sums_of(const std::vector<Slot>& slots) const {
        std::vector<Sum> sums;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            sums.push_back({kinds_[i], slots[i].count, slots[i].busy_ns});
        }
        return sums;
    }
    [[nodiscard]] std::size_t noted_at() const { return notes_.empty() ? 0 : notes_.back().at; }
    [[nodiscard]] const Note* note_before(std::size_t i) const {
        const auto after = std::upper_bound(notes_.begin(), notes_.end(), i,
                                            [](std::size_t wanted, const Note& note) { return wanted < note.at; });
        return after == notes_.begin() ? nullptr : &*(after - 1);
    }
    // `sign`: 1, or -1 as an unsigned number (to subtract).
    static void add_note(const Note* note, std::vector<Slot>& to, std::uint64_t sign) {
        for (std::size_t i = 0; note != nullptr && i < note->sums.size(); ++i) {
            to[i].count += sign * note->sums[i].count;
            to[i].busy_ns += sign * note->sums[i].busy_ns;
        }
    }
    template <class At>
    void walk(std::size_t first, std::size_t last, At at, std::vector<Slot>& to, std::uint64_t sign) const {
        for (std::size_t i = first; i < last; ++i) {
            const auto [kind, busy_ns] = at(i);
            if (kind >= slots_.size() || slots_[kind] == kNone) {
                continue;  // the first op's of a folded block, which may have run in another lane
            }
            Slot& slot = to[slots_[kind]];
            slot.count += sign;
            slot.busy_ns += sign * static_cast<std::uint64_t>(busy_ns);
        }
    }

    std::vector<std::uint32_t> slots_;  // by kind
    std::vector<std::uint32_t> kinds_;  // by slot, in the order of appearance
    std::vector<Slot> sums_;            // totals so far, by slot
    std::vector<Note> notes_;
    std::size_t size_ = 0;
};

}  // namespace headway::model
