#include "tests/ui/window/window_fixture.h"
#include "tests/unit/figure/script.h"

#include <cmath>
#include <fstream>

#include "app/model/user_data/user_data.h"

namespace headway::ui::test {
namespace {

// The window with one recorded run: measuring, bookmarks, and arranging rows.
class TimelineInputTest : public RecordedWindowTest {
protected:
    [[nodiscard]] const model::Run& run() const { return *session.b()->run(); }
    [[nodiscard]] TimelinePanel& timeline() { return app->timeline(); }
    void drag(float x0, float y0, float x1, float y1) {
        act("drag:" + std::to_string(x0) + "," + std::to_string(y0) + "," + std::to_string(x1) + "," +
            std::to_string(y1));
    }
    [[nodiscard]] const figure::RowBox& lane_row() {
        const auto& rows = timeline().layout().rows;
        return *std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.kind == figure::RowKind::lane; });
    }
    // An op's begin, as time on the axis.
    [[nodiscard]] double begin_of(core::OpId op) const {
        return static_cast<double>(run().op(op).begin_ns - run().measure_begin_ns());
    }
    [[nodiscard]] double end_of(core::OpId op) const {
        return static_cast<double>(run().op(op).end_ns - run().measure_begin_ns());
    }
};

TEST_F(TimelineInputTest, MeasuringSnapsToTheEdgesOfSpansUnlessAltIsHeld) {
    const auto first = timeline().layout().box_of_op(0, 60), last = timeline().layout().box_of_op(0, 70);
    ASSERT_TRUE(first && last);
    const float y = (first->y0 + first->y1) / 2;
    drag(first->x0 - 2, y, last->x1 + 2, y);
    ASSERT_TRUE(state.timeline.measured.has_value());
    EXPECT_TRUE(state.timeline.measured->from_edge);
    EXPECT_TRUE(state.timeline.measured->to_edge);
    const double end = state.timeline.measured->end();
    bool edge = false;
    for (const core::OpId id : run().lanes()[0].ops) {
        edge = edge || end_of(id) == end || begin_of(id) == end;
    }
    EXPECT_TRUE(edge);

    // The snap sign stays with the row of the edge.
    const auto middle = [this] {
        const auto box = timeline().layout().box_of_op(0, 70);
        return box ? (box->y0 + box->y1) / 2 : 0;
    };
    EXPECT_NEAR(rect("measure/edge").centre_y(), middle(), 2);
    state.arrangement.set({{"memory", 300, false, true, ""}});
    frames(2);
    EXPECT_GT(middle(), y + 50);
    EXPECT_NEAR(rect("measure/edge").centre_y(), middle(), 2);
    state.arrangement.set({});
    frames(2);

    gfx::inject::key(gfx::Key::left_alt, true);
    drag(first->x0 - 2, y, last->x1 + 2, y);
    gfx::inject::key(gfx::Key::left_alt, false);
    EXPECT_FALSE(state.timeline.measured->from_edge);
    EXPECT_FALSE(state.timeline.measured->to_edge);
    act("key:shift+r");
    EXPECT_FALSE(state.timeline.snap);
    drag(first->x0 - 2, y, last->x1 + 2, y);
    EXPECT_FALSE(state.timeline.measured->to_edge);
}

TEST_F(TimelineInputTest, SummarisesTheMeasuredRangeBelowIt) {
    const WidgetRect area = rect("timeline");
    drag(area.x0 + 100, area.y0 + 4, area.x0 + 400, area.y0 + 4);
    ASSERT_TRUE(shown("measured"));
    const WidgetRect& panel = rect("measured");
    EXPECT_GE(panel.y0, rect("timeline").y1 - 1) << "it covers the measured rows";
    const auto* summary = app->detail().measure().summary(0);
    ASSERT_NE(summary, nullptr);
    std::uint64_t count = 0;
    for (const core::OpId id : run().lanes()[0].ops) {
        const auto& span = *state.timeline.measured;
        count += begin_of(id) < span.end() && end_of(id) > span.begin() ? 1 : 0;
    }
    EXPECT_GT(count, 0u);
    EXPECT_EQ(summary->ops().count, count);
    // Another tab, and back. Esc ends measuring and returns to the previous tab.
    act("click:detail/Numbers");
    EXPECT_FALSE(shown("measured"));
    EXPECT_TRUE(shown("comparison"));
    if (!shown("detail/Measured")) {
        act("click:detail/more");
        frames(2);
    }
    act("click:detail/Measured");
    frames(2);
    EXPECT_TRUE(shown("measured"));
    act("key:escape");
    frames(2);
    EXPECT_FALSE(shown("measured"));
    EXPECT_TRUE(shown("comparison"));
}

