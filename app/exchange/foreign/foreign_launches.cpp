#include "app/exchange/foreign/foreign_launches.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace headway::exchange {

namespace {

constexpr std::int64_t kTimesMedian = 8, kLeastStallNs = 20'000;
constexpr std::size_t kKnownFrom = 5;  // number of calls of one name from which they have their own median
// Drivers queue up to about 1,022 ops per stream, some of which (events) are not in the trace.
constexpr std::int64_t kFullQueue = 512;

std::int64_t median_of(std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The median duration of launches by name, that is, without a stall.
class Medians {
public:
    Medians(const ForeignTrace& trace, const HostLaunches& launches) {
        std::unordered_map<std::uint32_t, std::vector<std::int64_t>> by_call;
        std::vector<std::int64_t> all;
        for (const auto& [correlation, launch] : launches) {
            if (!launch.waits) {
                by_call[launch.call].push_back(launch.end_ns - launch.begin_ns);
                all.push_back(launch.end_ns - launch.begin_ns);
            }
        }
        if (all.size() < kKnownFrom) {
            return;
        }
        const std::int64_t of_all = median_of(all);
        for (auto& [call, each] : by_call) {
            if (each.size() >= kKnownFrom) {
                of_call_[call] = median_of(each);
            } else if (trace.names[call].find("GraphLaunch") == std::string::npos) {  // graphs launch many kernels
                of_call_[call] = of_all;
            }
        }
    }
    // Negative: unknown.
    [[nodiscard]] std::int64_t of(std::uint32_t call) const {
        const auto found = of_call_.find(call);
        return found == of_call_.end() ? -1 : found->second;
    }

private:
    std::unordered_map<std::uint32_t, std::int64_t> of_call_;
};

// The number of launches of a stream that had not ended at a given time.
class Outstanding {
public:
    Outstanding(const ForeignTrace& trace, const DeviceWork& work, const HostLaunches& launches)
        : begins_(trace.tracks.size()), ends_(trace.tracks.size()) {
        for (const auto& [correlation, launch] : launches) {
            if (const auto found = work.find(correlation); found != work.end()) {
                begins_[found->second->track].push_back(launch.begin_ns);
                ends_[found->second->track].push_back(found->second->end_ns);
            }
        }
        for (auto* times : {&begins_, &ends_}) {
            for (auto& of_track : *times) {
                std::sort(of_track.begin(), of_track.end());
            }
        }
    }
    [[nodiscard]] std::int64_t at(std::uint32_t track, std::int64_t ns) const {
        const auto before = [ns](const std::vector<std::int64_t>& times) {
            return std::upper_bound(times.begin(), times.end(), ns) - times.begin();
        };
        return before(begins_[track]) - before(ends_[track]);
    }

private:
    std::vector<std::vector<std::int64_t>> begins_, ends_;
};

// When any thread was allocating or freeing memory.
class Allocations {
public:
    explicit Allocations(const ForeignTrace& trace) {
        for (const ForeignSpan& span : trace.spans) {
            if (span.what == SpanClass::runtime && allocation_of(trace.names[span.name]) != Allocation::none) {
                times_.emplace_back(span.begin_ns, span.end_ns);
            }
        }
        std::sort(times_.begin(), times_.end());
        std::int64_t latest = INT64_MIN;
        for (auto& [begin_ns, end_ns] : times_) {  // now the ends ascend, too
            end_ns = latest = std::max(latest, end_ns);
        }
    }
    [[nodiscard]] bool any_in(std::int64_t begin_ns, std::int64_t end_ns) const {
        const auto first = std::upper_bound(times_.begin(), times_.end(), begin_ns,
                                            [](std::int64_t ns, const auto& time) { return ns < time.second; });
        return first != times_.end() && first->first < end_ns;
    }

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> times_;
};

}  // namespace

const char* word_of(Stall stall) {
    switch (stall) {
        case Stall::none:
            break;
        case Stall::queue_full:
            return "driver queue full";
        case Stall::staging:
            return "staging copy";
        case Stall::allocation:
            return "memory allocation";
        case Stall::first_launch:
            return "first launch";
        case Stall::kernel_loading:
            return "kernel loading";
        case Stall::unknown:
            return "launch stall";
    }
    return "";
}

DeviceWork device_work(const ForeignTrace& trace) {
    DeviceWork work;
    for (const ForeignSpan& span : trace.spans) {
        if (span.what == SpanClass::gpu && span.correlation != 0) {
            const auto [at, fresh] = work.try_emplace(span.correlation, &span);
            if (!fresh && span.begin_ns < at->second->begin_ns) {
                at->second = &span;
            }
        }
    }
    return work;
}

void find_stalls(const ForeignTrace& trace, const DeviceWork& work, HostLaunches& launches) {
    const Medians medians(trace, launches);
    const Outstanding outstanding(trace, work, launches);
    const Allocations allocations(trace);
    std::vector<std::pair<HostLaunch*, const ForeignSpan*>> in_order;
    for (auto& [correlation, launch] : launches) {
        launch.issue_begin_ns = launch.begin_ns;
        launch.issue_end_ns = launch.waits ? launch.begin_ns : launch.end_ns;
        if (const auto found = work.find(correlation); found != work.end()) {
            in_order.emplace_back(&launch, found->second);
        }
    }
    std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first->begin_ns, a.second->correlation) <
               std::pair(b.first->begin_ns, b.second->correlation);
    });
    std::unordered_set<std::uint32_t> seen;  // names of kernels
    for (const auto& [launch, device] : in_order) {
        const bool first = seen.empty();
        const bool first_of_kernel = seen.insert(device->name).second;
        const std::int64_t plain_ns = medians.of(launch->call);
        const std::int64_t took_ns = launch->end_ns - launch->begin_ns;
        if (launch->waits || plain_ns < 0 || took_ns <= kTimesMedian * plain_ns ||
            took_ns <= plain_ns + kLeastStallNs) {
            continue;
        }
        launch->stall = outstanding.at(device->track, launch->begin_ns) >= kFullQueue ? Stall::queue_full
                        : is_staged_copy(trace.names[device->name])                   ? Stall::staging
                        : allocations.any_in(launch->begin_ns, launch->end_ns)        ? Stall::allocation
                        : first                                                       ? Stall::first_launch
                        : first_of_kernel                                             ? Stall::kernel_loading
                                                                                      : Stall::unknown;
        const bool issued_first = device->begin_ns < launch->end_ns - plain_ns;
        launch->issue_begin_ns = issued_first ? launch->begin_ns : launch->end_ns - plain_ns;
        launch->issue_end_ns = launch->issue_begin_ns + plain_ns;
    }
}

}  // namespace headway::exchange
