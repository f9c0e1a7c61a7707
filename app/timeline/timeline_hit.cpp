// Hit testing: from pixels to recorded ops, waits, work, scopes and bookmarks.
#include <algorithm>
#include <cmath>

#include "app/model/analysis/time_range_summary.h"
#include "app/timeline/fold.h"
#include "app/timeline/timeline.h"

namespace headway::figure {
namespace {

constexpr float kNear = 3;  // px: tolerance around narrow items

// The drawn element of [first, last) closest to `ns`; `last` if none is drawn.
template <class Time, class IsDrawn>
std::size_t nearest(IndexRange range, double ns, Time time, IsDrawn is_drawn) {
    std::size_t best = range.last;
    double best_distance = INFINITY;
    for (std::size_t i = range.first; i < range.last; ++i) {
        if (!is_drawn(i)) {
            continue;
        }
        const auto [begin, end] = time(i);
        const double distance = ns < begin ? begin - ns : ns > end ? ns - end : 0;
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
        if (distance > best_distance || i - range.first > 4096) {  // moving away, or too many to distinguish
            break;
        }
    }
    return best;
}
template <class Time>
std::size_t nearest(IndexRange range, double ns, Time time) {
    return nearest(range, ns, time, [](std::size_t) { return true; });
}

// The scope of that depth that lasted at `ns` (the latest one), else the nearest between `from_ns` and `to_ns`; -1 if
// there is none.
int scope_at(const model::Run& run, int depth, double from_ns, double ns, double to_ns) {
    const auto& scopes = run.scopes();
    int found = -1;
    double found_distance = INFINITY;
    for (std::size_t i = 0; i < scopes.size(); i = scopes.after(i)) {
        const auto begin = static_cast<double>(scopes[i].begin_ns);
        const auto end = static_cast<double>(std::min(scopes[i].end_ns, run.now_ns()));
        if (scopes[i].depth != depth || end < from_ns || to_ns < begin) {
            continue;
        }
        const double distance = ns < begin ? begin - ns : ns > end ? ns - end : 0;
        if (distance <= found_distance) {
            found = static_cast<int>(i);
            found_distance = distance;
        }
    }
    return found;
}

}  // namespace

std::optional<Hit> TimelineLayout::hit(float x, float y) const {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const RowBox& r) { return r.box.contains(x, y); });
    if (row == rows.end() || row->run < 0 || x < axis.x0 || x >= axis.x1) {
        return std::nullopt;
    }
    const model::Run& run = *runs[static_cast<std::size_t>(row->run)].run;
    Hit hit;
    hit.run = row->run;
    hit.row = row->kind;
    hit.lane = row->lane;
    hit.ns = map.ns_from_x_px(x);
    hit.ns_per_px = map.ns_per_px();
    const auto run_ns = [&](float px) { return run_ns_from_x_px(hit.run, px); };
    const double ns = run_ns(x);
    const auto begin = static_cast<std::int64_t>(std::floor(run_ns(x - kNear)));
    const auto end = static_cast<std::int64_t>(std::ceil(run_ns(x + kNear)));
    // Count those that share a sliver's column.
    const auto begin_column = static_cast<std::int64_t>(std::floor(run_ns(x - 1)));
    const auto end_column = static_cast<std::int64_t>(std::ceil(run_ns(x + 1)));

    if (const auto box = std::find_if(queued.begin(), queued.end(),
                                      [&](const QueuedBox& b) { return b.run == hit.run && b.box.contains(x, y); });
        box != queued.end()) {
        hit.op = box->op;
        return hit;
    }
    if (row->kind == RowKind::lane) {
        const model::Lane& lane = run.lanes()[static_cast<std::size_t>(row->lane)];
        const auto time = [&](std::size_t i) {
            const model::Op& op = run.op(lane.ops[i]);
            return std::pair{static_cast<double>(op.begin_ns), static_cast<double>(std::min(op.end_ns, run.now_ns()))};
        };
        const IndexRange column = lane_range(run, lane, begin_column, end_column);
        IndexRange range = column;
        if (range.first == range.last) {
            range = lane_range(run, lane, begin, end);
        }
        if (range.first < range.last) {
            hit.op = lane.ops[nearest(range, ns, time)];
            hit.folded = static_cast<std::uint32_t>(std::max<std::size_t>(1, column.last - column.first));
            const auto parts = run.parts(hit.op);
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (static_cast<double>(parts[i].begin_ns) <= ns && ns <= static_cast<double>(parts[i].end_ns)) {
                    hit.part = static_cast<int>(i);
                }
            }
        } else if (const model::Running* running = run.running(static_cast<std::size_t>(row->lane));
                   running != nullptr && running->begin_ns <= end && begin <= run.now_ns()) {
            hit.op = running->op;
        }
    } else if (row->kind == RowKind::link) {
        const model::Link& link = run.links()[static_cast<std::size_t>(row->lane)];
        const auto time = [&](std::size_t i) {
            const model::Op& op = run.op(link.ops[i]);
            return std::pair{static_cast<double>(op.begin_ns), static_cast<double>(op.end_ns)};
        };
        const IndexRange column = link_range(run, link, begin_column, end_column);
        const IndexRange range = column.first < column.last ? column : link_range(run, link, begin, end);
        if (range.first < range.last) {
            hit.op = link.ops[nearest(range, ns, time)];
            hit.folded = static_cast<std::uint32_t>(std::max<std::size_t>(1, column.last - column.first));
        }
    } else if (row->kind == RowKind::launch) {
        const auto time = [&](std::size_t i) {
            const model::Launch& launch = run.launches()[i];
            return std::pair{static_cast<double>(launch.begin_ns), static_cast<double>(launch.end_ns)};
        };
        const IndexRange column = launch_range(run, begin_column, end_column);
        const IndexRange range = column.first < column.last ? column : launch_range(run, begin, end);
        if (range.first < range.last) {
            hit.op = run.launches()[nearest(range, ns, time)].op;
            hit.folded = static_cast<std::uint32_t>(std::max<std::size_t>(1, column.last - column.first));
        }
    } else if (row->kind == RowKind::frontend) {
        const auto wait_time = [&](std::size_t i) {
            const model::Wait& wait = run.waits()[i];
            return std::pair{static_cast<double>(wait.begin_ns),
                             static_cast<double>(std::min(wait.end_ns, run.now_ns()))};
        };
        const auto issue_time = [&](std::size_t i) {
            const model::Op& op = run.op(static_cast<core::OpId>(i + 1));
            return std::pair{static_cast<double>(op.issue_begin_ns), static_cast<double>(op.issue_end_ns)};
        };
        const IndexRange waits = wait_range(run, begin, end);
        const IndexRange issues = issue_range(run, begin, end);
        const auto distance = [&](std::pair<double, double> t) {
            return ns < t.first ? t.first - ns : ns > t.second ? ns - t.second : 0;
        };
        double wait_distance = INFINITY;
        if (waits.first < waits.last) {
            hit.wait = static_cast<int>(nearest(waits, ns, wait_time));
            wait_distance = distance(wait_time(static_cast<std::size_t>(hit.wait)));
        }
        if (const auto& open = run.open_wait()) {
            const double open_distance =
                distance({static_cast<double>(open->begin_ns), static_cast<double>(open->end_ns)});
            if (open->begin_ns <= end && begin <= open->end_ns && open_distance < wait_distance) {
                hit.wait = static_cast<int>(run.waits().size());
                wait_distance = open_distance;
            }
        }
        if (issues.first < issues.last) {
            const std::size_t issue = nearest(issues, ns, issue_time, [&run](std::size_t i) {
                return !run.op(static_cast<core::OpId>(i + 1)).not_issued;
            });
            if (issue < issues.last && distance(issue_time(issue)) < wait_distance) {
                hit.op = static_cast<core::OpId>(issue + 1);
                hit.wait = -1;
            }
        }
        const double nearest_distance = hit.op != 0 ? distance(issue_time(hit.op - 1)) : wait_distance;
        if (const IndexRange works = work_range(run, begin, end); works.first < works.last) {
            const auto work_time = [&](std::size_t i) {
                const model::Work& work = run.works()[i];
                return std::pair{static_cast<double>(work.begin_ns), static_cast<double>(work.end_ns)};
            };
            const std::size_t work = nearest(works, ns, work_time);
            if (distance(work_time(work)) < nearest_distance) {
                hit.work = static_cast<int>(work);
                hit.op = 0;
                hit.wait = -1;
            }
        }
        const IndexRange column = hit.op != 0     ? issue_range(run, begin_column, end_column)
                                  : hit.work >= 0 ? work_range(run, begin_column, end_column)
                                                  : wait_range(run, begin_column, end_column);
        const auto count = hit.op != 0 ? model::issued_ops(run, static_cast<core::OpId>(column.first + 1),
                                                           static_cast<core::OpId>(column.last))
                                       : column.last - column.first;
        hit.folded = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, count));
    } else if (row->kind == RowKind::bookmarks) {
        // The bookmark under the pointer, or the one whose text is there.
        const auto& bookmarks = runs[static_cast<std::size_t>(row->run)].bookmarks;
        for (std::size_t i = 0; i < bookmarks.size(); ++i) {
            if (map.x_px_from_ns(static_cast<double>(bookmarks[i].begin_ns)) <= x + kNear) {
                hit.bookmark = static_cast<int>(i);
            }
        }
    } else if (row->kind == RowKind::scopes) {
        const ScopeLine* line = nullptr;  // the last one that begins above the pointer, else the first
        for (const ScopeLine& candidate : scope_lines) {
            if (candidate.run == hit.run && (line == nullptr || candidate.box.y0 <= y)) {
                line = &candidate;
            }
        }
        if (line != nullptr && line->depth < 0) {
            const auto& minibatches = run.minibatches();
            const auto after = std::upper_bound(
                minibatches.begin(), minibatches.end(), ns,
                [](double t, const model::Minibatch& m) { return t < static_cast<double>(m.issue_begin_ns); });
            if (after != minibatches.begin() &&
                ns <= static_cast<double>(std::min((after - 1)->issue_end_ns, run.now_ns()))) {
                hit.minibatch = static_cast<int>(after - minibatches.begin()) - 1;
            }
        } else if (line != nullptr) {
            hit.scope = scope_at(run, line->depth, run_ns(x - kNear), ns, run_ns(x + kNear));
        }
    }
    const bool only_sums = (hit.op != 0 && run.is_folded(hit.op)) ||
                           (hit.wait >= 0 && run.waits().is_folded(static_cast<std::size_t>(hit.wait))) ||
                           (hit.work >= 0 && run.works().is_folded(static_cast<std::size_t>(hit.work)));
    if (only_sums) {
        hit.only_sums = true;
        hit.op = 0;
        hit.wait = hit.work = -1;
    }
    return hit;
}

