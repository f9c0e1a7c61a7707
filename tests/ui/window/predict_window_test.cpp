// The lesson's questions: predict, run, see what was right.
#include <chrono>
#include <string>
#include <thread>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class PredictWindowTest : public WindowTest {
protected:
    void SetUp() override {
        open_lesson("A *small* network is trained.\n\n**Look at** [the waits](look:waits).", R"(
- ask: Does the program issue any ops?
  choices:
    - text: It issues none.
      right: count(ops) == 0
      why: Every call of the chapter's functions issues one.
    - text: It issues some.
      right: count(ops) > 0
  answer: It issued {count(ops)}.
- ask: How many?
  number: {value: count(ops), least: 0, most: 1000, within: 400}
  answer: "{count(ops)} of them."
)");
        open(1920, 1080);
        frames(3);
    }
    [[nodiscard]] double number() const { return state.predictions.guess_as<questions::NumberGuess>(1)->value; }
    [[nodiscard]] double ops() const { return static_cast<double>(session.b()->numbers().ops); }
};

TEST_F(PredictWindowTest, WhatTheRunShowsIsHiddenUntilItHasEnded) {
    EXPECT_FALSE(shown("look/1"));
    EXPECT_TRUE(shown("lesson/claim"));
    run_to_the_end();
    EXPECT_FALSE(shown("lesson/claim"));
    EXPECT_TRUE(shown("look/1"));
}

TEST_F(PredictWindowTest, WhatTheRunShowsIsThereBeforeItForThoseWhoAsk) {
    act("click:lesson/claim");
    frames(3);
    EXPECT_FALSE(shown("lesson/claim"));
    EXPECT_TRUE(shown("look/1"));
}

TEST_F(PredictWindowTest, AnswersAreHiddenUntilTheRunHasEnded) {
    ASSERT_EQ(state.predictions.questions().size(), 2u);
    act("click:step/predict");
    frames(3);
    act("click:predict/1/1");
    EXPECT_EQ(state.predictions.guess_of(0), questions::Guess(questions::ChoiceGuess{0}));
    EXPECT_FALSE(shown("predict/1/answer"));
    EXPECT_FALSE(state.predictions.all_guessed());
    run_to_the_end();
    act("click:step/predict");
    frames(3);
    ASSERT_NE(state.predictions.answer_of(0), nullptr);
    EXPECT_EQ(state.predictions.answer_of(0)->right, questions::Guess(questions::ChoiceGuess{1}));
    EXPECT_EQ(state.predictions.answer_of(0)->sentence,
              "It issued " + std::to_string(session.b()->numbers().ops) + ".");
    EXPECT_TRUE(shown("predict/1/answer"));
    EXPECT_EQ(state.predictions.answer_of(1), nullptr) << "there was no guess";
    EXPECT_FALSE(shown("predict/2/answer"));
}

TEST_F(PredictWindowTest, ARunThatWasStoppedAnswersNothing) {
    act("click:step/predict");
    frames(3);
    act("click:predict/1/1");
    state.step_op();
    for (int i = 0; i < 400 && !session.paused(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        frame();
    }
    ASSERT_TRUE(session.paused());
    act("stop");
    act("wait");
    frames(2);
    ASSERT_EQ(session.b()->phase(), session::Phase::stopped);
    EXPECT_EQ(state.predictions.answer_of(0), nullptr) << "what is asked about may have come later";
    EXPECT_EQ(std::string(state.predictions.hint()), "the run is not complete: run it again");
    run_to_the_end();
    EXPECT_NE(state.predictions.answer_of(0), nullptr) << "the guess counts for the next run";
}

TEST_F(PredictWindowTest, TheExplanationSaysHowManyPredictionsWereRight) {
    run_to_the_end();
    frames(5);
    EXPECT_FALSE(shown("explain/score")) << "nothing was predicted";
    state.predictions.guess(0, questions::ChoiceGuess{1});
    state.predictions.guess(1, questions::NumberGuess{1000});
    run_to_the_end();
    frames(5);
    act("click:step/explain");
    frames(3);
    EXPECT_TRUE(shown("explain/score"));
}

TEST_F(PredictWindowTest, AGuessAfterTheRunIsForTheNextOne) {
    run_to_the_end();
    act("click:step/predict");
    frames(3);
    act("click:predict/1/2");
    EXPECT_EQ(state.predictions.answer_of(0), nullptr);
    run_to_the_end();
    frames(2);
    ASSERT_NE(state.predictions.answer_of(0), nullptr);
    // Another guess does not become right by hindsight.
    state.predictions.guess(0, questions::ChoiceGuess{0});
    frames(2);
    EXPECT_EQ(state.predictions.answer_of(0), nullptr);
}

TEST_F(PredictWindowTest, NumbersAreDragged) {
    act("click:step/predict");
    frames(3);
    const WidgetRect track = rect("predict/2");
    EXPECT_FALSE(state.predictions.guess_of(1));
    const float y = (track.y0 + track.y1) / 2;
    act("drag:" + std::to_string(track.x0 + 10) + "," + std::to_string(y) + "," + std::to_string(track.x0 + 90) + "," +
        std::to_string(y));
    ASSERT_TRUE(state.predictions.guess_of(1));
    const double share = 82 / static_cast<double>(track.x1 - track.x0 - 16);
    EXPECT_NEAR(number(), 1000 * share, 60);
    run_to_the_end();
    frames(2);
    ASSERT_NE(state.predictions.answer_of(1), nullptr);
    EXPECT_EQ(state.predictions.answer_of(1)->right, questions::Guess(questions::NumberGuess{ops()}));
}

TEST_F(PredictWindowTest, NumbersAreSetWithTheArrowKeys) {
    act("click:step/predict");
    frames(3);
    for (int i = 0; i < 200 && app->focus_ring().at() != "predict/2"; ++i) {
        act("key:tab");
    }
    ASSERT_EQ(app->focus_ring().at(), "predict/2");
    act("key:right");
    ASSERT_TRUE(state.predictions.guess_of(1));
    EXPECT_EQ(number(), 510);
    act("key:shift+left");
    EXPECT_EQ(number(), 460);
    EXPECT_EQ(app->focus_ring().at(), "predict/2") << "the arrow keys stay with the slider";
    act("key:down");
    EXPECT_EQ(number(), 460);
    EXPECT_NE(app->focus_ring().at(), "predict/2");
}

TEST_F(PredictWindowTest, AnotherLessonHasItsOwnQuestions) {
    state.predictions.guess(0, questions::ChoiceGuess{1});
    state.programs.choose("increment");
    frames(2);
    EXPECT_TRUE(state.predictions.questions().empty());
    EXPECT_FALSE(shown("predict"));
    EXPECT_FALSE(shown("step/predict"));
}

}  // namespace
}  // namespace headway::ui::test
