// How much memory the tensors held, and why.
#include <algorithm>

#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {
namespace {

// The device whose tensors held most: a budget holds for each device separately.
std::size_t fullest_device(const Run& run) {
    std::size_t fullest = 0;
    for (std::size_t device = 1; device < run.devices().size(); ++device) {
        if (measured_peak(run, live_bytes(run, device)) > measured_peak(run, live_bytes(run, fullest))) {
            fullest = device;
        }
    }
    return fullest;
}

}  // namespace

void add_memory(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    constexpr std::uint64_t kLittle = 4096;  // bytes: one page
    if (!n.capabilities.memory || n.live_bytes_peak < kLittle || n.ops == 0) {
        return;
    }
    const std::uint64_t budget = f.run.info().budget_in_effect.value_or(f.run.info().budget);
    const std::size_t fullest = fullest_device(f.run);
    const Curve& on_fullest = live_bytes(f.run, fullest);
    const std::uint64_t most_on_one = measured_peak(f.run, on_fullest);
    if (budget > 0 && most_on_one > budget) {
        return;  // outputs that were refused are counted: how much was held is not known
    }
    // `device`: whose tensors, if not all.
    const auto held = [&](SentenceWriter& writer, const Curve& live, std::uint64_t peak,
                          const std::string& device = "") -> SentenceWriter& {
        const auto peak_ns = f.peak_ns(live);
        Place place = f.whole(Place::Row::memory);
        if (peak_ns) {
            place.begin_ns = place.end_ns = *peak_ns;
        }
        writer.words("Tensors ");
        if (!device.empty()) {
            writer.words("on ").name(device).words(" ");
        }
        writer.words("held at most ").bytes("live_bytes_peak", peak);
        if (peak_ns && f.unpaused()) {
            writer.words(", at ").moment("peak_at_ns", *peak_ns);
        }
        return writer.place(place);
    };
    // The budget, if the learner chose it or the run came near it.
    const bool chosen = !f.run.info().budget_is_default.value_or(true);
    if (budget > 0 && (chosen || most_on_one >= budget / 2)) {
        SentenceWriter writer(f.run, SentenceKind::memory_budget);
        held(writer, on_fullest, most_on_one, f.run.devices().size() > 1 ? device_name(f.run, fullest) : "")
            .words(": ")
            .share("share", static_cast<std::int64_t>(most_on_one), static_cast<std::int64_t>(budget))
            .words(" of the budget of ")
            .budget("budget", budget)
            .words(".");
        to.push_back({kImportant, writer.done()});
        return;
    }
    const auto peak_ns = f.peak_ns(f.run.live_bytes());
    const Curve& pending = f.run.pending_bytes();
    const bool known = n.capabilities.tensors && peak_ns && pending.exact_at(*peak_ns);
    const auto open = known ? static_cast<std::uint64_t>(std::max<std::int64_t>(pending.at(*peak_ns), 0)) : 0;
    if (10 * open >= n.live_bytes_peak) {
        SentenceWriter writer(f.run, SentenceKind::memory_pending);
        held(writer, f.run.live_bytes(), n.live_bytes_peak).words("; ");
        if (open >= n.live_bytes_peak) {
            writer.words("all");
        } else {
            writer.bytes("pending_bytes", open);
        }
        writer.words(" of that was held only because ops that need it had not run yet.");
        to.push_back({kInformative, writer.done()});
        return;
    }
    SentenceWriter writer(f.run, SentenceKind::memory_peak);
    to.push_back({kFiller, held(writer, f.run.live_bytes(), n.live_bytes_peak).words(".").done()});
}

}  // namespace headway::model
