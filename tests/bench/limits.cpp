// Limits of the machine: costs that no queue can undercut.
#include <atomic>
#include <thread>

#include "engine/core/clock.h"
#include "tests/bench/bench_kernels.h"
#include "tests/bench/harness.h"

namespace headway::bench {
namespace {

// The least cost of recording an op: two readings of the clock and a record written to warm memory.
struct Record {
    std::uint64_t begin, end, op, line;
};
static_assert(sizeof(Record) == 32);

void write_records(Measure& measure, long n) {
    constexpr std::size_t kRecords = std::size_t{1} << 15;  // 1 MiB
    std::vector<Record> ring(kRecords);
    measure.begin();
    for (long i = 0; i < n; ++i) {
        const std::uint64_t begin = core::ticks();
        Record& record = ring[static_cast<std::size_t>(i) & (kRecords - 1)];
        record.begin = begin;
        record.op = static_cast<std::uint64_t>(i);
        record.line = 1;
        record.end = core::ticks();
        keep(&record);
    }
    measure.done();
}

// Two cache lines sent back and forth between two spinning threads.
void spin_round_trips(Measure& measure, long n) {
    struct alignas(128) Word {
        std::atomic<long> value{0};
    };
    Word there, back;
    std::thread other([&] {
        pin_to(worker_core());
        for (long i = 1; i <= n; ++i) {
            while (there.value.load(std::memory_order_acquire) != i) {
            }
            back.value.store(i, std::memory_order_release);
        }
    });
    sleep_us(2000);
    measure.begin();
    for (long i = 1; i <= n; ++i) {
        there.value.store(i, std::memory_order_release);
        while (back.value.load(std::memory_order_acquire) != i) {
        }
    }
    measure.done();
    other.join();
}

void call_add_one(Measure& measure, long n) {
    const float x[2] = {1, 1};
    measure.begin();
    for (long i = 0; i < n; ++i) {
        float* y = new_floats(2);
        add_one(x, y);
        keep(y);
        std::free(y);
    }
    measure.done();
}

void run_kernels(Measure& measure, long n) {
    std::vector<float> p(kSquare), q(kSquare);
    fill_random(p.data(), 0);
    multiply(p.data(), q.data());
    measure.begin();
    for (long i = 0; i < n; ++i) {
        fill_random(p.data(), i);
        multiply(p.data(), q.data());
        keep(q.data());
    }
    measure.done();
}

}  // namespace

int run(Harness& harness) {
    devices::kernels::use_one_blas_thread();
    pin_to(frontend_core());
    harness.row("limit", "record", 2 * kLarge, write_records, "two ticks and a 32-byte record");
    harness.row("limit", "round_trip", 200'000, spin_round_trips, "spinning, both ways");
    harness.row("direct call", "a10k", kSmall, call_add_one, "no queue");
    harness.row("direct call", "a1m", kLarge, call_add_one, "no queue");
    harness.row("kernels alone", "e_sync", kProducts, run_kernels, "warm buffers");
    return 0;
}

}  // namespace headway::bench
