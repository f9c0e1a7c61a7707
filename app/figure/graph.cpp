#include "app/figure/graph.h"

#include <algorithm>
#include <cmath>

#include "app/figure/words.h"
#include "app/render/format.h"
#include "app/render/writers.h"

namespace headway::figure {
namespace {

using model::DependencyKind;
using model::OpState;

constexpr float kNodeWidth = 104, kNodeHeight = 40, kColumn = 140, kRow = 52;

struct Extent {
    float column0 = 0, column1 = 0, row0 = 0, row1 = 0;
};

Extent extent_of(std::span<const GraphCell> cells) {
    Extent e;
    if (!cells.empty()) {
        e = {cells[0].column, cells[0].column, cells[0].row, cells[0].row};
    }
    for (const GraphCell& cell : cells) {
        e.column0 = std::min(e.column0, cell.column);
        e.column1 = std::max(e.column1, cell.column);
        e.row0 = std::min(e.row0, cell.row);
        e.row1 = std::max(e.row1, cell.row);
    }
    return e;
}

class GraphPainter {
public:
    GraphPainter(const model::Run& run, const model::Graph& graph, std::span<const GraphCell> cells,
                 const GraphOptions& options)
        : run_(run),
          graph_(graph),
          cells_(cells),
          o_(options),
          t_(*options.theme),
          unit_(options.scale * options.view.zoom) {}

    OpsPicture paint() {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const Point centre{o_.view.origin.x + cells_[i].column * kColumn * unit_,
                               o_.view.origin.y + cells_[i].row * kRow * unit_};
            const float w = kNodeWidth * unit_ / 2;
            const float h = kNodeHeight * unit_ / 2;
            out_.boxes.push_back({graph_.nodes[i].op, {centre.x - w, centre.y - h, centre.x + w, centre.y + h}});
        }
        out_.list.add(ClipPush{o_.area});
        for (std::size_t first = 0; first < graph_.edges.size();) {
            std::size_t last = first;
            while (last < graph_.edges.size() && graph_.edges[last].to == graph_.edges[first].to) {
                ++last;
            }
            draw_arrows(first, last);
            first = last;
        }
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            draw_node(i);
        }
        out_.list.add(ClipPop{});
        return std::move(out_);
    }

private:
    [[nodiscard]] float line_px(float width) const { return width * o_.scale * t_.line_scale; }

