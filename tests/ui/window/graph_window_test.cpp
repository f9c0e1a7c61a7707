// The tabs of the details: numbers, dependency graph, threads.
#include <filesystem>

#include "tests/ui/window/window_fixture.h"
#include "tests/unit/figure/script.h"

namespace headway::ui::test {
namespace {

TEST_F(WindowTest, TabsSelectTheDetails) {
    run_to_the_end();
    EXPECT_TRUE(shown("comparison"));
    EXPECT_FALSE(shown("graph"));
    const float bottom = rect("timeline").y1;
    act("click:detail/Graph");
    frames(2);
    EXPECT_TRUE(shown("graph"));
    EXPECT_FALSE(shown("comparison"));
    EXPECT_EQ(rect("timeline").y1, bottom);  // nothing moves
    EXPECT_LE(rect("timeline").y1, rect("detail/Graph").y0);
    act("click:detail/Threads");
    frames(2);
    EXPECT_EQ(state.details.shown, "threads");
    act("key:g");
    EXPECT_EQ(state.details.shown, "numbers");
    act("key:g");
    EXPECT_EQ(state.details.shown, "output");
}

TEST_F(WindowTest, TheMenuOfFurtherTabsStaysInTheWindow) {
    open(1280, 720);
    run_to_the_end();
    act("click:detail/more");
    frames(2);
    const WidgetRect& row = rect("detail/Threads");
    EXPECT_GE(row.x1 - row.x0, 179 * fonts->scale());
    EXPECT_LE(row.x1, 1280);
}

TEST_F(WindowTest, AClickInTheGraphChoosesTheOpInTheTimeline) {
    run_to_the_end();
    act("click:detail/Graph");
    frames(2);
    const auto& graph = app->detail().graph().graph();
    ASSERT_GT(graph.nodes.size(), 5u);
    core::OpId op = 0;
    for (const auto& node : graph.nodes) {
        op = op == 0 && !node.context && shown("graph/op/" + std::to_string(node.op)) ? node.op : op;
    }
    ASSERT_NE(op, 0u);
    act("click:graph/op/" + std::to_string(op));
    frames(2);
    EXPECT_EQ(state.timeline.selection.op, op);
    EXPECT_EQ(state.timeline.selection.run, 0);
    const auto box = app->timeline().layout().box_of_op(0, op);
    ASSERT_TRUE(box);
    EXPECT_LT(box->x0, app->timeline().layout().axis.x1);
    EXPECT_GT(box->x1, app->timeline().layout().axis.x0);
    act("key:escape");
    EXPECT_FALSE(state.timeline.selection.any());
}

TEST_F(WindowTest, TheGraphShowsThePageOfTheSelectedOp) {
    run_to_the_end();
    act("click:detail/Graph");
    state.timeline.selection = {0, 3};
    frames(2);
    const auto early = app->detail().graph().graph();
    EXPECT_LE(early.first, 3u);
    EXPECT_GE(early.last, 3u);
    state.timeline.selection = {0, static_cast<core::OpId>(session.b()->run()->op_count())};
    frames(2);
    EXPECT_GT(app->detail().graph().graph().first, early.last);
}

// The last page of an ended run overlaps the one before: which of them is shown depends on where one came from.
TEST_F(WindowTest, TheGraphKeepsThePageOfTheOpClicked) {
    session.show(figure::test::increments(120, 1, false));
    frames(3);
    state.details.shown = "graph";
    const auto page_with = [this](core::OpId op) {
        state.timeline.selection = {0, op};
        frames(2);
        const auto& graph = app->detail().graph().graph();
        return std::pair(graph.first, graph.last);
    };
    using Page = std::pair<core::OpId, core::OpId>;
    EXPECT_EQ(page_with(81), Page(81, 120));
    EXPECT_EQ(page_with(95), Page(81, 120));
    EXPECT_EQ(page_with(121), Page(82, 121));
    EXPECT_EQ(page_with(95), Page(82, 121));
    EXPECT_EQ(page_with(81), Page(81, 120));
    EXPECT_EQ(page_with(3), Page(1, 40));
    EXPECT_EQ(page_with(95), Page(82, 121));
}

TEST_F(WindowTest, TheGraphShowsOneLinesOps) {
    run_to_the_end();
    act("click:detail/Graph");
    frames(2);
    const std::size_t all = app->detail().graph().graph().nodes.size();
    act("click:graph/ops/This line");
    frames(2);
    ASSERT_NE(state.details.graph_line, 0u);
    const auto& graph = app->detail().graph().graph();
    EXPECT_LE(graph.nodes.size(), all);
    for (const auto& node : graph.nodes) {
        if (!node.context) {
            EXPECT_EQ(core::number_of(session.b()->run()->op(node.op).line), state.details.graph_line);
        }
    }
    act("click:graph/ops/All ops");
    EXPECT_EQ(state.details.graph_line, 0u);
}

TEST_F(WindowTest, TheGraphIsWrittenToAFile) {
    run_to_the_end();
    act("click:detail/Graph");
    frames(2);
    act("click:graph/save");
    frames(1);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_EQ(entry.path().extension(), ".svg");
        EXPECT_GT(entry.file_size(), 1000u);
        ++files;
    }
    EXPECT_EQ(files, 1);
}

TEST_F(WindowTest, ALessonSelectsItsTab) {
    lesson::Lesson lesson = small_lessons()[1];
    lesson.view = "threads";
    AppState own(session, {small_lessons()[0], lesson});
    own.programs.choose(1);
    EXPECT_EQ(own.details.shown, "threads");
    own.programs.choose(0);
    EXPECT_EQ(own.details.shown, "numbers");
}

TEST_F(WindowTest, TheGraphStopsMoving) {
    run_to_the_end();
    act("click:detail/Graph");
    frames(60);
    EXPECT_FALSE(app->animating());
    const auto before = pixels();
    frames(3);
    EXPECT_EQ(pixels(), before);
}

TEST_F(WindowTest, TheGraphFitsSmallAndLargeWindows) {
    run_to_the_end();
    run_to_the_end();  // two runs
    state.details.shown = "graph";
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}}) {
        open(width, height);
        frames(4);
        EXPECT_LE(rect("timeline").y1, rect("graph").y0) << width;
        EXPECT_LE(rect("graph").x1, static_cast<float>(width));
        EXPECT_LE(rect("graph").y1, static_cast<float>(height));
        EXPECT_GT(rect("timeline").y1 - rect("timeline").y0, 150) << width;
    }
}

}  // namespace
}  // namespace headway::ui::test
