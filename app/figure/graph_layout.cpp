// Places the nodes of a dependency graph one after the other, each near its dependencies and without looking ahead.
#include <algorithm>
#include <cmath>

#include "app/figure/graph.h"

namespace headway::figure {
namespace {

class Layout {
public:
    explicit Layout(const model::Graph& graph) : graph_(graph) {}

    std::vector<GraphCell> build() {
        std::size_t edge = 0;
        for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) {
            sources_.clear();
            for (; edge < graph_.edges.size() && graph_.edges[edge].to == node; ++edge) {
                sources_.push_back(graph_.edges[edge].from);
            }
            // Column 0 is reserved for context nodes, from before the ops shown.
            float column = graph_.nodes[node].context || !graph_.with_context ? 0 : 1;
            for (const std::uint32_t from : sources_) {
                column = std::max(column, cells_[from].column + 1);
            }
            cells_.push_back({column, row_for(column)});
            for (const std::uint32_t from : sources_) {
                arrows_.emplace_back(from, node);
            }
        }
        return std::move(cells_);
    }

private:
    // The free row of least cost: close to the sources and without arrows across nodes.
    [[nodiscard]] float row_for(float column) const {
        float wanted = 0;
        for (const std::uint32_t from : sources_) {
            wanted += cells_[from].row;
        }
        if (!sources_.empty()) {
            wanted = std::round(2 * wanted / static_cast<float>(sources_.size())) / 2;
        }
        float best = 0;
        float least = INFINITY;
        const int reach = 2 * static_cast<int>(graph_.nodes.size()) + 2;
        for (int step = 0; step <= 2 * reach; ++step) {  // offsets 0, +½, -½, +1, -1 … from the wanted row
            const float away = 0.5F * static_cast<float>((step + 1) / 2);
            if (away > least) {
                break;  // the cost is at least `away`
            }
            const float row = wanted + (step % 2 == 1 ? away : -away);
            if (!is_free(column, row)) {
                continue;
            }
            const float cost = away + crossings(column, row) + std::abs(row) * 0.08F;
            if (cost < least) {
                least = cost;
                best = row;
            }
        }
        return best;
    }

    [[nodiscard]] bool is_free(float column, float row) const {
        return std::none_of(cells_.begin(), cells_.end(), [&](const GraphCell& cell) {
            return cell.column == column && std::abs(cell.row - row) < 1;
        });
    }

    // Number of overlaps of nodes with arrows if the node were placed here.
    [[nodiscard]] float crossings(float column, float row) const {
        int count = 0;
        const auto passes = [](const GraphCell& from, const GraphCell& to, const GraphCell& node) {
            if (node.column <= from.column || node.column >= to.column) {
                return false;
            }
            const float share = (node.column - from.column) / (to.column - from.column);
            return std::abs(from.row + (to.row - from.row) * share - node.row) < 0.45F;
        };
        const GraphCell here{column, row};
        for (const std::uint32_t from : sources_) {
            if (column - cells_[from].column < 2) {
                continue;
            }
            for (const GraphCell& node : cells_) {
                count += passes(cells_[from], here, node) ? 1 : 0;
            }
        }
        for (const auto& [from, to] : arrows_) {
            count += passes(cells_[from], cells_[to], here) ? 1 : 0;
        }
        return static_cast<float>(count);
    }

    const model::Graph& graph_;
    std::vector<GraphCell> cells_;
    std::vector<std::uint32_t> sources_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arrows_;
};

}  // namespace

std::vector<GraphCell> layout_graph(const model::Graph& graph) {
    return Layout(graph).build();
}

}  // namespace headway::figure