    // Draws edges [first, last), which all end at one node. Their ends are spread over its left side, ordered by the
    // row that they come from.
    void draw_arrows(std::size_t first, std::size_t last) {
        std::vector<model::GraphEdge> edges(graph_.edges.begin() + static_cast<std::ptrdiff_t>(first),
                                            graph_.edges.begin() + static_cast<std::ptrdiff_t>(last));
        std::stable_sort(edges.begin(), edges.end(),
                         [this](const auto& a, const auto& b) { return cells_[a.from].row < cells_[b.from].row; });
        const Box& to = out_.boxes[edges.front().to].box;
        const auto n = static_cast<float>(edges.size());
        const float pitch = std::min(9 * unit_, to.height() * 0.7F / n);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const model::GraphEdge& edge = edges[i];
            const Box& from = out_.boxes[edge.from].box;
            const Point a{from.x1, (from.y0 + from.y1) / 2};
            const Point b{to.x0 - line_px(1), (to.y0 + to.y1) / 2 + (static_cast<float>(i) - (n - 1) / 2) * pitch};
            const float bend = std::min((b.x - a.x) * 0.5F, kColumn * unit_ * 0.8F);
            const bool raw = edge.kind == DependencyKind::read_after_write;
            const core::OpId ends[] = {graph_.nodes[edge.from].op, graph_.nodes[edge.to].op};
            const bool marked = std::any_of(std::begin(ends), std::end(ends), [this](core::OpId op) {
                return op == o_.hovered || (o_.hovered == 0 && op == o_.selected);
            });
            const Rgba colour = marked ? t_.text : raw ? mixed(t_.background, t_.dim, 0.85) : t_.faint;
            out_.list.add(Arrow{{a, Point{a.x + bend, a.y}, Point{b.x - bend, b.y}, b},
                                colour,
                                line_px(raw ? 2.2F : 1),
                                raw ? 0 : 4 * o_.scale,
                                raw ? 0 : 3 * o_.scale,
                                (raw ? 8 : 6) * unit_});
        }
    }

    void draw_node(std::size_t i) {
        const model::GraphNode& node = graph_.nodes[i];
        const Box& box = out_.boxes[i].box;
        const model::Op& op = run_.op(node.op);
        const model::Signature& signature = run_.signature(op.signature);
        const Rgba family = t_.family(signature.family);
        const OpState state = model::state_at(run_, node.op, o_.now_ns);
        const float radius = 7 * unit_;
        Rgba fill = mixed(t_.background, family, 0.12);
        Rgba border = family;
        Rgba words = t_.text;
        float border_px = line_px(2);
        switch (state) {
            case OpState::not_issued:
                fill = t_.background;
                border = t_.border;
                words = t_.faint;
                border_px = line_px(1);
                break;
            case OpState::issued:
                break;
            case OpState::running:
            case OpState::done:
                fill = family;
                words = t_.on(signature.family);
                break;
            case OpState::failed:
                fill = border = t_.warning;
                words = rgb(0xFFFFFF);
                break;
        }
        if (node.context) {  // context nodes are paler
            fill = mixed(t_.background, fill, 0.35);
            border = mixed(t_.background, border, 0.45);
            words = t_.dim;
            border_px = line_px(1);
        }
        const auto ring = [&](float away, float width, Rgba colour) {
            const float d = away * o_.scale;
            out_.list.add(
                Rect{{box.x0 - d, box.y0 - d, box.x1 + d, box.y1 + d}, Rgba{0, 0, 0, 0}, radius + d, colour, width});
        };
        if (state == OpState::running && !node.context) {
            ring(4, line_px(2), family);  // a halo, separated by a gap
        }
        if (node.op == o_.selected || node.op == o_.hovered) {
            ring(state == OpState::running ? 7 : 3, line_px(2), t_.text);
        }
        out_.list.add(Rect{box, fill, radius, border, border_px});
        const float room = box.width() - 10 * unit_;
        const float name_px = 13 * unit_;
        const float place_px = 10.5F * unit_;
        const float x = (box.x0 + box.x1) / 2;
        const auto text = [&](float y, const std::string& what, float size, FontRole role) {
            const std::string fit = shortened(what, room, role, size, *o_.measure);
            if (!fit.empty()) {
                out_.list.add(Text{{x, y}, fit, words, size, role, Anchor::middle});
            }
        };
        text(box.y0 + 17.5F * unit_, state == OpState::failed ? signature.name + " failed" : signature.name, name_px,
             FontRole::ui_semibold);
        std::string place = "#" + count_text(node.op);
        if (core::number_of(op.line) != 0) {
            place += " line " + std::to_string(core::number_of(op.line));
        }
        text(box.y0 + 31.5F * unit_, place, place_px, FontRole::ui);
    }

    const model::Run& run_;
    const model::Graph& graph_;
    std::span<const GraphCell> cells_;
    const GraphOptions& o_;
    const Theme& t_;
    float unit_;
    OpsPicture out_;
};

}  // namespace

GraphView fit_graph(std::span<const GraphCell> cells, const Box& area, float scale) {
    const Extent e = extent_of(cells);
    constexpr float kEdge = 12;  // room for the rings around nodes
    const float width = ((e.column1 - e.column0) * kColumn + kNodeWidth + 2 * kEdge) * scale;
    const float height = ((e.row1 - e.row0) * kRow + kNodeHeight + 2 * kEdge) * scale;
    GraphView view;
    view.zoom = std::clamp(std::min(area.width() / width, area.height() / height), kLeastGraphZoom, 1.25F);
    const float unit = scale * view.zoom;
    const float room = area.width() - width * view.zoom;
    // Left-aligned if everything fits, else with the newest node at the right edge.
    const float left = room >= 0 ? area.x0 + std::min(room / 2, 40 * scale) : area.x0 + room;
    view.origin.x = left + (kEdge + kNodeWidth / 2 - e.column0 * kColumn) * unit;
    view.origin.y = (area.y0 + area.y1) / 2 - (e.row0 + e.row1) / 2 * kRow * unit;
    return view;
}

OpsPicture draw_graph(const model::Run& run, const model::Graph& graph, std::span<const GraphCell> cells,
                      const GraphOptions& options) {
    return GraphPainter(run, graph, cells, options).paint();
}

