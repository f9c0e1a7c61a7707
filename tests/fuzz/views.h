// Everything that the window, the reports and the figures show of a run, computed once: no input may make it fail.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/graph.h"
#include "app/figure/threads.h"
#include "app/model/analysis/graph.h"
#include "app/model/analysis/idle.h"
#include "app/model/analysis/memory/alive.h"
#include "app/model/analysis/search.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/moment/moment.h"
#include "app/model/replay/what_if.h"
#include "app/model/report/report.h"
#include "tests/fuzz/require.h"

namespace headway::fuzz {

class EqualWidths : public figure::TextMeasure {
public:
    [[nodiscard]] float width(figure::FontRole, float size_px, std::string_view text) const override {
        return 0.5F * size_px * static_cast<float>(text.size());
    }
};

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
    }
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
    }
    for (std::size_t wait = 0; wait < run.waits().size() && wait < 20; ++wait) {
        if (!run.is_folded_wait(wait)) {
            static_cast<void>(model::wait_details(run, wait));
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

inline void view(const model::Run& run) {
    require(!model::report_json(run).empty());
    view_ops(run);
    const std::int64_t begin = run.measure_begin_ns(), end = run.end_ns();
    for (const std::int64_t ns : {begin, begin / 2 + end / 2, end, run.now_ns()}) {
        view_moment(run, ns);
    }
    static_cast<void>(model::time_range_summary(run, begin, end));
    static_cast<void>(model::search(run, *model::parse_query("add"), 10));
    static_cast<void>(model::without_barriers(run));
    static_cast<void>(model::without_blockers(run));
    view_pictures(run);
}

}  // namespace headway::fuzz
