#include "app/ui/timeline/op_card.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/model/analysis/races.h"
#include "app/model/run/devices.h"
#include "app/render/format.h"

namespace headway::ui {

using figure::bytes_text;
using figure::count_text;
using figure::duration_text;
using figure::place_text;
using Tone = CardLine::Tone;

namespace {

constexpr std::size_t kNamed = 4;

// "1.23 GFLOP/s", "12,712 GFLOP/s".
std::string rate_text(double gflop_per_s) {
    if (gflop_per_s >= 999.5) {
        return count_text(static_cast<std::uint64_t>(std::llround(gflop_per_s))) + " GFLOP/s";
    }
    char number[32];
    std::snprintf(number, sizeof number, gflop_per_s < 100 ? "%.3g GFLOP/s" : "%.0f GFLOP/s", gflop_per_s);
    return number;
}

}  // namespace

std::string named(core::OpId op) {
    return "#" + count_text(op);
}

// "#1,040, #1,041 and 12 more".
std::string list_of(const std::vector<core::OpId>& ops) {
    return list_of(ops, ops.size(), false);
}

std::string list_of(const std::vector<core::OpId>& ops, std::size_t count, bool at_least) {
    std::string text;
    const std::size_t shown = count <= kNamed + 1 ? ops.size() : std::min(kNamed, ops.size());
    for (std::size_t i = 0; i < shown; ++i) {
        text += (i == 0 ? "" : ", ") + named(ops[i]);
    }
    if (shown < count) {
        text += std::string(at_least ? " and at least " : " and ") + count_text(count - shown) + " more";
    }
    return text;
}

namespace {

// "reads    2.1 MB of #1,040, alive for 3.21 ms, until this op was done (1.90 ms for this op alone)".
std::string retained_text(const model::Run& run, core::OpId id, const model::RetainedBuffer& retained_buffer) {
    using Role = model::RetainedBuffer::Role;
    std::string text = retained_buffer.role == Role::made      ? "makes    "
                       : retained_buffer.role == Role::changed ? "changes  "
                                                               : "reads    ";
    text += retained_buffer.maker == 0 ? "a tensor" : bytes_text(retained_buffer.bytes);
    if (retained_buffer.maker != 0 && retained_buffer.maker != id) {
        text += " of " + named(retained_buffer.maker);
    }
    if (retained_buffer.taken_ns == model::kPending) {
        return text + ", not allocated yet";
    }
    const bool freed = retained_buffer.freed_ns != model::kPending;
    const std::int64_t until_ns = freed ? retained_buffer.freed_ns : run.now_ns();
    text +=
        ", alive for " + duration_text(std::max(run.program_time().between(retained_buffer.taken_ns, until_ns), 0.0));
    if (!freed) {
        text += run.state() == trace::RunState::running ? " so far" : ", to the run's end";
    } else if (retained_buffer.freed_ns == retained_buffer.dropped_ns) {
        text += ", until the program released it";
    } else {
        text += retained_buffer.last == id ? ", until this op was done"
                                           : ", until " + named(retained_buffer.last) + " was done";
    }
    if (retained_buffer.alone_ns > 0) {
        text += " (" + duration_text(static_cast<double>(retained_buffer.alone_ns)) + " for this op alone)";
    }
    return text;
}

void describe_retained(const model::Run& run, core::OpId id, const std::vector<model::RetainedBuffer>& retained,
                       Card& card) {
    for (std::size_t i = 0; i < retained.size(); ++i) {
        if (i == kNamed && retained.size() > kNamed + 1) {
            card.lines.push_back({Tone::memory, "         and " + count_text(retained.size() - i) + " more tensors"});
            return;
        }
        card.lines.push_back({Tone::memory, retained_text(run, id, retained[i])});
    }
}

// "in A     #1,042   ran 110 µs, 2 µs less   began 2.31 ms later"; both relative to where measuring began.
void describe_matching_op(const model::Run& run, core::OpId id, const CardDetails& details, Card& card) {
    const model::Run& other = *details.other;
    std::string text = std::string("in ") + details.other_letter + "     ";
    if (details.match == 0 || details.match > other.op_count()) {
        card.lines.push_back({Tone::dim, text + (details.match_by_order ? "no more ops like it" : "no such op")});
        return;
    }
    const model::Op& own = run.op(id);
    const model::Op& match = other.op(details.match);
    text += named(details.match) + (details.match_by_order ? ", by the order of ops like it" : "");
    const std::string line = other.line_text(match.line);
    if (match.line != 0 && line != run.line_text(own.line)) {
        text += " at " + line;
    }
    if (match.end_ns == model::kPending) {
        card.lines.push_back({Tone::dim, text + "   has not run"});
        return;
    }
    const auto apart = [](std::int64_t ns, const char* more, const char* less, const char* same) {
        return ns == 0 ? std::string(same)
                       : duration_text(std::abs(static_cast<double>(ns))) + " " + (ns > 0 ? more : less);
    };
    const std::int64_t took_ns = match.end_ns - match.begin_ns;
    text += "   ran " + duration_text(static_cast<double>(took_ns));
    if (own.end_ns != model::kPending) {
        text += ", " + apart(took_ns - (own.end_ns - own.begin_ns), "longer", "less", "as long");
        // The program's time is 0 where measuring began.
        const auto later_ns = static_cast<std::int64_t>(std::llround(other.program_time().program_ns(match.begin_ns) -
                                                                     run.program_time().program_ns(own.begin_ns)));
        text += "   began " + apart(later_ns, "later", "earlier", "at the same time");
    }
    card.lines.push_back({Tone::dim, text});
}

// The op that ran before it on its lane; 0: none.
core::OpId before_in_lane(const model::Run& run, core::OpId id) {
    const model::Op& op = run.op(id);
    if (op.begin_ns == model::kPending || op.lane >= run.lanes().size()) {
        return 0;
    }
    const auto& ops = run.lanes()[op.lane].ops;  // sorted by begin
    const auto at = std::partition_point(ops.begin(), ops.end(),
                                         [&](core::OpId other) { return run.op(other).begin_ns < op.begin_ns; });
    return at == ops.begin() ? 0 : *(at - 1);
}

// An op's dependencies, and which of them had not finished when it was issued.
void describe_needs(const model::Run& run, core::OpId id, Card& card) {
    const model::Op& op = run.op(id);
    auto held_up = run.dependencies(id);
    const auto there = std::stable_partition(held_up.begin(), held_up.end(), [&](core::OpId other) {
        const std::int64_t end_ns = run.op(other).end_ns;
        return end_ns == model::kPending || end_ns > op.issue_end_ns;
    });
    const std::vector<core::OpId> at_hand(there, held_up.end());
    held_up.erase(there, held_up.end());
    std::string waited = held_up.empty() ? std::string() : list_of(held_up);
    // A lane is a queue: the op before may have delayed this one more than its dependencies did.
    const core::OpId before = before_in_lane(run, id);
    const auto longer = [&](core::OpId other) { return run.op(other).end_ns < run.op(before).end_ns; };
    if (before != 0 && run.op(before).end_ns > op.issue_end_ns && std::all_of(held_up.begin(), held_up.end(), longer)) {
        waited += std::string(waited.empty() ? "" : ", then ") + "its lane, behind " + named(before);
    }
    card.lines.push_back({Tone::dim, "waited for " + (waited.empty() ? std::string("nothing") : waited)});
    if (!at_hand.empty()) {
        card.lines.push_back({Tone::dim, "needed   " + list_of(at_hand) + ", done by then"});
    }
}

// The ops that nothing orders with it, although they use the same memory.
void describe_races(const model::Run& run, core::OpId id, Card& card) {
    constexpr std::size_t kMost = 2;
    const std::vector<model::Race> found = model::races_of(run, id);
    for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) {
        const model::Race& race = found[i];
        const core::OpId other = race.op == id ? race.other : race.op;
        const std::string name = run.is_folded(other) ? "op" : run.signature(run.op(other).signature).name;
        const std::string there =
            name + " " + named(other) + " on " + stream_name(run, race.op == id ? race.other_lane : race.lane);
        const model::RaceWords words = model::words_of(race.kind);
        card.lines.push_back(
            {Tone::warning, "race     " + (race.op == id ? words.does + (" " + there) + " " + words.done
                                                         : there + " " + words.does + " it " + words.done)});
        card.lines.push_back({Tone::warning, "missing  " + model::missing(run, race)});
    }
    if (found.size() > kMost) {
        card.lines.push_back({Tone::warning, "and more races"});
    }
}

}  // namespace

