#include "app/figure/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/figure/threads.h"
#include "app/render/fonts.h"
#include "app/timeline/timeline.h"
#include "tests/unit/figure/overlap.h"
#include "tests/unit/figure/script.h"

namespace headway::figure {
namespace {

using core::OpId;

// x = ones, y = ones, z = x*y + 2, print: the chapter's example.
std::unique_ptr<model::Run> product() {
    test::Settings settings;
    settings.program = "graph.py";
    settings.title = "What z waits for";
    test::Script script(settings);
    const auto x = script.issue({"ones", "1×2", devices::Family::create, 8}, 2000, 3000);
    const auto y = script.issue({"ones", "1×2", devices::Family::create, 8}, 2000, 3000);
    const auto m = script.issue({"mul", "1×2", devices::Family::elementwise, 8}, 2000, 3000, x, y);
    script.issue({"add", "1×2", devices::Family::elementwise, 8}, 2000, 3000, m);
    script.wait(trace::WaitKind::print, "print");
    return script.finish();
}

class GraphPictures : public ::testing::Test {
protected:
    OpsPicture draw(const model::Run& run, const model::Graph& graph, std::int64_t now_ns = INT64_MAX,
                    OpId selected = 0, const Box& area = {10, 20, 1010, 320}) {
        const auto cells = layout_graph(graph);
        return draw_graph(run, graph, cells,
                          {area, &theme(ThemeName::dark), &fonts_, 1, fit_graph(cells, area, 1), now_ns, selected, 0});
    }
    OpsPicture threads(const model::Run& run, std::int64_t now_ns = INT64_MAX, const Box& area = {10, 20, 1010, 260}) {
        return draw_threads(run, {area, &theme(ThemeName::dark), &fonts_, 1, 1,
                                  static_cast<OpId>(std::min<std::size_t>(12, run.op_count())), now_ns, 0, 0});
    }
    FontSet fonts_;
};

template <class T>
std::vector<T> all_of(const DisplayList& list) {
    std::vector<T> found;
    for (const Item& item : list.items) {
        if (const auto* one = std::get_if<T>(&item)) {
            found.push_back(*one);
        }
    }
    return found;
}

bool filled(const DisplayList& list, const Box& box, Rgba colour) {
    for (const Rect& rect : all_of<Rect>(list)) {
        if (rect.box == box && rect.fill == colour) {
            return true;
        }
    }
    return false;
}

TEST_F(GraphPictures, TheProductHasThreeColumns) {
    const auto run = product();
    const auto cells = layout_graph(model::graph_of(*run, {}));
    ASSERT_EQ(cells.size(), 4u);
    EXPECT_EQ(cells[0].column, 0);
    EXPECT_EQ(cells[1].column, 0);
    EXPECT_EQ(cells[2].column, 1);
    EXPECT_EQ(cells[3].column, 2);
    EXPECT_EQ(cells[2].row, (cells[0].row + cells[1].row) / 2);  // midway between its two operands
    EXPECT_EQ(cells[3].row, cells[2].row);
}

TEST_F(GraphPictures, NothingMovesWhileOpsAreAdded) {
    const auto run = test::training({}, 3, false);
    const model::Graph whole = model::graph_of(*run, {30, 0, 40});
    ASSERT_GT(whole.nodes.size(), 10u);
    const auto cells = layout_graph(whole);
    EXPECT_EQ(cells, layout_graph(whole));  // deterministic
    for (std::size_t n = 0; n <= whole.nodes.size(); ++n) {
        model::Graph part = whole;
        part.nodes.resize(n);
        std::erase_if(part.edges, [n](const model::GraphEdge& e) { return e.to >= n; });
        const auto fewer = layout_graph(part);
        ASSERT_TRUE(std::equal(fewer.begin(), fewer.end(), cells.begin())) << n;
    }
}

TEST_F(GraphPictures, NodesDoNotOverlapAndFollowTheirDependencies) {
    const auto run = test::training({}, 4, false);
    for (OpId anchor = 1; anchor <= run->op_count(); anchor += 7) {
        const model::Graph graph = model::graph_of(*run, {anchor, 0, 40});
        const auto cells = layout_graph(graph);
        for (const auto& edge : graph.edges) {
            EXPECT_LT(cells[edge.from].column, cells[edge.to].column);
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                EXPECT_TRUE(cells[i].column != cells[k].column || std::abs(cells[i].row - cells[k].row) >= 1);
            }
        }
        const OpsPicture picture = draw(*run, graph);
        EXPECT_EQ(test::overlapping_text(picture.list, fonts_), "");
        for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                EXPECT_FALSE(picture.boxes[i].box.overlaps(picture.boxes[k].box));
            }
        }
    }
}

