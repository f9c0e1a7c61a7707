#include "app/ui/timeline/wait_details_lookup.h"

#include <chrono>

namespace headway::ui {

void WaitDetailsLookup::forget() {
    look(nullptr, -1, false, 0);
}

void WaitDetailsLookup::look(const Run& run, int wait, bool grows, std::uint64_t revision) {
    Asked asked{run, wait, grows, revision};
    const bool any = run != nullptr && wait >= 0 && run->capabilities().issues &&
                     run->wait_at(static_cast<std::size_t>(wait)) != nullptr;
    if (asked != asked_) {
        asked_ = std::move(asked);
        details_.reset();
        ++found_;
        if (any && (grows || run->op_count() <= kMostAtOnce)) {
            details_ = model::wait_details(*run, static_cast<std::size_t>(wait), run->op_count() <= kMostAtOnce);
        }
    }
    // The running lookup is awaited even if the pointer has moved on: there is never more than one at a time.
    if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        auto details = coming_.get();
        if (coming_for_ == asked_) {
            details_ = std::move(details);
            ++found_;
        }
    }
    if (any && !grows && !details_ && !coming_.valid()) {
        coming_for_ = asked_;
        coming_ = std::async(std::launch::async,
                             [run, wait] { return model::wait_details(*run, static_cast<std::size_t>(wait)); });
    }
    if (!coming_.valid()) {
        coming_for_ = {};
    }
}

}  // namespace headway::ui
