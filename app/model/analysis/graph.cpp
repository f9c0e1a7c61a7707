#include "app/model/analysis/graph.h"

#include <algorithm>
#include <unordered_map>

#include "app/model/run/queries.h"

namespace headway::model {

namespace {

constexpr OpId kFarthestLook = 200'000;  // how many ops to search backwards for a line's last op

bool is_of_line(const Run& run, OpId id, std::uint32_t line) {
    return core::number_of(run.op(id).line) == line;
}

// The last op of the line at or before `id`; 0 if there is none within kFarthestLook ops.
OpId last_of_line(const Run& run, OpId id, std::uint32_t line) {
    const OpId stop = id > kFarthestLook ? id - kFarthestLook : 0;
    for (; id > stop; --id) {
        if (is_of_line(run, id, line)) {
            return id;
        }
    }
    return 0;
}

}  // namespace

Graph graph_of(const Run& run, const GraphChoice& choice) {
    Graph graph;
    const auto count = static_cast<OpId>(run.op_count());
    OpId anchor = choice.anchor == 0 ? count : std::min(choice.anchor, count);
    if (choice.line != 0 && anchor != 0) {
        anchor = last_of_line(run, anchor, choice.line);
    }
    if (anchor == 0) {
        return graph;
    }
    // Pages of `most` ops each, counted from the first op of the minibatch or the run. A page also ends where its
    // minibatch or the line's run of consecutive ops ends; in an ended run the ops before it then fill the page.
    const auto most = static_cast<OpId>(std::max<std::size_t>(1, choice.most));
    const std::int32_t minibatch = run.op(anchor).minibatch;
    const OpId origin = minibatch >= 0 ? run.minibatches()[static_cast<std::size_t>(minibatch)].first : 1;
    OpId page_first = origin + (anchor - origin) / most * most;
    OpId page_last = std::min(count, page_first + most - 1);
    const auto belongs = [&](OpId id) {
        return !run.is_folded(id) && run.op(id).minibatch == minibatch &&
               (choice.line == 0 || is_of_line(run, id, choice.line));
    };
    if (choice.ended) {
        OpId last = anchor;
        while (last < count && last - anchor < most && belongs(last + 1)) {
            ++last;
        }
        if (last - anchor < most) {  // among the last ops
            page_first = last >= most ? last - most + 1 : 1;
            page_last = last;
        }
    }
    graph.first = graph.last = anchor;
    while (graph.first > page_first && belongs(graph.first - 1)) {
        --graph.first;
    }
    while (graph.last < page_last && belongs(graph.last + 1)) {
        ++graph.last;
    }
    graph.minibatch = choice.line == 0 ? minibatch : -1;
    graph.with_context = graph.first > 1;

    const std::size_t most_context = std::max<std::size_t>(4, choice.most / 4);
    std::size_t context = 0;
    std::unordered_map<OpId, std::uint32_t> index;
    constexpr std::uint32_t kHidden = ~std::uint32_t{0};
    for (OpId id = graph.first; id <= graph.last; ++id) {
        const auto needed = run.dependencies_with_reasons(id);
        for (const Dependency& dependency : needed) {
            if (dependency.op >= graph.first || index.contains(dependency.op)) {
                continue;
            }
            if (context == most_context) {
                index[dependency.op] = kHidden;
                ++graph.context_hidden;
                continue;
            }
            ++context;
            index[dependency.op] = static_cast<std::uint32_t>(graph.nodes.size());
            graph.nodes.push_back({dependency.op, true});
        }
        const auto own = static_cast<std::uint32_t>(graph.nodes.size());
        index[id] = own;
        graph.nodes.push_back({id, false});
        for (const Dependency& dependency : needed) {
            if (const std::uint32_t from = index[dependency.op]; from != kHidden && from < own) {
                graph.edges.push_back({from, own, dependency.kind});
            }
        }
    }
    return graph;
}

OpState state_at(const Run& run, OpId id, std::int64_t ns) {
    const Op& op = run.op(id);
    if (op.begin_ns != kPending && op.begin_ns <= ns) {
        return op.end_ns > ns ? OpState::running : op.failed ? OpState::failed : OpState::done;
    }
    return op.issue_end_ns <= ns ? OpState::issued : OpState::not_issued;
}

OpId op_of_moment(const Run& run, std::int64_t ns) {
    OpId newest = 0;
    for (const Lane& lane : run.lanes()) {
        const auto after = std::upper_bound(lane.ops.begin(), lane.ops.end(), ns,
                                            [&run](std::int64_t t, OpId id) { return t < run.op(id).begin_ns; });
        if (after != lane.ops.begin()) {
            newest = std::max(newest, *(after - 1));
        }
    }
    if (newest != 0) {
        return newest;
    }
    return last_issued_at(run, ns);
}

}  // namespace headway::model
