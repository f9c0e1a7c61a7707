// What the window, the reports and the figures show of a run: no input may make it fail.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "app/comparison/sample.h"
#include "app/figure/figure.h"
#include "app/figure/graph.h"
#include "app/figure/threads.h"
#include "app/model/analysis/critical_path.h"
#include "app/model/analysis/graph.h"
#include "app/model/analysis/idle.h"
#include "app/model/analysis/matching_op.h"
#include "app/model/analysis/memory/alive.h"
#include "app/model/analysis/races.h"
#include "app/model/analysis/search.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/moment/moment.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/replay/what_if.h"
#include "app/model/report/report.h"
#include "app/model/user_data/bookmark.h"
#include "app/timeline/timeline.h"
#include "tests/fuzz/require.h"

namespace headway::fuzz {

constexpr std::size_t kFewOps = 1'000;  // what takes long is computed for at most so many

class EqualWidths : public figure::TextMeasure {
public:
    [[nodiscard]] float width(figure::FontRole, float size_px, std::string_view text) const override {
        return 0.5F * size_px * static_cast<float>(text.size());
    }
};

inline void view_edges(const model::Run& run, model::EdgeRow row, std::size_t lane, std::int64_t ns) {
    static_cast<void>(model::next_edge(run, row, lane, ns, true));
    static_cast<void>(model::next_edge(run, row, lane, ns, false));
    static_cast<void>(model::nearest_edge(run, row, lane, ns, 1'000'000));
}

// What is shown of one time of the run.
inline void view_moment(const model::Run& run, std::int64_t ns) {
    const model::Moment moment = model::moment_at(run, ns);
    static_cast<void>(model::frontend_sentence(run, moment));
    static_cast<void>(model::backend_sentence(run, moment));
    static_cast<void>(model::next_event_ns(run, ns));
    static_cast<void>(model::previous_event_ns(run, ns));
    static_cast<void>(model::events_until(run, ns));
    for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
        static_cast<void>(model::idle_gap(run, lane, ns));
        view_edges(run, model::EdgeRow::lane, lane, ns);
    }
    for (const model::EdgeRow row : {model::EdgeRow::issues, model::EdgeRow::waits, model::EdgeRow::works}) {
        view_edges(run, row, 0, ns);
    }
    static_cast<void>(model::graph_of(run, {model::op_of_moment(run, ns), 0, 12, true}));
    if (ns <= run.now_ns()) {
        model::AliveWalk alive(run, ns);
        while (alive.step(0)) {
        }
    }
}

inline void view_ops(const model::Run& run) {
    for (core::OpId id = 1; id <= run.op_count() && id < 50; ++id) {
        for (const core::OpId needed : run.dependencies(id)) {
            require(needed != 0 && needed <= run.op_count());
        }
        static_cast<void>(model::walk_needs(run, id, 20, [](core::OpId, core::OpId) {}));
        static_cast<void>(model::needs_at(run, id, run.end_ns()));
        static_cast<void>(model::state_at(run, id, run.end_ns()));
        static_cast<void>(model::races_of(run, id));
    }
    for (std::size_t wait = 0; wait < run.waits().size() && wait < 20; ++wait) {
        if (!run.is_folded_wait(wait)) {
            static_cast<void>(model::wait_details(run, wait));
            static_cast<void>(model::split_of(run, wait));
        }
        if (run.op_count() <= kFewOps) {
            static_cast<void>(model::without_wait(run, wait, true));
        }
    }
}

// What compares the run with another one, here with itself.
inline void view_as_pair(const model::Run& run) {
    model::IssueOrder order(run);
    static_cast<void>(order.update(0));
    for (core::OpId id = 1; id <= run.op_count() && id < 50; ++id) {
        require(model::matching_op(order, id, order) <= run.op_count());
    }
    static_cast<void>(comparison::sample_of(run, model::numbers_of(run), true));
    static_cast<void>(model::fingerprint_of(run));
}

// The window's timeline, and what is under the pointer.
inline void view_timeline(const model::Run& run, const figure::TextMeasure& measure) {
    constexpr float kWidth = 800, kHeight = 600, kPoints = 16;
    const std::array<figure::TimelineRun, 1> runs{figure::TimelineRun{&run, 'A', "", "", -1, {}}};
    figure::TimelineOptions options;
    options.area = {0, 0, kWidth, kHeight};
    options.view = figure::whole_view(runs, true);
    options.theme = &figure::theme(figure::ThemeName::light);
    options.measure = &measure;
    const figure::TimelineLayout layout = figure::layout_timeline(runs, options);
    for (float x = 0; x < kPoints; ++x) {
        for (float y = 0; y < kPoints; ++y) {
            static_cast<void>(layout.hit((x + 0.5F) * kWidth / kPoints, (y + 0.5F) * kHeight / kPoints));
        }
    }
}

inline void view_pictures(const model::Run& run) {
    const EqualWidths measure;
    static_cast<void>(figure::figure(run, nullptr, {}, measure));
    figure::FigureOptions window;
    window.size = figure::FigureSize::window;
    static_cast<void>(figure::figure(run, &run, window, measure));
    const model::Graph graph = model::graph_of(run, {});
    static_cast<void>(figure::graph_caption(run, graph));
    const figure::Box area{0, 0, 800, 600};
    const std::vector<figure::GraphCell> cells = figure::layout_graph(graph);
    figure::GraphOptions options;
    options.area = area;
    options.theme = &figure::theme(figure::ThemeName::light);
    options.measure = &measure;
    options.view = figure::fit_graph(cells, area, 1);
    static_cast<void>(figure::draw_graph(run, graph, cells, options));
    const auto last = static_cast<core::OpId>(std::min<std::size_t>(run.op_count(), 12));
    static_cast<void>(figure::draw_threads(
        run, {area, &figure::theme(figure::ThemeName::dark), &measure, 1, std::min(last, 1u), last}));
}

// The report, and one of the other views, chosen by the input's bytes: together they take ten times as long.
inline void view(const model::Run& run, std::span<const std::uint8_t> input) {
    require(!model::report_json(run).empty());
    constexpr unsigned kViews = 6;
    const std::int64_t begin = run.measure_begin_ns(), end = run.end_ns();
    switch (std::accumulate(input.begin(), input.end(), 0u) % kViews) {
        case 0:
            return view_ops(run);
        case 1:
            for (const std::int64_t ns : {begin, begin / 2 + end / 2, end, run.now_ns()}) {
                view_moment(run, ns);
            }
            return;
        case 2:
            static_cast<void>(model::time_range_summary(run, begin, end));
            static_cast<void>(model::search(run, *model::parse_query("add"), 10));
            static_cast<void>(model::without_barriers(run));
            static_cast<void>(model::without_blockers(run));
            if (run.op_count() <= kFewOps) {
                model::walk_critical_path(run, [](const model::PathPiece&) {});
            }
            return;
        case 3:
            return view_as_pair(run);
        case 4:
            return view_timeline(run, EqualWidths());
        default:
            return view_pictures(run);
    }
}

}  // namespace headway::fuzz
