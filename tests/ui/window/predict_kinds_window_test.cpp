// Predictions that are put in order or drawn: with the mouse and with the keyboard, then run.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/model/run/queries.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

using questions::DrawnGuess;
using questions::OrderGuess;

class PredictKindsWindowTest : public WindowTest {
protected:
    void SetUp() override {
        open_lesson("A *small* network is trained.", R"(
- ask: In which order does this happen?
  order:
    - text: The first op is issued.
      at: ops[0].issue_begin_ns
    - text: The first op has been executed.
      at: ops[0].end_ns
    - text: The second op has been executed, and this text needs more than one line in the column of the lesson.
      at: ops[1].end_ns
    - text: The last op has been executed.
      at: ops[-1].end_ns
  why: Ops are executed after they are issued.
  answer: There were {count(ops)} ops.
- ask: When does the frontend issue the second quarter of the ops?
  drawn:
    row: frontend
    draws: issue
    from: ops[round(count(ops) / 4)].issue_begin_ns
    to: ops[round(count(ops) / 2)].issue_begin_ns
    within: 10
  answer: "These are {round(count(ops) / 4)} ops."
- ask: When does the last op begin?
  drawn: {row: Backend, draws: matmul, from: "ops[-1].begin_ns", within: 5}
  answer: "{ops[-1]} was the last one."
)");
        open(1920, 1400);
        frames(3);
        act("click:step/predict");
        frames(3);
    }

    [[nodiscard]] std::vector<std::size_t> order() const {
        const auto guess = state.predictions.guess_as<OrderGuess>(0);
        return guess ? guess->events : std::vector<std::size_t>();
    }
    [[nodiscard]] std::vector<std::size_t> shown_first() const {
        return std::get<questions::Order>(state.predictions.questions()[0].kind).shown;
    }
    [[nodiscard]] static std::string card(std::size_t event) { return "predict/1/event/" + std::to_string(event + 1); }
    void drag_px(float x0, float y0, float x1, float y1) {
        act("drag:" + std::to_string(x0) + "," + std::to_string(y0) + "," + std::to_string(x1) + "," +
            std::to_string(y1));
        frames(2);
    }
    // From one place of a question's row to another, in percent of its axis.
    void drag_row(const std::string& id, double from, double to) {
        const WidgetRect row = rect(id);
        const auto x_px = [&](double percent) {
            return row.x0 + static_cast<float>(percent / 100) * (row.x1 - row.x0);
        };
        drag_px(x_px(from), row.centre_y(), x_px(to), row.centre_y());
    }
    void focus(const std::string& id) {
        for (int i = 0; i < 200 && app->focus_ring().at() != id; ++i) {
            act("key:tab");
        }
        ASSERT_EQ(app->focus_ring().at(), id);
    }
    void expect_drawn(std::size_t question, double from, double to) const {
        const auto guess = state.predictions.guess_as<DrawnGuess>(question);
        ASSERT_TRUE(guess);
        EXPECT_NEAR(guess->from, from, 1.01);
        EXPECT_NEAR(guess->to, to, 1.01);
    }
    [[nodiscard]] bool right(std::size_t question) const {
        const questions::RunAnswer* answer = state.predictions.answer_of(question);
        return answer != nullptr && questions::is_right(state.predictions.questions()[question], *answer,
                                                        *state.predictions.guess_of(question));
    }
};

