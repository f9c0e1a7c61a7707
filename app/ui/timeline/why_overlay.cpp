#include "app/ui/timeline/why_overlay.h"

#include <chrono>
#include <utility>

#include "app/render/format.h"

namespace headway::ui {
namespace {

bool is_ready(const std::future<std::shared_ptr<const figure::WhyOfRun>>& result) {
    return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

void WhyOverlay::forget() {
    for (Entry& entry : entries_) {
        if (entry.coming.valid()) {
            forgotten_.push_back(std::move(entry.coming));
        }
    }
    entries_.clear();
}

bool WhyOverlay::working() const {
    for (const Entry& entry : entries_) {
        if (entry.coming.valid()) {
            return true;
        }
    }
    return false;
}

void WhyOverlay::add(const figure::TimelineLayout& layout, const figure::TimelineOptions& options,
                     std::span<const Shown> runs, bool path, bool what_if, figure::DisplayList& to) {
    std::erase_if(forgotten_, is_ready);
    if (!path && !what_if) {
        return;
    }
    if (entries_.size() != runs.size()) {
        forget();
        entries_.resize(runs.size());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const model::Run& run = *runs[i].run;
        const int index = static_cast<int>(i);
        Entry& entry = entries_[i];
        const auto say = [&](const std::string& words) {
            figure::add_why_note(layout, index, (what_if ? "without barriers: " : "critical path: ") + words, options,
                                 to);
        };
        const bool over = run.state() == trace::RunState::finished || run.state() == trace::RunState::failed;
        if (run.op_count() == 0) {
            continue;
        }
        if (!run.capabilities().tensors) {
            say("this trace has no dependency data");
            continue;
        }
        if (!over || runs[i].grows) {
            say("computed when the run is over");
            continue;
        }
        if (run.cut_off()) {
            say("not computed: the run ended before its ops did");
            continue;
        }
        if (!run.folded_parts().empty()) {
            say("not computed: of some ops, only sums are kept");
            continue;
        }
        if (run.op_count() > kMostOps) {
            say("not computed for more than " + figure::count_text(kMostOps) + " ops");
            continue;
        }
        if (entry.coming.valid() && is_ready(entry.coming)) {
            entry.why = entry.coming.get();
        }
        if (!entry.why && !entry.coming.valid()) {
            if (run.op_count() <= kMostAtOnce) {
                entry.why = figure::why_of(run);
            } else {
                entry.coming = std::async(std::launch::async, [kept = runs[i].run] { return figure::why_of(*kept); });
            }
        }
        if (!entry.why) {
            say("being computed…");
            continue;
        }
        figure::add_why(layout, index, *entry.why, path, what_if, options, to);
    }
}

}  // namespace headway::ui