// With a second run there is no room for both beside each other in a small window.
TEST_F(TimelineInputTest, MeasuredRangesOfTwoRunsDoNotOverlap) {
    run_to_the_end();
    ASSERT_NE(session.a(), nullptr);
    for (const auto& [width, height] : {std::pair{1280, 720}, {1920, 1080}}) {
        open(width, height);
        frames(4);
        const WidgetRect area = rect("timeline");
        drag(area.x0 + 100, area.y0 + 4, area.x0 + 400, area.y0 + 4);
        frames(2);
        ASSERT_TRUE(shown("measured/1/0")) << width;
        const WidgetRect panel = rect("measured");
        std::vector<WidgetRect> lines;
        for (const auto& [id, line] : app->rects()) {
            if (id.starts_with("measured/")) {
                EXPECT_GE(line.x0, panel.x0) << id << " at " << width;
                EXPECT_LE(line.x1, panel.x1) << id << " at " << width;
                EXPECT_LE(line.y1, panel.y1) << id << " at " << width;
                EXPECT_GT(line.x1 - line.x0, 200) << id << " has no room for its numbers at " << width;
                lines.push_back(line);
            }
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                const bool apart = lines[i].x1 <= lines[k].x0 || lines[k].x1 <= lines[i].x0 ||
                                   lines[i].y1 <= lines[k].y0 || lines[k].y1 <= lines[i].y0;
                EXPECT_TRUE(apart) << i << " and " << k << " at " << width;
            }
        }
    }
}

TEST_F(TimelineInputTest, MeasuresWithTheKeyboard) {
    act("move:5,300");
    act("key:right");  // the cursor appears
    ASSERT_TRUE(state.timeline.cursor);
    const double at = state.timeline.cursor->ns;
    act("key:right");
    EXPECT_GT(state.timeline.cursor->ns, at);
    act("key:ctrl+right");
    const double edge = state.timeline.cursor->ns;
    act("key:ctrl+shift+right");
    ASSERT_TRUE(state.timeline.measured.has_value());
    EXPECT_EQ(state.timeline.measured->begin(), edge);
    EXPECT_GT(state.timeline.measured->end(), edge);
    EXPECT_TRUE(shown("measured"));
    bool is_edge = false;
    for (const core::OpId id : run().lanes()[0].ops) {
        is_edge = is_edge || begin_of(id) == edge || end_of(id) == edge;
    }
    EXPECT_TRUE(is_edge);
    act("key:escape");
    EXPECT_FALSE(state.timeline.measured.has_value());
    act("key:enter");
    EXPECT_TRUE(state.timeline.selection.any());
    const core::OpId op = state.timeline.selection.op;
    act("key:r");  // measures the selected op
    ASSERT_TRUE(state.timeline.measured.has_value());
    EXPECT_EQ(state.timeline.measured->begin(), begin_of(op));
    EXPECT_EQ(state.timeline.measured->end(), end_of(op));
    act("key:escape");
    act("key:up");
    EXPECT_NE(timeline().layout().rows[state.timeline.cursor->row].kind, figure::RowKind::lane);
    act("key:escape");
    EXPECT_FALSE(state.timeline.cursor);
}

// ---- bookmarks ----