float draw_graph_legend(DisplayList& list, float x, float y, float right, const Theme& theme,
                        const TextMeasure& measure, float scale) {
    const float size = 12 * scale;
    const Rgba family = theme.family(devices::Family::elementwise);
    const float swatch = 20 * scale;
    const auto entry = [&](const char* words, auto draw) {
        const float width = swatch + 6 * scale + measure.width(FontRole::ui, size, words);
        if (x + width > right) {
            return;
        }
        draw(Box{x, y - 6 * scale, x + swatch, y + 6 * scale});
        list.add(Text{{x + swatch + 6 * scale, y + size * kCapHeightEm / 2}, words, theme.dim, size, FontRole::ui});
        x += width + 16 * scale;
    };
    const float line = scale * theme.line_scale;
    const auto box = [&](Rgba fill, Rgba border, float width) {
        return [&list, fill, border, width, scale](Box b) { list.add(Rect{b, fill, 3 * scale, border, width}); };
    };
    entry("issued", box(mixed(theme.background, family, 0.12), family, 2 * line));
    entry("running", [&](Box b) {
        list.add(Rect{{b.x0 + 3 * scale, b.y0 + 3 * scale, b.x1 - 3 * scale, b.y1 - 3 * scale}, family, 1.5F * scale});
        list.add(Rect{b, Rgba{0, 0, 0, 0}, 3 * scale, family, 1.5F * line});
    });
    entry("done", box(family, family, 0));
    const auto arrow = [&](float width, float dash, Rgba colour, float head) {
        return [&list, width, dash, colour, head, scale](Box b) {
            const float middle = (b.y0 + b.y1) / 2;
            list.add(Arrow{{Point{b.x0, middle}, Point{b.x0 + 6 * scale, middle}, Point{b.x1 - 6 * scale, middle},
                            Point{b.x1, middle}},
                           colour,
                           width,
                           dash,
                           dash * 0.75F,
                           head * scale});
        };
    };
    entry("reads its result (RAW)", arrow(2.2F * line, 0, mixed(theme.background, theme.dim, 0.85), 7));
    entry("overwrites what it used (WAR, WAW)", arrow(line, 4 * scale, theme.faint, 6));
    return x;
}

std::string graph_caption(const model::Run& run, const model::Graph& graph) {
    if (graph.empty()) {
        return "no ops yet";
    }
    const auto named = [](core::OpId op) { return "#" + count_text(op); };
    std::string text = graph.first == graph.last ? "op " + named(graph.first)
                                                 : "ops " + named(graph.first) + " to " + named(graph.last);
    text += " of " + count_text(run.op_count());
    if (graph.minibatch >= 0) {
        text += ", minibatch " + count_text(static_cast<std::uint64_t>(
                                     std::max(0, run.minibatches()[static_cast<std::size_t>(graph.minibatch)].index)));
    }
    const std::uint64_t before = graph.first - 1;
    const std::uint64_t after = run.op_count() - graph.last;
    if (before + after > 0) {
        text += "; " + (before > 0 ? count_text(before) + " earlier" : std::string());
        text += before > 0 && after > 0 ? " and " : "";
        text += (after > 0 ? count_text(after) + " later" : std::string()) +
                (before + after == 1 ? " is not shown" : " are not shown");
    }
    if (graph.context_hidden > 0) {
        text += "; it also follows " + count_text(graph.context_hidden) + " of those";
    }
    return text;
}

DisplayList graph_figure(const model::Run& run, const model::Graph& graph, const Theme& theme,
                         const TextMeasure& measure) {
    constexpr float kMargin = 40, kTop = 96, kBottom = 64, kLeast = 620;
    const auto cells = layout_graph(graph);
    const Extent e = extent_of(cells);
    const float graph_width = (e.column1 - e.column0) * kColumn + kNodeWidth;
    const float graph_height = (e.row1 - e.row0) * kRow + kNodeHeight;
    DisplayList list;
    list.width_px = std::max(kLeast, std::ceil(graph_width) + 2 * kMargin);
    list.height_px = std::ceil(kTop + graph_height + kBottom);
    list.add(Rect{{0, 0, list.width_px, list.height_px}, theme.background});
    const float room = list.width_px - 2 * kMargin;
    const auto line = [&](float y, const std::string& words, Rgba colour, float size, FontRole role) {
        list.add(Text{{kMargin, y}, shortened(words, room, role, size, measure), colour, size, role});
    };
    const std::string& title = run.info().title.empty() ? run.info().program : run.info().title;
    line(38, "What each op had to follow" + (title.empty() ? "" : ": " + title), theme.text, 20, FontRole::ui_bold);
    line(62, (run.info().simulated ? "SIMULATED; " : "") + graph_caption(run, graph),
         run.info().simulated ? theme.warning : theme.dim, 14, FontRole::ui);
    GraphOptions options;
    options.area = {0, kTop - 12, list.width_px, kTop + graph_height + 12};
    options.theme = &theme;
    options.measure = &measure;
    options.view.origin = {kMargin + (room - graph_width) / 2 + kNodeWidth / 2 - e.column0 * kColumn,
                           kTop + kNodeHeight / 2 - e.row0 * kRow};
    const OpsPicture picture = draw_graph(run, graph, cells, options);
    list.items.insert(list.items.end(), picture.list.items.begin(), picture.list.items.end());
    draw_graph_legend(list, kMargin, list.height_px - 24, list.width_px - kMargin, theme, measure, 1);
    return list;
}

}  // namespace headway::figure
