#include "app/session/reading_thread.h"

#include "engine/core/clock.h"

namespace headway::session {
namespace {

constexpr double kSlice_ms = 1;

}  // namespace

ReadingThread::ReadingThread(Session& session) : session_(session), thread_([this] { work(); }) {}

ReadingThread::~ReadingThread() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    lent_changed_.notify_one();
    thread_.join();
}

ReadingThread::Turn ReadingThread::lend(double budget_ms) {
    if (budget_ms <= 0 || !session_.waiting()) {
        return Turn(nullptr);
    }
    {
        const std::lock_guard lock(mutex_);
        budget_ms_ = budget_ms;
        lent_ = true;
    }
    lent_changed_.notify_one();
    return Turn(this);
}

ReadingThread::Turn::~Turn() {
    if (thread_ != nullptr) {
        thread_->lent_ = false;
        const std::lock_guard lock(thread_->mutex_);  // waits for the slice in progress
    }
}

void ReadingThread::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        lent_changed_.wait(lock, [this] { return quit_ || lent_; });
        if (quit_) {
            return;
        }
        const std::int64_t end_ns = core::monotonic_ns() + static_cast<std::int64_t>(budget_ms_ * 1e6);
        while (lent_ && session_.read(kSlice_ms) && core::monotonic_ns() < end_ns) {
        }
        lent_ = false;
    }
}

}  // namespace headway::session
