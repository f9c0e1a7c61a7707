// headway [LESSON | TRACE]: the window. All other commands are the runner's, which lies beside this executable and
// takes this process's place.
#include <fcntl.h>
#include <unistd.h>

#include <imgui.h>
#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "app/gfx/fonts.h"
#include "app/gfx/png.h"
#include "app/gfx/renderer.h"
#include "app/lesson/assets.h"
#include "app/lesson/lesson.h"
#include "app/platform/platform.h"
#include "app/session/session.h"
#include "app/ui/app.h"
#include "app/ui/app_state.h"
#include "app/ui/script.h"
#include "app/ui/status_bar.h"

namespace headway {
namespace {

constexpr std::array kRunnerCommands{"run", "compare", "figure", "check", "lessons", "devices", "bench"};
constexpr double kIntakePerFrame_ms = 6;

constexpr const char* kHelp =
    "headway [LESSON | TRACE]        open the window: the lessons, one lesson, or a recorded run\n"
    "headway run PROGRAM [options]   run a program without a window\n"
    "headway compare | figure | check | lessons | devices | bench\n"
    "                                see headway COMMAND --help\n"
    "\n"
    "  --theme dark|light|projector  the window's colours\n"
    "  --scale FACTOR                the window's size of text, on top of the screen's\n"
    "  --help, --version\n";

int fail(const std::string& message) {
    std::fprintf(stderr, "headway: %s\n", message.c_str());
    return 2;
}

std::filesystem::path runner_path() {
    std::error_code problem;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
    return problem ? std::filesystem::path("headway-runner") : self.parent_path() / "headway-runner";
}

int become_runner(char** argv) {
    const std::string runner = runner_path().string();
    argv[0] = const_cast<char*>(runner.c_str());
    execv(runner.c_str(), argv);
    return fail("cannot start " + runner + ": " + std::strerror(errno));
}

struct WindowWish {
    std::string what;  // a lesson's id, or a recording's path
    std::string theme = "dark";
    float scale = 1;
    // For pictures and tests.
    platform::Size offscreen;
    float content_scale = 1;
    std::vector<std::string> steps;
};

// One frame after another: the platform's events, the session's news, the panels, the picture.
class Loop {
public:
    Loop(platform::Platform& platform, gfx::Renderer& renderer, ui::AppState& state, ui::App& app)
        : platform_(platform), renderer_(renderer), state_(state), app_(app) {}

    void frame() {
        using Pace = platform::Platform::Pace;
        const bool animate = app_.animating() || changed_;
        platform_.begin_frame(animate ? Pace::animate : state_.session.waiting() ? Pace::watch : Pace::idle);
        changed_ = state_.poll(kIntakePerFrame_ms);
        const platform::Size size = platform_.size();
        if (app_.prepare(static_cast<float>(size.width), static_cast<float>(size.height), platform_.content_scale())) {
            renderer_.fonts_changed();
            changed_ = true;
        }
        renderer_.begin_frame();
        ImGui::NewFrame();
        state_.animating = animate;
        state_.frames_per_second = static_cast<double>(ImGui::GetIO().Framerate);
        app_.frame();
        ImGui::Render();
        const auto ground = ui::colour4(app_.background());
        renderer_.draw(platform_.framebuffer(), size.width, size.height, {ground.x, ground.y, ground.z});
        if (state_.picture_of_window_wanted) {
            state_.picture_of_window_wanted = false;
            const auto path =
                (state_.picture_folder / ui::picture_name(state_.session.settings.program + "-window", "png")).string();
            const auto written = picture(path);
            state_.notify(ui::Notice::Kind::file, written ? ui::Notice::Tone::good : ui::Notice::Tone::bad,
                          written ? "The picture is in " + path : written.error().message);
            changed_ = true;
        }
        platform_.end_frame();
        std::string title = "Headway · ";
        title += state_.lesson() != nullptr ? state_.lesson()->title : state_.session.settings.program;
        title += std::string(" · ") + ui::phase_text(state_);
        if (title != title_) {
            title_ = title;
            platform_.set_title(title_);
        }
    }

    core::Result<void> picture(const std::string& path) {
        const platform::Size size = platform_.size();
        const auto pixels = gfx::Renderer::read_pixels(platform_.framebuffer(), size.width, size.height);
        return gfx::write_png(path, pixels, size.width, size.height);
    }

private:
    platform::Platform& platform_;
    gfx::Renderer& renderer_;
    ui::AppState& state_;
    ui::App& app_;
    bool changed_ = true;
    std::string title_;
};

// A recording from disk. Fails with the reason.
core::Result<void> open_recording(const std::string& path, session::Session& session) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return core::Error{core::ErrorKind::unreadable, "cannot open " + path + ": " + std::strerror(errno)};
    }
    auto reader = trace::Reader::open(fd);
    close(fd);
    if (!reader) {
        return core::Error{core::ErrorKind::unreadable, path + ": " + reader.error().message};
    }
    session.show(std::make_unique<model::Run>(std::move(*reader)));
    return {};
}

