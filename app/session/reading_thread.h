// Reads the recordings of a session while the window's thread waits for the next frame or for the display.
//
// Threads: the session belongs to one at a time: to this one from lend() until the returned Turn ends, which waits for
// the piece of work in progress (kSlice_ms), otherwise to the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/session/session.h"

namespace headway::session {

class ReadingThread {
public:
    explicit ReadingThread(Session& session);
    ~ReadingThread();
    ReadingThread(const ReadingThread&) = delete;
    ReadingThread& operator=(const ReadingThread&) = delete;

    class [[nodiscard]] Turn {
    public:
        explicit Turn(ReadingThread* thread) : thread_(thread) {}
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        ReadingThread* thread_;  // null: nothing was lent
    };
    // Lets the thread read for at most `budget_ms`. Do not use the session, its runs included, during the turn.
    Turn lend(double budget_ms);

private:
    void work();

    Session& session_;
    std::mutex mutex_;  // held by the thread while it reads
    std::condition_variable lent_changed_;
    std::atomic<bool> lent_{false};
    double budget_ms_ = 0;
    bool quit_ = false;
    std::thread thread_;
};

}  // namespace headway::session
