// Runs one job at a time on a background thread: writing a picture, copying it to the clipboard.
//
// Threads: the UI's. The job has a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/core/result.h"

namespace headway::ui {

class BackgroundJob {
public:
    // Takes the share that is done; returns false if the job must stop.
    using Progress = std::function<bool(double)>;
    // Returns the final message, in one sentence.
    using Work = std::function<core::Result<std::string>(const Progress&)>;

    // `wake` is called on the job's thread when the job is over.
    explicit BackgroundJob(std::function<void()> wake = {}) : wake_(std::move(wake)) {}
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    // False while another job is running. `what`: "Writing the figure".
    bool start(std::string what, Work work);
    [[nodiscard]] bool busy() const { return thread_.joinable(); }
    [[nodiscard]] const std::string& what() const { return what_; }
    [[nodiscard]] int percent() const { return percent_.load(); }
    void cancel() { cancelled_.store(true); }
    // The job's result, once.
    std::optional<core::Result<std::string>> take();

private:
    std::function<void()> wake_;
    std::string what_;
    std::atomic<bool> cancelled_{false}, done_{false};
    std::atomic<int> percent_{0};
    std::optional<core::Result<std::string>> result_;  // written before done_
    std::jthread thread_;
};

}  // namespace headway::ui