TEST_F(TimelineInputTest, BookmarksWithNotesAreAddedRestoredAndDeleted) {
    state.use_data_folder(folder / "kept");
    const auto box = timeline().layout().box_of_op(0, 62);
    ASSERT_TRUE(box);
    act("move:" + std::to_string(box->x0 + 1) + "," + std::to_string((box->y0 + box->y1) / 2));
    act("key:m");
    ASSERT_TRUE(timeline().asks_for_note());
    act("text:here it waits");
    act("key:enter");
    EXPECT_FALSE(timeline().asks_for_note());
    const auto& marks = state.bookmarks.of(&run());
    ASSERT_EQ(marks.size(), 1u);
    EXPECT_EQ(marks[0].text, "here it waits");
    EXPECT_NEAR(static_cast<double>(marks[0].begin_ns), begin_of(62), timeline().layout().map.ns_per_px() * 2);
    const auto& rows = timeline().layout().rows;
    EXPECT_TRUE(
        std::any_of(rows.begin(), rows.end(), [](const auto& r) { return r.kind == figure::RowKind::bookmarks; }));

    // A second one, over the measured range.
    act("move:5,300");
    act("key:escape");
    timeline().measure(begin_of(70), end_of(90));
    frames(2);
    act("key:m");
    act("text:a range");
    act("key:enter");
    ASSERT_EQ(state.bookmarks.of(&run()).size(), 2u);
    act("key:escape");
    act("key:shift+m");
    ASSERT_TRUE(shown("bookmarks/0/1"));
    act("key:j");
    act("key:shift+j");
    ASSERT_TRUE(state.timeline.cursor);
    const double first = state.timeline.cursor->ns;
    act("key:j");
    EXPECT_GT(state.timeline.cursor->ns, first);
    ASSERT_TRUE(state.timeline.measured.has_value());
    EXPECT_EQ(state.timeline.measured->end(), end_of(90));
    // Edits the note at the cursor.
    act("key:enter");
    ASSERT_TRUE(timeline().asks_for_note());
    act("key:ctrl+a");
    act("text:longer");
    act("key:enter");
    EXPECT_EQ(state.bookmarks.of(&run())[1].text, "longer");

    // The same recording, opened again, has its bookmarks.
    const auto before = state.bookmarks.of(&run());
    session.show(figure::test::training({}, 6, true));
    frames(4);
    EXPECT_EQ(state.bookmarks.of(&run()), before);
    // Another recording has none.
    session.show(figure::test::training({}, 7, true));
    frames(4);
    EXPECT_TRUE(state.bookmarks.of(&run()).empty());
    session.show(figure::test::training({}, 6, true));
    frames(4);
    act("key:shift+m");
    act("click:bookmarks/0/0/delete");
    ASSERT_EQ(state.bookmarks.of(&run()).size(), 1u);
    act("key:j");
    act("key:delete");
    EXPECT_TRUE(state.bookmarks.of(&run()).empty());
    EXPECT_TRUE(std::filesystem::is_empty(folder / "kept" / "marks"));
}

TEST_F(TimelineInputTest, EscapeAddsNoBookmark) {
    act("point:timeline");
    act("key:m");
    ASSERT_TRUE(timeline().asks_for_note());
    act("text:no");
    act("key:escape");
    EXPECT_FALSE(timeline().asks_for_note());
    EXPECT_TRUE(state.bookmarks.of(&run()).empty());
}

TEST_F(TimelineInputTest, DamagedBookmarksAreReportedAndNotLost) {
    const auto file = model::bookmarks_file(folder / "kept", model::fingerprint_of(run()));
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "{\"marks\": [{\"begin_ns\": 5, \"end_";
    state.use_data_folder(folder / "kept");
    session.show(figure::test::training({}, 6, true));
    frames(4);
    ASSERT_FALSE(state.notices.all().empty());
    EXPECT_NE(state.notices.all().back().text.find(file.string()), std::string::npos);
    act("point:timeline");
    act("key:m");
    act("key:enter");
    EXPECT_EQ(state.bookmarks.of(&run()).size(), 1u);
    EXPECT_TRUE(std::filesystem::exists(file.string() + ".bad"));
    EXPECT_TRUE(model::read_bookmarks(file));
}

