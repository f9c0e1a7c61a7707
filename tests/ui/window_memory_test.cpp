#include "app/ui/state/saved/window_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace headway::ui {
namespace {

namespace fs = std::filesystem;

class WindowMemoryTest : public ::testing::Test {
protected:
    ~WindowMemoryTest() override { fs::remove_all(folder); }
    fs::path folder = fs::temp_directory_path() / ("headway-window-" + std::to_string(getpid()));
};

TEST_F(WindowMemoryTest, RemembersTheLookAndTheLesson) {
    Look look;
    WindowMemory memory;
    memory.use_folder(folder, look);
    look.mode = Mode::compare;
    look.theme = figure::ThemeName::projector;
    look.user_scale = 1.25f;
    look.shares[1] = {0.3f, 0.5f, 0.7f};
    ASSERT_TRUE(memory.save(look, "streams"));
    Look again;
    WindowMemory second;
    second.use_folder(folder, again);
    EXPECT_EQ(again.mode, Mode::compare);
    EXPECT_EQ(again.theme, figure::ThemeName::projector);
    EXPECT_FLOAT_EQ(again.user_scale, 1.25f);
    EXPECT_FLOAT_EQ(again.shares[1].left, 0.7f);
    EXPECT_EQ(second.lesson(), "streams");
}

TEST_F(WindowMemoryTest, AnythingElseInTheFileIsIgnored) {
    for (const char* text :
         {"", "{", "[1]", "{\"mode\": 3, \"scale\": -1, \"theme\": \"pink\", \"panes\": {\"step\": [1]}}",
          "{\"panes\": {\"step\": [9, 9, 9], \"learn\": \"x\"}, \"scale\": \"big\"}"}) {
        fs::create_directories(folder);
        std::ofstream(folder / "window.json") << text;
        Look look;
        WindowMemory memory;
        memory.use_folder(folder, look);
        EXPECT_EQ(look.mode, Mode::learn) << text;
        EXPECT_FLOAT_EQ(look.user_scale, 1) << text;
        EXPECT_FLOAT_EQ(look.shares[1].source, default_shares(Mode::step).source) << text;
    }
}

TEST_F(WindowMemoryTest, WritesOnlyWhatHasChanged) {
    Look look;
    WindowMemory memory;
    memory.use_folder(folder, look);
    ASSERT_TRUE(memory.save(look, "a"));
    const auto file = folder / "window.json";
    fs::remove(file);
    ASSERT_TRUE(memory.save(look, "a"));
    EXPECT_FALSE(fs::exists(file));
    ASSERT_TRUE(memory.save(look, "b"));
    EXPECT_TRUE(fs::exists(file));
}

}  // namespace
}  // namespace headway::ui
