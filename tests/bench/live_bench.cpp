// bench_live RUNNER [OPS [REPEATS]]: the cost to a run of being followed by a window. The same program (y = x + 1, OPS
// times, on the CPU, one wait at the end) runs alternately without a window, with one that follows it offscreen at
// 1080p, and with one that also writes a figure during the run. Frames are paced as in a real window.
//
// Prints one JSON object: medians of ops issued and executed per second, the share that the window costs (median over
// the turns), frames per second during the run, and the longest frame. Exit status 77: no OpenGL.
#include <imgui.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/gfx/fonts.h"
#include "app/gfx/imgui_compat.h"
#include "app/gfx/renderer.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/platform/platform.h"
#include "app/session/reading_thread.h"
#include "app/session/session.h"
#include "app/ui/shell/app.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/frame_pace.h"

namespace {

using namespace headway;

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_ms(clockid_t of) {
    timespec now{};
    clock_gettime(of, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of.empty() ? 0 : of[of.size() / 2];
}

struct Turn {
    bool good = false;
    double ops_a_second = 0, frames_a_second = 0;
    double longest_ms = 0;     // longest frame, from its start to the picture
    double thread_ms = 0;      // processor time of the longest frame on the thread that draws
    double window_cpu_ms = 0;  // processor time of this process per second of the run
};

std::vector<lesson::Lesson> lessons(const std::string& ops) {
    lesson::Lesson increment;
    increment.id = increment.program = "increment";
    increment.title = "Many small steps";
    lesson::Parameter n;
    n.name = n.label = "n";
    n.value = ops;
    n.least = 1;
    n.most = 10'000'000;
    increment.parameters = {n};
    return {increment};
}

constexpr std::uint64_t kTraceBytes = std::uint64_t{1} << 30;

Turn rate_of(const model::Run& run) {
    const auto numbers = numbers_of(run);
    Turn turn;
    turn.good = numbers.ops > 0 && numbers.total_ns > 0 && run.lost_records() == 0;
    turn.ops_a_second = static_cast<double>(numbers.ops) / (static_cast<double>(numbers.total_ns) * 1e-9);
    return turn;
}

// A run without a window.
Turn alone(const std::string& runner, const std::string& ops) {
    session::Session session({runner, kTraceBytes, false});
    session.settings.program = "increment";
    session.settings.device = "cpu";
    session.settings.parameters = {{"n", ops}};
    if (!session.start()) {
        return {};
    }
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(session.runner_pid()), &info, WEXITED | WNOWAIT);
    while (session.live()) {
        session.poll(50);
    }
    return session.b()->run() != nullptr ? rate_of(*session.b()->run()) : Turn{};
}

// A run followed by a window. `figure_at`: number of ops at which a figure is requested; 0: never.
Turn followed(const std::string& runner, const std::string& ops, std::size_t figure_at,
              const std::filesystem::path& folder) {
    session::Session session({runner, kTraceBytes, false});
    ui::AppState state(session, lessons(ops));
    state.source.files.home = folder / "home";
    state.exports.folder = folder;
    state.programs.choose("increment");
    state.settings.set_device("cpu");
    const gfx::ImGuiContextOwner imgui;
    auto platform = platform::open_offscreen({1920, 1080});
    if (!platform) {
        std::fprintf(stderr, "bench_live: %s\n", platform.error().message.c_str());
        std::exit(77);
    }
    auto opened = gfx::Renderer::open();
    if (!opened) {
        std::fprintf(stderr, "bench_live: %s\n", opened.error().message.c_str());
        std::exit(1);
    }
    gfx::Renderer& renderer = **opened;
    gfx::Fonts fonts;
    ui::App app(state, fonts);
    double last = 0;
    session::ReadingThread reading(session);
    ui::FrameCost cost;
    const auto frame = [&] {
        const ui::FramePace pace =
            ui::frame_pace({session.executing(), session.filling(), session.behind(), app.moving(), cost.ms()});
        if (const double left = last + pace.frame_s * 1e3 - now_ms(); left > 0.5) {
            const auto turn = reading.lend(pace.intake_ms - 1);
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(left - 0.3));
        }
        last = now_ms();
        cost.begin();
        (*platform)->begin_frame(platform::Platform::Pace::animate, 0);
        state.poll(1);
        if (app.prepare(1920, 1080, 1)) {
            renderer.fonts_changed();
        }
        renderer.begin_frame();
        ImGui::NewFrame();
        app.frame();
        ImGui::Render();
        renderer.draw((*platform)->framebuffer(), 1920, 1080, {});
        {
            const auto turn = reading.lend(pace.intake_ms - 1);
            (*platform)->end_frame();
        }
        cost.end();
    };
    for (int i = 0; i < 10; ++i) {
        frame();
    }
    state.run();
    double begun = 0, cpu_begun = 0;
    int frames = 0;
    bool asked = false;
    Turn turn;
    double longest = 0, thread = 0;
    while (session.live() && (begun == 0 || session.executing())) {
        const double cpu = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
        frame();
        const double took = now_ms() - last;
        if (begun == 0 && session.b()->run() != nullptr && session.b()->run()->op_count() > 0) {
            begun = now_ms();
            cpu_begun = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
        } else if (begun != 0) {
            ++frames;
            if (took > longest) {
                longest = took;
                thread = cpu_ms(CLOCK_THREAD_CPUTIME_ID) - cpu;
            }
        }
        if (figure_at != 0 && !asked && begun != 0 && session.b()->run()->op_count() >= figure_at) {
            asked = true;
            state.exports.write_again();
        }
    }
    const double ran = now_ms() - begun;
    const double cpu = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_begun;
    while (session.live() || state.exports.pictures.job().busy()) {  // includes frames after the run's end
        frame();
        longest = std::max(longest, now_ms() - last);
    }
    if (session.b()->run() == nullptr) {
        return {};
    }
    turn = rate_of(*session.b()->run());
    turn.frames_a_second = frames / (ran * 1e-3);
    turn.longest_ms = longest;
    turn.thread_ms = thread;
    turn.window_cpu_ms = cpu / (ran * 1e-3);
    if (asked && state.notices.all().back().tone != ui::Notice::Tone::good) {
        std::fprintf(stderr, "bench_live: %s\n", state.notices.all().back().text.c_str());
        turn.good = false;
    }
    return turn;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string runner = argc > 1 ? argv[1] : "";
    const long ops = argc > 2 ? std::atol(argv[2]) : 4'000'000;
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
    if (runner.empty() || ops < 1 || ops > 10'000'000 || repeats < 1) {
        std::fprintf(stderr, "bench_live RUNNER [OPS [REPEATS]]: OPS from 1 to 10000000\n");
        return 2;
    }
    std::string name = (std::filesystem::temp_directory_path() / "headway-live-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        return 1;
    }
    const std::filesystem::path folder = name;
    const std::string n = std::to_string(ops);
    std::vector<double> plain, with, costs, frames, longest, thread, with_figure, cpu;
    bool good = true;
    for (int i = 0; i <= repeats; ++i) {  // the first turn is a warm-up
        const Turn without = alone(runner, n);
        const Turn window = followed(runner, n, 0, folder);
        const Turn figure = followed(runner, n, static_cast<std::size_t>(ops) / 4, folder);
        good = good && without.good && window.good && figure.good;
        if (i == 0 && repeats > 1) {
            continue;
        }
        plain.push_back(without.ops_a_second);
        with.push_back(window.ops_a_second);
        costs.push_back(1 - window.ops_a_second / without.ops_a_second);
        frames.push_back(window.frames_a_second);
        longest.push_back(window.longest_ms);
        thread.push_back(window.thread_ms);
        cpu.push_back(window.window_cpu_ms);
        with_figure.push_back(figure.longest_ms);
    }
    std::filesystem::remove_all(folder);
    std::printf(
        "{\"ops\": %ld, \"repeats\": %d, \"ops_s\": %.0f, \"ops_s_followed\": %.0f, \"cost_percent\": %.1f, "
        "\"frames_s\": %.1f, \"longest_frame_ms\": %.1f, \"of_it_processor_ms\": %.1f, "
        "\"window_cpu_percent\": %.0f, \"longest_frame_with_figure_ms\": %.1f}\n",
        ops, repeats, median(plain), median(with), 100 * median(costs), median(frames),
        *std::max_element(longest.begin(), longest.end()), median(thread), median(cpu) / 10,
        *std::max_element(with_figure.begin(), with_figure.end()));
    return good ? 0 : 1;
}
