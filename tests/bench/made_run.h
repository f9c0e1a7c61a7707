// Builds a run of any size without executing anything, as input of the benchmarks.
//
// Threads: any; nothing is shared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

#include "app/model/run/run.h"
#include "engine/trace/recorder.h"

namespace headway::bench {

// Processor time of this thread, which excludes other processes.
inline double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// `intake_ms`: processor time for reading the recording into the model. Exits if there is not enough memory.
inline std::unique_ptr<model::Run> made_run(std::uint32_t count, std::uint32_t lanes, double& intake_ms) {
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
    trace::StreamWriter<trace::FrontendRecord> frontend(**recording, trace::kFrontendStream);
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

}  // namespace headway::bench
