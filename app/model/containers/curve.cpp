#include "app/model/containers/curve.h"

#include <algorithm>
#include <limits>

#include "app/model/containers/prefetch.h"

namespace headway::model {

namespace {

// Sums wrap around: a damaged recording may contain any number of bytes.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

constexpr Extremes kNothing{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};

void take_in(Extremes& extremes, std::int64_t value) {
    extremes.least = std::min(extremes.least, value);
    extremes.most = std::max(extremes.most, value);
}
void take_in(Extremes& extremes, const Extremes& other) {
    extremes.least = std::min(extremes.least, other.least);
    extremes.most = std::max(extremes.most, other.most);
}

constexpr auto kEarlier = [](const auto& a, const auto& b) { return a.ns < b.ns; };

}  // namespace

void Curve::set(std::int64_t ns, std::int64_t value) {
    add(ns, wrapping_sub(value, sampled_));
    sampled_ = value;
}

// Changes come as a few ascending runs (the frontend's, each lane's), so merging these beats sorting.
void Curve::take(const Curve& other) {
    std::int64_t before = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
        add(other.time(i), other.value(i) - before);
        before = other.value(i);
    }
    added_.insert(added_.end(), other.added_.begin(), other.added_.end());
    sampled_ = other.sampled_;
}

void Curve::sort_added() {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 1; i < added_.size(); ++i) {
        if (added_[i].ns < added_[i - 1].ns) {
            starts.push_back(i);
            if (starts.size() > 64) {
                std::sort(added_.begin(), added_.end(), kEarlier);
                return;
            }
        }
    }
    starts.push_back(added_.size());
    const auto place = [this](std::size_t i) { return added_.begin() + static_cast<std::ptrdiff_t>(i); };
    while (starts.size() > 2) {
        std::vector<std::size_t> merged{0};
        for (std::size_t i = 0; i + 2 < starts.size(); i += 2) {
            std::inplace_merge(place(starts[i]), place(starts[i + 1]), place(starts[i + 2]), kEarlier);
            merged.push_back(starts[i + 2]);
        }
        if (starts.size() % 2 == 0) {
            merged.push_back(starts.back());  // an odd run is left at the end
        }
        starts = std::move(merged);
    }
}

void Curve::append(const Change& change) {
    if (!times_.empty() && times_.back() == change.ns) {
        values_.back() = wrapping_add(values_.back(), change.delta);
        return;
    }
    const std::int64_t before = values_.empty() ? 0 : values_.back();
    times_.push_back(change.ns);
    values_.push_back(wrapping_add(before, change.delta));
}

void Curve::settle() {
    if (added_.empty()) {
        return;
    }
    for (Change& change : added_) {
        change.ns = std::max(change.ns, folded_until_ns_);  // only damaged recordings have earlier ones
    }
    sort_added();
    const std::size_t first = first_not_before(added_.front().ns);
    if (first == times_.size()) {
        for (const Change& change : added_) {
            append(change);
        }
    } else {
        // Turn the part of the curve after the earliest new change back into changes, and merge these with the new
        // ones.
        tail_.clear();
        for (std::size_t i = first; i < times_.size(); ++i) {
            tail_.push_back({times_[i], wrapping_sub(values_[i], i == 0 ? 0 : values_[i - 1])});
        }
        const auto middle = static_cast<std::ptrdiff_t>(tail_.size());
        tail_.insert(tail_.end(), added_.begin(), added_.end());
        std::inplace_merge(tail_.begin(), tail_.begin() + middle, tail_.end(), kEarlier);
        times_.truncate(first);
        values_.truncate(first);
        for (const Change& change : tail_) {
            append(change);
        }
    }
    added_.clear();
    index_from(first);
}

void Curve::index_from(std::size_t first) {
    std::size_t below = values_.size();
    for (std::size_t level = 0; below > 1; ++level) {
        if (level == levels_.size()) {
            levels_.emplace_back(level);
            starts_.emplace_back(level);
            first = 0;  // a new level covers all earlier values, too
        }
        const std::size_t count = (below + kFan - 1) / kFan;
        first /= kFan;
        index_level(level, first, below);
        below = count;
    }
    find_most();
}

