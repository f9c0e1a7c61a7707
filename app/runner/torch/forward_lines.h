// The lines that made the nodes of autograd's graph, so that an op of a backward pass can name the line of its forward
// op.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "app/runner/torch/torch_host.h"

namespace headway::torch_module {

class ForwardLines {
public:
    // The line that the program is in has made this node. Only the first call for a node counts: later ops may make
    // none.
    void made(GraphNode node, std::uint32_t line) {
        if (node.number == 0) {
            return;
        }
        std::vector<Made>& nodes = nodes_[node.thread];
        const std::size_t at = node.number % kMost;
        if (at >= nodes.size()) {
            nodes.resize(std::min(std::max(at + 1, 2 * nodes.size()), kMost));
        }
        if (nodes[at].number != node.number) {
            nodes[at] = {node.number, line};
        }
    }
    // 0 if it is unknown: no node, or one of very long ago.
    [[nodiscard]] std::uint32_t of(GraphNode node) const {
        const auto found = node.number != 0 ? nodes_.find(node.thread) : nodes_.end();
        const std::size_t at = node.number % kMost;
        return found != nodes_.end() && at < found->second.size() && found->second[at].number == node.number
                   ? found->second[at].line
                   : 0;
    }

private:
    static constexpr std::size_t kMost = std::size_t{1} << 20;  // of each thread: 16 MiB
    struct Made {
        std::uint64_t number = 0;
        std::uint32_t line = 0;
    };
    std::unordered_map<std::uint64_t, std::vector<Made>> nodes_;  // by thread
};

}  // namespace headway::torch_module