TEST_F(PredictKindsWindowTest, CardsAreDraggedIntoOrder) {
    std::vector<std::size_t> wanted = shown_first();
    EXPECT_TRUE(order().empty()) << "the shown order is no guess";
    // Each card in turn to its place, beginning with the first.
    for (std::size_t place = 0; place < 4; ++place) {
        const WidgetRect from = rect(card(place));
        const float top = rect(card(wanted[place])).y0;
        drag_px(from.centre_x(), from.y0 + 6, from.centre_x(), top + 2);
        const auto at = std::find(wanted.begin(), wanted.end(), place);
        std::rotate(wanted.begin() + static_cast<std::ptrdiff_t>(place), at, at + 1);
        EXPECT_EQ(order(), wanted) << place;
    }
    EXPECT_EQ(order(), (std::vector<std::size_t>{0, 1, 2, 3}));
    for (std::size_t place = 1; place < 4; ++place) {
        EXPECT_GT(rect(card(place)).y0, rect(card(place - 1)).y0);
    }
    EXPECT_FALSE(shown("predict/1/answer"));
    run_to_the_end();
    act("click:step/predict");
    frames(3);
    EXPECT_TRUE(right(0));
    EXPECT_TRUE(shown("predict/1/answer"));
    EXPECT_FALSE(shown("predict/1/right-order"));
    EXPECT_EQ(state.predictions.answer_of(0)->sentence,
              "There were " + std::to_string(session.b()->numbers().ops) + " ops.");
}

