// Overlays that explain a run's duration: the critical path, and the same run without barriers (model::WhatIfRun). Both
// are computed once per finished run, on another thread if the run is long.
//
// Threads: the UI's.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "app/timeline/highlights/why.h"

namespace headway::ui {

class WhyOverlay {
public:
    struct Shown {
        std::shared_ptr<const model::Run> run;
        bool grows = true;  // still recording: it cannot be read from another thread
    };
    static constexpr std::size_t kMostAtOnce = 100'000;  // ops; up to so many are computed at once, on the UI's thread
    static constexpr std::size_t kMostOps = 10'000'000;  // takes about a second; runs with more ops are not computed

    // Adds the overlays to `to`. `runs` are the layout's, in its order.
    void add(const figure::TimelineLayout& layout, const figure::TimelineOptions& options, std::span<const Shown> runs,
             bool path, bool what_if, figure::DisplayList& to);
    // Call when other runs are shown, or the same run has other records.
    void forget();
    [[nodiscard]] bool working() const;  // something is being computed on another thread

private:
    using Why = std::shared_ptr<const figure::WhyOfRun>;
    struct Entry {
        Why why;
        std::future<Why> coming;
    };
    std::vector<Entry> entries_;
    std::vector<std::future<Why>> forgotten_;  // still running; only the destructor waits for them
};

}  // namespace headway::ui
