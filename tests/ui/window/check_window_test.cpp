// Exercises in the window: open one, check it, take hints, repair it, check again.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "app/ui/state/outside_work.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class CheckWindowTest : public WindowTest {
protected:
    void SetUp() override {
        open(1920, 1080);
        ASSERT_FALSE(state.included.exercises().empty());
        const auto opened = state.programs.open_exercise(state.included.exercises()[0]);
        ASSERT_TRUE(opened) << opened.error().message;
        frames(3);
    }
    void check() {
        act("click:step/check");
        frames(2);
        ASSERT_TRUE(state.checking.busy());
        EXPECT_TRUE(outside_work(state)) << "the window would wait for the mouse, and show the result only then";
        for (int i = 0; i < 6000 && state.checking.busy(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            frame();
        }
        ASSERT_NE(state.checking.report(), nullptr);
        EXPECT_FALSE(outside_work(state));
        frames(3);
    }
    static std::string content(const std::filesystem::path& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
};

TEST_F(CheckWindowTest, SaysWhatDoesNotHoldAndGivesHintsOneByOne) {
    EXPECT_TRUE(shown("step/check"));
    EXPECT_FALSE(shown("step/predict"));
    EXPECT_EQ(session.settings.device, "simulated");
    EXPECT_EQ(state.checking.report(), nullptr);
    check();
    const check::CheckReport& report = *state.checking.report();
    EXPECT_EQ(report.verdict, check::Verdict::failed);
    std::size_t failed = 0;
    while (failed < report.checks.size() && report.checks[failed].outcome != check::Outcome::failed) {
        ++failed;
    }
    ASSERT_LT(failed, report.checks.size());
    EXPECT_EQ(state.checking.hints_shown(failed), 0u);
    act("click:check/hint/" + std::to_string(failed + 1));
    EXPECT_EQ(state.checking.hints_shown(failed), 1u);
    EXPECT_FALSE(state.checking.outdated());
}

TEST_F(CheckWindowTest, TheTextInTheEditorIsChecked) {
    const check::Exercise& exercise = state.included.exercises()[0];
    const std::filesystem::path file = state.source.files.home / "exercises" / (exercise.id + ".py");
    EXPECT_EQ(content(file), content(exercise.start()));
    state.source.document()->text.replace_all(content(exercise.reference()));
    check();
    EXPECT_TRUE(state.checking.report()->passed()) << state.checking.report()->sentence;
    state.source.document()->text.replace_all("x = 1\n");
    frames(2);
    EXPECT_TRUE(state.checking.outdated());
    // Another program has no report.
    state.programs.choose("train");
    frames(2);
    EXPECT_EQ(state.checking.report(), nullptr);
    EXPECT_FALSE(shown("check"));
    EXPECT_FALSE(shown("step/check"));
}

}  // namespace
}  // namespace headway::ui::test
