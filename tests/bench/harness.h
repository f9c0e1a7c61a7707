// Shared by all benchmarks of the table: the clock, the cores, the process's memory, and one JSON line per row.
//
// A benchmark is a program that offers rows (a peer under a workload) and runs those that it is asked for:
//     bench_x [--list] [--workload NAME]... [--peer NAME]... [--repeats N] [--quick] [--quiet-seconds S] [--fresh]
// Times are nanoseconds per op. A row is repeated; it waits until the rest of the machine is quiet, is taken again when
// another process disturbed it, and says how much of that was left (100: one whole core).
// With --fresh a row is what a user's program does: once, at once, on whatever cores the system picks.
//
// Threads: the main thread, which is the frontend of the measured queue.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace headway::bench {

// The stopwatch of one repetition. Set up, call begin(), issue, call issued(), wait, call done().
class Measure {
public:
    void begin();
    void issued();  // optional: without it, issuing counts as long as the whole
    void done();
    // Instead of these three calls: totals that the body measured itself.
    void set_totals(double issue_ns, double end_to_end_ns);
    // Bytes of trace recorded by the ops.
    void set_trace_bytes(std::uint64_t bytes) { trace_bytes_ = bytes; }

    [[nodiscard]] double issue_ns() const { return issue_ns_; }
    [[nodiscard]] double end_to_end_ns() const { return end_to_end_ns_; }
    // Peak growth of the process during the measurement, without shared mappings (traces).
    [[nodiscard]] std::int64_t growth_bytes() const { return growth_bytes_; }
    [[nodiscard]] std::uint64_t trace_bytes() const { return trace_bytes_; }
    // Page faults of the calling thread between begin() and done().
    [[nodiscard]] std::int64_t page_faults() const { return page_faults_; }
    // Processor time of the calling thread between begin() and done().
    [[nodiscard]] double processor_ns() const { return processor_ns_; }

private:
    std::int64_t begin_ns_ = 0;
    std::int64_t issued_ns_ = 0;
    std::int64_t resident_before_ = 0;
    std::int64_t shared_before_ = 0;
    double issue_ns_ = 0;
    double end_to_end_ns_ = 0;
    std::int64_t growth_bytes_ = 0;
    std::uint64_t trace_bytes_ = 0;
    std::int64_t page_faults_ = 0;
    double processor_ns_ = 0;
};

// Runs `ops` ops once and reports to the stopwatch.
using Body = std::function<void(Measure&, long ops)>;

// The sizes of the workloads.
inline constexpr long kSmall = 10'000;
inline constexpr long kLarge = 1'000'000;
inline constexpr long kProducts = 10;
inline constexpr long kIdleOps = 50;

class Harness {
public:
    Harness(int argc, char** argv);  // ends the process with status 2 on wrong usage

    // Runs the row if it is selected, and prints its JSON line.
    void row(const std::string& peer, const std::string& workload, long ops, const Body& body,
             const std::string& note = "");

    // Whether any row of this workload is selected; for expensive set-up.
    [[nodiscard]] bool wanted(const std::string& workload) const;
    [[nodiscard]] bool only_lists() const { return list_; }

private:
    std::vector<std::string> workloads_, peers_;
    int repeats_ = 7;
    double quiet_seconds_ = 20;
    bool list_ = false;
    bool quick_ = false;
    bool fresh_ = false;
};

// What a program measures: calls harness.row() for each of its rows. Returns the exit status.
int run(Harness& harness);

std::int64_t now_ns();
void sleep_us(std::int64_t us);

// Two cores that share as little as the machine allows: the frontend's and the worker's.
int frontend_core();
int worker_core();
void pin_to(int core);  // the calling thread and threads that it starts afterwards; no effect with --fresh
void unpin();           // the same, to all cores available to the process
void spin_pause();

// Prevents the compiler from removing computations whose result is at `pointer`.
inline void keep(const void* pointer) {
    asm volatile("" : : "g"(pointer) : "memory");
}

}  // namespace headway::bench
