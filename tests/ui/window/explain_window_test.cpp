// What happened, sentence by sentence: hovering, clicking, keys.
#include <string>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class ExplainWindowTest : public WindowTest {
protected:
    void SetUp() override { open(1920, 1080); }
    void explain() {
        state.settings.set_barrier({trace::BarrierKind::none, 0});
        run_to_the_end();
        frames(30);
    }
    [[nodiscard]] const model::Explanation& explanation() { return app->lesson().explain().explanation(); }
    [[nodiscard]] std::string id_of(model::SentenceKind kind) {
        for (std::size_t i = 0; i < explanation().sentences.size(); ++i) {
            if (explanation().sentences[i].kind == kind) {
                return "explain/" + std::to_string(i + 1);
            }
        }
        ADD_FAILURE() << "no sentence says " << model::word_of(kind);
        return "explain/1";
    }
};

// The recording is read in the frames after its end.
TEST_F(WindowTest, WhileARecordingIsReadTheExplanationSaysSo) {
    act("set:batches=10000");
    act("click:run");
    bool said = false;
    for (int i = 0; i < 20'000 && (session.live() || session.behind()); ++i) {
        frame();
        if (session.b()->lags()) {
            said = said || shown("explain/reading");
        }
    }
    EXPECT_TRUE(said);
    frames(3);
    EXPECT_FALSE(shown("explain/reading"));
}

TEST_F(ExplainWindowTest, TheStepIsDoneWhenTheLearnerHasLookedAtASentence) {
    explain();
    EXPECT_TRUE(shown("step/run/done"));
    EXPECT_FALSE(shown("step/explain/done")) << "nobody has looked at it yet";
    const WidgetRect& second = rect("explain/2");
    act("move:" + std::to_string(second.centre_x()) + "," + std::to_string(second.centre_y()));
    frames(2);
    EXPECT_FALSE(shown("step/explain/done")) << "the pointer only passed over it";
    frames(60);
    EXPECT_TRUE(shown("step/explain/done"));
    act("move:5,5");
    explain();
    EXPECT_FALSE(shown("step/explain/done")) << "another run, another explanation";
    act("click:explain/1");
    frames(2);
    EXPECT_TRUE(shown("step/explain/done"));
    explain();
    act("click:step/explain");
    frames(2);
    EXPECT_TRUE(shown("step/explain/done"));
}

TEST_F(ExplainWindowTest, SaysWhatHappenedWhenARunHasEnded) {
    frames(2);
    EXPECT_FALSE(shown("explain"));
    EXPECT_FALSE(app->lesson().explain().any());
    explain();
    ASSERT_TRUE(shown("explain"));
    ASSERT_GE(explanation().sentences.size(), 3u);
    for (std::size_t i = 1; i <= explanation().sentences.size(); ++i) {
        EXPECT_TRUE(shown("explain/" + std::to_string(i)));
    }
    EXPECT_TRUE(shown("explain/bar"));
    const model::Numbers& numbers = session.b()->numbers();
    EXPECT_EQ(explanation().bar.measured_ns, numbers.total_ns);
    EXPECT_EQ(explanation().bar.parts[0].ns, numbers.predicted_ns);
    // The first explanation of a lesson is scrolled to.
    EXPECT_GT(rect("explain/1").y0, 0);
    EXPECT_LT(rect("explain/1").y1, rect("source").y0);
    state.reset();
    frames(2);
    EXPECT_FALSE(shown("explain"));
}

TEST_F(ExplainWindowTest, TheExplanationOfAnotherLessonsRunIsNotScrolledTo) {
    open(1280, 720);
    act("set:batches=2000");
    act("click:run");
    frame();
    ASSERT_TRUE(session.live());
    act("lesson:increment");
    frames(2);
    const float unscrolled = rect("parameter/wait/each").y0;
    act("wait");
    for (int i = 0; i < 1000 && !app->lesson().explain().any(); ++i) {
        frame();
    }
    frames(30);
    ASSERT_TRUE(app->lesson().explain().any());
    EXPECT_EQ(rect("parameter/wait/each").y0, unscrolled);
    run_to_the_end();
    for (int i = 0; i < 1000 && app->lesson().explain().busy(); ++i) {
        frame();
    }
    frames(30);
    EXPECT_LT(rect("parameter/wait/each").y0, unscrolled) << "that of the lesson's own run is scrolled to";
}

TEST_F(ExplainWindowTest, HoveringHighlightsWhatTheSentenceSpeaksOf) {
    explain();
    act("move:1400,1040");
    const auto before = pixels();
    EXPECT_TRUE(state.timeline.places.empty());
    const std::string id = id_of(model::SentenceKind::one_wait);
    act("point:" + id);
    ASSERT_EQ(state.timeline.places.size(), 1u);
    const int wait = state.timeline.places[0].wait;
    ASSERT_GE(wait, 0);
    EXPECT_EQ(session.b()->run()->waits()[static_cast<std::size_t>(wait)].kind, trace::WaitKind::waitall);
    EXPECT_EQ(state.lines.selected(), core::number_of(state.timeline.places[0].line));
    EXPECT_NE(pixels(), before);
    EXPECT_EQ(state.timeline.sentence, -1);
    EXPECT_TRUE(state.timeline.view.target() == state.timeline.view.whole()) << "only a click zooms";
    act("move:1400,1040");
    EXPECT_TRUE(state.timeline.places.empty());
    EXPECT_EQ(state.lines.selected(), 0u);
}

