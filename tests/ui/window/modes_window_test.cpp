// The three modes of the window: what each shows, and how much of the code.
#include <fstream>
#include <string>
#include <utility>

#include "app/ui/details/line_waits.h"
#include "tests/ui/window/window_fixture.h"
#include "tests/unit/figure/script.h"

namespace headway::ui::test {
namespace {

class ModesTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        std::ofstream(folder / "program.py") << "import headway as hw\nx = hw.ones(2, 2)\nprint(x)\n";
        act("open:" + (folder / "program.py").string());
    }
    // Columns and lines of code that are visible.
    [[nodiscard]] std::pair<int, int> code() {
        const WidgetRect& box = rect("source/code");
        const float cell = fonts->width(gfx::Face::mono, 13.5f, "0000000000") / 10;
        return {static_cast<int>((box.x1 - box.x0) / cell),
                static_cast<int>((box.y1 - box.y0) / (20 * fonts->scale()))};
    }
};

TEST_F(ModesTest, EachModeShowsEnoughOfTheCode) {
    struct Wanted {
        int width, height;
        Mode mode;
        int columns, lines;
    };
    for (const Wanted& w : {Wanted{1920, 1080, Mode::learn, 80, 12},
                            {1280, 720, Mode::learn, 60, 9},
                            {1920, 1080, Mode::step, 80, 25},
                            {1280, 720, Mode::step, 60, 14}}) {
        state.look.mode = w.mode;
        open(w.width, w.height);
        const auto [columns, lines] = code();
        EXPECT_GE(columns, w.columns) << name_of(w.mode) << " at " << w.width;
        EXPECT_GE(lines, w.lines) << name_of(w.mode) << " at " << w.width;
    }
}

TEST_F(ModesTest, KeyAndButtonsSwitchTheMode) {
    EXPECT_EQ(state.look.mode, Mode::learn);
    act("key:v");
    EXPECT_EQ(state.look.mode, Mode::step);
    act("click:mode/Compare");
    frames(2);
    EXPECT_EQ(state.look.mode, Mode::compare);
    EXPECT_FALSE(shown("source"));
    EXPECT_TRUE(shown("card"));
    act("key:v");
    EXPECT_EQ(state.look.mode, Mode::learn);
    act("key:ctrl+e");
    EXPECT_EQ(state.look.mode, Mode::step);
    act("text:#");
    EXPECT_EQ(state.source.document()->text.lines()[0].front(), '#');
}

TEST_F(ModesTest, DividersAreDraggedAndResetByADoubleClick) {
    const WidgetRect before = rect("source");
    const WidgetRect row = rect("divider/row");
    const std::string x = std::to_string(row.centre_x()), y = std::to_string(row.centre_y());
    act("drag:" + x + "," + y + "," + x + "," + std::to_string(row.centre_y() - 80));
    frames(2);
    EXPECT_NEAR(before.y0 - rect("source").y0, 80, 3);
    act("double:divider/row");
    frames(2);
    EXPECT_NEAR(rect("source").y0, before.y0, 1);
}

// Without its own run, a program has neither been run nor explained, and what is shown says whose it is.
TEST_F(ModesTest, ARunOfAnotherProgramIsNamed) {
    const auto header = [this] {
        for (const auto& item : app->timeline().layout().list.items) {
            if (const auto* text = std::get_if<figure::Text>(&item);
                text != nullptr && text->text.find("barrier") != std::string::npos) {
                return text->text;
            }
        }
        return std::string();
    };
    state.programs.choose("train");
    run_to_the_end();
    frames(3);
    EXPECT_EQ(state.comparing.other_program(session.b()), "");
    EXPECT_EQ(header().find("Training"), std::string::npos) << header();
    state.programs.choose("increment");
    frames(3);
    EXPECT_EQ(state.comparing.other_program(session.b()), "Training with and without a barrier");
    EXPECT_EQ(header().find("Training with and without a barrier: "), 0u) << header();
    act("open:" + (folder / "program.py").string());
    act("key:f10");  // is live until the next step
    frames(10);
    state.programs.choose("train");
    ASSERT_TRUE(session.live());
    EXPECT_EQ(state.comparing.other_program(session.b()), "program.py");
    EXPECT_EQ(state.comparing.other_program(session.a()), "");
}

// Two runs in the narrow panel of a small window.
TEST_F(ModesTest, NumbersOfTwoRunsAreNotCut) {
    state.programs.choose("train");
    run_to_the_end();
    act("barrier:none");
    run_to_the_end();
    for (const Mode mode : {Mode::learn, Mode::step}) {
        state.look.mode = mode;
        state.details.shown = "numbers";
        open(1280, 720);
        frames(3);
        ASSERT_TRUE(shown("comparison"));
        for (const auto& [id, box] : app->rects()) {
            EXPECT_EQ(id.find("numbers/cut/"), std::string::npos) << id << " in " << name_of(mode);
        }
    }
}

class NumbersTest : public ModesTest {
protected:
    std::string words_of_numbers() {
        state.look.mode = Mode::compare;
        state.details.show("numbers");
        frames(3);
        return words();
    }
};

TEST_F(NumbersTest, OneRealRunEachHasNoRatios) {
    for (const char* device : {"cpu", "simulated"}) {
        session.settings.device = device;
        act("barrier:none");
        run_to_the_end();
        act("barrier:op");
        run_to_the_end();
        EXPECT_EQ(words_of_numbers().find("larger") != std::string::npos, device == std::string("simulated"));
    }
}