int open_window(const WindowWish& wish) {
    std::vector<core::Error> refused;
    std::vector<lesson::Lesson> lessons;
    const auto assets = lesson::find_assets_dir();
    if (assets) {
        auto loaded = lesson::load_lessons(*assets / "lessons", &refused);
        if (!loaded) {
            return fail(loaded.error().message);
        }
        lessons = std::move(*loaded);
    } else {
        return fail(assets.error().message);
    }

    session::Session session({runner_path().string(), 0, true});
    ui::AppState state(session, std::move(lessons));
    state.user_scale = wish.scale;
    for (const auto name : {figure::ThemeName::dark, figure::ThemeName::light, figure::ThemeName::projector}) {
        if (wish.theme == figure::theme(name).name) {
            state.theme = name;
        }
    }
    if (wish.what.empty() || !state.choose_lesson(wish.what)) {
        std::error_code ignored;
        if (!wish.what.empty() && std::filesystem::exists(wish.what, ignored)) {
            if (auto shown = open_recording(wish.what, session); !shown) {
                return fail(shown.error().message);
            }
        } else if (!wish.what.empty()) {
            return fail("there is no lesson and no file called " + wish.what + "; headway lessons lists the lessons");
        } else if (!state.choose_lesson("train")) {
            state.choose_lesson(0);
        }
    }
    if (!refused.empty()) {
        state.notify(ui::Notice::Kind::start, ui::Notice::Tone::bad,
                     refused.front().message +
                         (refused.size() > 1 ? " (and " + std::to_string(refused.size() - 1) + " more)" : ""));
    }

    gfx::ImGuiContextOwner imgui;
    auto platform = wish.offscreen.width > 0 ? platform::open_offscreen(wish.offscreen, wish.content_scale)
                                             : platform::open_window({});
    if (!platform) {
        return fail(platform.error().message +
                    "; without a window, headway run PROGRAM --figure FILE.png draws the same");
    }
    gfx::Renderer renderer;
    gfx::Fonts fonts;
    if (!fonts.missing().empty()) {
        state.notify(ui::Notice::Kind::start, ui::Notice::Tone::info, fonts.missing());
    }
    ui::App app(state, fonts);
    Loop loop(**platform, renderer, state, app);
    if (wish.offscreen.width > 0) {
        for (int i = 0; i < 4; ++i) {
            loop.frame();
        }
        ui::Script script(
            state, app, [&] { loop.frame(); }, [&](const std::string& path) { return loop.picture(path); });
        const auto done = script.run(wish.steps);
        return done ? 0 : fail(done.error().message);
    }
    while (!(*platform)->should_close()) {
        loop.frame();
    }
    return 0;
}

int main_of_headway(int argc, char** argv) {
    if (argc > 1) {
        for (const char* command : kRunnerCommands) {
            if (std::strcmp(argv[1], command) == 0) {
                return become_runner(argv);
            }
        }
    }
    WindowWish wish;
    std::string offscreen;
    bool help = false, version = false;
    CLI::App app{"headway"};
    app.set_help_flag();
    app.add_flag("-h,--help", help);
    app.add_flag("--version", version);
    app.add_option("what", wish.what);
    app.add_option("--theme", wish.theme)->check(CLI::IsMember({"dark", "light", "projector"}));
    app.add_option("--scale", wish.scale)->check(CLI::Range(0.5, 4.0));
    app.add_option("--offscreen", offscreen)->group("");
    app.add_option("--content-scale", wish.content_scale)->check(CLI::Range(0.5, 4.0))->group("");
    app.add_option("--do", wish.steps)->group("")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        std::string text = problem.what();
        for (char& c : text) {
            c = c == '\n' ? ' ' : c;
        }
        return fail(text + "; headway --help lists what there is");
    }
    if (help) {
        std::fputs(kHelp, stdout);
        return 0;
    }
    if (version) {
        std::puts("headway " HEADWAY_VERSION);
        return 0;
    }
    if (!offscreen.empty() &&
        (std::sscanf(offscreen.c_str(), "%dx%d", &wish.offscreen.width, &wish.offscreen.height) != 2 ||
         wish.offscreen.width < 1 || wish.offscreen.height < 1)) {
        return fail("--offscreen takes WIDTHxHEIGHT, not '" + offscreen + "'");
    }
    return open_window(wish);
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
    return headway::main_of_headway(argc, argv);
}
