// headway [LESSON | FILE]: opens the window. All other commands are the runner's: its executable is in the same folder
// and replaces this process.
#include <unistd.h>

#include <imgui.h>
#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/exchange/chrome/background_read.h"
#include "app/exchange/chrome/trace_file.h"
#include "app/gfx/fonts.h"
#include "app/gfx/png.h"
#include "app/gfx/renderer.h"
#include "app/lesson/assets.h"
#include "app/lesson/lesson.h"
#include "app/platform/platform.h"
#include "app/session/reading_thread.h"
#include "app/session/runner.h"
#include "app/session/session.h"
#include "app/ui/shell/app.h"
#include "app/ui/shell/script.h"
#include "app/ui/shell/status_bar.h"
#include "app/ui/state/app_state.h"
#include "app/ui/state/outside_work.h"
#include "app/ui/state/saved/window_memory.h"
#include "app/ui/widgets/frame_pace.h"
#include "engine/core/system/process_limits.h"
#include "engine/core/system/standard_fds.h"

namespace headway {
namespace {

constexpr std::array kRunnerCommands{"run",   "compare", "explore", "explain", "figure",
                                     "check", "lessons", "devices", "bench"};

constexpr const char* kHelp =
    "headway [LESSON | FILE]         open the window: the lessons, one lesson (its name or its folder), a program "
    "(.py,\n"
    "                                .ipynb, .md; opening does not run it), or a recorded run\n"
    "headway run PROGRAM [options]   run a program without a window\n"
    "headway compare PROGRAM --a OPTIONS --b OPTIONS\n"
    "                                two runs on one time axis\n"
    "headway explore PROGRAM         one program in many orders of its ops: do the outcomes differ?\n"
    "headway explain TRACE           what happened in a recorded run, and why\n"
    "headway figure TRACE -o FILE    a figure from a trace on disk\n"
    "headway check EXERCISE FILE     check a learner's program\n"
    "headway lessons | devices       list them\n"
    "headway bench                   the engine's own costs on this machine\n"
    "                                headway COMMAND --help explains a command\n"
    "\n"
    "  --tab mxnet|pytorch|tensorflow|python  the dialect of a lesson or document\n"
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
    const std::string why = std::strerror(errno);
    return fail("cannot start " + runner + ": " + why + session::hint_for_runner(runner));
}

struct WindowRequest {
    std::string what;  // a lesson's id, or the path of a lesson's folder, a program or a recording
    std::string tab;
    std::optional<std::string> theme;  // empty: as remembered
    std::optional<float> scale;
    // For pictures and tests.
    platform::Size offscreen;
    float content_scale = 1;
    std::vector<std::string> steps;
    bool first_frame = false;  // prints the time of the first frame and exits
};

// Runs the frames: the platform's events, the session's updates, the panels, drawing.
class Loop {
public:
    Loop(platform::Platform& platform, gfx::Renderer& renderer, ui::AppState& state, ui::App& app,
         std::unique_ptr<exchange::BackgroundRead> opening)
        : platform_(platform),
          renderer_(renderer),
          state_(state),
          app_(app),
          reading_(state.session),
          opening_(std::move(opening)) {
        app_.on_picture([this] { picture_wanted_ = true; });
    }

    // Reads the recording in the background, and then shows it.
    void open_recording(const std::string& path) {
        opening_ = std::make_unique<exchange::BackgroundRead>(path);
        state_.notices.dismiss(ui::Notice::Kind::file);
        progress_.begin();
    }
    [[nodiscard]] bool opening() const { return opening_ != nullptr; }
    [[nodiscard]] const std::string& failed_to_open() const { return failed_; }

