#include "tests/ui/window/window_fixture.h"

#include <cstdlib>
#include <fstream>

#include "tests/unit/figure/script.h"

namespace headway::ui::test {

std::vector<lesson::Lesson> small_lessons() {
    const auto number = [](const char* name, const char* value, double most) {
        lesson::Parameter p;
        p.name = p.label = name;
        p.value = value;
        p.least = 1;
        p.most = most;
        return p;
    };
    lesson::Lesson train;
    train.id = train.program = "train";
    train.number = 1;
    train.title = "Training with and without a barrier";
    train.part = 1;
    train.shows = "A barrier per minibatch";
    train.minutes = 4;
    train.try_text = "**Try.** More minibatches.";
    train.text = "A *small* network is trained. Look at the **peak** of `live bytes`.";
    train.device = "simulated";
    train.barrier = "minibatch";
    train.parameters = {number("batches", "6", 10000), number("batch_size", "32", 4096), number("hidden", "32", 4096)};
    lesson::Lesson increment;
    increment.id = increment.program = "increment";
    increment.number = 2;
    increment.title = "Many small steps";
    increment.part = 2;
    increment.device = "simulated";
    lesson::Parameter wait;
    wait.name = wait.label = "wait";
    wait.value = "once";
    wait.choices = {"once", "each"};
    increment.parameters = {number("n", "200", 1000000), wait};
    return {train, increment};
}

WindowTest::WindowTest() {
    char name[] = "/tmp/headway-test-XXXXXX";
    folder = mkdtemp(name);
    state.exports.folder = folder;
    state.source.files.home = folder.string() + "-home";
    state.programs.choose("train");
}

WindowTest::~WindowTest() {
    script.reset();
    app.reset();
    fonts.reset();
    renderer.reset();
    platform.reset();
    std::filesystem::remove_all(folder);
    std::filesystem::remove_all(state.source.files.home);
}

void WindowTest::SetUp() {
    open(1440, 810);
}

// Each test draws at least once: what its last frame shows.
void WindowTest::TearDown() {
    if (app) {
        draw();
    }
}

void WindowTest::open(int width, int height) {
    script.reset();
    app.reset();
    fonts.reset();
    renderer.reset();
    platform.reset();
    auto opened = platform::open_offscreen({width, height});
    if (!opened) {
        GTEST_SKIP() << opened.error().message;
    }
    platform = std::move(*opened);
    auto drawer = gfx::Renderer::open();
    ASSERT_TRUE(drawer) << drawer.error().message;
    renderer = std::move(*drawer);
    fonts = std::make_unique<gfx::Fonts>();
    app = std::make_unique<App>(state, *fonts);
    script = std::make_unique<Script>(
        state, *app, [this] { frame(); },
        [](const std::string&) {
            return core::Result<void>(core::Error{core::ErrorKind::usage, "no pictures here"});
        });
    frames(3);
}

void WindowTest::open_lesson(const std::string& text, const std::string& questions) {
    const std::filesystem::path lesson = folder / "01-small";
    std::filesystem::create_directory(lesson);
    std::ofstream(lesson / "lesson.md") << R"(---
id: small
title: A small one
program: train
device: simulated
parameters:
  batches: {value: 6, least: 1, most: 100}
  batch_size: {value: 32, least: 1, most: 100}
  hidden: {value: 32, least: 1, most: 100}
---
)" << text << '\n';
    if (!questions.empty()) {
        std::ofstream(lesson / "questions.yaml") << questions;
    }
    const auto opened = state.programs.open(lesson);
    ASSERT_TRUE(opened) << opened.error().message;
}

void WindowTest::frame() {
    platform->begin_frame(platform::Platform::Pace::animate, 0);
    state.poll(5);
    const auto size = platform->size();
    if (app->prepare(static_cast<float>(size.width), static_cast<float>(size.height), 1)) {
        renderer->fonts_changed();
    }
    renderer->begin_frame();
    ImGui::NewFrame();
    app->frame();
    ImGui::Render();
    platform->end_frame();
}

void WindowTest::frames(int n) {
    for (int i = 0; i < n; ++i) {
        frame();
    }
}

void WindowTest::act(const std::string& step) {
    const auto done = script->step(step);
    ASSERT_TRUE(done) << step << ": " << done.error().message;
}

void RecordedWindowTest::SetUp() {
    WindowTest::SetUp();
    if (app) {
        session.show(figure::test::training({}, 6, true));
        frames(40);
    }
}

std::string WindowTest::words() {
    std::string text;
    app->write_words_to(&text);
    frame();
    app->write_words_to(nullptr);
    return text;
}

void WindowTest::run_to_the_end() {
    act("run");
    act("wait");
    ASSERT_NE(session.b(), nullptr);
    ASSERT_EQ(session.b()->phase(), session::Phase::finished) << session.b()->ending();
}

const WidgetRect& WindowTest::rect(const std::string& id) {
    static const WidgetRect none;
    const auto found = app->rects().find(id);
    EXPECT_NE(found, app->rects().end()) << id << " is not in the window";
    return found == app->rects().end() ? none : found->second;
}

void WindowTest::draw() {
    renderer->draw(platform->framebuffer(), platform->size().width, platform->size().height, {});
}

std::vector<std::uint8_t> WindowTest::pixels() {
    for (int i = 0; i < 3; ++i) {  // a layer is cached in the second equal frame, and copied in the third
        draw();
    }
    return gfx::Renderer::read_pixels(platform->framebuffer(), platform->size().width, platform->size().height);
}

void WindowTest::type(const std::string& id, const std::string& text) {
    act("click:" + id);
    act("key:ctrl+a");
    act("text:" + text);
    act("key:enter");
    frames(2);
}

}  // namespace headway::ui::test
