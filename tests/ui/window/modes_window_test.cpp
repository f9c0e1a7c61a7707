// The three modes of the window: what each shows, and how much of the code.
#include <fstream>
#include <string>
#include <utility>

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
