// TimelinePanel: what the keys select and show.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/ui/timeline/timeline_panel.h"

namespace headway::ui {

figure::Hit TimelinePanel::chosen() const {
    figure::Hit hit;
    const model::Run* run = run_at(state_.timeline.selection.run);
    if (run == nullptr) {
        return hit;
    }
    hit.run = state_.timeline.selection.run;
    hit.ns_per_px = layout_.map.ns_per_px();
    if (state_.timeline.selection.any() && state_.timeline.selection.op <= run->op_count()) {
        hit.op = state_.timeline.selection.op;
    } else if (state_.timeline.selection.any_wait() &&
               run->wait_at(static_cast<std::size_t>(state_.timeline.selection.wait)) != nullptr) {
        hit.row = figure::RowKind::frontend;
        hit.wait = state_.timeline.selection.wait;
    }
    return hit;
}

void TimelinePanel::select(int run, core::OpId op, bool show) {
    const model::Run* r = run_at(run);
    if (r == nullptr || op == 0 || op > r->op_count() || r->is_folded(op)) {
        return;
    }
    state_.timeline.selection = {run, op};
    if (show) {
        const model::Op& o = r->op(op);
        const model::ProgramTime& time = r->program_time();
        const double begin = time.program_ns(o.begin_ns == model::kPending ? o.issue_begin_ns : o.begin_ns);
        const double end = time.program_ns(o.end_ns == model::kPending ? o.issue_end_ns : o.end_ns);
        state_.timeline.view.show({begin, std::max(begin + 1, end)});
    }
}

void TimelinePanel::show_wait(const model::Run& run, const model::Wait& wait) {
    const model::ProgramTime& time = run.program_time();
    state_.timeline.view.show({time.program_ns(wait.begin_ns), time.program_ns(wait.end_ns)});
}

void TimelinePanel::fit_selection_or_all() {
    const auto target = state_.timeline.view.target();
    if (const figure::Hit hit = chosen(); hit.op != 0 || hit.wait >= 0) {
        if (hit.op != 0) {
            select(hit.run, hit.op, true);
        } else {
            const model::Run& run = *run_at(hit.run);
            show_wait(run, *run.wait_at(static_cast<std::size_t>(hit.wait)));
        }
        if (!(state_.timeline.view.target() == target)) {
            return;
        }
    }
    state_.timeline.view.fit();
}

void TimelinePanel::select_neighbour(int direction) {
    const core::OpId chosen_op = chosen().op;
    if (chosen_op == 0) {
        return;
    }
    const model::Run* run = run_at(state_.timeline.selection.run);
    const auto& op = run->op(chosen_op);
    if (op.begin_ns == model::kPending || op.lane >= run->lanes().size()) {
        return;
    }
    const auto& ops = run->lanes()[op.lane].ops;
    const auto found = std::lower_bound(ops.begin(), ops.end(), op.begin_ns,
                                        [run](core::OpId id, std::int64_t ns) { return run->op(id).begin_ns < ns; });
    auto index = found - ops.begin();
    while (index < static_cast<std::ptrdiff_t>(ops.size()) && ops[static_cast<std::size_t>(index)] != chosen_op) {
        ++index;
    }
    index += direction;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(ops.size())) {
        state_.timeline.selection.op = ops[static_cast<std::size_t>(index)];
        bring_into_view();
    }
}

void TimelinePanel::select_dependency(bool forwards) {
    const core::OpId chosen_op = chosen().op;
    if (chosen_op == 0) {
        return;
    }
    const model::Run* run = run_at(state_.timeline.selection.run);
    if (!forwards) {
        const auto followed = run->dependencies(chosen_op);
        if (!followed.empty()) {
            state_.timeline.selection.op = followed.back();
            bring_into_view();
        }
        return;
    }
    // The first op that depends on this one. Limited, because results are normally used soon.
    constexpr core::OpId kReach = 20000;
    const auto last = static_cast<core::OpId>(std::min<std::size_t>(run->op_count(), chosen_op + kReach));
    for (core::OpId id = chosen_op + 1; id <= last; ++id) {
        const auto followed = run->dependencies(id);
        if (std::find(followed.begin(), followed.end(), chosen_op) != followed.end()) {
            state_.timeline.selection.op = id;
            bring_into_view();
            return;
        }
    }
}

void TimelinePanel::select_matching_op() {
    if (op_details_.match() != 0) {
        choose(op_details_.match_run(), op_details_.match(), false);
    }
}

void TimelinePanel::bring_into_view() {
    const core::OpId chosen_op = chosen().op;
    if (chosen_op == 0) {
        return;
    }
    const model::Run* run = run_at(state_.timeline.selection.run);
    const auto& op = run->op(chosen_op);
    const double at = run->program_time().program_ns(op.begin_ns == model::kPending ? op.issue_begin_ns : op.begin_ns);
    const auto view = state_.timeline.view.target();
    if (at < view.begin_ns || at > view.end_ns) {
        state_.timeline.view.bring_in(at);
    }
    reveal_ = Reveal::op;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    rests_at_ = figure::Point{mouse.x, mouse.y};  // ignore what is under the pointer until it moves
}

void TimelinePanel::zoom_at_pointer(double factor) {
    const auto view = state_.timeline.view.view();
    const bool inside = pointer_ns_ > view.begin_ns && pointer_ns_ < view.end_ns;
    state_.timeline.view.zoom(inside ? pointer_ns_ : (view.begin_ns + view.end_ns) / 2, factor);
}

void TimelinePanel::pan_by_share(double share) {
    state_.timeline.view.pan(state_.timeline.view.target().span_ns() * share, true);
}

}  // namespace headway::ui
