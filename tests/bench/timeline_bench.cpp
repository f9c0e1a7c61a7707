// bench_timeline [OPS]: what a frame's layout costs for runs of 10^4 to 10^7 ops (or one size), in 4 and in 16 lanes: the
// whole run, a tenth of it, and deep inside; at 1080p. One JSON object a line.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

#include "app/figure/fonts.h"
#include "app/figure/timeline.h"
#include "engine/trace/recorder.h"

namespace {

using namespace headway;
// Of this thread on the processor, so that others on the machine do not count.
double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::unique_ptr<model::Run> made_run(std::uint32_t count, std::uint32_t lanes, double& intake_ms) {
    auto recording = trace::Recording::create((std::size_t{count} * 64) + (std::size_t{256} << 20), -1, 0,
                                              trace::ClockKind::virtual_ns);
    if (!recording) {
        std::fprintf(stderr, "bench_timeline: %s\n", recording.error().message.c_str());
        std::exit(1);
    }
    for (std::uint16_t id = 1; id <= 8; ++id) {
        trace::SignatureInfo info{};
        info.family = static_cast<std::uint8_t>(id - 1);
        info.out_bytes = 4096;
        (*recording)->signature(id, info, "(32x32)", "op");
    }
    trace::StreamWriter<trace::FrontendRecord> frontend(**recording, {trace::StreamKind::frontend, 0});
    std::vector<trace::StreamWriter<trace::ExecRecord>> lane;
    for (std::uint32_t i = 0; i < lanes; ++i) {
        lane.emplace_back(**recording, trace::StreamId{trace::StreamKind::lane, static_cast<std::uint8_t>(i)});
    }
    std::vector<std::uint64_t> free_ns(lanes, 0);
    std::uint64_t random = 88172645463325252ull;
    std::uint64_t now_ns = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const std::uint32_t at = i % lanes;
        frontend.add({now_ns, 40, static_cast<std::uint16_t>(1 + random % 8), 1 | trace::kFreshOutput,
                      static_cast<std::uint8_t>(at), 0x01000002, i + 1, i > 8 ? i - 7 : 0, 0});
        now_ns += 50;
        const std::uint64_t begin = std::max(now_ns, free_ns[at]) + random % 30;
        const auto took = static_cast<std::uint32_t>(20 + (random >> 20) % (60 * lanes));
        lane[at].add({begin, took, i + 1});
        free_ns[at] = begin + took;
    }
    (*recording)->header().state.store(static_cast<std::uint32_t>(trace::RunState::finished));
    auto reader = trace::Reader::open((*recording)->fd());
    auto run = std::make_unique<model::Run>(std::move(*reader));
    const double begin = cpu_ms();
    run->update();
    run->close();
    intake_ms = cpu_ms() - begin;
    return run;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::uint32_t> sizes{10'000, 100'000, 1'000'000, 10'000'000};
    if (argc > 1) {
        sizes = {static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10))};
    }
    const figure::FontSet fonts;
    for (const std::uint32_t lanes : {4u, 16u}) {
        for (const std::uint32_t count : sizes) {
            double intake_ms = 0;
            const auto run = made_run(count, lanes, intake_ms);
            const figure::TimelineRun shown{run.get(), 'A', {}, {}};
            figure::TimelineOptions options;
            options.area = {0, 0, 1600, 1000};
            options.theme = &figure::theme(figure::ThemeName::dark);
            options.measure = &fonts;
            const figure::TimelineView whole = figure::whole_view(std::span(&shown, 1), true);
            std::array<double, 3> best{1e9, 1e9, 1e9}, middle{};
            constexpr std::array<double, 3> kShares{1, 0.1, 1e-4};
            for (std::size_t zoom = 0; zoom < kShares.size(); ++zoom) {
                std::vector<double> times;
                for (int round = 0; round < (argc > 2 ? std::atoi(argv[2]) : 15); ++round) {  // the view moves
                    const double span = whole.span_ns() * kShares[zoom];
                    const double begin = whole.begin_ns + (whole.span_ns() - span) * 0.4 + span * 0.01 * round;
                    options.view = {begin, begin + span};
                    const double start = cpu_ms();
                    const auto layout = figure::layout_timeline(std::span(&shown, 1), options);
                    times.push_back(cpu_ms() - start);
                    if (layout.list.items.empty()) {
                        return 1;
                    }
                }
                std::sort(times.begin(), times.end());
                best[zoom] = times.front();
                middle[zoom] = times[times.size() / 2];
            }
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            std::printf("{\"lanes\": %u, \"ops\": %u, \"whole_ms\": %.3f, \"tenth_ms\": %.3f, \"deep_ms\": %.3f, "
                        "\"whole_median_ms\": %.3f, \"tenth_median_ms\": %.3f, \"deep_median_ms\": %.3f, "
                        "\"intake_ms\": %.0f, \"peak_rss_mb\": %ld}\n",
                        lanes, count, best[0], best[1], best[2], middle[0], middle[1], middle[2], intake_ms,
                        usage.ru_maxrss / 1024);
            std::fflush(stdout);
        }
    }
    return 0;
}
