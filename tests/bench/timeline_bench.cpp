// bench_timeline [OPS]: cost of a frame's layout for runs of 10^4 to 10^7 ops (or one size), in 4 and in 16 lanes: the
// whole run, a tenth of it, and deep zoom; at 1080p. Prints one JSON object per line.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "app/render/fonts.h"
#include "app/timeline/timeline.h"
#include "tests/bench/made_run.h"

namespace {

using namespace headway;
using bench::cpu_ms;
using bench::made_run;

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
                for (int round = 0; round < 15; ++round) {  // the view moves
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
            std::printf(
                "{\"lanes\": %u, \"ops\": %u, \"whole_ms\": %.3f, \"tenth_ms\": %.3f, \"deep_ms\": %.3f, "
                "\"whole_median_ms\": %.3f, \"tenth_median_ms\": %.3f, \"deep_median_ms\": %.3f, "
                "\"intake_ms\": %.0f, \"peak_rss_mb\": %ld}\n",
                lanes, count, best[0], best[1], best[2], middle[0], middle[1], middle[2], intake_ms,
                usage.ru_maxrss / 1024);
            std::fflush(stdout);
        }
    }
    return 0;
}
