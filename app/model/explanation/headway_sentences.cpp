// How far the frontend ran ahead of the backend.
#include <algorithm>

#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"

namespace headway::model {
namespace {

using Row = Place::Row;

std::int64_t value_at(const Curve& curve, std::int64_t ns) {
    return std::max<std::int64_t>(curve.at(ns), 0);
}

Place moment(Row row, std::int64_t ns) {
    Place place;
    place.row = row;
    place.begin_ns = place.end_ns = ns;
    return place;
}

bool waits_before_the_end(const Facts& f) {
    for (std::size_t i = f.part.first_wait; i < f.part.waits_end; i = f.run.waits().after(i)) {
        const Wait& wait = f.run.waits()[i];
        if (wait.kind != trace::WaitKind::paused && wait.issued < f.part.last) {
            return true;
        }
    }
    return false;
}

// The frontend had issued everything, without a wait, while most of it was still to be executed.
bool add_all_issued(const Facts& f, Candidates& to) {
    const Op& last = f.run.op(f.part.last);
    const std::int64_t ns = last.issue_end_ns;
    const Curve& headway = f.run.headway();
    const auto open = static_cast<std::uint64_t>(value_at(headway, ns));
    if (last.not_issued || !f.complete || !f.unpaused() || f.numbers.ops < 2 || open < 2 ||
        2 * open < f.numbers.headway_max || !headway.exact_at(ns) || ns > f.part.end_ns || waits_before_the_end(f)) {
        return false;
    }
    Place issuing = f.whole(Row::frontend);
    issuing.end_ns = ns;
    SentenceWriter writer(f.run, SentenceKind::all_issued);
    to.push_back({kAlways, writer.words("The frontend had issued all ")
                               .count("ops", f.numbers.ops, "op", "ops")
                               .words(" after ")
                               .moment("issued_at_ns", ns)
                               .words("; at that moment ")
                               .count("headway", open, "op was", "ops were")
                               .words(" not finished: that is the headway.")
                               .place(issuing)
                               .place(moment(Row::headway, ns))
                               .done()});
    return true;
}

}  // namespace

void add_headway(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    if (!n.capabilities.issues || n.ops == 0) {
        return;
    }
    const Curve& headway = f.run.headway();
    if (n.headway_max <= 1) {
        SentenceWriter writer(f.run, SentenceKind::never_ahead);
        to.push_back({kAlways, writer.words("The frontend never ran ahead: at most ")
                                   .count("headway_max", n.headway_max, "op was", "ops were")
                                   .words(" issued and not finished at any time.")
                                   .place(f.whole(Row::headway))
                                   .done()});
    } else if (!add_all_issued(f, to)) {
        SentenceWriter writer(f.run, SentenceKind::ahead);
        writer.words("The frontend was at most ")
            .count("headway_max", n.headway_max, "op", "ops")
            .words(" ahead of the backend");
        const auto peak_ns = f.peak_ns(headway);
        if (peak_ns && f.unpaused()) {
            writer.words(", at ").moment("peak_at_ns", *peak_ns);
        }
        writer.words(": that many were issued and not finished.");
        writer.place(peak_ns ? moment(Row::headway, *peak_ns) : f.whole(Row::headway));
        to.push_back({kAlways, writer.done()});
    }
    const std::int64_t open = value_at(headway, f.part.end_ns);
    if (open > 0 && headway.exact_at(f.part.end_ns)) {
        SentenceWriter writer(f.run, SentenceKind::unfinished);
        writer.words(n.cut_off ? "When the run was cut off, " : "When the measured part ended, ")
            .count("open_ops", static_cast<std::uint64_t>(open), "op was", "ops were")
            .words(" issued and not finished: ")
            .words(!n.cut_off  ? "the measured time contains only a part of the work."
                   : open == 1 ? "when and whether it finished is not recorded."
                               : "when and whether they finished is not recorded.");
        to.push_back({kImportant, writer.place(moment(Row::headway, f.part.end_ns)).done()});
    }
}

}  // namespace headway::model