// ---- lanes ----

TEST_F(TimelineInputTest, MovedCollapsedResizedAndRenamedRowsAreSaved) {
    using figure::RowKind;
    state.use_data_folder(folder / "kept");
    const auto find = [this](RowKind kind) {
        const auto& rows = timeline().layout().rows;
        return static_cast<std::size_t>(
            std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.kind == kind; }) - rows.begin());
    };
    const auto height = [&](RowKind kind) { return timeline().layout().rows[find(kind)].box.height(); };
    act("move:5,300");
    act("key:down");  // moves the cursor into the lane
    const std::size_t lane = find(RowKind::lane);
    ASSERT_EQ(state.timeline.cursor->row, lane);
    act("key:alt+up");
    EXPECT_EQ(find(RowKind::lane), lane - 1);
    EXPECT_EQ(state.timeline.cursor->row, lane - 1);
    act("key:alt+down");
    EXPECT_EQ(find(RowKind::lane), lane);
    act("key:p");
    const std::size_t pinned = find(RowKind::lane);
    EXPECT_LT(pinned, find(RowKind::frontend));
    act("key:escape");

    // With the mouse: drags the memory row's label to the place of the headway row.
    const auto middle = [&](RowKind kind) {
        const auto& box = timeline().layout().rows[find(kind)].box;
        return (box.y0 + box.y1) / 2;
    };
    const float x = timeline().layout().area.x0 + 20;
    drag(x, middle(RowKind::memory), x, timeline().layout().rows[find(RowKind::headway)].box.y0 + 3);
    EXPECT_LT(find(RowKind::memory), find(RowKind::headway));
    // Its lower edge.
    const float before = height(RowKind::headway);
    const float edge = timeline().layout().rows[find(RowKind::headway)].box.y1;
    drag(x, edge, x, edge + 40);
    EXPECT_NEAR(height(RowKind::headway), before + 40, 3);
    // A double click collapses it.
    act("move:" + std::to_string(x) + "," + std::to_string(middle(RowKind::headway)));
    for (int i = 0; i < 2; ++i) {
        gfx::inject::mouse_button(0, true);
        frames(1);
        gfx::inject::mouse_button(0, false);
        frames(1);
    }
    frames(2);
    EXPECT_LT(height(RowKind::headway), 20);

    // Renames a row.
    act("move:" + std::to_string(x) + "," + std::to_string(middle(RowKind::lane)));
    gfx::inject::mouse_button(1, true);
    frames(1);
    gfx::inject::mouse_button(1, false);
    frames(2);
    ASSERT_TRUE(shown("lane/Rename…"));
    act("click:lane/Rename…");
    act("text:GPU");
    act("key:enter");
    const auto* setting = model::setting_of(state.arrangement.shown(), "lane 0");
    ASSERT_NE(setting, nullptr);
    EXPECT_EQ(setting->name, "GPU");
    EXPECT_TRUE(setting->pinned);

    // The next start restores the arrangement; unknown rows in the file are ignored.
    AppState next{session, small_lessons()};
    next.use_data_folder(folder / "kept");
    EXPECT_EQ(next.arrangement.shown(), state.arrangement.shown());
    auto more = state.arrangement.shown();
    more.insert(more.begin(), {"lane 77", 40, true, true, "none"});
    more.push_back({"a thing of tomorrow", 0, false, false, ""});
    const auto rows = timeline().layout().rows.size();
    state.arrangement.set(more);
    frames(3);
    EXPECT_EQ(timeline().layout().rows.size(), rows);

    act("key:ctrl+shift+p");
    act("text:lanes reset");
    act("key:enter");
    frames(3);
    EXPECT_TRUE(state.arrangement.shown().empty());
    EXPECT_EQ(find(RowKind::lane), lane);
    EXPECT_FALSE(std::filesystem::exists(folder / "kept" / "lanes.json"));
}

// ---- the overview of the whole run ----

