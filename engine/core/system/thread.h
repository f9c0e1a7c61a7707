// Futex waits, fences and thread names.
//
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>

namespace headway::core {

// Sets the name (at most 15 characters) that debuggers and profilers show for the calling thread.
void name_thread(const char* name);

// Blocks while `word` holds `expected`; may return early.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected);
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake_all(std::atomic<std::uint32_t>& word);

// Sleeps for `time`, or until a stop is requested. Returns whether the caller should continue (no stop requested).
bool sleep_until_stop(const std::stop_token& stop, std::chrono::milliseconds time);

// An expensive fence that makes a cheap one unnecessary on the other side: after it returns, every thread of this
// process has passed a full barrier (membarrier(2)). A sleeper announces itself, calls this, and checks once more;
// the waker then needs only a plain load.
void heavy_fence();

// Call in the body of a spin loop: tells the core that the thread is spinning.
inline void spin_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace headway::core
