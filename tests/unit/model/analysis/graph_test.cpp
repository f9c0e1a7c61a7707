#include "app/model/analysis/graph.h"

#include <gtest/gtest.h>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

using enum DependencyKind;

// x = 1, y = 1, m = x*y, z = m+2, at lines 1 to 3; each takes 2 to issue and 10 to run.
struct Product {
    RecordingBuilder builder;
    Product() {
        const auto add = [&](BufferId out, BufferId in0, BufferId in1, std::uint32_t line) {
            const std::int64_t at = 2 * builder.issued();
            builder.issue({at, at + 2, 0, out, in0, in1, true, 0, core::make_line(1, line)});
        };
        add(1, 0, 0, 1);
        add(2, 0, 0, 2);
        add(3, 1, 2, 3);
        add(4, 3, 0, 3);
        for (OpId id = 1; id <= 4; ++id) {
            builder.exec(0, id, 10 * id, 10 * id + 10);
        }
    }
};

TEST(Graph, MatchesTheChaptersFigure) {
    Product product;
    const auto run = product.builder.read();
    const Graph graph = graph_of(*run, {});
    EXPECT_EQ(graph.first, 1u);
    EXPECT_EQ(graph.last, 4u);
    EXPECT_FALSE(graph.with_context);
    EXPECT_EQ(graph.nodes, (std::vector<GraphNode>{{1}, {2}, {3}, {4}}));
    EXPECT_EQ(graph.edges,
              (std::vector<GraphEdge>{{0, 2, read_after_write}, {1, 2, read_after_write}, {2, 3, read_after_write}}));
}

TEST(Graph, NamesTheReasonOfEachDependency) {
    RecordingBuilder builder;
    builder.issue({0, 1, 0, 1, 0, 0, true});               // #1 makes buffer 1
    builder.issue({1, 2, 0, 2, 1, 0, true});               // #2 reads it
    builder.issue({2, 3, 0, 1, 0, 0, false});              // #3 overwrites it without reading
    builder.issue({3, 4, 0, 1, 0, 0, false, 0, 0, true});  // #4 adds to it in place
    const auto run = builder.read();
    EXPECT_EQ(run->dependencies_with_reasons(2), (std::vector<Dependency>{{1, read_after_write}}));
    EXPECT_EQ(run->dependencies_with_reasons(3),
              (std::vector<Dependency>{{1, write_after_write}, {2, write_after_read}}));
    EXPECT_EQ(run->dependencies_with_reasons(4), (std::vector<Dependency>{{3, read_after_write}}));
    EXPECT_TRUE(run->dependencies_with_reasons(0).empty());
    EXPECT_TRUE(run->dependencies_with_reasons(99).empty());
}

TEST(Graph, ReasonsCoverTheSameOpsAsDependencies) {
    RecordingBuilder builder;
    RandomProgram program(builder, 7, 3);
    for (int i = 0; i < 400; ++i) {
        program.step();
    }
    program.end();
    const auto run = builder.read();
    for (OpId id = 1; id <= run->op_count(); ++id) {
        std::vector<OpId> ops;
        for (const Dependency& d : run->dependencies_with_reasons(id)) {
            ops.push_back(d.op);
        }
        EXPECT_EQ(ops, run->dependencies(id)) << id;
        EXPECT_EQ(ops, program.dependencies(id)) << id;
    }
}

TEST(Graph, GrowsAtItsEndOnly) {
    RecordingBuilder builder;
    RandomProgram program(builder, 3, 2);
    auto run = builder.open();
    Graph before;
    for (int i = 0; i < 200; ++i) {
        program.step();
        run->update();
        if (run->op_count() == 0) {
            continue;
        }
        const Graph graph = graph_of(*run, {static_cast<OpId>(run->op_count()), 0, 16});
        ASSERT_LE(graph.last - graph.first + 1, 16u);
        if (graph.first == before.first) {
            ASSERT_LE(before.nodes.size(), graph.nodes.size());
            ASSERT_TRUE(std::equal(before.nodes.begin(), before.nodes.end(), graph.nodes.begin()));
            ASSERT_TRUE(std::equal(before.edges.begin(), before.edges.end(), graph.edges.begin()));
        }
        for (const GraphEdge& edge : graph.edges) {
            ASSERT_LT(edge.from, edge.to);
        }
        before = graph;
    }
}

TEST(Graph, PagesAreTheSameForAllTheirOps) {
    RecordingBuilder builder;
    for (int i = 0; i < 100; ++i) {
        builder.issue({i, i + 1, 0, static_cast<BufferId>(i + 1), static_cast<BufferId>(i), 0, true});
    }
    const auto run = builder.read();
    const Graph page = graph_of(*run, {45, 0, 40});
    EXPECT_EQ(page.first, 41u);
    EXPECT_EQ(page.last, 80u);
    EXPECT_TRUE(page.with_context);
    EXPECT_EQ(page.nodes.front(), (GraphNode{40, true}));  // dependency of #41
    EXPECT_EQ(page.nodes.size(), 41u);
    for (OpId anchor = 41; anchor <= 80; ++anchor) {
        EXPECT_EQ(graph_of(*run, {anchor, 0, 40}).nodes, page.nodes);
    }
    EXPECT_EQ(graph_of(*run, {0, 0, 40}).first, 81u);  // the last one
}

