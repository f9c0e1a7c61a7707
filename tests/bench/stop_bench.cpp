// bench_stop RUNNER PROGRAM [REPEATS]: how long it takes from Stop until another run can be started. PROGRAM, a Python
// file that does not end by itself, is started, stopped at a random moment within its first half second, and the next
// run is started as soon as the session allows it. The session is polled as a window does, 60 times a second.
//
// Prints one JSON object: median, 99th percentile and maximum in milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/session/reading_thread.h"
#include "app/session/session.h"

namespace {

using namespace headway;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void frame(session::Session& session, session::ReadingThread& reading) {
    {
        const auto turn = reading.lend(15);
        std::this_thread::sleep_for(std::chrono::milliseconds(16));
    }
    session.poll(1);
}

}  // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 200;
    std::ifstream file(argc > 2 ? argv[2] : "");
    std::ostringstream text;
    text << file.rdbuf();
    if (argc < 3 || !file || repeats < 1) {
        std::fprintf(stderr, "bench_stop RUNNER PROGRAM [REPEATS]\n");
        return 2;
    }
    session::Session session({argv[1], 0, false});
    session.settings.program = argv[2];
    session.settings.text = text.str();
    session.settings.device = "cpu";
    session::ReadingThread reading(session);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> moment_ms(0, 500);
    std::vector<double> took_ms;
    for (int i = 0; i < repeats; ++i) {
        if (auto started = session.start(); !started) {
            std::fprintf(stderr, "bench_stop: %s\n", started.error().message.c_str());
            return 1;
        }
        while (session.live() && (session.b()->run() == nullptr || session.b()->run()->op_count() == 0)) {
            frame(session, reading);
        }
        const double until_ms = moment_ms(random);
        for (const auto begun = Clock::now(); session.live() && ms_since(begun) < until_ms;) {
            frame(session, reading);
        }
        if (!session.live()) {
            std::fprintf(stderr, "bench_stop: the program ended by itself: %s\n", session.b()->ending().c_str());
            return 1;
        }
        const auto asked = Clock::now();
        session.stop();
        while (session.live()) {
            frame(session, reading);
        }
        took_ms.push_back(ms_since(asked));
    }
    std::sort(took_ms.begin(), took_ms.end());
    const auto at = [&](double share) { return took_ms[static_cast<std::size_t>(share * (repeats - 1))]; };
    std::printf("{\"repeats\": %d, \"median_ms\": %.1f, \"p99_ms\": %.1f, \"max_ms\": %.1f}\n", repeats, at(0.5),
                at(0.99), took_ms.back());
    return 0;
}
