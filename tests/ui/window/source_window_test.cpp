// The source panel with mouse and keyboard.
#include <fstream>

#include "app/ui/source/source_editor.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

namespace fs = std::filesystem;
using session::Phase;

class SourceWindow : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (app != nullptr) {
            open_program("program.py", "n = 3\nfor i in range(n):\n    print(i)\n");
        }
    }
    void open_program(const std::string& name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        const auto opened = state.programs.open(folder / name);
        ASSERT_TRUE(opened) << opened.error().message;
        frames(3);
    }
    std::string text() const { return state.source.document()->text.text(); }
    bool ran() {
        act("wait");
        return session.b() != nullptr && session.b()->ending().find("no Python") == std::string::npos;
    }
};

TEST_F(SourceWindow, TypesWhereItIsClicked) {
    act("click:line/1");
    act("key:end");
    act("text:0");
    EXPECT_EQ(text(), "n = 30\nfor i in range(n):\n    print(i)\n");
    act("key:down");
    act("key:end");
    act("key:enter");
    act("text:pass");
    EXPECT_EQ(text(), "n = 30\nfor i in range(n):\n    pass\n    print(i)\n");
    act("key:ctrl+z");
    act("key:ctrl+z");
    act("key:ctrl+z");
    EXPECT_EQ(text(), "n = 3\nfor i in range(n):\n    print(i)\n");
    act("key:ctrl+y");
    EXPECT_EQ(text(), "n = 30\nfor i in range(n):\n    print(i)\n");
    EXPECT_EQ(session.b(), nullptr);  // here, space and letters are text
    EXPECT_EQ(state.look.theme, figure::ThemeName::dark);
}

TEST_F(SourceWindow, BarsOfCostsEndBeforeTheCounts) {
    open_program("many.py",
                 "import headway as hw\nx = hw.ones(2, 2)\nfor i in range(9999):\n    y = x + 1\nhw.waitall()\n");
    act("run");
    if (!ran()) {
        GTEST_SKIP() << "built without Python";
    }
    for (const int width : {1280, 1920}) {
        open(width, width * 9 / 16);
        ASSERT_TRUE(shown("ops/4"));
        EXPECT_GT(rect("ops/4").x0, rect("costs/4").x1 + 3) << width;
        EXPECT_LT(rect("ops/4").x1, state.look.width_px);
    }
}

TEST_F(SourceWindow, AFailingLineIsNotCoveredByItsNotice) {
    std::string lines;
    for (int i = 1; i < 40; ++i) {
        lines += "x" + std::to_string(i) + " = " + std::to_string(i) + "\n";
    }
    for (const int width : {1280, 1920}) {
        open(width, width * 9 / 16);
        // In the middle of the program, and at its end.
        for (const std::string& after : {lines, std::string()}) {
            open_program("failing.py", lines + "1 / 0\n" + after);
            act("run");
            if (!ran()) {
                GTEST_SKIP() << "built without Python";
            }
            frames(5);
            ASSERT_TRUE(shown("notice"));
            ASSERT_TRUE(shown("line/40"));
            const WidgetRect line = rect("line/40"), code = rect("source/code"), notice = rect("notice");
            EXPECT_GE(line.y0, code.y0);
            EXPECT_LE(line.y1, notice.y0) << width;
        }
    }
}

TEST(CostsOfALine, IncludeTheBackwardOps) {
    model::LineCost cost;
    cost.ops = 1;
    cost.issue_ns = 2'000;
    cost.blocked_ns = 0;
    cost.recorded_work_ns = 3'000'000;
    EXPECT_EQ(text_of(7, cost), "line 7: 1 op, issued in 2.00 µs, blocked 0 ns, own work 3.00 ms");
    cost.ops = 1204;
    cost.backward_ops = 2;
    cost.backward_ns = 40'000;
    EXPECT_EQ(text_of(7, cost),
              "line 7: 1,204 ops, issued in 2.00 µs, blocked 0 ns, own work 3.00 ms\n"
              "its backward pass: 2 ops, executed in 40.0 µs");
}

TEST_F(SourceWindow, LettersAreTextNotShortcuts) {
    act("click:line/1");
    act("key:home");
    act("key:t");
    act("text:t");
    act("key:space");
    act("text: ");
    EXPECT_EQ(text().substr(0, 3), "t n");
    EXPECT_EQ(state.look.theme, figure::ThemeName::dark);
    EXPECT_EQ(session.b(), nullptr);
    act("key:escape");  // the window handles keys again
    act("key:t");
    EXPECT_EQ(state.look.theme, figure::ThemeName::light);
}