TEST_F(NumbersTest, RunsThatAreNotComparedHaveNoRatios) {
    state.programs.choose("train");
    run_to_the_end();
    act("barrier:none");
    run_to_the_end();
    EXPECT_NE(words_of_numbers().find("larger"), std::string::npos);
    session.settings.budget_bytes = 64 << 10;
    act("run");
    act("wait");
    ASSERT_EQ(session.b()->phase(), session::Phase::failed);
    ASSERT_NE(session.a(), nullptr);
    const std::string words = words_of_numbers();
    EXPECT_NE(words.find("are not compared"), std::string::npos);
    EXPECT_EQ(words.find("larger"), std::string::npos) << words;
}

TEST_F(ModesTest, ARunWithoutOpsHasNoQueues) {
    std::ofstream(folder / "nothing.py") << "import headway\n";
    act("open:" + (folder / "nothing.py").string());
    run_to_the_end();
    state.look.mode = Mode::step;
    state.details.show("queue");
    frames(3);
    const std::string text = words();
    EXPECT_NE(text.find("This run issued no ops"), std::string::npos) << text;
    EXPECT_EQ(text.find("Back, below the timeline"), std::string::npos);
    state.step_back();
    EXPECT_EQ(state.notices.all().back().text, "This run issued no ops, so there is nothing to step back to.");
}

// With large text the controls continue in a further row, and cover nothing beside them.
TEST_F(ModesTest, StepControlsStayInTheirPane) {
    for (const int width : {1280, 1000, 860}) {
        open(width, 720);
        frames(2);
        for (const char* id : {"step/line", "step/over", "step/op", "step/cursor", "backend/hold", "backend/step"}) {
            ASSERT_TRUE(shown(id)) << id << " at " << width;
            EXPECT_LE(rect(id).x1, rect("source").x1) << id << " at " << width;
            EXPECT_LE(rect(id).y1, rect("source/code").y0 + 1) << id << " at " << width;
        }
    }
}

// In Step mode the rows are of the run that is stepped, which leaves them room for words.
TEST_F(ModesTest, StepShowsTheLastRunAlone) {
    state.programs.choose("train");
    run_to_the_end();
    act("barrier:none");
    run_to_the_end();
    const auto runs = [this] {
        int count = 0;
        for (const auto& row : app->timeline().layout().rows) {
            count = std::max(count, row.run + 1);
        }
        return count;
    };
    frames(2);
    EXPECT_EQ(runs(), 2);
    act("click:mode/Step");
    frames(3);
    EXPECT_EQ(runs(), 1);
    EXPECT_EQ(app->timeline().run_at(0), session.b()->run());
    EXPECT_NEAR(state.timeline.view.whole().end_ns, static_cast<double>(session.b()->numbers().total_ns),
                static_cast<double>(session.b()->numbers().total_ns) * 0.05);
    act("click:mode/Compare");
    frames(3);
    EXPECT_EQ(runs(), 2);
}

TEST_F(ModesTest, CompareListsTheLinesThatWaitUntilSomethingIsChosen) {
    act("device:simulated");
    run_to_the_end();
    act("click:mode/Compare");
    frames(2);
    EXPECT_TRUE(shown("card/lines"));
    const auto rows = waits_by_line(nullptr, session.b());
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].line, "program.py:3");
    EXPECT_EQ(rows[0].ns[0], 0);
    EXPECT_EQ(rows[0].ns[1], session.b()->numbers().blocked_ns);
    EXPECT_EQ(waits_by_line(session.b(), session.b())[0].ns[0], rows[0].ns[1]);
    state.timeline.selection = {0, 1};
    frames(2);
    EXPECT_FALSE(shown("card/lines"));
}

TEST_F(ModesTest, ANoticeMovesNothing) {
    run_to_the_end();
    frames(3);
    const WidgetRect before = rect("timeline");
    state.notices.add(Notice::Kind::file, Notice::Tone::bad, "The file was not found.");
    frames(2);
    EXPECT_TRUE(shown("notice"));
    EXPECT_EQ(rect("timeline").y0, before.y0);
    EXPECT_EQ(rect("timeline").y1, before.y1);
    for (const Mode mode : {Mode::learn, Mode::step, Mode::compare}) {
        state.look.mode = mode;
        frames(3);
        const WidgetRect notice = rect("notice"), timeline = rect("timeline");
        EXPECT_TRUE(notice.y0 >= timeline.y1 || notice.y1 <= timeline.y0 || notice.x1 <= timeline.x0)
            << "covers the timeline in mode " << static_cast<int>(mode);
    }
}

TEST_F(ModesTest, InCompareTheDetailsOfAHoveredOpAreDocked) {
    session.show(figure::test::training({}, 6, true));
    state.look.mode = Mode::compare;
    frames(40);
    const auto before = pixels();
    const WidgetRect card = rect("card");
    act("hover-op:0," + std::to_string(app->timeline().run_at(0)->op_count() / 2));
    frames(40);
    const auto after = pixels();
    const int width = platform->size().width;
    int changed = 0;
    for (auto y = static_cast<int>(card.y0); y < static_cast<int>(card.y1); ++y) {
        for (auto x = static_cast<int>(card.x0); x < static_cast<int>(card.x1); ++x) {
            const auto at = 4 * static_cast<std::size_t>(y * width + x);
            changed += before[at] != after[at] ? 1 : 0;
        }
    }
    EXPECT_GT(changed, 200);
}

}  // namespace
}  // namespace headway::ui::test
