// What else to know about the numbers: disturbances, what is not counted, and the chapter's formula.
#include "app/model/analysis/bounded_ops.h"
#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"

namespace headway::model {
namespace {

using Row = Place::Row;

bool at_least(std::int64_t ns, double share, std::int64_t of_ns) {
    return ns > 0 && static_cast<double>(ns) >= share * static_cast<double>(of_ns);
}

// "… 1.2 ms (12 % of the run)."
Sentence with_share(const Facts& f, SentenceWriter& writer, std::int64_t ns, Row row) {
    return writer.time("ns", ns)
        .words(" (")
        .share("share", ns, f.numbers.total_ns)
        .words(" of the run).")
        .place(f.whole(row))
        .done();
}

void add_bounded_ops(const Facts& f, Candidates& to) {
    const std::uint64_t count = bounded_ops(f.run);
    if (count == 0) {
        return;
    }
    std::vector<Place> places;
    for (const DriverEvent& event : f.run.driver_events()) {
        if (event.kind == trace::DriverKind::bounded_ops && places.size() < kMostPlaces &&
            event.stream < f.run.lanes().size()) {
            Place place = f.whole(Row::lane, static_cast<int>(event.stream));
            place.begin_ns = event.begin_ns;
            place.end_ns = event.end_ns;
            places.push_back(place);
        }
    }
    SentenceWriter writer(f.run, SentenceKind::bounded_ops);
    writer.words("The times of ").count("bounded_ops", count, "op", "ops");
    writer.words(count == 1 ? " are bounds only: the GPU's driver did not report when it began and ended."
                            : " are bounds only: the GPU's driver did not report when they began and ended.");
    to.push_back({kImportant, writer.places(places).done()});
}

void add_disturbances(const Facts& f, Candidates& to) {
    constexpr double kBusy = 0.05, kLate = 0.1;  // of the run
    const Numbers& n = f.numbers;
    if (n.capabilities.settings && at_least(n.frontend.descheduled_ns, kBusy, n.total_ns)) {
        SentenceWriter writer(f.run, SentenceKind::busy_machine);
        writer.words("The machine was busy: the frontend was ready to run but had no core for ");
        to.push_back({kImportant, with_share(f, writer, n.frontend.descheduled_ns, Row::frontend)});
    }
    if (n.predicted && n.prediction_parts.size() >= 2) {
        const std::int64_t handovers_ns = n.prediction_parts[0].ns, returns_ns = n.prediction_parts[1].ns;
        if (at_least(handovers_ns, kLate, n.total_ns)) {
            SentenceWriter writer(f.run, SentenceKind::late_handovers);
            writer.words("Some lanes woke up late: hand-overs that took longer than their median cost ");
            to.push_back({kUseful, with_share(f, writer, handovers_ns, Row::lane)});
        }
        if (at_least(returns_ns, kLate, n.total_ns)) {
            SentenceWriter writer(f.run, SentenceKind::late_returns);
            writer.words("The frontend woke up late: returns that took longer than their median cost ");
            to.push_back({kUseful, with_share(f, writer, returns_ns, Row::frontend)});
        }
    }
    if (const WaitSum sum = f.waits(trace::WaitKind::recording); sum.count > 0) {
        SentenceWriter writer(f.run, SentenceKind::recording_waits);
        to.push_back({kImportant, writer.words("Headway's own recording was full and held the frontend back ")
                                      .times("waits", sum.count)
                                      .words(", for ")
                                      .time("ns", sum.ns)
                                      .words(sum.count == 1 ? "." : " in all.")
                                      .places(f.places_of({trace::WaitKind::recording}))
                                      .done()});
    }
    if (f.folded) {
        SentenceWriter writer(f.run, SentenceKind::folded);
        to.push_back({kInformative, writer.words("Of the ")
                                        .count("recorded_ops", f.run.op_count(), "op", "ops")
                                        .words(", ")
                                        .count("folded_ops", f.run.folded_ops())
                                        .words(" from the middle of the run are kept as sums only: they count in the "
                                               "totals, and are not listed one by one.")
                                        .place(f.whole(Row::run))
                                        .done()});
    }
}

void add_not_counted(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    if (const std::uint64_t count = f.unfinished_before; count > 0) {
        SentenceWriter writer(f.run, SentenceKind::unfinished_before);
        to.push_back({kAlways, writer.words("When measuring began, ")
                                   .count("ops", count, "op", "ops")
                                   .words(count == 1 ? " of the warm-up had not finished: the measured time contains "
                                                       "its execution, the number of ops does not. Wait for it before "
                                                       "you measure."
                                                     : " of the warm-up had not finished: the measured time contains "
                                                       "their execution, the number of ops does not. Wait for them "
                                                       "before you measure.")
                                   .place(f.whole(Row::lane))
                                   .done()});
    }
    if (n.paused_ns > 0) {
        SentenceWriter writer(f.run, SentenceKind::pauses);
        to.push_back({kImportant, writer.words("You paused or stepped the run for ")
                                      .time("paused_ns", n.paused_ns)
                                      .words(", which is not counted as the program's time.")
                                      .place(f.whole(Row::frontend))
                                      .done()});
    }
    if (n.capabilities.settings && f.part.has_begin && n.warmup_ns > 0) {
        Place place = f.whole(Row::run);
        place.begin_ns = f.part.begin_ns - n.warmup_ns;
        place.end_ns = f.part.begin_ns;
        SentenceWriter writer(f.run, SentenceKind::warm_up);
        to.push_back({kFiller, writer.words("Imports and warm-up before the measured part took ")
                                   .time("warmup_ns", n.warmup_ns)
                                   .words(", which is not counted.")
                                   .place(place)
                                   .done()});
    }
}

void add_formula(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    if (n.prediction_formula.empty() || n.ops < 2) {
        return;
    }
    SentenceWriter writer(f.run, SentenceKind::formula);
    to.push_back({kUseful, writer.words("With N = ")
                               .count("ops", n.ops)
                               .words(", t₁ = ")
                               .time("t1_ns", n.t1.median)
                               .words(", h = ")
                               .time("h_ns", n.h_ns)
                               .words(", t₂ = ")
                               .time("t2_ns", n.t2.median)
                               .words(" and t₃ = ")
                               .time("t3_ns", n.t3.median)
                               .words(", ")
                               .name(n.prediction_formula)
                               .words(" gives ")
                               .time("formula_ns", n.formula_ns)
                               .words("; measured: ")
                               .time("total_ns", n.total_ns)
                               .words(".")
                               .place(f.whole(Row::run))
                               .done()});
}

}  // namespace

void add_remarks(const Facts& f, Candidates& to) {
    if (f.numbers.ops > 0) {
        add_bounded_ops(f, to);
        add_disturbances(f, to);
        add_formula(f, to);
    }
    add_not_counted(f, to);
}

}  // namespace headway::model
