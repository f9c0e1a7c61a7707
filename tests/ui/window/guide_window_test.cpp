// What guides a newcomer: the tour, the legend, and links in a lesson's text.
#include <string>
#include <utility>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class GuideWindowTest : public WindowTest {
protected:
    void SetUp() override {
        open_lesson(
            R"(**Look at** [the last wait](<look:last(waits)>), [the graph](look:graph), and [no print](<look:[w in waits where w.kind == 'print']>).)");
        open(1280, 720);
        frames(3);
    }
    // After a run the lesson is scrolled to what happened.
    void read_again() {
        frames(3);
        act("click:step/read");
        frames(3);
    }
};

TEST_F(GuideWindowTest, TheTourRunsTheProgramAndEnds) {
    state.look.map = true;
    frames(2);
    app->commands().find("window.tour")->run();
    frames(2);
    EXPECT_FALSE(state.look.map);
    int cards = 0;
    bool ran = false;
    for (; shown("tour") && cards < 20; ++cards) {
        const WidgetRect& card = rect("tour");
        EXPECT_GE(card.x0, 0);
        EXPECT_LE(card.x1, 1280);
        EXPECT_GE(card.y0, 0);
        EXPECT_LE(card.y1, 720);
        ran = ran || session.b() != nullptr;
        if (cards == 6) {
            act("wait");
            EXPECT_FALSE(shown("tour/leave")) << "there is nothing to skip";
        }
        act(cards % 2 == 0 ? "click:tour/next" : "key:enter");
        frames(2);
    }
    EXPECT_EQ(cards, 7);
    EXPECT_TRUE(ran) << "the tour shows a run";
    EXPECT_EQ(session.b(), nullptr) << "the lesson's questions come before a run";
}

TEST_F(GuideWindowTest, TheTourKeepsTheLearnersOwnRun) {
    app->commands().find("window.tour")->run();
    frames(2);
    act("run");
    act("wait");
    for (int cards = 0; shown("tour") && cards < 20; ++cards) {
        act("click:tour/next");
        frames(2);
    }
    EXPECT_NE(session.b(), nullptr);
}

TEST_F(GuideWindowTest, TheTourCanBeLeft) {
    app->commands().find("window.tour")->run();
    frames(2);
    act("click:tour/leave");
    frames(2);
    EXPECT_FALSE(shown("tour"));
    app->commands().find("window.tour")->run();
    frames(2);
    act("key:escape");
    frames(2);
    EXPECT_FALSE(shown("tour"));
    EXPECT_EQ(session.b(), nullptr) << "nothing was run";
}

TEST_F(GuideWindowTest, TheLegendComesAndGoes) {
    act("key:z");
    frames(2);
    EXPECT_TRUE(shown("legend"));
    act("key:escape");
    frames(2);
    EXPECT_FALSE(shown("legend"));
}

TEST_F(GuideWindowTest, ALinkZoomsToWhatItSpeaksOf) {
    act("click:look/1");
    frames(2);
    EXPECT_EQ(state.timeline.look, -1);
    EXPECT_TRUE(state.notices.has(Notice::Kind::file)) << "there is no run yet, and the window says so";
    run_to_the_end();
    read_again();
    state.notices.add(Notice::Kind::file, Notice::Tone::bad, "The file was not found.");
    frames(2);
    EXPECT_GE(rect("notice").y0, rect("timeline/all").y1) << "the timeline keeps its axis";
    act("click:look/1");
    frames(60);
    ASSERT_EQ(state.timeline.look, 0);
    EXPECT_GT(rect("notice").x0, rect("lesson/column").x1);
    const model::Run& run = *session.b()->run();
    ASSERT_EQ(state.timeline.look_places.size(), 1u);
    const model::Wait& wait = run.waits()[static_cast<std::size_t>(state.timeline.look_places[0].wait)];
    // A short wait is shown with something around it.
    const figure::TimelineView view = state.timeline.view.view();
    const double begin_ns = run.program_time().program_ns(wait.begin_ns),
                 end_ns = run.program_time().program_ns(wait.end_ns);
    EXPECT_LE(view.begin_ns, begin_ns + 2);
    EXPECT_GE(view.end_ns, end_ns - 2);
    EXPECT_NEAR(view.begin_ns + view.end_ns, begin_ns + end_ns, 4);
    EXPECT_LT(view.span_ns(), state.timeline.view.whole().span_ns() / 4);
    act("click:look/1");
    frames(60);
    EXPECT_EQ(state.timeline.look, -1) << "a second click shows everything again";
    act("click:look/2");
    EXPECT_EQ(state.details.shown, "graph");
}

// "Set *batches* to 3": the name leads to the control, wherever the column is scrolled.
TEST_F(WindowTest, ANamedControlIsALinkToIt) {
    std::string text =
        "Words.\n\n**Try.** Set *batches* to 3, with the barrier on *None*, on *SIMULATED*, by *Engine*, "
        "and *so on*.\n";
    for (int i = 0; i < 12; ++i) {
        text += "\nAnother paragraph of the same kind, long enough to need a second line in a narrow column of text.\n";
    }
    open_lesson(text);
    open(1280, 720);
    frames(3);
    ASSERT_TRUE(state.programs.lesson()->try_text.find("*batches*") != std::string::npos);
    act("click:step/try");
    frames(3);
    const auto top_of_parameters = [this] { return rect("parameter/batches").y0; };
    const WidgetRect column = rect("lesson/column");
    EXPECT_TRUE(shown("control/4"));
    EXPECT_FALSE(shown("control/5")) << "\"so on\" is no control";
    act("click:control/1");
    frames(3);
    EXPECT_EQ(app->focus_ring().at(), "parameter/batches");
    EXPECT_LT(top_of_parameters(), rect("parameter/batches").y1);
    EXPECT_GT(top_of_parameters(), column.y0);
    EXPECT_LT(rect("parameter/batches").y1, column.y1);
    for (const auto& [link, control] : {std::pair{"2", "barrier"}, {"3", "device"}, {"4", "engine"}}) {
        act("click:step/try");
        frames(3);
        act(std::string("click:control/") + link);
        frames(3);
        EXPECT_EQ(app->focus_ring().at(), control);
    }
    EXPECT_EQ(session.b(), nullptr) << "nothing was pressed";
}

// Running the same again is no try.
TEST_F(WindowTest, TryIsDoneByARunWithAnotherSetting) {
    open_lesson("Words.\n\n**Try.** Set the barrier to *None*.\n");
    open(1280, 720);
    frames(3);
    for (int run = 0; run < 2; ++run) {
        run_to_the_end();
        frames(3);
        EXPECT_TRUE(shown("step/run/done"));
        EXPECT_FALSE(shown("step/try/done"));
    }
    act("barrier:none");
    frames(3);
    EXPECT_FALSE(shown("step/try/done")) << "it has not been run";
    for (int run = 0; run < 2; ++run) {
        run_to_the_end();
        frames(3);
        EXPECT_TRUE(shown("step/try/done"));
    }
}

TEST_F(GuideWindowTest, ALinkToWhatTheRunDoesNotHaveSaysSo) {
    run_to_the_end();
    read_again();
    state.notices.dismiss(Notice::Kind::file);
    act("click:look/3");
    EXPECT_EQ(state.timeline.look, -1);
    EXPECT_TRUE(state.notices.has(Notice::Kind::file));
}

}  // namespace
}  // namespace headway::ui::test
