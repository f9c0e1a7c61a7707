// What a host did one after the other, from spans that may lie within each other or overlap. Private to app/exchange.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/model/run/run.h"

namespace headway::exchange {

// What cannot be at the same time as another is one after the other: of those within one before the end is left out,
// and of those that only begin in it the begin moves to its end.
struct Settled {
    std::uint64_t within = 0, moved = 0;
};
template <class Item>
Settled one_at_a_time(std::vector<Item>& items, std::int64_t Item::*begin_ns, std::int64_t Item::*end_ns) {
    std::stable_sort(items.begin(), items.end(), [=](const Item& a, const Item& b) {
        return a.*begin_ns != b.*begin_ns ? a.*begin_ns < b.*begin_ns : a.*end_ns > b.*end_ns;
    });
    Settled settled;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (kept > 0 && items[i].*begin_ns < items[kept - 1].*end_ns) {
            if (items[i].*end_ns <= items[kept - 1].*end_ns) {
                ++settled.within;
                continue;
            }
            items[i].*begin_ns = items[kept - 1].*end_ns;
            ++settled.moved;
        }
        if (kept != i) {
            items[kept] = std::move(items[i]);
        }
        ++kept;
    }
    items.resize(kept);
    return settled;
}

// Takes out of the stretches of work what lies within a wait: where the host waits, it does not work. The waits follow
// each other.
void keep_apart(std::vector<model::Work>& works, const std::vector<model::Wait>& waits);

// How many of the profiler's steps at the begin warmed up: each took more than twice the median of those behind it, and
// these issue at least half as many ops, so that it is the same work that took longer. The last step is none.
std::size_t warm_up_steps(const std::vector<model::Minibatch>& steps);

}  // namespace headway::exchange