// Extremes and begins of one level, from block `first` on; `below`: how many elements the level below has.
void Curve::index_level(std::size_t level, std::size_t first, std::size_t below) {
    auto& blocks = levels_[level];
    auto& starts = starts_[level];
    const std::size_t count = (below + kFan - 1) / kFan;
    blocks.resize(count);
    starts.resize(count);
    for (std::size_t b = first; b < count; ++b) {
        Extremes extremes = kNothing;
        for (std::size_t i = b * kFan; i < std::min((b + 1) * kFan, below); ++i) {
            if (level == 0) {
                take_in(extremes, values_[i]);
            } else {
                take_in(extremes, levels_[level - 1][i]);
            }
        }
        blocks[b] = extremes;
        starts[b] = level == 0 ? times_[b * kFan] : starts_[level - 1][b * kFan];
    }
}

// Descends from the top level to the first occurrence of the largest value.
void Curve::find_most() {
    if (values_.empty()) {
        return;
    }
    std::size_t place = 0;
    most_ = values_.size() == 1 ? values_[0] : levels_.back()[0].most;
    for (std::size_t level = levels_.size(); level-- > 0;) {
        place *= level + 1 == levels_.size() ? 0 : kFan;
        while (levels_[level][place].most != most_) {
            ++place;
        }
        if (level == kReleasedLevels && times_.released(place * kKeptValues)) {
            most_at_ = most_at_of_[place * kKeptValues / kFolded];
            return;
        }
    }
    place *= levels_.empty() ? 0 : kFan;
    while (values_[place] != most_) {
        ++place;
    }
    most_at_ = times_[place];
}

void Curve::fold(std::int64_t before_ns, std::span<const Kept> kept) {
    for (; (fold_from_ + 1) * kFolded < times_.size(); ++fold_from_) {
        const std::size_t first = fold_from_ * kFolded;
        const std::int64_t begin_ns = times_[first], end_ns = times_[first + kFolded];
        if (end_ns >= before_ns || levels_.size() <= kReleasedLevels) {
            return;
        }
        const bool is_kept = std::any_of(kept.begin(), kept.end(), [&](const Kept& range) {
            return begin_ns < range.end_ns && range.begin_ns < end_ns;
        });
        if (is_kept) {
            continue;
        }
        std::size_t most = first;
        for (std::size_t i = first; i < first + kFolded; ++i) {
            most = values_[i] > values_[most] ? i : most;
        }
        most_at_of_.resize(fold_from_ + 1);
        most_at_of_[fold_from_] = times_[most];
        folded_until_ns_ = end_ns;
        times_.release(fold_from_);
        values_.release(fold_from_);
        for (std::size_t level = 0; level < kReleasedLevels; ++level) {
            levels_[level].release(fold_from_);
            starts_[level].release(fold_from_);
        }
    }
}

std::vector<Curve::FoldedBlock> Curve::folded_blocks() const {
    std::vector<FoldedBlock> found;
    for (std::size_t block = 0; block < most_at_of_.size(); ++block) {
        if (!times_.released(block * kFolded)) {
            continue;
        }
        FoldedBlock folded;
        folded.block = block;
        folded.most_at_ns = most_at_of_[block];
        for (std::size_t i = 0; i < FoldedBlock::kQuarters; ++i) {
            folded.begins_ns[i] = starts_[kReleasedLevels][block * FoldedBlock::kQuarters + i];
            folded.extremes[i] = levels_[kReleasedLevels][block * FoldedBlock::kQuarters + i];
        }
        found.push_back(folded);
    }
    return found;
}