TEST_F(GraphPictures, DataDependenciesAreThickAndOrderingsThin) {
    test::Script script;
    const auto w = script.issue({"normal", "", devices::Family::random, 8}, 10, 20);
    script.issue({"relu", "", devices::Family::elementwise, 8}, 10, 20, w);
    script.issue({"update", "", devices::Family::update, 0}, 10, 20, 0, 0, 0, w);  // has to follow the reader (WAR)
    const auto run = script.finish();
    const model::Graph graph = model::graph_of(*run, {});
    const auto arrows = all_of<Arrow>(draw(*run, graph).list);
    ASSERT_EQ(arrows.size(), graph.edges.size());
    int thick = 0, thin = 0;
    for (const Arrow& arrow : arrows) {
        (arrow.dash_px > 0 ? thin : thick) += 1;
        EXPECT_EQ(arrow.dash_px > 0, arrow.width_px < 2);
    }
    EXPECT_GE(thick, 1);
    EXPECT_EQ(thin, 1);
}

TEST_F(GraphPictures, NodesShowTheirStateAtAMoment) {
    const auto run = product();
    const model::Graph graph = model::graph_of(*run, {});
    const Theme& t = theme(ThemeName::dark);
    const Rgba done = t.family(devices::Family::create);
    const model::Op& op = run->op(2);
    const auto at = [&](std::int64_t ns) { return draw(*run, graph, ns); };
    const auto fill_at = [&](std::int64_t ns) {
        const OpsPicture picture = at(ns);
        return filled(picture.list, picture.boxes[1].box, done);
    };
    const auto waiting = at(op.issue_begin_ns - 1);
    EXPECT_TRUE(filled(waiting.list, waiting.boxes[1].box, t.background));
    EXPECT_FALSE(fill_at(op.issue_end_ns));
    EXPECT_TRUE(fill_at(op.begin_ns));
    EXPECT_TRUE(fill_at(op.end_ns));
    // A ring distinguishes running from done, so not colour alone.
    EXPECT_EQ(all_of<Rect>(at(op.begin_ns).list).size(), all_of<Rect>(at(op.end_ns - 1).list).size());
    const std::size_t all_done = all_of<Rect>(at(INT64_MAX).list).size();
    EXPECT_GT(all_of<Rect>(at(op.begin_ns).list).size(), all_done);
}

TEST_F(GraphPictures, HitFindsTheOp) {
    const auto run = product();
    const model::Graph graph = model::graph_of(*run, {});
    const OpsPicture picture = draw(*run, graph);
    for (OpId op = 1; op <= 4; ++op) {
        const auto box = picture.box_of(op);
        ASSERT_TRUE(box);
        EXPECT_EQ(picture.hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2), op);
    }
    EXPECT_EQ(picture.hit(11, 21), 0u);
    EXPECT_FALSE(picture.box_of(5));
}

TEST_F(GraphPictures, FitsItsAreaOrOverflowsAtTheLeft) {
    const auto run = product();
    const Box area{10, 20, 610, 220};
    const OpsPicture picture = draw(*run, model::graph_of(*run, {}), INT64_MAX, 0, area);
    for (const auto& shown : picture.boxes) {
        EXPECT_TRUE(shown.box.x0 >= area.x0 && shown.box.x1 <= area.x1 && shown.box.y0 >= area.y0 &&
                    shown.box.y1 <= area.y1);
    }
    test::Script script;
    core::BufferId x = script.issue({"ones", "", devices::Family::create, 8}, 10, 20);
    for (int i = 0; i < 30; ++i) {
        x = script.issue({"add", "", devices::Family::elementwise, 8}, 10, 20, x);
    }
    const auto chain = script.finish();
    const OpsPicture long_one = draw(*chain, model::graph_of(*chain, {}), INT64_MAX, 0, area);
    EXPECT_LT(long_one.boxes.front().box.x1, area.x0);
    EXPECT_LE(long_one.boxes.back().box.x1, area.x1);
    EXPECT_GT(long_one.boxes.back().box.x1, area.x1 - 40);
}

TEST_F(GraphPictures, CaptionCountsWhatIsLeftOut) {
    const auto run = test::training({}, 3, false);
    const model::Graph graph = model::graph_of(*run, {30, 0, 40});
    const std::string caption = graph_caption(*run, graph);
    EXPECT_NE(caption.find("minibatch 1"), std::string::npos) << caption;
    EXPECT_NE(caption.find(std::to_string(graph.first - 1) + " earlier"), std::string::npos) << caption;
    EXPECT_NE(caption.find(std::to_string(run->op_count() - graph.last) + " later"), std::string::npos) << caption;
    EXPECT_EQ(graph_caption(*product(), model::graph_of(*product(), {})), "ops #1 to #4 of 4");
    EXPECT_EQ(graph_caption(*product(), {}), "no ops yet");
}

TEST_F(GraphPictures, AreWrittenToFiles) {
    const auto run = product();
    const model::Graph graph = model::graph_of(*run, {});
    EXPECT_EQ(test::overlapping_text(graph_figure(*run, graph, theme(ThemeName::light), fonts_), fonts_), "");
    const std::string path = testing::TempDir() + "graph.svg";
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(write_graph(path, *run, graph, ThemeName::light));
        std::ifstream file(path);
        std::stringstream text;
        text << file.rdbuf();
        EXPECT_NE(text.str().find(">mul<"), std::string::npos);
        EXPECT_NE(text.str().find("What z waits for"), std::string::npos);
    }
    std::filesystem::remove(path);
    EXPECT_FALSE(write_graph(testing::TempDir() + "graph.doc", *run, graph, ThemeName::light));
}