void describe_op(const model::Run& run, core::OpId id, double ns_per_px, const CardDetails& details, Card& card) {
    const model::Op& op = run.op(id);
    const model::Signature& signature = run.signature(op.signature);
    card.title = signature.name + " " + named(id);
    card.detail = signature.shapes;
    if (!op.not_issued) {
        std::string issued = "issued   ";
        if (op.line != 0) {
            issued += run.line_text(op.line) + "   ";
        }
        issued += place_text(run.program_time().program_ns(op.issue_begin_ns), ns_per_px) + "  took " +
                  duration_text(static_cast<double>(op.issue_end_ns - op.issue_begin_ns));
        card.lines.push_back({Tone::issue, issued});
    }
    if (op.forward_line != 0) {
        card.lines.push_back({Tone::dim, "backward of " + run.line_text(op.forward_line)});
    }
    const std::int64_t begun_ns = run.begun_ns(id);
    if (begun_ns == model::kPending) {
        card.lines.push_back({Tone::dim, "not started yet"});
    } else {
        // Measured from the issue, or, if that is not in the trace, from where measuring began.
        const double delay =
            run.program_time().between(op.not_issued ? run.measure_begin_ns() : op.issue_begin_ns, begun_ns);
        std::string text = "started  " + std::string(delay >= 0 && !op.not_issued ? "+" : "") + duration_text(delay);
        if (op.end_ns == model::kPending) {
            text += (run.cut_off() ? "   cut off after " : "   running for ") +
                    duration_text(run.program_time().between(begun_ns, run.now_ns()));
        } else {
            text += "   ran " + duration_text(static_cast<double>(op.end_ns - op.begin_ns));
        }
        if (op.lane < run.lanes().size()) {
            text += "   on " + stream_name(run, op.lane);
        }
        card.lines.push_back({Tone::execute, text});
    }
    if (run.capabilities().tensors) {
        describe_needs(run, id, card);
    }
    describe_races(run, id, card);
    if (details.retained != nullptr) {
        describe_retained(run, id, *details.retained, card);
    }
    if (details.other != nullptr) {
        describe_matching_op(run, id, details, card);
    }
    std::string result_and_rate;
    if (details.retained == nullptr && op.fresh_output && signature.out_bytes != 0) {
        result_and_rate = "result " + bytes_text(signature.out_bytes);
    }
    if (signature.flops != 0 && op.end_ns != model::kPending && op.end_ns > op.begin_ns) {
        const double rate = static_cast<double>(signature.flops) / static_cast<double>(op.end_ns - op.begin_ns);
        result_and_rate += (result_and_rate.empty() ? "" : "   ") + rate_text(rate);
    }
    if (!result_and_rate.empty()) {
        card.lines.push_back({Tone::dim, result_and_rate});
    }
    if (op.failed) {
        card.lines.push_back({Tone::wait, "failed, or skipped because an input had failed"});
    }
}