TEST_F(SourceWindow, CutsAndPastes) {
    act("click:line/1");
    act("key:ctrl+x");
    EXPECT_EQ(text(), "for i in range(n):\n    print(i)\n");
    act("key:ctrl+end");
    act("key:ctrl+v");
    EXPECT_EQ(text(), "for i in range(n):\n    print(i)\nn = 3\n");
    act("key:ctrl+a");
    act("key:ctrl+c");
    act("key:delete");
    EXPECT_EQ(text(), "");
    act("key:ctrl+v");
    EXPECT_EQ(text(), "for i in range(n):\n    print(i)\nn = 3\n");
    act("key:ctrl+a");
    act("key:tab");
    EXPECT_EQ(text(), "    for i in range(n):\n        print(i)\n    n = 3\n");
    act("key:shift+tab");
    EXPECT_EQ(text(), "for i in range(n):\n    print(i)\nn = 3\n");
    act("key:ctrl+/");
    EXPECT_EQ(text(), "# for i in range(n):\n#     print(i)\n# n = 3\n");
}

TEST_F(SourceWindow, DraggingSelects) {
    const WidgetRect line = rect("line/2");
    const float y = line.centre_y();
    act("drag:" + std::to_string(line.x0 + 1) + "," + std::to_string(y) + "," + std::to_string(line.x1 - 2) + "," +
        std::to_string(y));
    EXPECT_TRUE(state.source.document()->text.has_selection());
    act("double:line/3");
    EXPECT_FALSE(state.source.document()->text.text(state.source.document()->text.selection()).empty());
}

TEST_F(SourceWindow, CtrlEnterRunsTheEditorsText) {
    act("click:line/1");
    act("key:end");
    act("text:0");
    act("key:ctrl+enter");
    if (!ran()) {
        GTEST_SKIP() << "no Python";
    }
    EXPECT_EQ(session.b()->phase(), Phase::finished) << session.b()->ending();
    EXPECT_EQ(session.b()->output().size(), 30u);
    std::ifstream file(folder / "program.py");
    std::string first;
    std::getline(file, first);
    EXPECT_EQ(first, "n = 3");
    act("key:ctrl+s");
    file.clear();
    file.seekg(0);
    std::getline(file, first);
    EXPECT_EQ(first, "n = 3");  // this handle is the old file's: saving replaces the file as a whole
    std::ifstream now(folder / "program.py");
    std::getline(now, first);
    EXPECT_EQ(first, "n = 30");
}

TEST_F(SourceWindow, TheGutterSetsBreakpointsAndStepsContinue) {
    act("click:gutter/3");
    EXPECT_EQ(state.source.document()->breakpoints().count(3), 1u);
    act("click:run");
    for (int i = 0; i < 2000 && session.live() && state.lines.current() != 3; ++i) {
        act("seconds:0.01");
    }
    if (!session.live()) {
        GTEST_SKIP() << session.b()->ending();
    }
    EXPECT_EQ(state.lines.current(), 3u);
    act("click:step/line");
    for (int i = 0; i < 500 && state.lines.current() != 2; ++i) {
        act("seconds:0.01");
    }
    EXPECT_EQ(state.lines.current(), 2u);
    act("click:gutter/3");
    EXPECT_TRUE(state.source.document()->breakpoints().empty());
    act("click:pause");
    act("wait");
    EXPECT_EQ(session.b()->phase(), Phase::finished) << session.b()->ending();
}

TEST_F(SourceWindow, ControlsAreVisibleAtEveryWidth) {
    for (const auto& [width, height] : {std::pair{1280, 720}, {1024, 700}, {1920, 1080}, {2560, 1440}, {3840, 2160}}) {
        open(width, height);
        frames(3);
        for (const char* id : {"step/line", "step/over", "step/op", "step/cursor", "backend/hold", "backend/step",
                               "source/open", "line/2"}) {
            ASSERT_TRUE(shown(id)) << id << " at " << width;
            const WidgetRect& m = rect(id);
            EXPECT_GE(m.x0, 0) << id;
            EXPECT_LE(m.x1, static_cast<float>(width)) << id;
            EXPECT_LE(m.y1, static_cast<float>(height)) << id;
            EXPECT_GT(m.x1 - m.x0, 10) << id << " at " << width;
        }
        // They do not overlap.
        const char* const row[] = {"step/line", "step/over", "step/op", "step/cursor"};
        for (std::size_t i = 1; i < std::size(row); ++i) {
            EXPECT_LE(rect(row[i - 1]).x1, rect(row[i]).x0) << row[i] << " at " << width;
        }
        EXPECT_TRUE(shown("slow") || width < 1280) << width;
        if (shown("slow")) {
            EXPECT_LE(rect("backend/step").x1, rect("slow").x0) << width;
            EXPECT_LE(rect("slow").x1, rect("source").x1) << width;
        }
    }
}

