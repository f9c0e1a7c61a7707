// The dependency graph of one page of ops: consecutive ops and their dependencies. Computed from the trace alone.
//
// A page is a range of consecutive ops: a minibatch, what one line issued in a row, or a fixed number of ops. In a
// live run it depends only on the ops before its end: while more ops are issued, nodes are only appended and existing
// ones do not move. In an ended run the last page is as full as the others.
//
// Threads: one; the run must not be updated at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

struct GraphChoice {
    OpId anchor = 0;  // the page that contains this op; 0: the last one issued
    // A line number: only the ops that this line issued in a row, at or before the anchor; 0: all lines.
    std::uint32_t line = 0;
    std::size_t most = 40;  // largest number of ops in a page
    bool ended = false;     // no op will be added to the run
};

struct GraphNode {
    OpId op = 0;
    bool context = false;  // from before the page, included because the page depends on it
    friend bool operator==(const GraphNode&, const GraphNode&) = default;
};

struct GraphEdge {
    std::uint32_t from = 0, to = 0;  // indices of nodes; from < to
    DependencyKind kind = DependencyKind::read_after_write;
    friend bool operator==(const GraphEdge&, const GraphEdge&) = default;
};

struct Graph {
    OpId first = 0, last = 0;          // the page's ops; 0: empty
    std::int32_t minibatch = -1;       // index into Run::minibatches(), if the page belongs to one
    bool with_context = false;         // context nodes are possible: not the run's first page
    std::vector<GraphNode> nodes;      // each before all that depend on it; new ops are appended
    std::vector<GraphEdge> edges;      // ordered by `to`
    std::uint64_t context_hidden = 0;  // earlier ops that the page depends on and that are not included

    [[nodiscard]] bool empty() const { return first == 0; }
};

Graph graph_of(const Run& run, const GraphChoice& choice);

// The state of an op at one time of the run.
enum class OpState : std::uint8_t { not_issued, issued, running, done, failed };
OpState state_at(const Run& run, OpId op, std::int64_t ns);

// The op to highlight at a given time: the last one started, else the last one issued; 0: none.
OpId op_of_moment(const Run& run, std::int64_t ns);

}  // namespace headway::model