TEST(Graph, TheLastPageOfAnEndedRunIsFull) {
    RecordingBuilder builder;
    for (int i = 0; i < 121; ++i) {
        builder.issue({i, i + 1, 0, static_cast<BufferId>(i + 1), static_cast<BufferId>(i), 0, true});
    }
    const auto run = builder.read();
    const auto page_of = [&run](OpId anchor, std::size_t most, bool ended) {
        const Graph graph = graph_of(*run, {anchor, 0, most, ended});
        return std::pair(graph.first, graph.last);
    };
    EXPECT_EQ(page_of(0, 40, false), std::pair(OpId{121}, OpId{121}));
    for (OpId anchor = 82; anchor <= 121; ++anchor) {  // a click on any of its ops moves nothing
        EXPECT_EQ(page_of(anchor, 40, true), std::pair(OpId{82}, OpId{121})) << anchor;
    }
    EXPECT_EQ(page_of(81, 40, true), std::pair(OpId{81}, OpId{120}));
    EXPECT_EQ(page_of(40, 40, true), std::pair(OpId{1}, OpId{40}));
    EXPECT_EQ(page_of(0, 200, true), std::pair(OpId{1}, OpId{121}));
}

TEST(Graph, ContextIsBounded) {
    RecordingBuilder builder;
    for (int i = 0; i < 40; ++i) {
        builder.issue({i, i + 1, 0, static_cast<BufferId>(i + 1), 0, 0, true});
    }
    for (int i = 0; i < 40; ++i) {
        builder.issue({40 + i, 41 + i, 0, static_cast<BufferId>(i + 41), static_cast<BufferId>(i + 1), 0, true});
    }
    const auto run = builder.read();
    const Graph graph = graph_of(*run, {0, 0, 40});
    EXPECT_EQ(graph.nodes.size(), 50u);
    EXPECT_EQ(graph.context_hidden, 30u);
}

TEST(Graph, AMinibatchIsAPage) {
    RecordingBuilder builder;
    builder.issue({0, 1, 0, 1, 0, 0, true});
    for (std::uint32_t batch = 0; batch < 3; ++batch) {
        builder.mark(trace::FrontendKind::minibatch_begin, 10 * batch + 5, batch);
        for (int i = 0; i < 3; ++i) {
            builder.issue({10 * batch + 6 + i, 10 * batch + 7 + i, 0, builder.issued() + 1, 1, 0, true});
        }
        builder.mark(trace::FrontendKind::minibatch_end, 10 * batch + 9, batch);
    }
    const auto run = builder.read();
    const Graph graph = graph_of(*run, {6, 0, 40});
    EXPECT_EQ(graph.first, 5u);
    EXPECT_EQ(graph.last, 7u);
    EXPECT_EQ(graph.minibatch, 1);
    EXPECT_EQ(graph_of(*run, {7, 0, 2, true}).first, 6u);  // filled from the same minibatch
    EXPECT_EQ(graph_of(*run, {5, 0, 2, true}).last, 6u);
    EXPECT_EQ(graph_of(*run, {1, 0, 40}).last, 1u);  // before the first one
}

TEST(Graph, OfALineHoldsConsecutiveOpsOfThatLine) {
    Product product;
    const auto run = product.builder.read();
    const Graph graph = graph_of(*run, {0, 3, 40});
    EXPECT_EQ(graph.first, 3u);
    EXPECT_EQ(graph.last, 4u);
    EXPECT_EQ(graph.nodes, (std::vector<GraphNode>{{1, true}, {2, true}, {3}, {4}}));
    EXPECT_TRUE(graph_of(*run, {0, 9, 40}).empty());
    EXPECT_TRUE(graph_of(*run, {1, 3, 40}).empty());  // not yet
}

TEST(Graph, OfNothingIsEmpty) {
    RecordingBuilder builder;
    EXPECT_TRUE(graph_of(*builder.read(), {}).empty());
    EXPECT_EQ(op_of_moment(*builder.read(), 5), 0u);
}

TEST(Graph, StatesFollowTheMoment) {
    Product product;
    const auto run = product.builder.read();
    EXPECT_EQ(state_at(*run, 2, 1), OpState::not_issued);
    EXPECT_EQ(state_at(*run, 2, 5), OpState::issued);
    EXPECT_EQ(state_at(*run, 2, 20), OpState::running);
    EXPECT_EQ(state_at(*run, 2, 30), OpState::done);
    EXPECT_EQ(op_of_moment(*run, 5), 3u);   // nothing runs: the newest issue
    EXPECT_EQ(op_of_moment(*run, 25), 2u);  // the one that runs
    EXPECT_EQ(op_of_moment(*run, 1000), 4u);
    EXPECT_EQ(op_of_moment(*run, -5), 0u);
}

}  // namespace
}  // namespace headway::model
