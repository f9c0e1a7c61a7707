// Exact quantiles of many durations. Short ones, of which there are millions, are counted instead of stored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/model/description/frontend_time.h"

namespace headway::model {

class Quantiles {
public:
    void add(std::int64_t ns) {
        ns = std::max<std::int64_t>(ns, 0);
        if (ns < kCounted) {
            counts_.resize(kCounted);
            ++counts_[static_cast<std::size_t>(ns)];
        } else {
            long_.push_back(ns);
        }
        ++count_;
        most_ = std::max(most_, ns);
    }
    void merge(const Quantiles& other) {
        if (!other.counts_.empty()) {
            counts_.resize(kCounted);
            std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
        }
        long_.insert(long_.end(), other.long_.begin(), other.long_.end());
        count_ += other.count_;
        most_ = std::max(most_, other.most_);
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    // In ascending order, the duration at share · (count - 1), rounded down: of two in the middle the smaller one.
    [[nodiscard]] std::int64_t at(double share) {
        if (count_ == 0) {
            return 0;
        }
        auto rank = static_cast<std::uint64_t>(share * static_cast<double>(count_ - 1));
        for (std::size_t ns = 0; ns < counts_.size(); ++ns) {
            if (rank < counts_[ns]) {
                return static_cast<std::int64_t>(ns);
            }
            rank -= counts_[ns];
        }
        const auto place = long_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(rank, long_.size() - 1));
        std::nth_element(long_.begin(), place, long_.end());
        return *place;
    }
    [[nodiscard]] Spread spread() { return {at(0.1), at(0.5), at(0.9), most_, count_}; }

private:
    static constexpr std::int64_t kCounted = 1 << 14;
    std::vector<std::uint64_t> counts_;
    std::vector<std::int64_t> long_;
    std::uint64_t count_ = 0;
    std::int64_t most_ = 0;
};

}  // namespace headway::model