// The size is a multiple of kFolded, and all changes so far are indexed.
void Curve::append_folded(const FoldedBlock& block) {
    static_assert(FoldedBlock::kQuarters * kKeptValues == kFolded);
    const std::size_t first = times_.size(), place = first / kFolded;
    times_.append_released();
    values_.append_released();
    most_at_of_.resize(place + 1);
    most_at_of_[place] = block.most_at_ns;
    index_from(first);
    for (std::size_t level = 0; level < kReleasedLevels; ++level) {
        levels_[level].release(place);
        starts_[level].release(place);
    }
    for (std::size_t i = 0; i < FoldedBlock::kQuarters; ++i) {
        starts_[kReleasedLevels][place * FoldedBlock::kQuarters + i] = block.begins_ns[i];
        levels_[kReleasedLevels][place * FoldedBlock::kQuarters + i] = block.extremes[i];
    }
    std::size_t below = levels_[kReleasedLevels].size(), from = place * FoldedBlock::kQuarters;
    for (std::size_t level = kReleasedLevels + 1; level < levels_.size(); ++level) {
        from /= kFan;
        index_level(level, from, below);
        below = levels_[level].size();
    }
}

Curve Curve::restored(std::span<const Point> changes, std::span<const FoldedBlock> blocks) {
    Curve curve;
    std::size_t next = 0, indexed = 0;
    std::int64_t until_ns = std::numeric_limits<std::int64_t>::min();
    const auto index = [&] {
        if (indexed < curve.times_.size()) {
            curve.index_from(indexed);
            indexed = curve.times_.size();
        }
    };
    const auto append_blocks = [&] {
        while (next < blocks.size() && blocks[next].block * kFolded <= curve.times_.size()) {
            if (blocks[next].block * kFolded == curve.times_.size() && blocks[next].begins_ns[0] > until_ns &&
                std::is_sorted(blocks[next].begins_ns.begin(), blocks[next].begins_ns.end())) {
                index();
                curve.append_folded(blocks[next]);
                indexed = curve.times_.size();
                until_ns = std::max(blocks[next].begins_ns.back(), blocks[next].most_at_ns);
            }
            ++next;
        }
    };
    for (const Point& change : changes) {
        append_blocks();
        if (change.ns > until_ns) {
            curve.times_.push_back(change.ns);
            curve.values_.push_back(change.value);
            until_ns = change.ns;
        }
    }
    append_blocks();
    index();
    curve.find_most();
    return curve;
}

// Starting at `at`: the last block of a level that starts before `ns` and lies in `block` of the level above.
std::size_t Curve::before_in(std::size_t level, std::size_t at, std::size_t block, std::int64_t ns) const {
    const auto& starts = starts_[level];
    const std::size_t end = std::min((block + 1) * kFan, starts.size());
    while (at + 1 < end && starts[at + 1] < ns) {
        ++at;
    }
    return at;
}

std::size_t Curve::first_not_before(std::int64_t ns) const {
    std::size_t block = 0;
    for (std::size_t level = starts_.size(); level-- > 0;) {
        block = before_in(level, block * kFan, block, ns);
        if (const auto all = level == kReleasedLevels ? folded(block * kKeptValues) : std::nullopt) {
            return ns <= starts_[level][all->first / kKeptValues] ? all->first : all->end;
        }
    }
    std::size_t place = block * kFan;
    const std::size_t end = std::min(place + kFan, times_.size());
    while (place < end && times_[place] < ns) {
        ++place;
    }
    return place;
}

