#include "app/runner/commands/live_run.h"

#include <fcntl.h>
#include <unistd.h>

#include "app/runner/execution/messages.h"
#include "engine/core/clock.h"
#include "engine/trace/reader.h"

namespace headway::runner {

namespace {

constexpr double kAtOnce_ms = 20;
constexpr std::int64_t kQuiet_ns = 2'000'000'000;  // between two messages about the progress

}  // namespace

core::Result<void> LiveRun::open() {
    std::uint64_t magic = 0;
    if (run_ != nullptr || pread(recording_, &magic, sizeof magic, 0) != sizeof magic || magic == 0) {
        return {};
    }
    // So that the program cannot make it shorter than our mapping of it.
    fcntl(recording_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    auto reader = trace::Reader::open(recording_);
    if (!reader) {
        return reader.error();
    }
    (*reader)->will_give_back();
    run_ = std::make_unique<model::Run>(std::move(*reader));
    return {};
}

bool LiveRun::take_in() {
    if (!open() || run_ == nullptr || !run_->reader().should_give_back()) {
        return false;
    }
    run_->update(kAtOnce_ms);
    return true;
}

core::Result<std::unique_ptr<model::Run>> LiveRun::finish(const model::ProcessEnd& end) {
    if (auto opened = open(); !opened) {
        return opened.error();
    }
    if (run_ != nullptr) {
        run_->process_ended(end);
        std::int64_t say_ns = core::monotonic_ns() + kQuiet_ns;
        while (run_->update(kAtOnce_ms)) {
            if (core::monotonic_ns() > say_ns) {
                tell(run_->reading_text());
                say_ns = core::monotonic_ns() + kQuiet_ns;
            }
        }
        run_->close();
    }
    return std::move(run_);
}

}  // namespace headway::runner
