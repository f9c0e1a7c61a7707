// Makes a host's spans, which may be nested or overlap, consecutive. Private to app/exchange.
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

// Makes items consecutive: one that lies within an earlier item is left out, and one that only begins within it is
// moved to begin at its end. The counts of both.
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

// Removes from the work ranges the time within waits: while the host waits it does not work. Waits must not
// overlap.
void keep_apart(std::vector<model::Work>& works, const std::vector<model::Wait>& waits);

// The number of initial profiler steps that are warm-up: each took more than twice the median of the later steps,
// and these issue at least half as many ops, so the work is comparable. The last step never counts.
std::size_t warm_up_steps(const std::vector<model::Minibatch>& steps);

}  // namespace headway::exchange
