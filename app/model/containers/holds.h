// The times in which the learner held lanes back.
//
// Threads: add(): the one that calls Run::update(); functions that only read, any that may read the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace headway::model {

// A time range in which a lane had a command ready to run, and the learner held the lane back.
struct Hold {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint32_t lane = 0;
};

class Holds {
public:
    // At most `most` separate holds are stored: by default more than a learner can make.
    explicit Holds(std::size_t most = 10'000) : most_(most) {}

    // Any order; holds of different lanes may overlap. A hold that begins where the lane's last one ends is merged
    // with it.
    void add(const Hold& hold) {
        if (any_.size() >= most_) {
            return;
        }
        const auto [last, first_of_lane] = last_of_lane_.try_emplace(hold.lane, list_.size());
        if (!first_of_lane && list_[last->second].end_ns == hold.begin_ns) {
            list_[last->second].end_ns = hold.end_ns;
        } else {
            last->second = list_.size();
            list_.push_back(hold);
        }
        Hold whole = hold;
        auto first = std::partition_point(any_.begin(), any_.end(),
                                          [&](const Hold& other) { return other.end_ns < whole.begin_ns; });
        auto end = first;
        for (; end != any_.end() && end->begin_ns <= whole.end_ns; ++end) {
            whole.begin_ns = std::min(whole.begin_ns, end->begin_ns);
            whole.end_ns = std::max(whole.end_ns, end->end_ns);
        }
        any_.insert(any_.erase(first, end), whole);
    }
    void clear() { *this = Holds(most_); }

    [[nodiscard]] const std::vector<Hold>& list() const { return list_; }
    // The times in which at least one lane was held that overlap this time range: ascending and disjoint, `lane`
    // unused.
    [[nodiscard]] std::span<const Hold> within(std::int64_t begin_ns, std::int64_t end_ns) const {
        const auto first =
            std::partition_point(any_.begin(), any_.end(), [&](const Hold& hold) { return hold.end_ns <= begin_ns; });
        return {first,
                std::partition_point(first, any_.end(), [&](const Hold& hold) { return hold.begin_ns < end_ns; })};
    }
    // How long at least one lane was held within this time range.
    [[nodiscard]] std::int64_t held_ns(std::int64_t begin_ns, std::int64_t end_ns) const {
        std::int64_t ns = 0;
        for (const Hold& hold : within(begin_ns, end_ns)) {
            ns += std::max<std::int64_t>(std::min(hold.end_ns, end_ns) - std::max(hold.begin_ns, begin_ns), 0);
        }
        return ns;
    }

private:
    std::size_t most_;
    std::vector<Hold> list_;
    std::unordered_map<std::uint32_t, std::size_t> last_of_lane_;  // index of the lane's last hold in `list_`
    std::vector<Hold> any_;  // their union, ascending and disjoint; `lane` is unused
};

}  // namespace headway::model
