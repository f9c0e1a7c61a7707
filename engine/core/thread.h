// Sleeping and waking without a lock, and names for threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

namespace headway::core {

// Shows the calling thread under this name (at most 15 characters) in debuggers and profilers.
void name_thread(const char* name);

// Blocks while `word` holds `expected`; may return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected);
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake_all(std::atomic<std::uint32_t>& word);

// Sleeps for so long; a request to stop ends it at once. Whether to go on.
bool sleep_until_stop(const std::stop_token& stop, std::chrono::milliseconds time);

// An expensive fence that makes a cheap one unnecessary on the other side: after it returns, every thread of this
// process has passed a full barrier (membarrier(2)). A sleeper announces itself, calls this, and checks once more;
// the waker then needs only a plain load.
void heavy_fence();

// What a waiting loop runs: tells the core that it spins.
inline void spin_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace headway::core
