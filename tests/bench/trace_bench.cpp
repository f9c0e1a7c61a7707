// bench_trace [EVENTS [WINDOW]]: reads Chrome traces with the given number of events (default 10^6), one shaped like
// torch.profiler's (300 bytes an event) and one of Headway's own (7 events an op, 100 bytes each), and writes them again,
// each step in its own process.
// WINDOW, the path of headway, also opens them: from its start to the frame that shows the trace.
//
// Prints one JSON object per shape: wall and processor seconds, MB/s by the wall clock, peak memory of each step, and
// whether writing, reading and writing again gives the same bytes. Files are in the page cache. Exit status 1 if
// something cannot be read or the round trip differs.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "app/exchange/chrome/chrome_reader.h"
#include "app/exchange/chrome/chrome_writer.h"
#include "tests/bench/made_run.h"

namespace {

using namespace headway;
using Clock = std::chrono::steady_clock;

double megabytes(const std::string& path) {
    return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
}

// The result of a step; plain bytes, because it is sent through a pipe.
struct Outcome {
    bool good = false;
    double wall_s = 0, cpu_s = 0;
    std::uint64_t ops = 0;
    long peak_mb = 0;
};

// Wall and processor time of a part of a step.
class Stopwatch {
public:
    void stop(Outcome& into) const {
        into.wall_s = std::chrono::duration<double>(Clock::now() - wall_).count();
        into.cpu_s = cpu_s() - cpu_;
    }

private:
    static double cpu_s() {
        timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    }
    Clock::time_point wall_ = Clock::now();
    double cpu_ = cpu_s();
};

// Runs a step in its own process, so that its memory is measured alone.
Outcome apart(const std::function<Outcome()>& step) {
    int ends[2];
    if (pipe(ends) != 0) {
        return {};
    }
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const Outcome done = step();
        const bool recorded = write(ends[1], &done, sizeof done) == sizeof done;
        _exit(recorded ? 0 : 1);
    }
    close(ends[1]);
    Outcome outcome;
    if (child < 0 || read(ends[0], &outcome, sizeof outcome) != sizeof outcome) {
        outcome = {};
    }
    close(ends[0]);
    rusage usage{};
    int status = 0;
    if (child > 0 && wait4(child, &status, 0, &usage) == child) {
        outcome.peak_mb = usage.ru_maxrss / 1024;
        outcome.good = outcome.good && status == 0;
    }
    return outcome;
}

// Two Python frames, two nested ops, a launch, a kernel and the arrow between them for each layer: 300 bytes an event.
void make_trace(const std::string& path, long events) {
    std::ofstream out(path, std::ios::binary);
    out << "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [ { \"id\": 0, \"name\": \"GPU\" } ],\n  "
           "\"traceEvents\": [\n";
    long made = 0;
    char text[1024];
    double at = 1000, free_at = 1000;
    const auto put = [&](int length) {
        out << (made++ == 0 ? "" : ",\n");
        out.write(text, length);
    };
    const std::string kernel =
        "void at::native::vectorized_elementwise_kernel<4, at::native::" + std::string(200, 'F') + ">(int)";
    for (long layer = 0; made + 8 <= events; ++layer) {
        for (int frame = 0; frame < 2; ++frame) {
            put(std::snprintf(
                text, sizeof text,
                "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"%s(%ld): forward\", \"pid\": 42, "
                "\"tid\": 42,\n    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"Python parent id\": %ld, "
                "\"Python id\": %ld, \"Ev Idx\": %ld\n    }\n  }",
                frame == 0 ? "model.py" : "torch/nn/modules/linear.py", 10 + layer % 50, at + frame * 0.3,
                30 - frame * 0.6, layer, layer + 1, made));
        }
        for (int depth = 0; depth < 2; ++depth) {
            put(std::snprintf(
                text, sizeof text,
                "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::addmm\", \"pid\": 42, \"tid\": 42,\n"
                "    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"External id\": %ld,\"Record function id\": "
                "0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"Input Dims\": [[256, 512], [512, 512], [512]], \"Ev Idx\": %ld\n    }\n  }",
                at + 1 + depth, 20.0 - 2 * depth, layer, made));
        }
        put(std::snprintf(
            text, sizeof text,
            "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 42, \"tid\": "
            "42,\n    \"ts\": %.3f, \"dur\": 3.250,\n    \"args\": {\n      \"External id\": %ld, \"cbid\": 211, "
            "\"correlation\": %ld\n    }\n  }",
            at + 5, layer, layer + 1));
        put(std::snprintf(
            text, sizeof text,
            "  {\n    \"ph\": \"s\", \"id\": %ld, \"pid\": 42, \"tid\": 42, \"ts\": %.3f,\n    \"cat\": \"ac2g\", "
            "\"name\": \"ac2g\"\n  }",
            layer + 1, at + 5));
        free_at = std::max(free_at, at + 8);
        put(std::snprintf(
            text, sizeof text,
            "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %.3f, "
            "\"dur\": %.3f,\n    \"args\": {\n      \"External id\": %ld, \"device\": 0, \"stream\": 7, "
            "\"correlation\": %ld,\n      \"registers per thread\": 40, \"grid\": [64, 1, 1], \"block\": [128, 1, "
            "1]\n    }\n  }",
            kernel.c_str(), free_at, 6.5, layer, layer + 1));
        put(std::snprintf(text, sizeof text,
                          "  {\n    \"ph\": \"f\", \"id\": %ld, \"pid\": 0, \"tid\": 7, \"ts\": %.3f,\n    \"cat\": "
                          "\"ac2g\", \"name\": "
                          "\"ac2g\", \"bp\": \"e\"\n  }",
                          layer + 1, free_at));
        free_at += 6.5;
        at += 31;
    }
    out << "\n  ],\n  \"traceName\": \"bench.json\"\n}\n";
}