namespace {

std::optional<Box> box_in(const TimelineLayout& layout, int run, RowKind kind, int lane, std::int64_t begin_ns,
                          std::int64_t end_ns) {
    for (const RowBox& row : layout.rows) {
        if (row.run == run && row.kind == kind && (kind != RowKind::lane || row.lane == lane)) {
            const float x0 = layout.x_px_from_run_ns(run, begin_ns);
            const float x1 = layout.x_px_from_run_ns(run, end_ns);
            return Box{x0, row.content.y0, std::max(x1, x0 + 1), row.content.y1};
        }
    }
    return std::nullopt;
}

}  // namespace

bool TimelineLayout::has_op(int run, core::OpId op) const {
    return run >= 0 && static_cast<std::size_t>(run) < runs.size() && op > 0 &&
           op <= runs[static_cast<std::size_t>(run)].run->op_count();
}

std::optional<Box> TimelineLayout::box_of_op(int run, core::OpId op) const {
    if (!has_op(run, op)) {
        return std::nullopt;
    }
    const model::Run& model = *runs[static_cast<std::size_t>(run)].run;
    const model::Op& found = model.op(op);
    const std::int64_t begun_ns = model.begun_ns(op);
    if (begun_ns == model::kPending || found.folded) {
        return std::nullopt;
    }
    return box_in(*this, run, RowKind::lane, found.lane, begun_ns, std::min(found.end_ns, model.now_ns()));
}

