// How much memory the tensors held, and why.
#include <algorithm>

#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"

namespace headway::model {

void add_memory(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    constexpr std::uint64_t kLittle = 4096;  // bytes: one page
    if (!n.capabilities.memory || n.live_bytes_peak < kLittle || n.ops == 0) {
        return;
    }
    const std::uint64_t budget = f.run.info().budget_in_effect.value_or(f.run.info().budget);
    if (budget > 0 && n.live_bytes_peak > budget) {
        return;  // outputs that were refused are counted: how much was held is not known
    }
    const auto peak_ns = f.peak_ns(f.run.live_bytes());
    Place place = f.whole(Place::Row::memory);
    if (peak_ns) {
        place.begin_ns = place.end_ns = *peak_ns;
    }
    const auto held = [&](SentenceWriter& writer) -> SentenceWriter& {
        writer.words("Tensors held at most ").bytes("live_bytes_peak", n.live_bytes_peak);
        if (peak_ns && f.unpaused()) {
            writer.words(", at ").moment("peak_at_ns", *peak_ns);
        }
        return writer.place(place);
    };
    // The budget, if the learner chose it or the run came near it.
    const bool chosen = !f.run.info().budget_is_default.value_or(true);
    if (budget > 0 && (chosen || n.live_bytes_peak >= budget / 2)) {
        SentenceWriter writer(f.run, SentenceKind::memory_budget);
        held(writer)
            .words(": ")
            .share("share", static_cast<std::int64_t>(n.live_bytes_peak), static_cast<std::int64_t>(budget))
            .words(" of the budget of ")
            .budget("budget", budget)
            .words(".");
        to.push_back({kImportant, writer.done()});
        return;
    }
    const Curve& pending = f.run.pending_bytes();
    const bool known = n.capabilities.tensors && peak_ns && pending.exact_at(*peak_ns);
    const auto open = known ? static_cast<std::uint64_t>(std::max<std::int64_t>(pending.at(*peak_ns), 0)) : 0;
    if (10 * open >= n.live_bytes_peak) {
        SentenceWriter writer(f.run, SentenceKind::memory_pending);
        held(writer).words("; ");
        if (open >= n.live_bytes_peak) {
            writer.words("all");
        } else {
            writer.bytes("pending_bytes", open);
        }
        writer.words(" of that was held only because ops that need it had not run yet.");
        to.push_back({kTelling, writer.done()});
        return;
    }
    SentenceWriter writer(f.run, SentenceKind::memory_peak);
    to.push_back({kFiller, held(writer).words(".").done()});
}

}  // namespace headway::model