TEST_F(PredictKindsWindowTest, ACardIsDraggedDownOverATallerOne) {
    // The last op to the end, the tall card before it.
    for (std::size_t event = 0; event < 4; ++event) {
        const WidgetRect from = rect(card(event));
        float bottom = 0;
        for (std::size_t other = 0; other < 4; ++other) {
            bottom = std::max(bottom, rect(card(other)).y1);
        }
        drag_px(from.centre_x(), from.y1 - 6, from.centre_x(), bottom + 40);
        EXPECT_EQ(order().back(), event);
    }
    EXPECT_EQ(order(), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST_F(PredictKindsWindowTest, CardsHaveButtonsAndArrowKeys) {
    const std::vector<std::size_t> begun = shown_first();
    act("click:" + card(begun[0]) + "/down");
    frames(2);
    EXPECT_EQ(order(), (std::vector<std::size_t>{begun[1], begun[0], begun[2], begun[3]}));
    EXPECT_FALSE(rect(card(begun[1]) + "/up").enabled) << "it is the first";
    act("click:" + card(begun[1]) + "/up");
    act("click:" + card(begun[0]) + "/up");
    frames(2);
    EXPECT_EQ(order(), begun);
    focus(card(begun[0]));
    act("key:down");
    act("key:down");
    EXPECT_EQ(order(), (std::vector<std::size_t>{begun[1], begun[2], begun[0], begun[3]}));
    EXPECT_EQ(app->focus_ring().at(), card(begun[0])) << "the focus moves with the card";
    act("key:up");
    EXPECT_EQ(order(), (std::vector<std::size_t>{begun[1], begun[0], begun[2], begun[3]}));
    act("key:tab");
    act("key:tab");
    EXPECT_EQ(app->focus_ring().at(), card(begun[0]) + "/down");
    act("key:enter");
    frames(6);
    EXPECT_EQ(order(), (std::vector<std::size_t>{begun[1], begun[2], begun[0], begun[3]}));
}

TEST_F(PredictKindsWindowTest, AWrongOrderIsShownWithTheRightOne) {
    act("click:" + card(shown_first()[2]));  // the order as it stands
    frames(2);
    EXPECT_EQ(order(), shown_first());
    run_to_the_end();
    act("click:step/predict");
    frames(3);
    EXPECT_FALSE(right(0));
    EXPECT_TRUE(shown("predict/1/answer"));
    EXPECT_TRUE(shown("predict/1/right-order"));
    EXPECT_EQ(questions::why_not(*state.predictions.answer_of(0), *state.predictions.guess_of(0)),
              "Ops are executed after they are issued.");
    // A click does not take the answer away; another order does.
    act("click:" + card(0));
    frames(2);
    EXPECT_NE(state.predictions.answer_of(0), nullptr);
    act("click:" + card(shown_first()[0]) + "/down");
    frames(2);
    EXPECT_EQ(state.predictions.answer_of(0), nullptr);
    EXPECT_FALSE(shown("predict/1/answer"));
}

TEST_F(PredictKindsWindowTest, AnIntervalIsDrawnAndItsEndsAreDragged) {
    EXPECT_FALSE(shown("predict/2/from"));
    drag_row("predict/2", 30, 60);
    expect_drawn(1, 30, 60);
    drag_row("predict/2", 60, 80);  // its right edge
    expect_drawn(1, 30, 80);
    drag_row("predict/2", 30, 10);  // its left edge
    expect_drawn(1, 10, 80);
    drag_row("predict/2", 40, 55);  // all of it
    expect_drawn(1, 25, 95);
    drag_row("predict/2", 60, 99);  // not beyond the end
    expect_drawn(1, 30, 100);
    drag_row("predict/2", 20, 5);  // a new one beside it, to the left
    expect_drawn(1, 5, 20);
    drag_row("predict/2", 20, 2);  // an end past the other one
    expect_drawn(1, 2, 5);
    EXPECT_FALSE(state.predictions.answer_of(1));
}

TEST_F(PredictKindsWindowTest, AnIntervalIsSetWithTheArrowKeys) {
    focus("predict/2");
    act("key:right");
    expect_drawn(1, 40, 60);
    frames(2);
    act("key:right");
    expect_drawn(1, 41, 61);
    EXPECT_EQ(app->focus_ring().at(), "predict/2");
    focus("predict/2/to");
    act("key:shift+right");
    expect_drawn(1, 41, 66);
    focus("predict/2/from");
    act("key:left");
    act("key:left");
    expect_drawn(1, 39, 66);
    for (int i = 0; i < 8; ++i) {
        act("key:shift+right");
    }
    expect_drawn(1, 65, 66);
}

TEST_F(PredictKindsWindowTest, WhatIsDrawnIsJudgedAfterTheRun) {
    run_to_the_end();  // the next run is the same
    const auto interval = [&] {
        const model::Run& run = *session.b()->run();
        const model::Run::Measured part = run.measured();
        const auto percent = [&](double share) {
            const auto index = std::lround(share * static_cast<double>(part.last - part.first + 1));
            const model::Op& op = run.op(part.first + static_cast<core::OpId>(index));
            return 100 * static_cast<double>(op.issue_begin_ns - part.begin_ns) / static_cast<double>(total_ns_of(run));
        };
        return std::pair{percent(0.25), percent(0.5)};
    }();
    ASSERT_GT(interval.second, interval.first + 10);
    act("click:step/predict");
    frames(3);
    drag_row("predict/2", interval.first + 4, interval.second - 4);
    drag_row("predict/3", 10, 20);
    run_to_the_end();
    act("click:step/predict");
    frames(3);
    const auto* answer = state.predictions.answer_of(1);
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(answer->problem, "");
    EXPECT_NEAR(std::get<DrawnGuess>(*answer->right).from, interval.first, 1e-6);
    EXPECT_TRUE(right(1));
    EXPECT_TRUE(shown("predict/2/answer"));
    EXPECT_FALSE(right(2)) << "the last op begins late";
    EXPECT_TRUE(shown("predict/3/answer"));
    drag_row("predict/2", 1, 8);
    EXPECT_EQ(state.predictions.answer_of(1), nullptr) << "it is for the next run";
    run_to_the_end();
    frames(3);
    ASSERT_NE(state.predictions.answer_of(1), nullptr);
    EXPECT_FALSE(right(1));
}

TEST_F(PredictKindsWindowTest, AMomentIsClickedDraggedAndMoved) {
    const WidgetRect row = rect("predict/3");
    act("click:predict/3");
    frames(2);
    expect_drawn(2, 50, 50);
    EXPECT_FALSE(shown("predict/3/from")) << "a moment has no ends";
    drag_row("predict/3", 20, 70);
    expect_drawn(2, 70, 70);
    focus("predict/3");
    act("key:left");
    act("key:shift+left");
    expect_drawn(2, 64, 64);
    EXPECT_EQ(rect("predict/3").x0, row.x0);
}

}  // namespace
}  // namespace headway::ui::test
