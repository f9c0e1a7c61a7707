// The formula's view: sliders move the numbers at once, and it can take over a run's.
#include <string>

#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

using figure::StageValue;

class FormulaWindowTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        open(1280, 720);
        frames(3);
    }
};

TEST_F(FormulaWindowTest, AKeyShowsItAndEscapeHidesIt) {
    act("key:u");
    frames(2);
    EXPECT_TRUE(shown("formula"));
    EXPECT_FALSE(shown("source/editor")) << "it covers timeline and source";
    act("key:escape");
    frames(2);
    EXPECT_FALSE(shown("formula"));
}

TEST_F(FormulaWindowTest, ASliderChangesItsValue) {
    act("key:u");
    frames(2);
    const double before = state.formula.stages.t2_ns;
    const WidgetRect track = rect("formula/" + std::to_string(static_cast<int>(StageValue::t2)));
    const std::string y = std::to_string(track.centre_y());
    act("drag:" + std::to_string(track.centre_x()) + "," + y + "," + std::to_string(track.x1 - 8) + "," + y);
    EXPECT_GT(state.formula.stages.t2_ns, before);
    EXPECT_LE(state.formula.stages.t2_ns, state.formula.most_ns);
    const int ops = state.formula.stages.ops;
    act("click:formula/0/more");
    EXPECT_EQ(state.formula.stages.ops, ops + 1);
    act("click:formula/0/less");
    EXPECT_EQ(state.formula.stages.ops, ops);
}

TEST_F(FormulaWindowTest, SaysWhichSideIsTheLimit) {
    state.formula.stages = {10, 1, 1000, 0, 950, 1000};
    EXPECT_NE(figure::formula_sentence(state.formula.stages).find("Issue-bound"), std::string::npos);
    state.formula.set(StageValue::t2, 2000);
    EXPECT_NE(figure::formula_sentence(state.formula.stages).find("Execution-bound"), std::string::npos);
}

TEST_F(FormulaWindowTest, TakesOverTheMediansOfARunThatItExplains) {
    model::Numbers numbers;
    numbers.prediction_formula = "N·(t₁+h+t₂+t₃)";
    numbers.ops = 10'000;
    numbers.t1_ns = 2'200;
    numbers.h_ns = 40;
    numbers.t2_ns = 510;
    numbers.t3_ns = 900;
    state.formula.take(numbers);
    EXPECT_EQ(state.formula.stages, (model::Stages{FormulaState::kOpsOfRun, 1, 2'200, 40, 510, 900}));
    EXPECT_EQ(state.formula.most_ns, 5'000);
    EXPECT_EQ(state.formula.origin, "the medians of this run, with 12 ops in place of its 10,000");
    state.formula.set(StageValue::t1, 2'000);
    EXPECT_TRUE(state.formula.origin.empty()) << "they are the learner's now";
    EXPECT_FALSE(FormulaState::fits({}));
}

TEST_F(FormulaWindowTest, ANewRunShowsTheTimelineAgain) {
    act("key:u");
    frames(2);
    run_to_the_end();
    EXPECT_FALSE(shown("formula"));
}

}  // namespace
}  // namespace headway::ui::test
