// What may be laid over the timeline to say why a run took as long as it did: the critical path, and the what_if, the
// run without barriers. Both are worked out once per run that is over; of a long one beside the frames.
//
// Threads: the UI's.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "app/timeline/timeline_why.h"

namespace headway::ui {

class WhyOverlay {
public:
    struct Shown {
        std::shared_ptr<const model::Run> run;
        bool grows = true;  // something may still come: it is not read beside the frames then
    };
    static constexpr std::size_t kMostAtOnce = 100'000;  // ops, worked out between two frames
    static constexpr std::size_t kMostOps = 10'000'000;  // in about a second; of more, only that it is not done

    // Adds what is asked for to `to`; the runs are the layout's, in its order.
    void add(const figure::TimelineLayout& layout, const figure::TimelineOptions& options, std::span<const Shown> runs,
             bool path, bool what_if, figure::DisplayList& to);
    // Other runs are shown, or the same with other records.
    void forget();
    [[nodiscard]] bool working() const;  // something is being worked out beside the frames

private:
    using Why = std::shared_ptr<const figure::WhyOfRun>;
    struct Entry {
        Why why;
        std::future<Why> coming;
    };
    std::vector<Entry> entries_;
    std::vector<std::future<Why>> forgotten_;  // still at work; nobody waits for them but the end
};

}  // namespace headway::ui
