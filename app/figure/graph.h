// The dependency graph as a picture. A node's column is the length of its longest chain of dependencies; nodes are
// coloured by family and shaded by their state at one moment. Thick arrows are flows of values (RAW), thin dashed ones
// order only (WAR, WAW).
//
// A node's position depends only on the nodes before it, so that nothing moves while ops are added.
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

// Position of a node: integer columns from 0, rows in steps of a half around 0.
struct GraphCell {
    float column = 0, row = 0;
    friend bool operator==(GraphCell, GraphCell) = default;
};

// One cell per node. Nodes of one column are at least one row apart.
std::vector<GraphCell> layout_graph(const model::Graph& graph);

// Converts cells to pixels.
struct GraphView {
    float zoom = 1;
    Point origin;  // the centre of cell (0, 0)
    friend bool operator==(const GraphView&, const GraphView&) = default;
};
inline constexpr float kLeastGraphZoom = 0.7F;  // below that the text is not readable

// Centres the graph in the area, as large as fits, at most at zoom 1.25. What does not fit at the least zoom is cut off
// at the left, and equally above and below.
GraphView fit_graph(std::span<const GraphCell> cells, const Box& area, float scale);

struct GraphOptions {
    Box area;  // in px; the graph is clipped to it
    const Theme* theme = nullptr;
    const TextMeasure* measure = nullptr;
    float scale = 1;
    GraphView view;
    std::int64_t now_ns = INT64_MAX;  // run time at which the nodes' states are shown
    core::OpId selected = 0, hovered = 0;
};

// The result has one box per node, in the order of the nodes.
OpsPicture draw_graph(const model::Run& run, const model::Graph& graph, std::span<const GraphCell> cells,
                      const GraphOptions& options);

// Draws the legend of states and arrows in one line that begins at x and is centred on y. Entries that would extend
// beyond `right` are left out. Returns the x at its end.
float draw_graph_legend(DisplayList& list, float x, float y, float right, const Theme& theme,
                        const TextMeasure& measure, float scale);

// "ops #41 to #80 of 1,616, minibatch 2"; followed by how many ops are left out.
std::string graph_caption(const model::Run& run, const model::Graph& graph);

// A whole page with title, legend and caption, for a file.
DisplayList graph_figure(const model::Run& run, const model::Graph& graph, const Theme& theme,
                         const TextMeasure& measure);
// Writes the graph in the format of the path's extension: .png (at `scale`), .svg or .pdf.
core::Result<void> write_graph(const std::string& path, const model::Run& run, const model::Graph& graph,
                               ThemeName theme, float scale = 2);

}  // namespace headway::figure