TEST_F(SourceWindow, TheSliderSetsSlowMotion) {
    act("click:slow");
    EXPECT_GT(session.line_delay_ns(), 10'000'000u);
    EXPECT_LT(session.line_delay_ns(), 1'000'000'000u);
    const WidgetRect slow = rect("slow");
    act("drag:" + std::to_string(slow.centre_x()) + "," + std::to_string(slow.centre_y()) + "," +
        std::to_string(slow.x0 - 20) + "," + std::to_string(slow.centre_y()));
    EXPECT_EQ(session.line_delay_ns(), 0u);
    act("click:backend/hold");
    EXPECT_TRUE(session.backend_held());
    act("click:backend/hold");
    EXPECT_FALSE(session.backend_held());
}

TEST_F(SourceWindow, LongLinesScrollButLineNumbersStay) {
    open_program("long.py", "x = '" + std::string(500, 'y') + "'\nz = 1\n");
    const float gutter = rect("gutter/1").x0;
    act("click:line/1");
    act("key:end");
    frames(3);
    EXPECT_EQ(rect("gutter/1").x0, gutter);
    act("text:!");
    EXPECT_NE(text().find("'!"), std::string::npos);
    act("key:home");
    act("text:?");
    EXPECT_EQ(text()[0], '?');
}

TEST_F(SourceWindow, ScrollsToTheFailedLine) {
    std::string program = "import headway as hw\n";
    for (int i = 2; i < 70; ++i) {
        program += "x = hw.ones(2)\n";
    }
    open_program("fails.py", program + "x = hw.ones(3) @ hw.ones(5)\n");
    ASSERT_EQ(app->rects().count("line/70"), 0u);
    act("run");
    if (!ran()) {
        GTEST_SKIP() << session.b()->ending();
    }
    ASSERT_EQ(session.b()->phase(), Phase::failed);
    EXPECT_EQ(app->rects().count("line/70"), 1u);
}

TEST_F(SourceWindow, FindsAndWrapsAround) {
    act("key:ctrl+f");
    frames(2);
    ASSERT_TRUE(shown("find/field"));
    act("text:range");
    frames(2);
    EXPECT_EQ(state.source.document()->text.text(state.source.document()->text.selection()), "range");
    act("click:find/next");
    EXPECT_EQ(state.source.document()->text.text(state.source.document()->text.selection()), "range");
    act("click:find/close");
    frames(2);
    EXPECT_FALSE(shown("find/field"));
    EXPECT_EQ(text(), "n = 3\nfor i in range(n):\n    print(i)\n");
}

TEST_F(SourceWindow, AFileIsOpenedByItsPath) {
    std::ofstream(folder / "other.py") << "y = 1\n";
    act("click:source/open");
    frames(3);
    ASSERT_TRUE(shown("open/path"));
    act("key:ctrl+a");
    act("text:" + (folder / "none.py").string());
    act("key:enter");
    frames(2);
    EXPECT_TRUE(shown("open/problem"));
    act("click:open/path");
    act("key:ctrl+a");
    act("text:" + (folder / "oth").string());
    frames(2);
    act("click:open/choice/" + (folder / "other.py").string());
    frames(3);
    EXPECT_FALSE(shown("open/path"));
    EXPECT_EQ(text(), "y = 1\n");
    EXPECT_EQ(session.b(), nullptr);
}

TEST_F(SourceWindow, AsksBeforeDiscardingEdits) {
    act("click:line/1");
    act("text:# ");
    app->ask_to_close();
    frames(3);
    ASSERT_TRUE(shown("close/stay"));
    act("click:close/stay");
    frames(2);
    EXPECT_FALSE(app->may_close());
    EXPECT_FALSE(shown("close/stay"));
    app->ask_to_close();
    frames(3);
    act("click:close/save");
    EXPECT_TRUE(app->may_close());
    EXPECT_FALSE(state.source.document()->modified());
}

TEST_F(SourceWindow, TabsAreShownIfThereIsAChoice) {
    EXPECT_FALSE(shown("tab/MXNet"));
    open_program("doc.md", "```python\n#@tab mxnet\nx = 1\n```\n```python\n#@tab pytorch\ny = 2\n```\n");
    ASSERT_TRUE(shown("tab/MXNet"));
    act("click:tab/PyTorch");
    EXPECT_EQ(session.settings.tab, "pytorch");
    EXPECT_EQ(state.source.tab(), "pytorch");
}

TEST_F(SourceWindow, ACppProgramIsReadOnly) {
    state.programs.choose("train");
    frames(3);
    if (state.source.document() == nullptr) {
        GTEST_SKIP() << "the sources of the built-in programs are not beside this executable";
    }
    const std::string before = text();
    act("click:line/1");
    act("text:x");
    act("key:delete");
    EXPECT_EQ(text(), before);
    EXPECT_FALSE(rect("step/line").enabled);
    EXPECT_TRUE(rect("step/op").enabled);
}

TEST_F(SourceWindow, ThePanelDescribesTheConfinement) {
    ASSERT_TRUE(shown("confinement"));
    act("click:confinement");
    frames(3);
    if (shown("confinement/allow")) {
        act("click:confinement/allow");
        EXPECT_FALSE(session.settings.confined);
        act("click:confinement/allow");
        EXPECT_TRUE(session.settings.confined);
    }
    if (shown("confinement/network")) {
        act("click:confinement/network");
        EXPECT_TRUE(session.settings.network);
    }
}

}  // namespace
}  // namespace headway::ui::test