void describe_part(const model::Run& run, core::OpId id, int index, Card& card) {
    const auto parts = run.parts(id);
    card.lines.push_back({Tone::dim, "made of  " + count_text(parts.size()) + (parts.size() == 1 ? " op" : " ops")});
    if (index >= 0 && static_cast<std::size_t>(index) < parts.size()) {
        const model::Part& part = parts[static_cast<std::size_t>(index)];
        const auto& signature = run.signature(part.signature);
        card.lines.push_back({Tone::execute, "here     " + signature.name + " " + signature.shapes + "  ran " +
                                                 duration_text(static_cast<double>(part.end_ns - part.begin_ns))});
    }
}

void describe_launch(const model::Run& run, core::OpId id, Card& card) {
    // In the order of their begins: another lane's may come between an op's issue and its launch.
    const auto& launches = run.launches();
    const auto first_from = [&launches](std::int64_t ns) {
        return std::partition_point(launches.begin(), launches.end(),
                                    [ns](const model::Launch& launch) { return launch.begin_ns < ns; });
    };
    const auto end = first_from(run.op(id).end_ns);
    const auto found = std::find_if(first_from(run.op(id).issue_begin_ns), end,
                                    [id](const model::Launch& launch) { return launch.op == id; });
    if (found != end) {
        card.lines.push_back(
            {Tone::issue, "launched +" +
                              duration_text(run.program_time().between(run.op(id).issue_begin_ns, found->begin_ns)) +
                              "  took " + duration_text(static_cast<double>(found->end_ns - found->begin_ns))});
    }
}

}  // namespace headway::ui
