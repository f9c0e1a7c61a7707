#include "app/model/run/program_time.h"

#include <algorithm>

#include "app/model/run/run.h"

namespace headway::model {

namespace {

// Records of an event may be taken this much later than those of later events.
constexpr std::int64_t kSettledAfterNs = 1'000'000'000;

}  // namespace

double ProgramTime::program_ns(std::int64_t run_ns) const {
    return static_cast<double>(run_ns - cut_ns(run_ns) - zero_ns_);
}

double ProgramTime::run_ns(double program_ns) const {
    const auto next = std::partition_point(cuts_.begin(), cuts_.end(),
                                           [&](const TimeCut& cut) { return place_of(cut) <= program_ns; });
    const std::int64_t cut =
        next == cuts_.begin() ? 0 : std::prev(next)->cut_before_ns + std::prev(next)->duration_ns();
    return program_ns + static_cast<double>(zero_ns_ + cut);
}

std::span<const TimeCut> ProgramTime::cuts_between(double begin_program_ns, double end_program_ns) const {
    const auto first = std::partition_point(cuts_.begin(), cuts_.end(),
                                            [&](const TimeCut& cut) { return place_of(cut) < begin_program_ns; });
    return {first, std::partition_point(first, cuts_.end(),
                                        [&](const TimeCut& cut) { return place_of(cut) <= end_program_ns; })};
}

std::int64_t ProgramTime::cut_ns(std::int64_t run_ns) const {
    const auto next =
        std::partition_point(cuts_.begin(), cuts_.end(), [&](const TimeCut& cut) { return cut.begin_ns < run_ns; });
    if (next == cuts_.begin()) {
        return 0;
    }
    const TimeCut& cut = *std::prev(next);
    return cut.cut_before_ns + std::min(run_ns, cut.end_ns) - cut.begin_ns;
}

void ProgramTime::update(const Run& run) {
    // What an earlier call found in the last second is searched again.
    cuts_.resize(settled_.cuts);
    if (!cuts_.empty()) {
        cuts_.back().end_ns = settled_.last_end_ns;
    }
    if (run.paused_or_held()) {
        std::int64_t known_until_ns = run.now_ns();
        for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
            known_until_ns = std::min(known_until_ns, run.recorded_until_ns(lane));
        }
        search(run, settled_, std::min(known_until_ns, run.now_ns() - kSettledAfterNs));
        settled_.cuts = cuts_.size();
        settled_.last_end_ns = cuts_.empty() ? 0 : cuts_.back().end_ns;
        Progress recent = settled_;
        search(run, recent, known_until_ns);
        if (const Wait* open = run.wait_at(run.waits().size())) {
            if (open->kind == trace::WaitKind::paused) {
                search_between(run, recent, open->begin_ns, std::min(open->end_ns, known_until_ns));
            } else {
                for (const Hold& hold : run.holds().within(open->begin_ns, open->end_ns)) {
                    search_between(run, recent, std::max(hold.begin_ns, open->begin_ns),
                                   std::min({hold.end_ns, open->end_ns, known_until_ns}));
                }
                if (const auto& hold = run.open_hold()) {
                    search_between(run, recent, hold->begin_ns, std::min(hold->end_ns, known_until_ns));
                }
            }
        }
    }
    zero_ns_ = 0;
    zero_ns_ = run.measure_begin_ns() - cut_ns(run.measure_begin_ns());
}

// Searches the waits that ended by then.
void ProgramTime::search(const Run& run, Progress& progress, std::int64_t known_until_ns) {
    progress.next_op.resize(run.lanes().size());
    for (; progress.wait < run.waits().size(); ++progress.wait) {
        if (run.is_folded_wait(progress.wait)) {
            continue;
        }
        const Wait& wait = run.waits()[progress.wait];
        if (wait.end_ns > known_until_ns) {
            return;
        }
        if (wait.kind == trace::WaitKind::paused) {
            search_between(run, progress, wait.begin_ns, wait.end_ns);
        } else if (wait.held_ns > 0) {
            for (const Hold& hold : run.holds().within(wait.begin_ns, wait.end_ns)) {
                search_between(run, progress, std::max(hold.begin_ns, wait.begin_ns),
                               std::min(hold.end_ns, wait.end_ns));
            }
        }
    }
}

// Cuts what no lane executed between these times. Each call begins where the last one ended, or later.
void ProgramTime::search_between(const Run& run, Progress& progress, std::int64_t begin_ns, std::int64_t end_ns) {
    std::int64_t idle_from_ns = begin_ns;
    while (idle_from_ns < end_ns) {
        std::int64_t next_begin_ns = end_ns, next_end_ns = end_ns;
        const auto consider = [&](std::int64_t op_begin_ns, std::int64_t op_end_ns) {
            if (op_begin_ns < next_begin_ns) {
                next_begin_ns = op_begin_ns;
                next_end_ns = op_end_ns;
            }
        };
        for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
            const auto& ops = run.lanes()[lane].ops;
            std::size_t& next = progress.next_op[lane];
            const auto later = std::partition_point(ops.begin() + static_cast<std::ptrdiff_t>(next), ops.end(),
                                                    [&](OpId op) { return run.op(op).end_ns <= idle_from_ns; });
            next = static_cast<std::size_t>(later - ops.begin());
            if (later != ops.end()) {
                consider(run.op(*later).begin_ns, run.op(*later).end_ns);
            } else if (const Running* running = run.running(lane)) {
                consider(running->begin_ns, end_ns);
            }
        }
        cut(idle_from_ns, next_begin_ns);
        idle_from_ns = std::max(next_end_ns, next_begin_ns);
    }
}

void ProgramTime::cut(std::int64_t begin_ns, std::int64_t end_ns) {
    if (!cuts_.empty() && begin_ns <= cuts_.back().end_ns) {
        cuts_.back().end_ns = std::max(cuts_.back().end_ns, end_ns);  // the learner paused and held at once
    } else if (end_ns - begin_ns >= kLeastCutNs) {
        const std::int64_t before = cuts_.empty() ? 0 : cuts_.back().cut_before_ns + cuts_.back().duration_ns();
        cuts_.push_back({begin_ns, end_ns, before});
    }
}

}  // namespace headway::model
