// Who waited, for what and for how long; what barriers and limits did.
#include <algorithm>

#include "app/model/analysis/wait_details.h"
#include "app/model/explanation/facts.h"
#include "app/model/explanation/sentence_writer.h"
#include "app/model/replay/what_if.h"
#include "app/model/run/queries.h"

namespace headway::model {
namespace {

using Row = Place::Row;
using trace::WaitKind;

Place place_of(const Facts& f, int index) {
    const Wait& wait = f.run.waits()[static_cast<std::size_t>(index)];
    Place place;
    place.row = Row::frontend;
    place.begin_ns = wait.begin_ns;
    place.end_ns = wait.end_ns;
    place.wait = index;
    place.line = wait.line;
    return place;
}

// A call, in quotes if it is more than one word.
SentenceWriter& call(SentenceWriter& writer, const std::string& name) {
    const bool words = name.find(' ') != std::string::npos;
    return words ? writer.words("“").name(name).words("”") : writer.name(name);
}

// ": waitall in line 12, for 3,812 unfinished ops"
void describe(const Facts& f, int index, SentenceWriter& writer) {
    const Wait& wait = f.run.waits()[static_cast<std::size_t>(index)];
    call(writer, wait.name).line(" in ", wait.line);
    const bool asked = trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind);
    if (!asked || !f.numbers.capabilities.issues || f.long_run) {
        return;
    }
    std::size_t count = 0;
    static_cast<void>(caused_by(f.run, wait, 0, &count));
    if (count == 0) {
        writer.words(", with nothing left to wait for");
    } else {
        writer.words(", for ").count("waited_ops", count, "unfinished op", "unfinished ops");
    }
}

void add_all(const Facts& f, Candidates& to) {
    const WaitSum all = f.waits();
    if (all.count == 0) {
        SentenceWriter writer(f.run, SentenceKind::never_waited);
        const bool recorded = f.numbers.capabilities.settings;  // another program's trace may lack waits
        writer.words(recorded ? "The frontend never waited for the backend."
                              : "The trace has no wait of the frontend.");
        to.push_back({kAlways, writer.place(f.whole(Row::frontend)).done()});
        return;
    }
    SentenceWriter writer(f.run, all.count == 1 ? SentenceKind::one_wait : SentenceKind::many_waits);
    writer.words("The frontend waited ")
        .times("waits", all.count)
        .words(", for ")
        .time("waited_ns", all.ns)
        .words(all.count == 1 ? " (" : " in all (")
        .share("share", all.ns, f.numbers.total_ns)
        .words(" of the run)");
    if (f.longest_wait >= 0) {
        if (all.count == 1) {
            writer.words(": ");
        } else {
            const Wait& longest = f.run.waits()[static_cast<std::size_t>(f.longest_wait)];
            writer.words("; the longest took ").time("longest_ns", longest.waited_ns()).words(": ");
        }
        describe(f, f.longest_wait, writer);
        writer.place(place_of(f, f.longest_wait));
    } else {
        writer.place(f.whole(Row::frontend));
    }
    to.push_back({kAlways, writer.words(".").done()});
}

// A blocker whose time went mostly to ops that other lines had issued.
void add_inherited(const Facts& f, Candidates& to) {
    if (f.longest_blocker < 0 || !f.numbers.capabilities.tensors || f.folded || f.long_run) {
        return;
    }
    const auto index = static_cast<std::size_t>(f.longest_blocker);
    const Wait& wait = f.run.waits()[index];
    const WaitSplit split = split_of(f.run, index);
    constexpr double kLeast = 0.05;  // of the run
    if (split.before_ns < wait.waited_ns() / 2 || split.before_ns <= split.own_ns ||
        static_cast<double>(wait.waited_ns()) < kLeast * static_cast<double>(f.numbers.total_ns)) {
        return;
    }
    SentenceWriter writer(f.run, SentenceKind::inherited_wait);
    call(writer, wait.name)
        .line(" in ", wait.line)
        .words(" is not slow itself: of its ")
        .time("wait_ns", wait.waited_ns())
        .words(", ")
        .time("before_ns", split.before_ns)
        .words(" went to ops that were issued before it");
    if (split.own_ns > 0) {
        writer.words(" and ").time("own_ns", split.own_ns).words(" to its own");
    }
    to.push_back({kImportant, writer.words(".").place(place_of(f, f.longest_blocker)).done()});
}

// " after every minibatch"
std::string policy_words(const std::string& barrier) {
    constexpr std::string_view kBehind = "behind:";
    if (barrier.starts_with(kBehind)) {
        const std::string by = barrier.substr(kBehind.size());
        return ", " + by + (by == "1" ? " minibatch" : " minibatches") + " behind";
    }
    return barrier == "op" ? " after every op" : barrier == "minibatch" ? " after every minibatch" : "";
}

void add_policy(const Facts& f, Candidates& to) {
    const RunInfo& info = f.run.info();
    const WaitSum of_ops = f.waits(WaitKind::op_barrier), of_batches = f.waits(WaitKind::minibatch_barrier);
    const WaitSum sum{of_ops.count + of_batches.count, of_ops.ns + of_batches.ns};
    if (sum.count == 0) {
        return;
    }
    const bool of_framework = of_ops.count > 0 && is_the_frameworks(f.run, WaitKind::op_barrier);
    if (of_framework && of_batches.count > 0) {
        return;
    }
    SentenceWriter writer(f.run, of_framework ? SentenceKind::framework_barriers : SentenceKind::policy_barriers);
    if (f.waits().count == 1) {
        writer.words("This wait is ");
    } else {
        writer.count("barriers", sum.count, "of these waits, for ", "of these waits, for ")
            .time("barrier_ns", sum.ns)
            .words(sum.count == 1 ? ", is " : " in all, are ");
    }
    if (of_framework) {
        writer.words("the framework's own: ")
            .name(info.profile.empty() ? "it" : info.profile)
            .words(f.devices_used > 1 ? " waits after each op on the CPU."
                   : f.numbers.headway_max <= 1
                       ? " waits after each op on this device, so the frontend cannot run ahead."
                       : " waits after each op on this device.");
    } else {
        const bool written = info.barrier == "as-written" && info.barrier_changes.empty();
        writer.words(written ? "the program's own " : "the chosen ").words(sum.count == 1 ? "barrier" : "barriers");
        if (written && (of_ops.count == 0 || of_batches.count == 0)) {
            writer.words(of_ops.count == 0 ? " at the end of minibatches" : " after every op");
        } else if (const std::string words = policy_words(info.barrier);
                   !words.empty() && info.barrier_changes.empty()) {
            writer.name(words);
        }
        writer.words(".");
    }
    const auto places = f.places_of({WaitKind::op_barrier, WaitKind::minibatch_barrier});
    to.push_back({kInformative, writer.places(places).done()});
}

// ": they cost 130 ns, 40 % of the run."
Sentence with_cost(const Facts& f, SentenceWriter& writer, bool one, std::int64_t without_ns, std::int64_t cost_ns) {
    writer.time("without_ns", without_ns).words(" (computed, not measured): ").words(one ? "it cost " : "they cost ");
    if (cost_ns > 0) {
        writer.time("cost_ns", cost_ns).words(", ").share("share", cost_ns, f.numbers.total_ns).words(" of the run.");
    } else {
        writer.words("no time.");
    }
    return writer.place(f.whole(Row::frontend)).done();
}

// The barriers of the measured part. Waits that the framework makes by itself do not count.
struct Barriers {
    std::uint64_t count = 0;
    bool between = false;     // one of them, before the last op, took time and is left out
    bool one_at_end = false;  // one of them is not left out
    bool of_a_policy = false;
};
Barriers barriers_in(const Facts& f) {
    Barriers barriers;
    const auto left_out = barriers_of(f.run);
    for (std::size_t i = f.part.first_wait; i < f.part.waits_end; i = f.run.waits().after(i)) {
        const Wait& wait = f.run.waits()[i];
        const bool goes = left_out(i), of_op = wait.kind == WaitKind::op_barrier;
        if (!goes && (!trace::is_barrier(wait.kind) || is_the_frameworks(f.run, wait.kind))) {
            continue;
        }
        ++barriers.count;
        barriers.between = barriers.between || (goes && wait.issued < f.part.last && wait.waited_ns() > 0);
        barriers.one_at_end = barriers.one_at_end || !goes;
        barriers.of_a_policy = barriers.of_a_policy || of_op || wait.kind == WaitKind::minibatch_barrier;
    }
    return barriers;
}

// What the waits before the last op cost: the same ops, replayed without them.
void add_without_waits(const Facts& f, Candidates& to) {
    const Numbers& n = f.numbers;
    if (!n.predicted || !n.capabilities.tensors || f.folded || f.long_run || n.total_ns <= 0) {
        return;
    }
    const Barriers barriers = barriers_in(f);
    // The learner's holds do not count as a cost of the waits.
    const std::int64_t total_ns = n.total_ns - n.held_ns;
    constexpr std::int64_t kLittle = 20;  // a twentieth of the run
    if (barriers.between) {
        const std::int64_t without_ns = without_barriers(f.run).total_ns, cost_ns = total_ns - without_ns;
        SentenceWriter writer(f.run, SentenceKind::without_barriers);
        // The policy "none" does not mean that a run had no barriers.
        const bool own = f.run.info().barrier == "none" && !barriers.of_a_policy, one = barriers.count == 1;
        writer.words(own ? "Without the program's own " : "Without its ");
        if (one) {
            writer.words("barrier");
        } else {
            writer.count("barriers", barriers.count, "barrier", "barriers");
        }
        writer.words(barriers.one_at_end ? ", except for one at the end, the run would take " : " the run would take ");
        to.push_back(
            {cost_ns >= n.total_ns / kLittle ? kInformative : kUseful, with_cost(f, writer, one, without_ns, cost_ns)});
    }
    if (n.regime == Regime::blocker_bound) {
        const std::int64_t without_ns = without_blockers(f.run).total_ns;
        SentenceWriter writer(f.run, SentenceKind::without_blockers);
        writer.words("Without the waits before the last op that the program did not ask for, the run would take ");
        to.push_back({kInformative, with_cost(f, writer, false, without_ns, total_ns - without_ns)});
    }
}

void add_limits(const Facts& f, Candidates& to) {
    const auto stopped = [&f](SentenceWriter& writer, const WaitSum& sum, WaitKind kind) {
        return writer.times("limit_waits", sum.count)
            .words(", for ")
            .time("limit_ns", sum.ns)
            .words(sum.count == 1 ? "." : " in all.")
            .places(f.places_of({kind}))
            .done();
    };
    if (const WaitSum sum = f.waits(WaitKind::queue_limit); sum.count > 0 && f.run.info().queue_limit == 0) {
        SentenceWriter writer(f.run, SentenceKind::queue_full);
        writer.words("The queue of a lane was full and stopped the frontend ");
        to.push_back({kImportant, stopped(writer, sum, WaitKind::queue_limit)});
    } else if (sum.count > 0) {
        SentenceWriter writer(f.run, SentenceKind::queue_limit);
        writer.words("The limit of ").count("queue_limit", f.run.info().queue_limit, "op", "ops");
        writer.words(" in the queue stopped the frontend ");
        to.push_back({kImportant, stopped(writer, sum, WaitKind::queue_limit)});
    }
    if (const WaitSum sum = f.waits(WaitKind::memory); sum.count > 0) {
        SentenceWriter writer(f.run, SentenceKind::memory_waits);
        writer.words("The frontend waited for memory to be freed ");
        to.push_back({kImportant, stopped(writer, sum, WaitKind::memory)});
    }
}

}  // namespace

void add_waits(const Facts& f, Candidates& to) {
    if (!f.numbers.capabilities.waits || f.numbers.ops == 0) {
        return;
    }
    add_all(f, to);
    add_inherited(f, to);
    add_limits(f, to);
    add_policy(f, to);
    add_without_waits(f, to);
}

}  // namespace headway::model