    void frame() {
        using Pace = platform::Platform::Pace;
        const bool animate = app_.animating() || changed_;
        const bool watch = ui::outside_work(state_) || opening();
        const session::Session& session = state_.session;
        const ui::FramePace pace =
            ui::frame_pace({session.executing(), session.filling(), session.behind(), app_.moving(), cost_.ms()});
        const bool follow = animate && pace.frame_s > 1.0 / 40;
        {
            const auto reading = reading_.lend(pace.intake_ms - kReadInFrame_ms);
            platform_.begin_frame(follow    ? Pace::follow
                                  : animate ? Pace::animate
                                  : watch   ? Pace::watch
                                            : Pace::idle,
                                  pace.frame_s);
        }
        cost_.begin();
        for (const auto& path : platform_.take_dropped()) {
            if (auto opened = state_.programs.open(path); !opened) {
                state_.notices.add(ui::Notice::Kind::file, ui::Notice::Tone::bad, opened.error().message);
            }
        }
        changed_ = state_.poll(kReadInFrame_ms);
        poll_opening();
        const platform::Size size = platform_.size();
        if (app_.prepare(static_cast<float>(size.width), static_cast<float>(size.height), platform_.content_scale())) {
            renderer_.fonts_changed();
            changed_ = true;
        }
        renderer_.begin_frame();
        ImGui::NewFrame();
        app_.frame();
        ImGui::Render();
        const auto ground = ui::colour4(app_.background());
        renderer_.draw(platform_.framebuffer(), size.width, size.height, {ground.x, ground.y, ground.z});
        if (picture_wanted_) {
            picture_wanted_ = false;
            state_.exports.write_window(gfx::Renderer::read_pixels(platform_.framebuffer(), size.width, size.height),
                                        size.width, size.height);
            changed_ = true;
        }
        {
            const auto reading = reading_.lend(pace.intake_ms - kReadInFrame_ms);
            platform_.end_frame();
        }
        cost_.end();
        std::string title = "Headway · ";
        title +=
            state_.programs.lesson() != nullptr ? state_.programs.lesson()->title : state_.session.settings.program;
        title += " · " + ui::phase_text(state_);
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
    // Of the time for reading, this much is spent in the frame, so that it shows what is there; the rest beside it.
    static constexpr double kReadInFrame_ms = 1;

    // Polls the recording that is being read. If that takes long, a notice shows the progress; closing the notice
    // cancels.
    void poll_opening() {
        if (!opening_) {
            return;
        }
        if (auto read = opening_->take()) {
            progress_.end();
            if (*read) {
                show(std::move(**read), opening_->path());
            } else {
                state_.notices.add(ui::Notice::Kind::file, ui::Notice::Tone::bad, read->error().message);
                failed_ = read->error().message;
            }
            opening_.reset();
            changed_ = true;
            return;
        }
        changed_ |=
            progress_.show("Opening " + opening_->path(), opening_->percent(), [this] { opening_->cancel(); });
    }

    void show(exchange::ReadTrace read, const std::string& path) {
        if (!read.own || !state_.programs.choose(read.run->info().program)) {
            state_.programs.choose_recording(path);
        }
        state_.session.show(std::move(read.run), std::move(read.walk));
        std::string notes;
        for (const std::string& note : read.notes) {
            notes += (notes.empty() ? "" : " ") + note;
        }
        if (!notes.empty()) {
            state_.notices.add(ui::Notice::Kind::start, ui::Notice::Tone::info, notes);
        }
    }

    platform::Platform& platform_;
    gfx::Renderer& renderer_;
    ui::AppState& state_;
    ui::App& app_;
    session::ReadingThread reading_;
    ui::FrameCost cost_;
    bool changed_ = true, picture_wanted_ = false;
    std::string title_;
    std::unique_ptr<exchange::BackgroundRead> opening_;
    ui::ProgressNotice progress_{state_.notices, ui::Notice::Kind::opening};  // of opening_
    std::string failed_;
};

// Finds and bakes the fonts on another thread during the start, for a window of the default size. If the size turns out
// different, prepare() bakes them again.
std::future<std::unique_ptr<gfx::Fonts>> begin_fonts(const WindowRequest& request) {
    const platform::Size size = request.offscreen.width > 0 ? request.offscreen : platform::WindowOptions().size;
    const auto theme = figure::theme_called(request.theme.value_or("")).value_or(figure::ThemeName::dark);
    return std::async(std::launch::async, [request, size, theme] {
        auto fonts = std::make_unique<gfx::Fonts>();
        fonts->set_scale(ui::window_scale(static_cast<float>(size.width), static_cast<float>(size.height),
                                          request.content_scale, request.scale.value_or(1),
                                          figure::theme(theme)));
        fonts->bake();
        return fonts;
    });
}

int open_window(const WindowRequest& request) {
    auto fonts_to_come = begin_fonts(request);
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
    // The window to wake when a file has changed, while it exists.
    std::mutex window_mutex;
    platform::Platform* window = nullptr;
    ui::AppState state(session, std::move(lessons), [&] {
        const std::lock_guard lock(window_mutex);
        if (window != nullptr) {
            window->wake();
        }
    });
    const auto let_wake = [&](platform::Platform* woken) {
        const std::lock_guard lock(window_mutex);
        window = woken;
    };
    std::unique_ptr<exchange::BackgroundRead> opening;
    state.programs.open_recording = [&opening](const std::string& path) {
        opening = std::make_unique<exchange::BackgroundRead>(path);
        return core::Result<void>();
    };
    state.exports.write_recording = exchange::write_trace_file;
    state.use_data_folder(state.source.files.home.parent_path());
    ui::WindowMemory memory;
    if (request.offscreen.width == 0) {  // pictures and tests do not depend on earlier windows
        memory.use_folder(state.source.files.home.parent_path(), state.look);
    }
    if (request.scale) {
        state.look.user_scale = *request.scale;
    }
    if (request.theme) {
        state.look.theme = figure::theme_called(*request.theme).value_or(state.look.theme);
    }
    state.look.map = request.what.empty();
    if (request.what.empty() || !state.programs.choose(request.what)) {
        std::error_code ignored;
        if (!request.what.empty() && std::filesystem::exists(request.what, ignored)) {
            if (auto shown = state.programs.open(request.what); !shown) {
                return fail(shown.error().message);
            }
        } else if (!request.what.empty()) {
            return fail("there is no lesson and no file called " + request.what +
                        "; headway lessons lists the lessons");
        } else if (!state.programs.choose(memory.lesson())) {
            state.programs.choose(0);
        }
    }
    if (!request.tab.empty()) {
        const auto& tabs = state.source.tabs();
        if (std::none_of(tabs.begin(), tabs.end(), [&](const ui::Tab& tab) { return tab.id == request.tab; })) {
            return fail((request.what.empty() ? "the first lesson" : request.what) + " has no tab " + request.tab);
        }
        state.source.set_tab(request.tab);
    }
    if (!refused.empty()) {
        const core::Error& first = refused.front();
        const std::string where =
            first.file.empty() ? "" : first.file + (first.line != 0 ? ":" + std::to_string(first.line) : "") + ": ";
        state.notices.add(ui::Notice::Kind::start, ui::Notice::Tone::bad,
                          where + first.message +
                              (refused.size() > 1 ? " (and " + std::to_string(refused.size() - 1) + " more)" : ""));
    }

    std::optional<gfx::ImGuiContextOwner> imgui;  // created after the fonts, which are baked without a context
    auto platform = request.offscreen.width > 0 ? platform::open_offscreen(request.offscreen, request.content_scale)
                                             : platform::open_window({});
    if (!platform) {
        return fail(platform.error().message +
                    "; without a window, headway run PROGRAM --figure FILE.png draws the same");
    }
    auto renderer = gfx::Renderer::open();
    if (!renderer) {
        return fail(renderer.error().message +
                    "; without a window, headway run PROGRAM --figure FILE.png draws the same");
    }
    const std::unique_ptr<gfx::Fonts> fonts = fonts_to_come.get();
    imgui.emplace();
    if (!fonts->missing().empty()) {
        state.notices.add(ui::Notice::Kind::start, ui::Notice::Tone::info, fonts->missing());
    }
    ui::App app(state, *fonts);
    app.set_key_labels([&platform](char sign) { return (*platform)->key_label(sign); });
    Loop loop(**platform, **renderer, state, app, std::move(opening));
    state.programs.open_recording = [&loop](const std::string& path) {
        loop.open_recording(path);
        return core::Result<void>();
    };
    if (request.first_frame) {
        loop.frame();
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        std::printf("%lld\n", static_cast<long long>(std::chrono::nanoseconds(now).count()));
        return 0;
    }
    if (request.offscreen.width > 0) {
        for (int i = 0; i < 4 || loop.opening(); ++i) {
            loop.frame();
        }
        if (!loop.failed_to_open().empty()) {
            return fail(loop.failed_to_open());
        }
        ui::Script script(
            state, app, [&] { loop.frame(); }, [&](const std::string& path) { return loop.picture(path); });
        const auto done = script.run(request.steps);
        return done ? 0 : fail(done.error().message);
    }
    let_wake(platform->get());
    const auto remember = [&] {
        const lesson::Lesson* lesson = state.programs.lesson();
        const bool own = lesson != nullptr && lesson->part > 0;
        if (auto kept = memory.save(state.look, own ? lesson->id : memory.lesson()); !kept) {
            std::fprintf(stderr, "headway: %s\n", kept.error().message.c_str());
        }
    };
    while (!app.may_close()) {
        loop.frame();
        remember();
        if ((*platform)->should_close()) {
            (*platform)->stay_open();
            app.ask_to_close();
        }
    }
    let_wake(nullptr);
    if (auto kept = state.source.files.save_copies(); !kept) {
        return fail(kept.error().message);
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
    WindowRequest request;
    std::string offscreen;
    bool help = false, version = false;
    CLI::App app{"headway"};
    app.set_help_flag();
    app.add_flag("-h,--help", help);
    app.add_flag("--version", version);
    app.add_option("what", request.what);
    app.add_option("--tab", request.tab)->check(CLI::IsMember({"mxnet", "pytorch", "tensorflow", "python"}));
    app.add_option("--theme", request.theme)->check(CLI::IsMember({"dark", "light", "projector"}));
    app.add_option("--scale", request.scale)->check(CLI::Range(0.5, 4.0));
    app.add_option("--offscreen", offscreen)->group("");
    app.add_option("--content-scale", request.content_scale)->check(CLI::Range(0.5, 4.0))->group("");
    app.add_flag("--first-frame", request.first_frame)->group("");
    app.add_option("--do", request.steps)->group("")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        std::string text = problem.what();
        for (char& c : text) {
            c = c == '\n' ? ' ' : c;
        }
        return fail(text + "; headway --help lists the commands and options");
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
        (std::sscanf(offscreen.c_str(), "%dx%d", &request.offscreen.width, &request.offscreen.height) != 2 ||
         request.offscreen.width < 1 || request.offscreen.height < 1)) {
        return fail("--offscreen takes WIDTHxHEIGHT, not '" + offscreen + "'");
    }
    if (offscreen.empty() && !request.steps.empty()) {
        return fail("--do works without a visible window only: add --offscreen WIDTHxHEIGHT");
    }
    return open_window(request);
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
    headway::core::ensure_standard_fds();
    if (const auto enough = headway::core::ensure_stack(); !enough) {
        std::fprintf(stderr, "headway: %s\n", enough.error().message.c_str());
        return 3;
    }
    // Inherited by every runner: products use one thread per worker, so the library must not start threads of its own.
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    return headway::main_of_headway(argc, argv);
}
