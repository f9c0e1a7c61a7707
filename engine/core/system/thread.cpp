#include "engine/core/system/thread.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <ctime>
#include <mutex>

namespace headway::core {

void name_thread(const char* name) {
    pthread_setname_np(pthread_self(), name);
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) {
    timespec timeout{timeout_ns / 1'000'000'000, static_cast<long>(timeout_ns % 1'000'000'000)};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

bool sleep_until_stop(const std::stop_token& stop, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

void heavy_fence() {
    static const bool kRegistered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (kRegistered && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) {
        return;
    }
    // Without membarrier the waker's plain load could miss a sleeper; sleepers therefore time out (see futex_wait_for).
    static std::atomic<std::uint32_t> fence{0};
    fence.fetch_add(1);  // a full barrier that the thread sanitizer understands
}

}  // namespace headway::core
