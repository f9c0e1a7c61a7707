#include "app/runner/execution/limit_watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/core/clock.h"
#include "engine/core/error_word.h"
#include "engine/core/system/thread.h"

namespace headway::runner {
namespace {

constexpr auto kWatchPeriod = std::chrono::milliseconds(50);
constexpr std::int64_t kWatchPatience_ns = 1'000'000'000;

void kill_children() {
    for (const pid_t process : confinement::descendants_of(getpid())) {
        kill(process, SIGKILL);
    }
}

}  // namespace

LimitWatch::LimitWatch(const confinement::Limits& limits, trace::Control& control, Record record)
    : record_(std::move(record)) {
    if (limits.any()) {
        thread_ = std::jthread([this, limits, &control](const std::stop_token& done) {
            core::name_thread("limits");
            watch(done, limits, control);
        });
    }
}

core::Error limit_error(const std::string& reached) {
    return {core::ErrorKind::failed, reached + "; what was recorded is kept"};
}

std::string error_json(const core::Error& error) {
    return nlohmann::json{{"kind", core::word_of(error.kind)},
                          {"message", error.message},
                          {"file", error.file},
                          {"line", error.line},
                          {"op", error.op}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void LimitWatch::watch(const std::stop_token& done, const confinement::Limits& limits, trace::Control& control) {
    const std::uint64_t written_before = confinement::usage_of(getpid(), limits.memory_bytes).output_bytes;
    std::uint64_t elapsed_ns = 0;
    std::int64_t last_ns = core::monotonic_ns(), reached_ns = 0;
    while (core::sleep_until_stop(done, kWatchPeriod)) {
        const std::int64_t now_ns = core::monotonic_ns();
        if (control.pause.load() == 0) {
            elapsed_ns += static_cast<std::uint64_t>(now_ns - last_ns);
        }
        last_ns = now_ns;
        confinement::Usage usage = confinement::usage_of(getpid(), limits.memory_bytes);
        usage.output_bytes -= std::min(usage.output_bytes, written_before);
        if (reached_.empty()) {
            reached_ = confinement::exceeded(limits, usage, elapsed_ns / 1'000'000);
            reached_ns = now_ns;
            is_reached_.store(!reached_.empty());
        }
        if (reached_.empty()) {
            continue;
        }
        control.pause.store(0);
        control.stop.store(1);
        control.attention.store(1);
        kill_children();
        // Without kWatchPatience_ns: within a second a program can fill the machine's memory.
        const bool too_much = limits.memory_bytes != 0 && usage.memory_bytes > limits.memory_bytes / 4 * 5;
        if (too_much || now_ns - reached_ns > kWatchPatience_ns) {
            record_(reached_);
            _exit(kStatus);
        }
    }
}

}  // namespace headway::runner
