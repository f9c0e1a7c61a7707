#include <chrono>

#include "app/render/format.h"
#include "app/ui/timeline/hover_card.h"
#include "tests/ui/window/window_fixture.h"
#include "tests/unit/figure/script.h"
#include "tests/unit/model/long_program.h"

namespace headway::ui::test {
namespace {

// The window with one recorded run.
class TimelineWindowTest : public RecordedWindowTest {
protected:
    [[nodiscard]] double span() const { return state.timeline.view.target().span_ns(); }
    void settle() { frames(25); }
    void point_at_op(core::OpId op) {
        const auto box = app->timeline().layout().box_of_op(0, op);
        ASSERT_TRUE(box);
        act("move:" + std::to_string((box->x0 + box->x1) / 2) + "," + std::to_string((box->y0 + box->y1) / 2));
    }
    void press() {
        gfx::inject::mouse_button(0, true);
        frames(1);
        gfx::inject::mouse_button(0, false);
        frames(2);
    }
};

// While the backend is held nothing finishes; the wait is drawn anyway, and grows.
TEST_F(WindowTest, AWaitGrowsWhileItLasts) {
    act("device:cpu");
    act("barrier:minibatch");
    session.hold_backend(true);
    act("run");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto wait_px = [&] {
        const model::Run* run = session.b()->run();
        const int open = run == nullptr ? -1 : static_cast<int>(run->waits().size());
        const auto box = app->timeline().layout().box_of_wait(0, open);
        return run != nullptr && run->open_wait() && box ? box->x1 - box->x0 : 0.0f;
    };
    while (wait_px() < 2 && std::chrono::steady_clock::now() < end) {
        frames(1);
    }
    ASSERT_GE(wait_px(), 2);
    const model::Run& run = *session.b()->run();
    const std::int64_t before_ns = run.open_wait()->end_ns;
    const std::size_t waits = run.waits().size(), ops = run.op_count();
    while (run.open_wait() && run.open_wait()->end_ns < before_ns + 50'000'000 &&
           std::chrono::steady_clock::now() < end) {
        frames(1);
    }
    ASSERT_TRUE(run.open_wait());
    EXPECT_GE(run.open_wait()->end_ns, before_ns + 50'000'000);
    EXPECT_EQ(run.waits().size(), waits);
    EXPECT_EQ(run.op_count(), ops);
    frames(40);  // the view has followed the run
    auto box = app->timeline().layout().box_of_wait(0, static_cast<int>(waits));
    ASSERT_TRUE(box);
    act("move:" + std::to_string((box->x0 + box->x1) / 2) + "," + std::to_string((box->y0 + box->y1) / 2));
    box = app->timeline().layout().box_of_wait(0, static_cast<int>(waits));  // the axis grows with the run
    ASSERT_TRUE(box);
    const auto hit = app->timeline().layout().hit((box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->wait, static_cast<int>(waits));
    EXPECT_EQ(describe(run, *hit).title, run.open_wait()->name);
    session.hold_backend(false);
    act("wait");
    EXPECT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
    EXPECT_FALSE(run.open_wait());
}

// In virtual time no time passes while the lanes are held: the wait, and what the lanes have queued, are there.
TEST_F(WindowTest, AHoldOfTheSimulatedDeviceLastsUntilItsRelease) {
    act("device:simulated");
    act("barrier:minibatch");
    session.hold_backend(true);
    act("run");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto run = [&] { return session.b()->run(); };
    const auto until = [&](const auto& condition) {
        while (!(run() != nullptr && condition()) && std::chrono::steady_clock::now() < end) {
            frames(1);
        }
        ASSERT_TRUE(run() != nullptr && condition());
    };
    until([&] { return run()->open_wait() && run()->stopped_by_learner() && run()->op_count() > 3; });
    frames(5);
    EXPECT_EQ(run()->ended_count(), 0u);
    EXPECT_FALSE(app->timeline().layout().queued.empty());
    // Nothing is hatched after the present moment; what the wait still needs stands there in words.
    const auto& layout = app->timeline().layout();
    const float now = layout.x_px_from_run_ns(0, run()->now_ns());
    bool says = false;
    for (const auto& item : layout.list.items) {
        if (const auto* hatch = std::get_if<figure::Hatch>(&item)) {
            EXPECT_LE(hatch->box.x1, now + 2);
        } else if (const auto* text = std::get_if<figure::Text>(&item)) {
            says = says || (text->text.find(run()->open_wait()->name + ", for ") == 0 && text->baseline.x > now);
        }
    }
    EXPECT_TRUE(says);
    const std::int64_t waits_since_ns = run()->open_wait()->begin_ns;
    for (std::size_t ops = 1; ops <= 3; ++ops) {
        act("click:backend/step");
        until([&] { return run()->ended_count() == ops; });
    }
    EXPECT_GE(run()->op(1).begin_ns, waits_since_ns);
    session.hold_backend(false);
    act("wait");
    EXPECT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
}

TEST_F(TimelineWindowTest, TheWheelZoomsAtThePointer) {
    const WidgetRect& area = rect("timeline");
    const float x = area.x0 + (area.x1 - area.x0) * 0.25f;
    act("move:" + std::to_string(x) + "," + std::to_string(area.centre_y()));
    const auto before = state.timeline.view.view();
    const double at = before.begin_ns + before.span_ns() * 0.25;
    act("wheel:1");
    settle();
    const auto after = state.timeline.view.view();
    EXPECT_NEAR(after.span_ns(), before.span_ns() * 0.75, before.span_ns() * 1e-6);
    EXPECT_NEAR((at - after.begin_ns) / after.span_ns(), 0.25, 0.01);
    EXPECT_FALSE(state.timeline.view.following());
    act("wheel:-1");
    settle();
    EXPECT_NEAR(state.timeline.view.view().span_ns(), before.span_ns(), before.span_ns() * 1e-6);
    act("key:end");
    EXPECT_TRUE(state.timeline.view.following());
}

TEST_F(TimelineWindowTest, ControlZoomsFinerAndShiftCoarser) {
    act("point:timeline");
    const auto notch = [this](gfx::Key key, bool held) {
        act("key:f");
        settle();
        const double before = span();
        if (held) {
            gfx::inject::key(key, true);
        }
        gfx::inject::mouse_wheel(1);
        frames(2);
        gfx::inject::key(key, false);
        settle();
        return span() / before;
    };
    const double plain = notch(gfx::Key::left_ctrl, false), fine = notch(gfx::Key::left_ctrl, true),
                 coarse = notch(gfx::Key::left_shift, true);
    EXPECT_GT(fine, plain);
    EXPECT_LT(coarse, plain);
}

TEST_F(TimelineWindowTest, TheRightButtonPans) {
    const WidgetRect area = rect("timeline");
    act("point:timeline");
    act("wheel:3");
    settle();
    const auto before = state.timeline.view.view();
    const float y = area.centre_y();
    act("right-drag:" + std::to_string(area.centre_x()) + "," + std::to_string(y) + "," +
        std::to_string(area.centre_x() - 100) + "," + std::to_string(y));
    const auto after = state.timeline.view.view();
    EXPECT_NEAR(after.begin_ns - before.begin_ns, 100.0 * before.span_ns() / static_cast<double>(area.x1 - area.x0),
                before.span_ns() * 0.01);
    EXPECT_NEAR(after.span_ns(), before.span_ns(), 1e-6);
}

TEST_F(TimelineWindowTest, TheLeftButtonMeasures) {
    const WidgetRect area = rect("timeline");
    const float y = area.y0 + 5;
    const auto view = state.timeline.view.view();
    act("drag:" + std::to_string(area.x0 + 100) + "," + std::to_string(y) + "," + std::to_string(area.x0 + 300) + "," +
        std::to_string(y));
    EXPECT_TRUE(state.timeline.measured.has_value());
    EXPECT_EQ(state.timeline.view.view(), view);
    act("key:escape");
    EXPECT_FALSE(state.timeline.measured.has_value());
}

TEST_F(TimelineWindowTest, AnOpIsSelectedFittedAndDeselected) {
    point_at_op(60);  // the first ops are warm-up, left of the view
    press();
    EXPECT_EQ(state.timeline.selection.run, 0);
    EXPECT_EQ(state.timeline.selection.op, 60u);
    const double whole = span();
    act("key:f");
    settle();
    EXPECT_LT(span(), whole);
    act("key:f");  // again: fits the whole run
    settle();
    EXPECT_NEAR(span(), whole, whole * 1e-6);
    act("key:escape");
    EXPECT_FALSE(state.timeline.selection.any());
}

TEST_F(TimelineWindowTest, KeysStepFromOpToOp) {
    point_at_op(62);
    press();
    ASSERT_EQ(state.timeline.selection.op, 62u);
    const model::Run& run = *session.b()->run();
    act("key:[");
    ASSERT_FALSE(run.dependencies(62).empty());
    EXPECT_EQ(state.timeline.selection.op, run.dependencies(62).back());
    const core::OpId earlier = state.timeline.selection.op;
    act("key:]");
    const auto followed = run.dependencies(state.timeline.selection.op);
    EXPECT_NE(std::find(followed.begin(), followed.end(), earlier), followed.end());
    const auto begin = run.op(state.timeline.selection.op).begin_ns;
    const core::OpId here = state.timeline.selection.op;
    act("key:.");
    EXPECT_GT(run.op(state.timeline.selection.op).begin_ns, begin);
    act("key:,");
    EXPECT_EQ(state.timeline.selection.op, here);
}

// A wait is selected like an op: it stays highlighted, F fits it, Escape deselects it.
TEST_F(TimelineWindowTest, AWaitIsSelectedFittedAndDeselected) {
    const model::Run& run = *session.b()->run();
    ASSERT_GT(run.waits().size(), 2u);
    const auto box = app->timeline().layout().box_of_wait(0, 2);
    ASSERT_TRUE(box);
    act("move:" + std::to_string((box->x0 + box->x1) / 2) + "," + std::to_string((box->y0 + box->y1) / 2));
    press();
    EXPECT_FALSE(state.timeline.selection.any());
    EXPECT_EQ(state.timeline.selection.wait, 2);
    act("move:5,5");
    const auto chosen = pixels();
    const double whole = span();
    act("key:f");
    settle();
    EXPECT_LT(span(), whole);
    act("key:f");
    settle();
    EXPECT_NEAR(span(), whole, whole * 1e-6);
    act("key:escape");
    frames(2);
    EXPECT_FALSE(state.timeline.selection.any_wait());
    EXPECT_NE(pixels(), chosen) << "its ops were highlighted, and its card was shown";
}

TEST_F(TimelineWindowTest, ASelectionBelongsToItsRun) {
    app->timeline().choose(0, static_cast<core::OpId>(session.b()->run()->op_count()), false);
    ASSERT_TRUE(state.timeline.selection.any());
    const auto show_another = [this] { session.show(figure::test::training({}, 2, true)); };
    show_another();
    frames(2);
    EXPECT_FALSE(state.timeline.selection.any());
    // Whatever is selected, keys read no op that the run does not have.
    for (const char* key : {".", ",", "[", "]", "r", "left", "f"}) {
        state.timeline.selection = {0, 100'000};
        act(std::string("key:") + key);
    }
    // What is selected in the frame in which the run is first shown stays.
    show_another();
    frame();
    app->timeline().choose(0, 3, false);
    frames(3);
    EXPECT_EQ(state.timeline.selection.op, 3u);
}

TEST_F(WindowTest, XSelectsTheMatchingOp) {
    run_to_the_end();
    act("barrier:op");
    run_to_the_end();
    frames(40);
    const model::Run* b = app->timeline().run_at(0);
    const model::Run* a = app->timeline().run_at(1);
    ASSERT_NE(a, nullptr);
    ASSERT_EQ(a->op_count(), b->op_count());
    const auto op = static_cast<core::OpId>(b->op_count() - 3);
    app->timeline().choose(0, op, false);
    frames(2);
    act("key:x");
    EXPECT_EQ(state.timeline.selection.run, 1);
    EXPECT_EQ(state.timeline.selection.op, op);
    frames(2);
    act("key:x");
    EXPECT_EQ(state.timeline.selection.run, 0);
    EXPECT_EQ(state.timeline.selection.op, op);
}

// The causes of idle lanes are computed once a run is over, and the computation ends.
TEST_F(TimelineWindowTest, TheTableShowsWhyTheBackendWasIdle) {
    frames(3);
    ASSERT_TRUE(shown("B/idle"));
    EXPECT_FALSE(app->moving());
    act("move:5,5");
    const auto before = pixels();
    act("point:B/idle");
    frames(60);
    EXPECT_NE(pixels(), before) << "its tooltip lists the causes";
}

TEST_F(TimelineWindowTest, ADoubleClickFits) {
    act("point:timeline");
    act("wheel:4");
    settle();
    const WidgetRect area = rect("timeline");
    // On the ruler, where there is no op.
    act("move:" + std::to_string(area.centre_x()) + "," + std::to_string(area.y0 + 3));
    press();
    press();
    settle();
    EXPECT_NEAR(span(), state.timeline.view.whole().span_ns(), 1e-6 * span());
}

TEST_F(TimelineWindowTest, PerfettosKeysMoveTheView) {
    act("point:timeline");
    const double whole = span();
    act("key:w");
    settle();
    EXPECT_LT(span(), whole);
    const double begin = state.timeline.view.view().begin_ns;
    act("key:d");
    settle();
    EXPECT_GT(state.timeline.view.view().begin_ns, begin);
    act("key:a");
    settle();
    EXPECT_NEAR(state.timeline.view.view().begin_ns, begin, whole * 1e-6);
    act("key:s");
    settle();
    EXPECT_NEAR(span(), whole, whole * 1e-6);
}

TEST_F(TimelineWindowTest, TheCardIsDrawnOverTheTimeline) {
    act("move:5,300");
    const auto before = pixels();
    point_at_op(61);
    frames(2);
    EXPECT_NE(pixels(), before);
}

// Forty lanes do not fit into the height: stepping to an op scrolls to it, and so does the keyboard cursor to its row.
TEST_F(TimelineWindowTest, ScrollsToTheSelectedOpAndTheCursor) {
    session.show(figure::test::spans(30, 40));
    frames(10);
    const auto in_sight = [&](const figure::Box& box) {
        const WidgetRect all = rect("timeline");
        const float scroll = app->timeline().scroll();
        return box.y0 - scroll >= all.y0 && box.y1 - scroll <= all.y1;
    };
    const auto lane = [&](int wanted) {
        for (const figure::RowBox& row : app->timeline().layout().rows) {
            if (row.kind == figure::RowKind::lane && row.lane == wanted) {
                return row.box;
            }
        }
        return figure::Box{};
    };
    ASSERT_TRUE(in_sight(lane(0)));
    ASSERT_FALSE(in_sight(lane(39))) << "otherwise there is nothing to scroll";
    act("key:/");
    act("text:lane:39");
    frames(2);
    act("key:enter");
    frames(3);
    EXPECT_TRUE(in_sight(lane(39)));
    EXPECT_FALSE(in_sight(lane(0)));
    act("click:search/close");
    for (int i = 0; i < 39; ++i) {
        act("key:up");
    }
    frames(3);
    EXPECT_TRUE(in_sight(lane(0)));
}

TEST_F(TimelineWindowTest, FindsAndStepsThroughResults) {
    act("key:/");
    ASSERT_TRUE(shown("search/text"));
    EXPECT_LE(rect("search").y1, rect("timeline").y0);  // it covers nothing
    act("text:matmul is:op");
    frames(2);
    const auto& places = app->timeline().search().places();
    ASSERT_GT(places.size(), 2u);
    act("key:enter");
    ASSERT_TRUE(state.timeline.selection.any());
    EXPECT_EQ(state.timeline.selection.op, places[0].found.op);
    act("key:enter");
    EXPECT_EQ(state.timeline.selection.op, places[1].found.op);
    act("click:search/before");
    EXPECT_EQ(state.timeline.selection.op, places[0].found.op);
    EXPECT_EQ(session.b()->run()->signature(session.b()->run()->op(state.timeline.selection.op).signature).name,
              "matmul");
    act("click:search/close");
    EXPECT_FALSE(shown("search/text"));
    act("key:n");
    EXPECT_EQ(state.timeline.selection.op, app->timeline().search().places()[1].found.op);
    act("key:shift+n");
    EXPECT_EQ(state.timeline.selection.op, app->timeline().search().places()[0].found.op);
}

// More ops than can be searched in one frame: the window says that it is searching and stays responsive; Enter takes
// effect afterwards.
TEST_F(TimelineWindowTest, ASearchOfALongRunTakesSeveralFrames) {
    session.show(figure::test::increments(1'500'000, 1, false));
    frames(3);
    act("key:/");
    act("text:add is:op");
    EXPECT_TRUE(app->timeline().search().busy());
    EXPECT_TRUE(app->timeline().search().places().empty());
    act("key:enter");
    for (int i = 0; i < 1000 && app->timeline().search().busy(); ++i) {
        frames(1);
    }
    EXPECT_FALSE(app->timeline().search().busy());
    const auto& places = app->timeline().search().places();
    EXPECT_EQ(places.size(), SearchBar::kMost);
    ASSERT_TRUE(state.timeline.selection.any());
    EXPECT_EQ(state.timeline.selection.op, places[0].found.op);
    act("key:shift+enter");
    EXPECT_NE(words().find("100,000 of 1,500,000"), std::string::npos) << "fits, whole";
    act("text: kind:nothing");
    act("key:escape");  // during the search
    EXPECT_FALSE(app->timeline().search().busy());
    act("key:/");
    frames(100);
    EXPECT_FALSE(app->timeline().search().busy());
}

TEST_F(TimelineWindowTest, ASearchNamesWhatWasNotSearched) {
    const auto search_all = [this] {
        act("key:/");
        act("text:kind");
        for (int i = 0; i < 1000 && app->timeline().search().busy(); ++i) {
            frames(1);
        }
        frames(2);
    };
    const float usual = [&] {
        act("key:/");
        frames(2);
        const float width = rect("search").x1 - rect("search").x0;
        act("key:escape");
        return width;
    }();
    model::LongProgram program;
    program.ops = 1'200'000;
    session.show(model::folded_run(program));
    frames(3);
    search_all();
    const model::Run& run = *session.b()->run();
    const std::size_t known = run.op_count() - run.folded_ops();
    EXPECT_NE(words().find(figure::count_text(known) + " found"), std::string::npos);
    EXPECT_NE(words().find(" not searched: only sums are kept"), std::string::npos);
    EXPECT_GT(rect("search").x1 - rect("search").x0, usual + 200);
    EXPECT_GE(rect("search").x0, rect("timeline").x0);
}

TEST_F(TimelineWindowTest, ReturnsToThePreviousView) {
    act("point:timeline");
    act("wheel:3");
    settle();
    const double near = span();
    act("key:alt+left");
    settle();
    EXPECT_GT(span(), near * 1.5);
    act("key:alt+right");
    settle();
    EXPECT_NEAR(span(), near, near * 1e-6);
}

TEST_F(TimelineWindowTest, ThePaletteRunsCommands) {
    act("key:ctrl+shift+p");
    ASSERT_TRUE(shown("palette"));
    act("text:theme light");
    act("key:enter");
    frames(2);
    EXPECT_FALSE(shown("palette"));
    EXPECT_EQ(state.look.theme, figure::ThemeName::light);
    act("key:ctrl+shift+p");
    act("text:zzz");
    act("key:enter");  // no match: nothing happens
    EXPECT_TRUE(shown("palette"));
    act("key:escape");
    EXPECT_FALSE(shown("palette"));
    act("key:ctrl+shift+p");
    act("text:keys");
    act("click:palette/All keys");
    EXPECT_TRUE(state.look.show_keys);
}

}  // namespace
}  // namespace headway::ui::test
