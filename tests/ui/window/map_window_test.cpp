// The map of the lessons, and what it says about the learner's progress.
#include <filesystem>

#include "app/lesson/assets.h"
#include "tests/ui/window/window_fixture.h"

namespace headway::ui::test {
namespace {

class MapTest : public WindowTest {
protected:
    void SetUp() override {
        state.use_data_folder(folder / "data");
        state.look.map = true;
        WindowTest::SetUp();
    }
};

TEST_F(MapTest, ACardOpensItsLesson) {
    ASSERT_TRUE(shown("map"));
    EXPECT_FALSE(shown("timeline"));
    act("click:map/increment");
    frames(2);
    EXPECT_FALSE(shown("map"));
    EXPECT_EQ(state.programs.lesson()->id, "increment");
    EXPECT_TRUE(state.progress.has("increment", Progress::Step::opened));
    EXPECT_FALSE(state.progress.has("train", Progress::Step::opened));
    act("key:ctrl+m");
    frames(2);
    EXPECT_TRUE(shown("map"));
    act("click:mode/Learn");
    frames(2);
    EXPECT_FALSE(shown("map"));
    act("click:mode/Map");
    frames(2);
    act("click:map/increment");  // the lesson that is open already
    frames(2);
    EXPECT_FALSE(shown("map"));
}

TEST_F(MapTest, StartsTheFirstLessonThatWasNotRun) {
    act("click:map/start");
    frames(2);
    EXPECT_EQ(state.programs.lesson()->id, "train");
    run_to_the_end();
    frames(2);
    EXPECT_TRUE(state.progress.has("train", Progress::Step::ran));
    act("click:mode/Map");
    frames(2);
    act("click:map/start");
    frames(2);
    EXPECT_EQ(state.programs.lesson()->id, "increment");
    EXPECT_FALSE(state.progress.has("increment", Progress::Step::ran)) << "the run belongs to the other lesson";
}

TEST_F(MapTest, KeysFindNothingInTheTimelineBehindIt) {
    act("click:map/increment");
    frames(2);
    run_to_the_end();
    app->timeline().choose(0, 5, false);
    act("key:ctrl+m");
    frames(2);
    EXPECT_EQ(app->timeline().run_at(0), nullptr);
    act("key:ctrl+m");
    frames(2);
    EXPECT_EQ(app->timeline().run_at(0), session.b()->run());
    EXPECT_EQ(state.timeline.selection.op, 5u) << "as it was left";
    act("key:ctrl+m");
    frames(2);
    act("click:reset");
    frames(2);
    for (const char* key : {"ctrl+left", "i", "f", "r", "m", ".", "enter", "p", "f2"}) {
        act(std::string("key:") + key);
    }
    act("key:ctrl+m");
    frames(2);
    EXPECT_EQ(app->timeline().run_count(), 0);
}

TEST_F(MapTest, ARunLeavesTheMap) {
    act("key:space");
    frames(3);
    EXPECT_FALSE(shown("map"));
    act("wait");
    EXPECT_TRUE(shown("timeline"));
}

TEST_F(MapTest, ProgressCanBeForgotten) {
    act("click:map/start");
    run_to_the_end();
    act("click:mode/Map");
    frames(2);
    act("click:map/begin-again");
    frames(2);
    EXPECT_TRUE(state.progress.has("train", Progress::Step::ran)) << "asks first";
    act("click:map/begin-again");
    frames(2);
    EXPECT_FALSE(state.progress.has("train", Progress::Step::ran));
}

TEST_F(MapTest, ANewProgramIsOpenedInTheEditor) {
    act("click:map/new");
    frames(3);
    EXPECT_FALSE(shown("map"));
    EXPECT_EQ(state.look.mode, Mode::step);
    ASSERT_NE(state.source.document(), nullptr);
    EXPECT_EQ(state.source.document()->name(), "program-1.py");
    act("text:x = hw.ones(2)");  // after the lines that are there
    EXPECT_EQ(state.source.document()->text.text(), "import headway as hw\n\nx = hw.ones(2)");
}

// A cut title says less than a short one.
TEST_F(MapTest, TitlesOfTheIncludedLessonsAndExercisesAreNotCut) {
    const auto assets = lesson::find_assets_dir();
    ASSERT_TRUE(assets) << assets.error().message;
    const auto lessons = lesson::load_lessons(*assets / "lessons");
    ASSERT_TRUE(lessons) << lessons.error().message;
    ASSERT_FALSE(state.included.exercises().empty());
    for (const auto& [width, height] : {std::pair{1920, 1080}, {1600, 900}, {1280, 720}}) {
        open(width, height);
        const float scale = fonts->scale(), card = rect("map/train").x1 - rect("map/train").x0;
        for (const lesson::Lesson& lesson : *lessons) {
            EXPECT_LE(fonts->width(gfx::Face::semibold, 14, lesson.title), card - 20 * scale) << lesson.title;
            EXPECT_LE(fonts->width(gfx::Face::regular, 13, lesson.shows), card - 20 * scale) << lesson.shows;
        }
        for (const check::Exercise& exercise : state.included.exercises()) {
            EXPECT_LE(fonts->width(gfx::Face::semibold, 14, exercise.title), card - 24 * scale) << exercise.title;
        }
    }
}

TEST_F(MapTest, CardsFitAtEverySize) {
    for (const auto& [width, height] : {std::pair{1920, 1080}, {1280, 720}, {900, 480}, {700, 400}}) {
        open(width, height);
        ASSERT_TRUE(shown("map/train")) << width;
        for (const auto& [id, rect] : app->rects()) {
            if (id.starts_with("map/")) {
                EXPECT_GE(rect.x0, 0) << id << " at " << width;
                EXPECT_LE(rect.x1, static_cast<float>(width)) << id << " at " << width;
            }
        }
    }
}

}  // namespace
}  // namespace headway::ui::test