void Curve::first_not_before(std::span<const std::int64_t> ns, std::vector<std::size_t>& into) const {
    into.assign(ns.size(), 0);
    std::size_t block = SIZE_MAX;
    std::size_t at = 0;
    // Bounds that follow each other fall into the same block or a later one, so earlier blocks are not searched
    // again.
    const auto enter = [&](std::size_t next) {
        if (next != block) {
            block = next;
            at = block * kFan;
        }
    };
    for (std::size_t level = starts_.size(); level-- > 0;) {
        block = SIZE_MAX;
        for (std::size_t i = 0; i < ns.size(); ++i) {
            enter(into[i]);
            into[i] = at = before_in(level, at, block, ns[i]);
            const std::size_t below = at * kFan;
            if (level > 0) {
                const auto& starts = starts_[level - 1];
                prefetch(&starts[below], &starts[std::min(below + kFan, starts.size()) - 1] + 1);
            } else {
                prefetch(&times_[below], &times_[std::min(below + kFan, times_.size()) - 1] + 1);
            }
        }
    }
    block = SIZE_MAX;
    for (std::size_t i = 0; i < ns.size(); ++i) {
        enter(into[i]);
        if (const auto all = folded(block * kFan)) {
            into[i] = ns[i] <= starts_[kReleasedLevels][all->first / kKeptValues] ? all->first : all->end;
            at = block * kFan;
            continue;
        }
        const std::size_t end = std::min((block + 1) * kFan, times_.size());
        while (at < end && times_[at] < ns[i]) {
            ++at;
        }
        into[i] = at;
        if (const std::size_t first = block * kFan; first < times_.size()) {  // extremes_of() will read these
            prefetch(&values_[first], &values_[std::min(first + kFan, times_.size()) - 1] + 1);
            std::size_t around = block;
            for (std::size_t level = 0; level < std::min<std::size_t>(2, levels_.size()); ++level) {
                const auto& blocks = levels_[level];
                around -= around % kFan;
                prefetch(&blocks[around], &blocks[std::min(around + kFan, blocks.size()) - 1] + 1);
                around /= kFan;
            }
        }
    }
}

std::size_t Curve::first_after(std::int64_t ns) const {
    const std::size_t place = first_not_before(ns);
    return place < times_.size() && !folded(place) && times_[place] == ns ? place + 1 : place;
}

std::int64_t Curve::at(std::int64_t ns) const {
    const std::size_t next = first_after(ns);
    if (next == 0) {
        return 0;
    }
    const auto all = folded(next - 1);
    return all ? extremes_of(all->first, all->end).most : values_[next - 1];
}

bool Curve::exact_at(std::int64_t ns) const {
    const std::size_t next = first_after(ns);
    return next == 0 || !folded(next - 1);
}

Extremes Curve::extremes_of(std::size_t first, std::size_t end) const {
    Extremes extremes = kNothing;
    // Single values up to block boundaries on both sides, then the same one level up.
    std::size_t level = 0;
    const auto at_level = [&](std::size_t i) {
        if (level == 0) {
            take_in(extremes, values_[i]);
        } else {
            take_in(extremes, levels_[level - 1][i]);
        }
    };
    while (true) {
        if (level == levels_.size() || end - first < 2 * kFan) {
            for (; first < end; ++first) {
                at_level(first);
            }
            return extremes;
        }
        for (; first % kFan != 0; ++first) {
            at_level(first);
        }
        for (; end % kFan != 0; --end) {
            at_level(end - 1);
        }
        first /= kFan;
        end /= kFan;
        ++level;
    }
}

Extremes Curve::between(std::size_t first, std::size_t last) const {
    Extremes extremes = kNothing;
    if (first == 0) {
        extremes = {0, 0};
    } else if (const auto all = folded(first - 1)) {
        first = all->first;
    } else {
        extremes = {values_[first - 1], values_[first - 1]};
    }
    if (first < last) {
        take_in(extremes, extremes_of(first, last));
    }
    return extremes;
}

Extremes Curve::extremes(std::int64_t begin_ns, std::int64_t end_ns) const {
    return between(first_after(begin_ns), first_not_before(end_ns));
}

void Curve::columns(std::span<const std::int64_t> bounds_ns, std::vector<Extremes>& into) const {
    into.clear();
    if (bounds_ns.empty()) {
        return;
    }
    std::vector<std::size_t> places;
    first_not_before(bounds_ns, places);
    for (std::size_t i = 0; i + 1 < bounds_ns.size(); ++i) {
        std::size_t first = places[i];
        first += first < times_.size() && !folded(first) && times_[first] == bounds_ns[i] ? 1 : 0;
        into.push_back(between(first, places[i + 1]));
    }
}

}  // namespace headway::model