TEST_F(ExplainWindowTest, AClickZoomsAndKeepsTheHighlight) {
    explain();
    const std::string id = id_of(model::SentenceKind::one_wait);
    act("click:" + id);
    act("move:1400,1040");
    frames(40);
    ASSERT_GE(state.timeline.sentence, 0);
    ASSERT_EQ(state.timeline.places.size(), 1u);
    const model::Run& run = *session.b()->run();
    const model::Place place = state.timeline.places[0];
    const auto view = state.timeline.view.view();
    const auto begin = static_cast<double>(place.begin_ns - run.measure_begin_ns());
    const auto end = static_cast<double>(place.end_ns - run.measure_begin_ns());
    EXPECT_LE(view.begin_ns, begin);
    EXPECT_GE(view.end_ns, end);
    EXPECT_LT(view.span_ns(), 4 * (end - begin));
    const auto box = app->timeline().layout().box_of_wait(0, place.wait);
    ASSERT_TRUE(box);
    EXPECT_GE(box->x0, app->timeline().layout().axis.x0);
    EXPECT_LE(box->x1, app->timeline().layout().axis.x1);
    act("click:" + id);  // again: everything
    frames(40);
    EXPECT_EQ(state.timeline.sentence, -1);
    EXPECT_TRUE(state.timeline.view.target() == state.timeline.view.whole());
    act("click:" + id);
    act("move:1400,1040");
    act("key:escape");
    EXPECT_EQ(state.timeline.sentence, -1);
    frames(1);
    EXPECT_TRUE(state.timeline.places.empty());
}

TEST_F(ExplainWindowTest, AMomentIsShownWithItsSurroundings) {
    act("set:batch_size=1024");
    act("set:hidden=512");
    explain();
    std::string id;
    for (std::size_t i = 0; i < explanation().sentences.size(); ++i) {
        const auto& places = explanation().sentences[i].places;
        id = places[0].begin_ns == places[0].end_ns ? "explain/" + std::to_string(i + 1) : id;
    }
    ASSERT_FALSE(id.empty());
    act("click:" + id);
    frames(40);
    ASSERT_EQ(state.timeline.places.size(), 1u);
    const model::Place place = state.timeline.places[0];
    const auto at = static_cast<double>(place.begin_ns - session.b()->run()->measure_begin_ns());
    const auto view = state.timeline.view.view();
    EXPECT_LE(view.begin_ns, at);
    EXPECT_GE(view.end_ns, at);
    EXPECT_LT(view.span_ns(), state.timeline.view.whole().span_ns());
}

TEST_F(ExplainWindowTest, AKeyGoesThroughTheSentences) {
    open(1280, 720);
    explain();
    const int count = static_cast<int>(explanation().sentences.size());
    for (int i = 0; i < count; ++i) {
        act("key:e");
        frames(30);
        EXPECT_EQ(state.timeline.sentence, i);
        EXPECT_FALSE(state.timeline.places.empty());
        const WidgetRect& at = rect("explain/" + std::to_string(i + 1));
        EXPECT_LT(at.y0, rect("lesson/column").y1) << "it is scrolled to";
        EXPECT_GT(at.y1, 0);
    }
    act("key:e");
    EXPECT_EQ(state.timeline.sentence, 0);
    act("key:shift+e");
    EXPECT_EQ(state.timeline.sentence, count - 1);
}

TEST_F(ExplainWindowTest, AnotherRunChoosesNothing) {
    explain();
    act("key:e");
    EXPECT_EQ(state.timeline.sentence, 0);
    explain();
    EXPECT_EQ(state.timeline.sentence, -1);
    EXPECT_TRUE(app->lesson().explain().any());
}

TEST_F(ExplainWindowTest, SentencesDoNotOverlapInAnySizeAndTheme) {
    explain();
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1920, 1080}, std::pair{3840, 2160}}) {
        for (const auto theme : {figure::ThemeName::dark, figure::ThemeName::light, figure::ThemeName::projector}) {
            state.look.theme = theme;
            open(width, height);
            frames(4);
            float y = 0;
            for (std::size_t i = 1; i <= explanation().sentences.size(); ++i) {
                const WidgetRect at = rect("explain/" + std::to_string(i));
                if (at.y1 <= at.y0) {
                    continue;  // scrolled out of view
                }
                EXPECT_GE(at.y0, y) << i;
                EXPECT_LE(at.y1, rect("lesson/column").y1);
                EXPECT_GE(at.x0, 0);
                EXPECT_LE(at.x1, rect("lesson/column").x1);
                y = at.y1;
            }
            EXPECT_GT(y, 0) << "at least one is visible";
        }
    }
}

TEST_F(ExplainWindowTest, StopsMoving) {
    explain();
    act("key:e");
    frames(60);
    EXPECT_FALSE(app->animating());
    const auto before = pixels();
    frames(3);
    EXPECT_EQ(pixels(), before);
}

}  // namespace
}  // namespace headway::ui::test