TEST_F(TimelineInputTest, TheMinimapShowsAndMovesTheView) {
    EXPECT_FALSE(shown("minimap"));  // the whole run is in view: the legend stands in its place
    ASSERT_TRUE(shown("timeline/legend"));
    EXPECT_LE(rect("timeline/legend").y1, rect("timeline").y0);
    const float top = rect("timeline").y0;
    act("point:timeline");
    act("wheel:6");
    ASSERT_TRUE(shown("minimap"));
    EXPECT_FALSE(shown("timeline/legend"));
    EXPECT_EQ(rect("timeline").y0, top) << "the timeline jumped";
    const WidgetRect strip = rect("minimap");
    const auto whole = state.timeline.view.whole();
    const double span = state.timeline.view.view().span_ns();
    const auto middle = [this] {
        return (state.timeline.view.view().begin_ns + state.timeline.view.view().end_ns) / 2;
    };
    // A click moves the view there.
    act("move:" + std::to_string(strip.x0 + (strip.x1 - strip.x0) * 0.8f) + "," + std::to_string(strip.centre_y()));
    gfx::inject::mouse_button(0, true);
    frames(2);
    gfx::inject::mouse_button(0, false);
    frames(3);
    EXPECT_NEAR(middle(), whole.begin_ns + whole.span_ns() * 0.8, whole.span_ns() * 0.01);
    EXPECT_NEAR(state.timeline.view.view().span_ns(), span, span * 1e-6);
    // Dragging the view's box moves the view by the same distance.
    const WidgetRect window = rect("minimap/view");
    const double before = middle();
    const float by = (strip.x1 - strip.x0) * 0.25f;
    drag(window.centre_x() + 1, strip.centre_y(), window.centre_x() + 1 - by, strip.centre_y());
    EXPECT_NEAR(middle(), before - whole.span_ns() * 0.25, whole.span_ns() * 0.01);
    act("key:alt+left");
    frames(30);
    EXPECT_NEAR(middle(), before, whole.span_ns() * 0.01);
    act("key:o");
    frames(2);
    EXPECT_FALSE(shown("minimap"));
}

// ---- memory ----

TEST_F(TimelineInputTest, AClickOnTheMemoryCurveListsTheTensorsAlive) {
    const auto& rows = timeline().layout().rows;
    const auto memory =
        std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.kind == figure::RowKind::memory; });
    const float x = (timeline().layout().axis.x0 + timeline().layout().axis.x1) / 2, y = memory->content.y1 - 4;
    act("move:" + std::to_string(x) + "," + std::to_string(y));
    gfx::inject::mouse_button(0, true);
    frames(1);
    gfx::inject::mouse_button(0, false);
    frames(3);
    ASSERT_TRUE(shown("alive"));
    const auto* walk = app->detail().alive().walk();
    ASSERT_NE(walk, nullptr);
    EXPECT_EQ(static_cast<std::int64_t>(walk->all().bytes), run().live_bytes().at(walk->ns()));
    EXPECT_NEAR(static_cast<double>(walk->ns() - run().measure_begin_ns()), timeline().layout().map.ns_from_x_px(x),
                timeline().layout().map.ns_per_px() + 1);
    ASSERT_FALSE(walk->groups().empty());
    const auto makers = walk->groups()[0].makers;
    act("click:alive/0");
    ASSERT_TRUE(state.timeline.selection.any());
    EXPECT_EQ(state.timeline.selection.op, makers[0]);
    act("click:alive/0");
    EXPECT_EQ(state.timeline.selection.op, makers[1 % makers.size()]);
    act("click:detail/Numbers");
    EXPECT_FALSE(shown("alive"));

    // With the keyboard: moves the cursor to the memory row.
    act("move:5,300");
    act("key:right");
    for (int i = 0; i < 12; ++i) {
        act("key:down");
    }
    act("key:enter");
    EXPECT_TRUE(shown("alive"));
    act("click:detail/Numbers");
    act("key:i");
    EXPECT_TRUE(shown("alive"));
}

}  // namespace
}  // namespace headway::ui::test
