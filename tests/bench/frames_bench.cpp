// bench_frames [OPS]: cost of whole frames of the timeline without a screen, from the layout to pixels, for runs of
// 10^4 to 10^7 ops (or one size) in 4, 40 and 136 lanes (8 GPUs with 17 each): the whole run, a tenth of it, and deep
// zoom; at 1080p and 2160p; with a moving view, and at rest (the layout is cached as in the window, and painted again).
// Painter and renderer are the window's; OpenGL is whatever EGL offers. The window at rest draws no frames at all.
//
// Prints a table of medians over 40 frames: for moving frames the layout (processor time) and the whole frame (wall
// clock, because software OpenGL draws in its own threads, and the processor time of all threads); for frames at rest
// the wall clock; then the ratio of the largest run to the smallest. Exit status 77: no OpenGL.
#include <imgui.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "app/gfx/renderer.h"
#include "app/platform/platform.h"
#include "app/timeline/timeline.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/text_measure.h"
#include "tests/bench/made_run.h"

namespace {

using namespace headway;

double wall_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

// An offscreen window with only the timeline.
class Stage {
public:
    Stage(platform::Size size, std::unique_ptr<platform::Platform> platform, std::unique_ptr<gfx::Renderer> renderer)
        : size_(size), platform_(std::move(platform)), renderer_(std::move(renderer)), measure_(fonts_) {
        fonts_.set_scale(static_cast<float>(size.height) / 1080);
        if (fonts_.bake()) {
            renderer_->fonts_changed();
        }
    }
    [[nodiscard]] figure::TimelineOptions options() const {
        figure::TimelineOptions options;
        options.area = {0, 0, static_cast<float>(size_.width), static_cast<float>(size_.height)};
        options.theme = &figure::theme(figure::ThemeName::dark);
        options.measure = &measure_;
        options.scale = fonts_.scale();
        return options;
    }
    // As in the window: paints only when the layout is new.
    void paint(const figure::TimelineLayout& layout) {
        layer_.begin({0, 0, static_cast<float>(size_.width), static_cast<float>(size_.height)},
                     ui::colour(figure::theme(figure::ThemeName::dark).background));
        ui::paint(layout.list, layer_, fonts_);
        layer_.end();
    }
    // Returns when the picture is complete.
    void draw() {
        platform_->begin_frame(platform::Platform::Pace::animate, 0);
        if (fonts_.bake()) {
            renderer_->fonts_changed();
        }
        renderer_->begin_frame();
        ImGui::NewFrame();
        layer_.show(ImGui::GetBackgroundDrawList());
        ImGui::Render();
        renderer_->draw(platform_->framebuffer(), size_.width, size_.height, {});
        platform_->end_frame();
    }
    [[nodiscard]] std::string description() const { return platform_->description(); }

private:
    platform::Size size_;
    std::unique_ptr<platform::Platform> platform_;
    std::unique_ptr<gfx::Renderer> renderer_;
    gfx::Fonts fonts_;
    gfx::Layer layer_;
    ui::TextMeasure measure_;
};

// Processor time of all threads.
double process_cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Cost {
    double layout_ms = 0, moving_ms = 0, moving_cpu_ms = 0, resting_ms = 0;
};

Cost cost_of(Stage& stage, const figure::TimelineRun& shown, double share) {
    constexpr int kFrames = 40;
    const std::span runs(&shown, 1);
    const figure::TimelineView whole = figure::whole_view(runs, true);
    const double span = whole.span_ns() * share;
    auto options = stage.options();
    std::vector<double> layouts, moving, moving_cpu, resting;
    Cost cost;
    figure::TimelineLayout layout;
    for (int frame = -2; frame < kFrames; ++frame) {  // the first two frames load fonts and are not measured
        const double begin = whole.begin_ns + (whole.span_ns() - span) * 0.4 + span * 0.01 * (frame + 2);
        options.view = {begin, begin + span};
        const double wall = wall_ms(), cpu = bench::cpu_ms(), all_cpu = process_cpu_ms();
        layout = figure::layout_timeline(runs, options);
        const double laid_out = bench::cpu_ms() - cpu;
        stage.paint(layout);
        stage.draw();
        if (frame >= 0) {
            layouts.push_back(laid_out);
            moving.push_back(wall_ms() - wall);
            moving_cpu.push_back(process_cpu_ms() - all_cpu);
        }
    }
    stage.draw();  // the second draw caches the pixels, from the third on they are copied
    for (int frame = 0; frame < kFrames; ++frame) {
        const double wall = wall_ms();
        stage.draw();
        resting.push_back(wall_ms() - wall);
    }
    cost.layout_ms = median(layouts);
    cost.moving_ms = median(moving);
    cost.moving_cpu_ms = median(moving_cpu);
    cost.resting_ms = median(resting);
    return cost;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::uint32_t> sizes{10'000, 100'000, 1'000'000, 10'000'000};
    if (argc > 1) {
        sizes = {static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10))};
        if (sizes[0] == 0) {
            std::fprintf(stderr, "bench_frames: the number of ops is at least 1, not '%s'\n", argv[1]);
            return 2;
        }
    }
    constexpr std::array<platform::Size, 2> kScreens{{{1920, 1080}, {3840, 2160}}};
    constexpr std::array<std::pair<const char*, double>, 3> kZooms{{{"whole", 1}, {"tenth", 0.1}, {"deep", 1e-4}}};
    bool described = false;
    std::map<std::tuple<std::uint32_t, int, const char*>, std::vector<Cost>> by_view;  // of each size
    for (const std::uint32_t lanes : {4u, 40u, 136u}) {
        for (const std::uint32_t count : sizes) {
            double intake_ms = 0;
            const auto run = bench::made_run(count, lanes, intake_ms);
            const figure::TimelineRun shown{run.get(), 'A', {}, {}};
            for (const platform::Size screen : kScreens) {
                const gfx::ImGuiContextOwner imgui;
                auto opened = platform::open_offscreen(screen);
                if (!opened) {
                    std::fprintf(stderr, "bench_frames: %s\n", opened.error().message.c_str());
                    return 77;
                }
                auto renderer = gfx::Renderer::open();
                if (!renderer) {
                    std::fprintf(stderr, "bench_frames: %s\n", renderer.error().message.c_str());
                    return 1;
                }
                Stage stage(screen, std::move(*opened), std::move(*renderer));
                if (!described) {
                    std::printf("%s\n%8s %5s %6s %6s %9s %9s %9s %10s %8s\n", stage.description().c_str(), "ops",
                                "lanes", "screen", "view", "layout ms", "moving ms", "its CPU", "resting ms",
                                "peak MB");
                    described = true;
                }
                for (const auto& [zoom, share] : kZooms) {
                    const Cost cost = cost_of(stage, shown, share);
                    rusage usage{};
                    getrusage(RUSAGE_SELF, &usage);
                    std::printf("%8u %5u %5dp %6s %9.3f %9.2f %9.2f %10.2f %8ld\n", count, lanes, screen.height, zoom,
                                cost.layout_ms, cost.moving_ms, cost.moving_cpu_ms, cost.resting_ms,
                                usage.ru_maxrss / 1024);
                    std::fflush(stdout);
                    by_view[{lanes, screen.height, zoom}].push_back(cost);
                }
            }
        }
    }
    if (sizes.size() > 1) {
        std::printf("\n%u ops : %u ops\n%5s %6s %6s %7s %7s %8s\n", sizes.back(), sizes.front(), "lanes", "screen",
                    "view", "layout", "moving", "resting");
        for (const auto& [view, costs] : by_view) {
            const auto& [lanes, height, zoom] = view;
            const Cost &small = costs.front(), &large = costs.back();
            std::printf("%5u %5dp %6s %7.2f %7.2f %8.2f\n", lanes, height, zoom, large.layout_ms / small.layout_ms,
                        large.moving_ms / small.moving_ms, large.resting_ms / small.resting_ms);
        }
    }
    return 0;
}
