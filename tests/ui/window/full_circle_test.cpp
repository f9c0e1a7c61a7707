// Each lesson that comes with Headway, as a learner goes through it, on the simulated device: predict twice,
// run, read why, step back, try a change.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "app/lesson/assets.h"
#include "app/questions/look.h"
#include "app/ui/widgets/markdown.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shipped_lessons() {
    std::vector<std::string> folders;
    if (const auto assets = lesson::find_assets_dir()) {
        for (const auto& entry : fs::directory_iterator(*assets / "lessons")) {
            if (fs::exists(entry.path() / "lesson.md")) {
                folders.push_back(entry.path().string());
            }
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

class FullCircleTest : public WindowTest, public ::testing::WithParamInterface<std::string> {
protected:
    // Scrolls the lesson until the control is visible, and clicks it.
    void reach(const std::string& id) {
        const WidgetRect& column = rect("lesson/column");
        act("move:" + std::to_string(column.centre_x()) + "," + std::to_string(column.y1 - 80));
        for (int i = 0; i < 60 && !visible(id); ++i) {
            act("wheel:" + std::string(i < 30 ? "3" : "-1"));
        }
        ASSERT_TRUE(visible(id)) << id;
        frames(2);  // what is scrolled has come to rest
        act("click:" + id);
        frames(2);
    }
    [[nodiscard]] bool visible(const std::string& id) const {
        const auto found = app->rects().find(id);
        return found != app->rects().end() && found->second.y1 - found->second.y0 > 6;
    }
    void run_lesson() {
        act("click:run");
        act("wait");
        ASSERT_NE(session.b(), nullptr);
        frames(5);
    }
    // Something wrong, by kind, for a question that is not answered with a click.
    [[nodiscard]] static questions::Guess wrong(const questions::Question& question) {
        if (const auto* number = std::get_if<questions::Number>(&question.kind)) {
            return questions::NumberGuess{number->least - 1e9};
        }
        if (const auto* order = std::get_if<questions::Order>(&question.kind)) {
            return questions::OrderGuess{order->shown};
        }
        return questions::DrawnGuess{-1000, -1000};
    }
    std::map<std::size_t, std::optional<questions::Guess>> last_;  // by question: what was right for the last run
};

TEST_P(FullCircleTest, PredictRunExplainStepBackTry) {
    open(1440, 1400);
    state.use_data_folder(folder / "data");
    act("open:" + GetParam());
    act("device:simulated");
    frames(3);
    ASSERT_EQ(session.settings.device, "simulated");
    for (const lesson::Parameter& parameter : state.programs.lesson()->parameters) {
        if (parameter.name == "megabytes") {
            EXPECT_EQ(state.settings.set_parameter(parameter, "16"), "");  // its own size takes seconds for each run
        }
    }
    run_lesson();
    if (session.b()->ending().find("no Python") != std::string::npos) {
        GTEST_SKIP() << session.b()->ending();
    }
    ASSERT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();

    // Predict: the first answer of each question, then what the run said was right; the runs are equal.
    const auto& questions = state.predictions.questions();
    EXPECT_FALSE(questions.empty());
    for (const bool right : {false, true}) {
        std::vector<bool> guessed(questions.size());
        for (std::size_t i = 0; i < questions.size(); ++i) {
            if (!std::holds_alternative<questions::Choices>(questions[i].kind)) {
                state.predictions.guess(i, right && last_[i] ? *last_[i] : wrong(questions[i]));
                guessed[i] = true;
                continue;
            }
            const std::size_t wanted = right && last_[i] ? std::get<questions::ChoiceGuess>(*last_[i]).choice + 1 : 1;
            reach("predict/" + std::to_string(i + 1) + "/" + std::to_string(wanted));
            guessed[i] = state.predictions.guess_of(i).has_value();
        }
        run_lesson();
        for (std::size_t i = 0; i < questions.size(); ++i) {
            EXPECT_TRUE(guessed[i]) << i;
            const questions::RunAnswer* answer = state.predictions.answer_of(i);
            ASSERT_NE(answer, nullptr) << i;
            EXPECT_FALSE(answer->sentence.empty() && answer->problem.empty()) << i;
            last_[i] = answer->right;
            if (answer->problem.empty() && (right || !std::holds_alternative<questions::Choices>(questions[i].kind))) {
                EXPECT_EQ(questions::is_right(questions[i], *answer, *state.predictions.guess_of(i)), right) << i;
            }
        }
    }

    // Explain: three to six sentences, each can be pointed at.
    ASSERT_TRUE(app->lesson().explain().any());
    EXPECT_TRUE(shown("explain"));
    act("key:e");
    frames(4);
    EXPECT_EQ(state.timeline.sentence, 0);
    act("key:escape");

    // Look: each link of the text points at something in this run.
    int links = 0;
    for (const MarkdownBlock& block : parse_markdown(state.programs.lesson()->text + state.programs.lesson()->claim_text)) {
        for (const MarkdownSpan& span : block.spans) {
            if (span.look.empty()) {
                continue;
            }
            reach("look/" + std::to_string(++links));
            const auto look = questions::parse_look(span.look);
            ASSERT_TRUE(look) << look.error().message;
            if (look->tab.empty()) {
                EXPECT_EQ(state.timeline.look, links - 1) << span.text;
                EXPECT_FALSE(state.timeline.look_places.empty());
                act("key:escape");
                EXPECT_EQ(state.timeline.look, -1);
            } else {
                EXPECT_EQ(state.details.shown, look->tab);
            }
        }
    }
    EXPECT_GT(links, 0);

    // Step ten events back, and to the end again.
    ASSERT_TRUE(state.replay.possible());
    std::set<std::int64_t> moments;
    for (int i = 0; i < 10; ++i) {
        act("key:shift+f10");
        moments.insert(state.replay.ns());
    }
    EXPECT_GE(moments.size(), 3u);
    act("key:end");
    EXPECT_EQ(state.replay.event(), state.replay.events());
    act("key:escape");
    EXPECT_FALSE(state.replay.on());

    // Try: there is something to try and to make, and a change can be run.
    EXPECT_NE(state.programs.lesson()->try_text.find("**Try.**"), std::string::npos);
    EXPECT_NE(state.programs.lesson()->try_text.find("**Make.**"), std::string::npos);
    for (const lesson::Parameter& parameter : state.programs.lesson()->parameters) {
        if (parameter.choices.size() > 1) {
            const std::string other = parameter.choices[parameter.value == parameter.choices[0] ? 1 : 0];
            EXPECT_EQ(state.settings.set_parameter(parameter, other), "");
            break;
        }
    }
    run_lesson();
    EXPECT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
    EXPECT_TRUE(state.progress.has(state.programs.lesson()->id, Progress::Step::ran));
    EXPECT_TRUE(state.progress.has(state.programs.lesson()->id, Progress::Step::predicted));
}

INSTANTIATE_TEST_SUITE_P(Lessons, FullCircleTest, ::testing::ValuesIn(shipped_lessons()), [](const auto& lesson) {
    std::string name = fs::path(lesson.param).filename().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return "L" + name;
});

}  // namespace
}  // namespace headway::ui::test
