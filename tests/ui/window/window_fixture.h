// The whole window without a screen: a fixed size, a fixed time step, and injected input.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/gfx/fonts.h"
#include "app/gfx/imgui_compat.h"
#include "app/gfx/renderer.h"
#include "app/platform/platform.h"
#include "app/session/session.h"
#include "app/ui/shell/app.h"
#include "app/ui/shell/script.h"
#include "app/ui/state/app_state.h"

namespace headway::ui::test {

// Two lessons on the simulated device, small enough to finish at once.
std::vector<lesson::Lesson> small_lessons();

class WindowTest : public ::testing::Test {
protected:
    WindowTest();
    ~WindowTest() override;
    void SetUp() override;
    void TearDown() override;

    void open(int width, int height);
    void frame();  // without draw(), which takes most of a frame's time
    void frames(int n);
    // Runs a step of ui::Script; the test fails if the step does.
    void act(const std::string& step);
    std::string words();  // all text in the window, of one more frame
    void run_to_the_end();
    // Opens a lesson on `train` from disk, in six small minibatches on the simulated device, with this text.
    // `questions`: the contents of its questions.yaml; empty: none.
    void open_lesson(const std::string& text, const std::string& questions = "");
    [[nodiscard]] const WidgetRect& rect(const std::string& id);
    [[nodiscard]] bool shown(const std::string& id) const { return app->rects().contains(id); }
    void draw();                                       // the last frame
    [[nodiscard]] std::vector<std::uint8_t> pixels();  // of the last frame, which it draws
    // Types into a field, replacing its text.
    void type(const std::string& id, const std::string& text);

    session::Session session{{HEADWAY_RUNNER, 256 << 20, false}};
    AppState state{session, small_lessons()};
    gfx::ImGuiContextOwner imgui;
    std::unique_ptr<platform::Platform> platform;
    std::unique_ptr<gfx::Renderer> renderer;
    std::unique_ptr<gfx::Fonts> fonts;
    std::unique_ptr<App> app;
    std::unique_ptr<Script> script;
    std::filesystem::path folder;
};

// The same with one recorded run: six minibatches, with a barrier after each.
class RecordedWindowTest : public WindowTest {
protected:
    void SetUp() override;
};

}  // namespace headway::ui::test
