// How the run ended, how long it took, and what bounds its time.
#include <algorithm>
#include <array>
#include <utility>

#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"
#include "app/model/numbers/regime.h"
#include "app/model/run/devices.h"
#include "engine/core/count_text.h"

namespace headway::model {
namespace {

using Row = Place::Row;

constexpr std::int64_t kImportsToName = 50;  // from a fiftieth of the total on

// How it ended, with the op count of run_end()'s sentence as a number.
Sentence ended(const Facts& f, SentenceKind kind, const std::string& sentence) {
    SentenceWriter writer(f.run, kind);
    const std::string count = core::count_text(f.run.op_count());
    const std::size_t at = sentence.find(count + " op");
    if (f.run.op_count() > 0 && at != std::string::npos) {
        writer.words(sentence.substr(0, at)).count("recorded_ops", f.run.op_count());
        writer.name(sentence.substr(at + count.size()));
    } else {
        writer.name(sentence);
    }
    return writer.place(f.whole(Row::run)).done();
}

SentenceWriter& took(const Facts& f, SentenceWriter& writer) {
    writer.words(f.subject()).words(" took ").time("total_ns", f.numbers.total_ns);
    if (const std::int64_t imports_ns = imports_before_ops_ns(f.run);
        imports_ns > 0 && imports_ns * kImportsToName >= f.numbers.total_ns) {
        writer.words(", ")
            .time("imports_ns", imports_ns)
            .words(" of it for imports before the first op, which do not count in what limits it");
    }
    return writer.words(". ");
}

Sentence about_equal(const Facts& f) {
    const Numbers& n = f.numbers;
    SentenceWriter writer(f.run, SentenceKind::about_equal);
    took(f, writer).words("The frontend (").time("frontend_ns", n.frontend_ns);
    const bool chain =
        static_cast<double>(n.longest_chain_ns) > static_cast<double>(n.busiest_lane_ns) * (1 + kEvenShare);
    if (chain) {
        writer.words(") and the longest chain of dependent ops (").time("longest_chain_ns", n.longest_chain_ns);
    } else {
        writer.words(") and ").name(stream_name(f.run, f.busiest_lane));
        writer.words(" (").time("busiest_lane_ns", n.busiest_lane_ns);
    }
    return writer.words(") needed about the same time: neither of them alone is the limit.")
        .place(f.whole(Row::frontend))
        .place(f.whole(Row::lane))
        .done();
}

// Behind a lane's name: the times that follow are those of measured ops only.
const char* executed(const Facts& f) {
    return f.unfinished_before > 0 ? " executed the measured ops for " : " executed for ";
}

// "The frontend spent 150 ns of that outside of waits, and Stream 0 executed for 150 ns"
SentenceWriter& both_sides(const Facts& f, SentenceWriter& writer) {
    return took(f, writer)
        .words("The frontend spent ")
        .time("frontend_ns", f.numbers.frontend_ns)
        .words(" of that outside of waits, and ")
        .name(stream_name(f.run, f.busiest_lane))
        .words(executed(f))
        .time("busiest_lane_ns", f.numbers.busiest_lane_ns);
}

Sentence waits_bound(const Facts& f) {
    const bool barriers = f.numbers.regime == Regime::barrier_bound;
    SentenceWriter writer(f.run, barriers ? SentenceKind::barrier_bound : SentenceKind::blocker_bound);
    return both_sides(f, writer)
        .words(barriers ? ", but barriers made them wait for each other: the run is barrier-bound."
                        : ", but waits that the program did not ask for made them wait for each other: the run is "
                          "blocker-bound.")
        .place(f.whole(Row::frontend))
        .place(f.whole(Row::lane, static_cast<int>(f.busiest_lane)))
        .done();
}

// The critical path says what took longest.
Sentence mixed(const Facts& f) {
    SentenceWriter writer(f.run, SentenceKind::mixed);
    both_sides(f, writer).words(
        "; neither needs nearly all of the time, and neither barriers nor blockers are clearly what costs the rest: "
        "the regime is mixed");
    if (f.path) {
        const std::array<std::pair<std::int64_t, const char*>, 5> parts{
            {{f.path->execute_ns, "executing ops"},
             {f.path->frontend_ns, "the frontend's work"},
             {f.path->handover_ns, "hand-overs, in which a lane had yet to start an op that was ready"},
             {f.path->return_ns, "returns, in which the frontend had yet to resume after a wait"},
             {f.path->limit_ns, "waiting for memory or for room in the queue"}}};
        const auto most = *std::max_element(parts.begin(), parts.end(),
                                            [](const auto& a, const auto& b) { return a.first < b.first; });
        writer.words(". The largest part of the critical path, ")
            .time("path_ns", most.first)
            .words(", is ")
            .words(most.second);
    }
    return writer.words(".").place(f.whole(Row::run)).done();
}

// " of that (70 %)". Without the share if it would exceed 100 %: lanes may go on while the frontend is paused, and the
// run's time excludes pauses.
SentenceWriter& of_that(const Facts& f, SentenceWriter& writer, std::int64_t ns) {
    if (ns > f.numbers.total_ns && !f.unpaused()) {
        return writer.words(" (some of it while the run was paused)");
    }
    return writer.words(" of that (").share("share", ns, f.numbers.total_ns).words(")");
}

// What bounds the run.
Sentence bound(const Facts& f) {
    const Numbers& n = f.numbers;
    const auto lane = static_cast<int>(f.busiest_lane);
    const std::string lane_name = stream_name(f.run, static_cast<std::size_t>(lane));
    const auto writer_of = [&f](SentenceKind kind) { return SentenceWriter(f.run, kind); };
    switch (n.regime) {
        case Regime::execution_bound: {
            SentenceWriter writer = writer_of(SentenceKind::execution_bound);
            took(f, writer).name(lane_name);
            writer.words(f.unfinished_before > 0 ? executed(f) : " executed ops for ")
                .time("busiest_lane_ns", n.busiest_lane_ns);
            return of_that(f, writer, n.busiest_lane_ns)
                .words(", and the frontend spent ")
                .time("frontend_ns", n.frontend_ns)
                .words(" outside of waits: the run is execution-bound.")
                .place(f.whole(Row::lane, lane))
                .done();
        }
        case Regime::issue_bound:
        case Regime::frontend_bound: {
            const bool issue = n.regime == Regime::issue_bound;
            SentenceWriter writer = writer_of(issue ? SentenceKind::issue_bound : SentenceKind::frontend_bound);
            return took(f, writer)
                .words("The frontend spent ")
                .time("frontend_ns", n.frontend_ns)
                .words(" of that (")
                .share("share", n.frontend_ns, n.total_ns)
                .words(issue ? ") outside of waits, more on issuing ops than on its own work, and "
                             : ") outside of waits, more on its own work than on issuing ops, and ")
                .name(lane_name)
                .words(executed(f))
                .time("busiest_lane_ns", n.busiest_lane_ns)
                .words(issue ? ": the run is issue-bound." : ": the run is frontend-bound.")
                .place(f.whole(Row::frontend))
                .done();
        }
        case Regime::dependency_bound: {
            SentenceWriter writer = writer_of(SentenceKind::dependency_bound);
            took(f, writer)
                .words("The longest chain of dependent ops takes ")
                .time("longest_chain_ns", n.longest_chain_ns);
            return of_that(f, writer, n.longest_chain_ns)
                .words(" whatever the number of lanes: the run is dependency-bound.")
                .place(f.whole(Row::lane))
                .done();
        }
        case Regime::about_equal:
            return about_equal(f);
        case Regime::barrier_bound:
        case Regime::blocker_bound:
            return waits_bound(f);
        case Regime::mixed:
        case Regime::unknown:
            break;
    }
    return mixed(f);
}

Sentence total(const Facts& f) {
    const Numbers& n = f.numbers;
    if (n.ops == 0) {
        SentenceWriter writer(f.run, SentenceKind::no_ops);
        return writer.words(f.subject())
            .words(" took ")
            .time("total_ns", n.total_ns)
            .words(f.part.first > 1 ? " and issued no ops after the warm-up" : " and issued no ops")
            .words(f.part.first == 1 && f.complete && n.capabilities.settings && f.unfinished_before == 0
                       ? ": it computed nothing on tensors of the run's device. What NumPy computes, and the real "
                         "PyTorch computes on its CPU tensors, is the frontend's own work."
                       : ".")
            .place(f.whole(Row::run))
            .done();
    }
    if (*regime_word(n) != '\0' && f.complete && f.lanes_used > 0) {
        return bound(f);
    }
    SentenceWriter writer(f.run, f.complete ? SentenceKind::recorded_time : SentenceKind::time_until_end);
    writer.words(f.subject()).words(f.complete ? " took " : " lasted ").time("total_ns", n.total_ns);
    writer.words(n.capabilities.issues ? " and issued " : " and had ");
    n.capabilities.backend ? writer.count("ops", n.ops, "op", "ops") : writer.count("ops", n.ops, "span", "spans");
    if (!f.complete && f.part.first > 1) {  // the sentence about its end counts all
        writer.words(" after the warm-up");
    }
    if (n.capabilities.backend && f.lanes_used > 0) {
        writer.words(n.backend_open_ns > 0 ? "; the ops that ended took " : "; the lanes were busy for ")
            .time("backend_busy_ns", n.backend_busy_ns)
            .words(" in all");
    }
    return writer.words(".").place(f.whole(Row::run)).done();
}

}  // namespace

void add_time(const Facts& f, Candidates& to) {
    const RunEnd end = f.run.end();
    if (end.verdict == Verdict::damaged) {
        to.push_back({kAlways, ended(f, SentenceKind::damaged, end.sentence)});
        return;
    }
    if (end.verdict == Verdict::overflowed || f.run.lost_records() > 0) {
        SentenceWriter writer(f.run, SentenceKind::overflowed);
        to.push_back({kAlways, writer.words("The recording was full: ")
                                   .count("lost_records", f.run.lost_records(), "event", "events")
                                   .words(" did not fit, so the run's sums are not known.")
                                   .place(f.whole(Row::run))
                                   .done()});
        return;
    }
    if (!end.complete()) {
        to.push_back({kAlways, ended(f, SentenceKind::incomplete, end.sentence)});
    }
    if (has_all_records(f.run)) {
        to.push_back({kAlways, total(f)});
    }
}

}  // namespace headway::model
