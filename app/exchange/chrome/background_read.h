// Reads a trace and computes its numbers on a thread of its own, so that a window stays responsive.
//
// Threads: one owner. The destructor cancels the reading and waits for the thread, which checks every few
// milliseconds.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/exchange/chrome/chrome_reader.h"

namespace headway::exchange {

class BackgroundRead {
public:
    explicit BackgroundRead(std::string path)
        : path_(std::move(path)), thread_([this] {
              result_.emplace(read());
              done_.store(true, std::memory_order_release);
          }) {}
    ~BackgroundRead() { cancel(); }
    BackgroundRead(const BackgroundRead&) = delete;
    BackgroundRead& operator=(const BackgroundRead&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int percent() const { return progress_.permille.load(std::memory_order_relaxed) / 10; }
    void cancel() { progress_.cancel.store(true, std::memory_order_relaxed); }
    // The result, once, after it is done or has failed.
    [[nodiscard]] std::optional<core::Result<ReadTrace>> take() {
        return done_.load(std::memory_order_acquire) ? std::exchange(result_, std::nullopt) : std::nullopt;
    }

private:
    core::Result<ReadTrace> read() {
        auto trace = read_trace(path_, &progress_);
        if (!trace) {
            return trace;
        }
        trace->walk = std::make_unique<model::NumbersWalk>(*trace->run);
        constexpr double kLook_ms = 5;
        while (trace->walk->step(kLook_ms)) {
            if (progress_.cancel.load(std::memory_order_relaxed)) {
                return cancelled(path_);
            }
        }
        return trace;
    }

    std::string path_;
    ReadProgress progress_;
    std::optional<core::Result<ReadTrace>> result_;
    std::atomic<bool> done_{false};
    std::jthread thread_;  // last: it uses the other members
};

}  // namespace headway::exchange