std::optional<Box> TimelineLayout::box_of_issue(int run, core::OpId op) const {
    if (!has_op(run, op)) {
        return std::nullopt;
    }
    const model::Op& found = runs[static_cast<std::size_t>(run)].run->op(op);
    if (found.not_issued || found.folded) {
        return std::nullopt;
    }
    return box_in(*this, run, RowKind::frontend, -1, found.issue_begin_ns, found.issue_end_ns);
}

std::optional<Box> TimelineLayout::box_of_wait(int run, int wait) const {
    if (run < 0 || static_cast<std::size_t>(run) >= runs.size()) {
        return std::nullopt;
    }
    const model::Run& model = *runs[static_cast<std::size_t>(run)].run;
    const model::Wait* found = wait < 0 ? nullptr : model.wait_at(static_cast<std::size_t>(wait));
    if (found == nullptr) {
        return std::nullopt;
    }
    return box_in(*this, run, RowKind::frontend, -1, found->begin_ns, std::min(found->end_ns, model.now_ns()));
}

std::optional<Box> TimelineLayout::box_of_work(int run, int work) const {
    if (run < 0 || static_cast<std::size_t>(run) >= runs.size()) {
        return std::nullopt;
    }
    const model::Run& model = *runs[static_cast<std::size_t>(run)].run;
    if (work < 0 || static_cast<std::size_t>(work) >= model.works().size()) {
        return std::nullopt;
    }
    const model::Work& found = model.works()[static_cast<std::size_t>(work)];
    return box_in(*this, run, RowKind::frontend, -1, found.begin_ns, found.end_ns);
}

}  // namespace headway::figure
