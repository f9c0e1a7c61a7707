#include "app/model/moment/moment.h"

#include <algorithm>

#include "app/model/numbers/format.h"
#include "app/model/run/devices.h"
#include "app/model/run/queries.h"

namespace headway::model {
namespace {

constexpr std::size_t kMostScanned = 20'000;  // ops of a growing run that no lane has executed yet

// Of the elements of an ordered sequence, how many have `time(element)` at or before `ns`.
template <class Sequence, class Time>
std::size_t until(const Sequence& sequence, std::int64_t ns, Time time) {
    const auto after = std::partition_point(sequence.begin(), sequence.end(),
                                            [&](const auto& element) { return time(element) <= ns; });
    return static_cast<std::size_t>(after - sequence.begin());
}

// How many ops have been issued at `ns`. Issues end in their order.
std::size_t issued_until(const Run& run, std::int64_t ns) {
    std::size_t low = 0, high = run.op_count();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (run.op(static_cast<OpId>(middle + 1)).issue_end_ns <= ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

std::size_t begun_until(const Run& run, const Lane& lane, std::int64_t ns) {
    return until(lane.ops, ns, [&run](OpId id) { return run.op(id).begin_ns; });
}
std::size_t ended_until(const Run& run, const Lane& lane, std::int64_t ns) {
    return until(lane.ops, ns, [&run](OpId id) { return run.op(id).end_ns; });
}

std::string op_text(const Run& run, OpId id) {
    return "#" + count_text(id) + " " + run.signature(run.op(id).signature).name;
}

LaneMoment lane_at(const Run& run, std::size_t index, const Moment& moment, std::size_t most) {
    const Lane& lane = run.lanes()[index];
    LaneMoment at;
    const std::size_t begun = begun_until(run, lane, moment.ns);
    at.done = ended_until(run, lane, moment.ns);
    if (begun > at.done && !run.is_folded(lane.ops[begun - 1])) {
        at.running = lane.ops[begun - 1];
    }
    // Ops of one lane begin in the order of their issue.
    const auto issued = static_cast<OpId>(moment.issued);
    std::size_t queued_end = begun;
    if (begun < lane.ops.size()) {
        const auto after = std::partition_point(lane.ops.begin() + static_cast<std::ptrdiff_t>(begun), lane.ops.end(),
                                                [issued](OpId id) { return id <= issued; });
        queued_end = static_cast<std::size_t>(after - lane.ops.begin());
    }
    at.queued = queued_end - begun;
    for (std::size_t i = begun; i < queued_end && at.waiting.size() < most; ++i) {
        if (!run.is_folded(lane.ops[i])) {
            at.waiting.push_back(lane.ops[i]);
        }
    }
    if (run.state() == trace::RunState::finished) {
        return at;
    }
    // Also what the lane has not executed yet.
    const Running* running = run.running(index);
    if (running != nullptr && at.running == 0 && running->begin_ns <= moment.ns) {
        at.running = running->op;
    }
    const OpId from = lane.ops.empty() ? 1 : lane.ops.back() + 1;
    std::size_t scanned = 0;
    for (OpId id = from; id <= issued && scanned < kMostScanned; ++id, ++scanned) {
        const Op& op = run.op(id);
        if (op.lane == index && op.end_ns == kPending && id != at.running && !run.is_folded(id)) {
            ++at.queued;
            if (at.waiting.size() < most) {
                at.waiting.push_back(id);
            }
        }
    }
    return at;
}

// The wait, or work, that is in progress at `ns`; -1: none.
template <class Sequence>
int around(const Sequence& sequence, std::int64_t ns) {
    const std::size_t begun = until(sequence, ns, [](const auto& element) { return element.begin_ns; });
    return begun > 0 && sequence[begun - 1].end_ns > ns ? static_cast<int>(begun - 1) : -1;
}

template <class Take>
void each_time(const Run& run, std::int64_t ns, Take take) {
    // For each kind of event: the last one at or before `ns`, and the first one after it.
    const std::size_t issued = issued_until(run, ns), ops = run.op_count();
    const auto issue = [&run](std::size_t i) { return run.op(static_cast<OpId>(i + 1)).issue_end_ns; };
    take(issued, ops, issue);
    const Waits& waits = run.waits();
    take(until(waits, ns, [](const Wait& wait) { return wait.begin_ns; }), waits.size(),
         [&waits](std::size_t i) { return waits[i].begin_ns; });
    take(until(waits, ns, [](const Wait& wait) { return wait.end_ns; }), waits.size(),
         [&waits](std::size_t i) { return waits[i].end_ns; });
    for (const Lane& lane : run.lanes()) {
        take(begun_until(run, lane, ns), lane.ops.size(), [&](std::size_t i) { return run.op(lane.ops[i]).begin_ns; });
        take(ended_until(run, lane, ns), lane.ops.size(), [&](std::size_t i) { return run.op(lane.ops[i]).end_ns; });
    }
}

}  // namespace

Moment moment_at(const Run& run, std::int64_t ns, std::size_t most_waiting) {
    Moment m;
    m.ns = ns;
    m.issued = issued_until(run, ns);
    if (m.issued < run.op_count()) {
        const Op& next = run.op(static_cast<OpId>(m.issued + 1));
        m.issuing = next.issue_begin_ns <= ns && !next.not_issued ? static_cast<OpId>(m.issued + 1) : 0;
    }
    m.wait = around(run.waits(), ns);
    if (m.wait < 0 && run.open_wait() && run.open_wait()->begin_ns <= ns) {
        m.wait = static_cast<int>(run.waits().size());
    }
    m.work = around(run.works(), ns);
    const auto program_end = run.program_end_ns();
    m.ended = program_end && *program_end <= ns;
    // The line: of what the frontend is in, else of what began last.
    std::int64_t began = INT64_MIN;
    const auto consider = [&](std::int64_t begin_ns, core::Line line) {
        if (begin_ns <= ns && begin_ns >= began && line != 0) {
            began = begin_ns;
            m.line = line;
        }
    };
    if (const OpId last = last_issued_at(run, ns); last != 0) {
        consider(run.op(last).issue_begin_ns, run.op(last).line);
    }
    const std::size_t works = until(run.works(), ns, [](const Work& work) { return work.begin_ns; });
    if (works > 0) {
        consider(run.works()[works - 1].begin_ns, run.works()[works - 1].line);
    }
    const std::size_t waits = until(run.waits(), ns, [](const Wait& wait) { return wait.begin_ns; });
    if (waits > 0) {
        consider(run.waits()[waits - 1].begin_ns, run.waits()[waits - 1].line);
    }
    if (const Wait* open = m.wait >= 0 ? run.wait_at(static_cast<std::size_t>(m.wait)) : nullptr; open != nullptr) {
        m.line = open->line != 0 ? open->line : m.line;
    }
    for (std::size_t i = 0; i < run.lanes().size(); ++i) {
        m.lanes.push_back(lane_at(run, i, m, most_waiting));
    }
    const auto value = [ns](const Curve& curve) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(curve.at(ns), 0));
    };
    m.headway = value(run.headway());
    m.live_bytes = value(run.live_bytes());
    m.pending_bytes = value(run.pending_bytes());
    return m;
}

std::optional<std::int64_t> next_event_ns(const Run& run, std::int64_t ns) {
    std::int64_t next = kPending;
    each_time(run, ns, [&](std::size_t happened, std::size_t all, const auto& time) {
        if (happened < all) {
            next = std::min(next, time(happened));
        }
    });
    return next == kPending ? std::nullopt : std::optional(next);
}

std::optional<std::int64_t> previous_event_ns(const Run& run, std::int64_t ns) {
    std::int64_t previous = INT64_MIN;
    each_time(run, ns - 1, [&](std::size_t happened, std::size_t, const auto& time) {
        if (happened > 0) {
            previous = std::max(previous, time(happened - 1));
        }
    });
    return previous == INT64_MIN ? std::nullopt : std::optional(previous);
}

std::uint64_t events_until(const Run& run, std::int64_t ns) {
    std::uint64_t events = 0;
    each_time(run, ns, [&](std::size_t happened, std::size_t, const auto&) { events += happened; });
    return events;
}

std::vector<OpId> needs_at(const Run& run, OpId op, std::int64_t ns) {
    std::vector<OpId> needs = run.dependencies(op);
    std::erase_if(needs, [&](OpId id) {
        const std::int64_t end = run.op(id).end_ns;
        return end != kPending && end <= ns;
    });
    return needs;
}

namespace {

// What a barrier or blocker still waits for: " for #4 add", " for all 3 ops that are not finished".
std::string awaited_text(const Run& run, const Wait& wait, const Moment& m) {
    if (wait.target_op != 0) {
        const bool known = !run.is_folded(wait.target_op);
        return !known                                  ? ""
               : run.op(wait.target_op).end_ns <= m.ns ? ", which returns: its result is there"
                                                       : " for " + op_text(run, wait.target_op);
    }
    if (wait.target != 0 || !run.folded_parts().empty()) {
        return "";
    }
    if (wait.device >= 0) {
        const auto device = static_cast<std::size_t>(wait.device);
        return device < run.devices().size() ? " for the ops of " + run.devices()[device].name : "";
    }
    Wait rest = wait;
    rest.begin_ns = m.ns;
    std::size_t left = 0;
    static_cast<void>(caused_by(run, rest, 0, &left));
    if (left == 0) {
        return ", which returns: all that it waited for is finished";
    }
    if (left == m.headway) {
        return left == 1 ? " for the one op that is not finished"
                         : " for all " + count_text(left) + " ops that are not finished";
    }
    return " for " + count_text(left) + " of the " + count_text(m.headway) + " ops that are not finished";
}

std::string wait_text(const Run& run, const Wait& wait, const Moment& m, const std::string& subject) {
    switch (wait.kind) {
        case trace::WaitKind::queue_limit:
            return subject + " waits for room in the queue: " + count_text(m.headway) +
                   (m.headway == 1 ? " op is not finished" : " ops are not finished");
        case trace::WaitKind::memory:
            return subject + " waits for memory to be freed";
        case trace::WaitKind::recording:
            return subject + " is held back by Headway: its recording is full";
        case trace::WaitKind::paused:
            return subject + " is paused by you";
        default:
            return subject + " waits in " + wait.name + awaited_text(run, wait, m);
    }
}

}  // namespace

std::string frontend_sentence(const Run& run, const Moment& m) {
    std::string text;
    const std::string line = core::number_of(m.line) != 0 ? "Line " + std::to_string(core::number_of(m.line)) : "";
    const std::string subject = line.empty() ? "The frontend" : line;
    if (m.wait >= 0) {
        text = wait_text(run, *run.wait_at(static_cast<std::size_t>(m.wait)), m, subject);
    } else if (m.issuing != 0 && !run.is_folded(m.issuing)) {
        text = subject + " issues " + op_text(run, m.issuing);
    } else if (m.work >= 0) {
        const std::string& name = run.works()[static_cast<std::size_t>(m.work)].name;
        text = subject + " computes by itself" + (name.empty() ? "" : " (" + name + ")");
    } else if (m.ended) {
        text = "The program has ended";
    } else {
        text = m.issued == 0  ? "Nothing has been issued yet"
               : line.empty() ? "The frontend runs the program's own code"
                              : "The frontend runs the program's own code, at or after line " +
                                    std::to_string(core::number_of(m.line));
    }
    return text + ".";
}

std::string backend_sentence(const Run& run, const Moment& m) {
    constexpr std::size_t kNamed = 2;  // lanes
    std::string text;
    std::uint64_t queued = 0;
    std::size_t running = 0;
    for (std::size_t i = 0; i < m.lanes.size(); ++i) {
        queued += m.lanes[i].queued;
        if (m.lanes[i].running != 0 && ++running <= kNamed) {
            text += (text.empty() ? "" : ", ") + stream_name(run, i) + " runs " + op_text(run, m.lanes[i].running);
        }
    }
    if (running > kNamed) {
        const std::size_t more = running - kNamed;
        text += " and " + std::to_string(more) + (more == 1 ? " more lane runs an op" : " more lanes run ops");
    }
    if (running == 0) {
        text = queued == 0 ? "The backend has nothing to do" : "The backend runs nothing";
    }
    if (queued > 0) {
        text += "; " + count_text(queued) + (queued == 1 ? " op is queued" : " ops are queued");
    }
    return text + ".";
}

}  // namespace headway::model