// ---- the two threads ----

TEST_F(GraphPictures, ThreadsShowEachLaunchItsOpAndTheWait) {
    const auto run = product();
    const OpsPicture picture = threads(*run);
    EXPECT_EQ(picture.boxes.size(), 8u);  // boxes of four launches and four ops
    const auto arrows = all_of<Arrow>(picture.list);
    ASSERT_EQ(arrows.size(), 5u);  // one per op, and one from the last op to the wait
    int dashed = 0;
    for (const Arrow& arrow : arrows) {
        dashed += arrow.dash_px > 0 ? 1 : 0;
        EXPECT_EQ(arrow.dash_px > 0, arrow.points.front().y > arrow.points.back().y);  // the arrow back to the wait
    }
    EXPECT_EQ(dashed, 1);
    EXPECT_EQ(all_of<Hatch>(picture.list).size(), 2u);  // the wait of print, in both rows
    EXPECT_NE(test::find_text(picture.list, "print"), nullptr);
    EXPECT_EQ(test::overlapping_text(picture.list, fonts_), "");
}

TEST_F(GraphPictures, AWaitForNothingHasNoReturn) {
    test::Script script;
    script.issue({"ones", "", devices::Family::create, 8}, 10, 20);
    script.wait(trace::WaitKind::waitall, "waitall");
    script.wait(trace::WaitKind::waitall, "waitall");
    const OpsPicture picture = threads(*script.finish());
    EXPECT_EQ(all_of<Arrow>(picture.list).size(), 2u) << "of the op, and of the first wait";
}

TEST_F(GraphPictures, NamesOfThreadsAreWholeInANarrowPane) {
    const auto run = product();
    const OpsPicture picture = threads(*run, INT64_MAX, {10, 20, 280, 215});  // at 1280 × 720
    for (const Text& text : all_of<Text>(picture.list)) {
        if (text.anchor == Anchor::start) {
            EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
        }
    }
    for (const char* name : {"One at a time", "Frontend", "Worker 0"}) {
        EXPECT_NE(test::find_text(picture.list, name), nullptr) << name;
    }
    EXPECT_EQ(test::overlapping_text(picture.list, fonts_), "");
}

TEST_F(GraphPictures, ThreadsKeepTheOrderOfEvents) {
    const auto run = test::training({}, 2, false);
    const OpsPicture picture = threads(*run);
    // Launches and ops ordered by begin: x never decreases.
    std::vector<std::pair<std::int64_t, float>> begins;
    std::size_t i = 0;
    for (OpId id = 1; id <= 12; ++id) {
        begins.emplace_back(run->op(id).issue_begin_ns, picture.boxes[i++].box.x0);
    }
    for (OpId id = 1; id <= 12; ++id) {
        begins.emplace_back(run->op(id).begin_ns, picture.boxes[i++].box.x0);
    }
    std::sort(begins.begin(), begins.end());
    for (std::size_t k = 1; k < begins.size(); ++k) {
        EXPECT_LE(begins[k - 1].second, begins[k].second + 0.01F);
    }
    EXPECT_EQ(test::overlapping_text(picture.list, fonts_), "");
}

TEST_F(GraphPictures, ThreadsShowOpsThatHaveNotRun) {
    test::Script script;
    script.issue({"ones", "", devices::Family::create, 8}, 10, 20);
    const auto run = script.finish();
    EXPECT_FALSE(threads(*run, 0).list.items.empty());
    EXPECT_TRUE(draw_threads(*run, {{0, 0, 10, 10}, &theme(ThemeName::dark), &fonts_, 1, 1, 9}).list.items.empty());
    EXPECT_FALSE(threads(*run, 5, {0, 0, 40, 20}).list.items.empty());  // an area too small for anything
}

// ---- work ----

TEST_F(GraphPictures, TheFrontendsOwnWorkIsDrawn) {
    test::Script script;
    script.work(50'000, "NumPy");
    script.issue({"ones", "", devices::Family::create, 8}, 10'000, 20'000);
    script.wait(trace::WaitKind::waitall, "waitall");
    const auto run = script.finish();
    const std::vector<TimelineRun> runs{{run.get(), 0, "", ""}};
    TimelineOptions options;
    options.area = {0, 0, 1200, 500};
    options.theme = &theme(ThemeName::dark);
    options.measure = &fonts_;
    options.view = whole_view(runs, false);
    const TimelineLayout layout = layout_timeline(runs, options);
    const auto box = layout.box_of_work(0, 0);
    ASSERT_TRUE(box);
    const auto hit = layout.hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->work, 0);
    EXPECT_EQ(hit->op, 0u);
    EXPECT_EQ(hit->wait, -1);
    EXPECT_NE(test::find_text(layout.list, "NumPy"), nullptr);
    EXPECT_EQ(layout.counts[0].works_drawn, 1u);
    const auto issue = layout.box_of_issue(0, 1);
    EXPECT_EQ(layout.hit((issue->x0 + issue->x1) / 2, (issue->y0 + issue->y1) / 2)->op, 1u);
}

}  // namespace
}  // namespace headway::figure
