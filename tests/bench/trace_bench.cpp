// bench_trace [EVENTS]: a Chrome trace of so many events (default 10^6), shaped like torch.profiler's, is made, read, and
// written out again by Headway, which is then read as well. Times on the clock and on the processor, rates by the latter,
// and the peak of memory, as one JSON object.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/exchange/chrome_reader.h"
#include "app/exchange/chrome_writer.h"

namespace {

using namespace headway;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double megabytes(const std::string& path) {
    return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
}

// Of this process on the processor, so that others on the machine do not count.
double cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

long peak_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

// Two Python frames, two nested ops, a launch, a kernel and the arrow between them for each layer: 300 bytes an event.
void make_trace(const std::string& path, long events) {
    std::ofstream out(path, std::ios::binary);
    out << "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [ { \"id\": 0, \"name\": \"GPU\" } ],\n  \"traceEvents\": [\n";
    long made = 0;
    char text[1024];
    double at = 1000, free_at = 1000;
    const auto put = [&](int length) {
        out << (made++ == 0 ? "" : ",\n");
        out.write(text, length);
    };
    const std::string kernel = "void at::native::vectorized_elementwise_kernel<4, at::native::" + std::string(200, 'F') + ">(int)";
    for (long layer = 0; made + 8 <= events; ++layer) {
        for (int frame = 0; frame < 2; ++frame) {
            put(std::snprintf(text, sizeof text,
                              "  {\n    \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"%s(%ld): forward\", \"pid\": 42, "
                              "\"tid\": 42,\n    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"Python parent id\": %ld, "
                              "\"Python id\": %ld, \"Ev Idx\": %ld\n    }\n  }",
                              frame == 0 ? "model.py" : "torch/nn/modules/linear.py", 10 + layer % 50, at + frame * 0.3,
                              30 - frame * 0.6, layer, layer + 1, made));
        }
        for (int depth = 0; depth < 2; ++depth) {
            put(std::snprintf(text, sizeof text,
                              "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::addmm\", \"pid\": 42, \"tid\": 42,\n"
                              "    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"External id\": %ld,\"Record function id\": "
                              "0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                              "\"Input Dims\": [[256, 512], [512, 512], [512]], \"Ev Idx\": %ld\n    }\n  }",
                              at + 1 + depth, 20.0 - 2 * depth, layer, made));
        }
        put(std::snprintf(text, sizeof text,
                          "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 42, \"tid\": "
                          "42,\n    \"ts\": %.3f, \"dur\": 3.250,\n    \"args\": {\n      \"External id\": %ld, \"cbid\": 211, "
                          "\"correlation\": %ld\n    }\n  }",
                          at + 5, layer, layer + 1));
        put(std::snprintf(text, sizeof text,
                          "  {\n    \"ph\": \"s\", \"id\": %ld, \"pid\": 42, \"tid\": 42, \"ts\": %.3f,\n    \"cat\": \"ac2g\", "
                          "\"name\": \"ac2g\"\n  }",
                          layer + 1, at + 5));
        free_at = std::max(free_at, at + 8);
        put(std::snprintf(text, sizeof text,
                          "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %.3f, "
                          "\"dur\": %.3f,\n    \"args\": {\n      \"External id\": %ld, \"device\": 0, \"stream\": 7, "
                          "\"correlation\": %ld,\n      \"registers per thread\": 40, \"grid\": [64, 1, 1], \"block\": [128, 1, "
                          "1]\n    }\n  }",
                          kernel.c_str(), free_at, 6.5, layer, layer + 1));
        put(std::snprintf(text, sizeof text,
                          "  {\n    \"ph\": \"f\", \"id\": %ld, \"pid\": 0, \"tid\": 7, \"ts\": %.3f,\n    \"cat\": \"ac2g\", \"name\": "
                          "\"ac2g\", \"bp\": \"e\"\n  }",
                          layer + 1, free_at));
        free_at += 6.5;
        at += 31;
    }
    out << "\n  ],\n  \"traceName\": \"bench.json\"\n}\n";
}

}  // namespace

int main(int argc, char** argv) {
    const long events = argc > 1 ? std::atol(argv[1]) : 1'000'000;
    const auto folder = std::filesystem::temp_directory_path() / ("headway-bench-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string theirs = folder / "theirs.json", ours = folder / "ours.json";
    make_trace(theirs, events);
    int status = 1;
    const long before_mb = peak_mb();
    const auto clock_begin = Clock::now();
    double begin = cpu_s();
    if (auto read = exchange::read_trace(theirs)) {
        const double read_s = cpu_s() - begin;
        const double wall_s = seconds_since(clock_begin);
        const long read_mb = peak_mb();
        const std::size_t ops = read->run->op_count();
        std::FILE* out = std::fopen(ours.c_str(), "wb");
        begin = cpu_s();
        exchange::write_chrome_trace(*read->run, [out](std::string_view bytes) {
            return std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
        });
        std::fclose(out);
        const double write_s = cpu_s() - begin;
        read->run.reset();
        begin = cpu_s();
        const auto again = exchange::read_trace(ours);
        const double again_s = cpu_s() - begin;
        if (again && again.value().run->op_count() == ops) {
            std::printf("{\"events\": %ld, \"mb\": %.0f, \"wall_s\": %.3f, \"read_s\": %.3f, \"read_mb_s\": %.0f, \"before_mb\": %ld, "
                        "\"peak_mb\": %ld, \"ops\": %zu, \"out_mb\": %.0f, \"write_mb_s\": %.0f, \"own_read_s\": %.3f, "
                        "\"own_read_mb_s\": %.0f}\n",
                        events, megabytes(theirs), wall_s, read_s, megabytes(theirs) / read_s, before_mb, read_mb, ops,
                        megabytes(ours), megabytes(ours) / write_s, again_s, megabytes(ours) / again_s);
            status = 0;
        }
    } else {
        std::fprintf(stderr, "bench_trace: %s\n", read.error().message.c_str());
    }
    std::filesystem::remove_all(folder);
    return status;
}
