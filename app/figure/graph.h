// The dependency graph as a picture: columns by how many ops had to come before, nodes coloured by family and lit by
// how far they were at one moment, thick arrows where values flow (RAW), thin dashed ones where only the order counts
// (WAR, WAW).
//
// A node's place depends on the nodes before it alone, so that nothing moves while ops are added.
//
// Threads: any that may read the run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/model/analysis/graph.h"
#include "app/render/theme.h"
#include "app/timeline/ops_picture.h"
#include "engine/core/result.h"

namespace headway::figure {

// Where a node stands: whole columns from 0, rows in halves around 0.
struct GraphCell {
    float column = 0, row = 0;
    friend bool operator==(GraphCell, GraphCell) = default;
};

// One cell per node. No two nodes of a column are less than a row apart.
std::vector<GraphCell> layout_graph(const model::Graph& graph);

// Pixels from cells.
struct GraphView {
    float zoom = 1;
    Point origin;  // the centre of cell (0, 0)
    friend bool operator==(const GraphView&, const GraphView&) = default;
};
inline constexpr float kLeastGraphZoom = 0.7F;  // below that nobody can read it

// Everything in the middle of the area, as large as fits, at most at zoom 1.25. What does not fit at the least zoom
// reaches out at the left, and above and below alike.
GraphView fit_graph(std::span<const GraphCell> cells, const Box& area, float scale);

struct GraphOptions {
    Box area;  // in px; what lies outside is cut
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    GraphView view;
    std::int64_t now_ns = INT64_MAX;  // of the run: nodes show how far they were then
    core::OpId selected = 0, hovered = 0;
};

// One box per node, in the order of the nodes.
OpsPicture draw_graph(const model::Run& run, const model::Graph& graph, std::span<const GraphCell> cells,
                      const GraphOptions& options);

// What the states and arrows mean, in one line from (x, y) on, `y` its middle; entries that would reach beyond `right`
// are left out. Returns where it ends.
float draw_graph_legend(DisplayList& list, float x, float y, float right, const Theme& theme,
                        const TextMeasure& measure, float scale);

// "ops #41 to #80 of 1,616, minibatch 2"; what is left out, said as counts.
std::string graph_caption(const model::Run& run, const model::Graph& graph);

// The whole page with a title, a legend and a caption, for a file.
DisplayList graph_figure(const model::Run& run, const model::Graph& graph, const Theme& theme,
                         const TextMeasure& measure);
// As the path's extension says: .png (at `scale`), .svg or .pdf.
core::Result<void> write_graph(const std::string& path, const model::Run& run, const model::Graph& graph,
                               ThemeName theme, float scale = 2);

}  // namespace headway::figure