Outcome make_own(const std::string& path, long events) {
    constexpr long kEventsPerOp = 7;  // issue, execution, both ends of the arrow between them, three counters
    double ignored = 0;
    const auto run = bench::made_run(static_cast<std::uint32_t>(std::max(1L, events / kEventsPerOp)), 4, ignored);
    std::FILE* out = std::fopen(path.c_str(), "wb");
    Outcome outcome;
    outcome.good = exchange::write_chrome_trace(*run, [out](std::string_view bytes) {
        return std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
    });
    std::fclose(out);
    return outcome;
}

Outcome read_it(const std::string& path) {
    Outcome outcome;
    const Stopwatch watch;
    const auto read = exchange::read_trace(path);
    watch.stop(outcome);
    if (!read) {
        std::fprintf(stderr, "bench_trace: %s\n", read.error().message.c_str());
        return outcome;
    }
    outcome.good = true;
    outcome.ops = read->run->op_count();
    return outcome;
}

// Writes a file, or (`same`) compares the bytes with an existing one.
Outcome write_it(const std::string& from, const std::string& to, bool same) {
    Outcome outcome;
    const auto read = exchange::read_trace(from);
    std::FILE* file = std::fopen(to.c_str(), same ? "rb" : "wb");
    if (!read || file == nullptr) {
        return outcome;
    }
    outcome.ops = read->run->op_count();
    std::string there;
    const Stopwatch watch;
    outcome.good = exchange::write_chrome_trace(*read->run, [&](std::string_view bytes) {
        if (!same) {
            return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
        }
        there.resize(bytes.size());
        return std::fread(there.data(), 1, there.size(), file) == there.size() && there == bytes;
    });
    outcome.good = outcome.good && (!same || std::fgetc(file) == EOF);
    std::fclose(file);
    watch.stop(outcome);
    return outcome;
}

// Time of the whole program, from its start to the frame that shows the trace.
Outcome open_it(const std::string& window, const std::string& path) {
    Outcome outcome;
    const Stopwatch watch;
    const pid_t child = fork();
    if (child == 0) {
        execl(window.c_str(), window.c_str(), path.c_str(), "--offscreen", "1920x1080", static_cast<char*>(nullptr));
        _exit(127);
    }
    rusage usage{};
    int status = 0;
    outcome.good = child > 0 && wait4(child, &status, 0, &usage) == child && status == 0;
    watch.stop(outcome);
    outcome.cpu_s = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    outcome.peak_mb = usage.ru_maxrss / 1024;
    return outcome;
}

bool measure(const char* shape, const std::string& path, const std::string& folder, const std::string& window) {
    const std::string again = folder + "/again.json";
    const double mb = megabytes(path);
    const Outcome read = apart([&] { return read_it(path); });
    const Outcome written = apart([&] { return write_it(path, again, false); });
    const double out_mb = written.good ? megabytes(again) : 0;
    const Outcome round = apart([&] { return write_it(again, again, true); });
    std::filesystem::remove(again);
    std::printf(
        "{\"shape\": \"%s\", \"mb\": %.0f, \"ops\": %llu, \"read_s\": %.3f, \"read_cpu_s\": %.3f, "
        "\"read_mb_s\": %.0f, \"read_peak_mb\": %ld, \"out_mb\": %.0f, \"write_s\": %.3f, "
        "\"write_cpu_s\": %.3f, \"write_mb_s\": %.0f, \"write_peak_mb\": %ld, \"equal\": %s",
        shape, mb, static_cast<unsigned long long>(read.ops), read.wall_s, read.cpu_s, mb / read.wall_s, read.peak_mb,
        out_mb, written.wall_s, written.cpu_s, out_mb / written.wall_s, written.peak_mb, round.good ? "true" : "false");
    bool good = read.good && written.good && round.good;
    if (!window.empty()) {
        const Outcome opened = open_it(window, path);
        std::printf(", \"first_frame_s\": %.3f, \"first_frame_cpu_s\": %.3f, \"window_peak_mb\": %ld", opened.wall_s,
                    opened.cpu_s, opened.peak_mb);
        good = good && opened.good;
    }
    std::printf("}\n");
    std::fflush(stdout);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    const long events = argc > 1 ? std::atol(argv[1]) : 1'000'000;
    const std::string window = argc > 2 ? argv[2] : "";
    if (events < 8) {
        std::fprintf(stderr, "bench_trace: the number of events is at least 8, not '%s'\n", argv[1]);
        return 2;
    }
    const auto folder = std::filesystem::temp_directory_path() / ("headway-bench-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = folder / "made.json";
    bool good = true;
    for (const char* shape : {"torch", "headway"}) {
        if (std::strcmp(shape, "torch") == 0) {
            make_trace(path, events);
        } else {
            good = apart([&] { return make_own(path, events); }).good && good;
        }
        good = measure(shape, path, folder, window) && good;
    }
    std::filesystem::remove_all(folder);
    return good ? 0 : 1;
}
