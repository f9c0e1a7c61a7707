// The dependency graph of a page of ops: what was issued together, and what each op had to follow. From the trace
// alone.
//
// A page is a stretch of neighbouring ops (a minibatch, what one line issued in one go, or so many in a row) that is
// fixed by the ops before its end: while more are issued it grows at its end only, and nothing in it changes place.
//
// Threads: one; the run must not be updated meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/run/run.h"

namespace headway::model {

struct GraphChoice {
    OpId anchor = 0;         // the op whose page it is; 0: the last one issued
    std::uint32_t line = 0;  // a line's number: the page holds what this line issued in one go, at or before the
                             // anchor; 0: all lines
    std::size_t most = 40;   // ops of the page
};

struct GraphNode {
    OpId op = 0;
    bool context = false;  // from before the page, shown because the page depends on it
    friend bool operator==(const GraphNode&, const GraphNode&) = default;
};

struct GraphEdge {
    std::uint32_t from = 0, to = 0;  // indices of nodes; from < to
    DependencyKind kind = DependencyKind::read_after_write;
    friend bool operator==(const GraphEdge&, const GraphEdge&) = default;
};

struct Graph {
    OpId first = 0, last = 0;          // the page; 0: there is nothing
    std::int32_t minibatch = -1;       // index into Run::minibatches(), where the page is of one
    bool with_context = false;         // there may be context nodes: it is not the run's first page
    std::vector<GraphNode> nodes;      // each before all that depend on it; ops that are added come at the end
    std::vector<GraphEdge> edges;      // ordered by `to`
    std::uint64_t context_hidden = 0;  // ops from before that are needed and not shown

    [[nodiscard]] bool empty() const { return first == 0; }
};

Graph graph_of(const Run& run, const GraphChoice& choice);

// How far an op was at one moment of the run.
enum class OpState : std::uint8_t { not_issued, issued, running, done, failed };
OpState state_at(const Run& run, OpId op, std::int64_t ns);

// The op that the eye is on at a moment: the newest that had started, else the newest that was issued; 0: none.
OpId op_of_moment(const Run& run, std::int64_t ns);

}  // namespace headway::model
