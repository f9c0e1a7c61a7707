// What every benchmark of the table shares: the clock, the cores, the memory of the process, and one JSON line per row.
//
// A benchmark is a program that offers rows (a peer under a workload) and runs those that it is asked for:
//     bench_x [--list] [--workload NAME]... [--peer NAME]... [--repeats N] [--quick] [--quiet-seconds S] [--fresh]
// Times are nanoseconds per op. A row is repeated; it waits until the rest of the machine is quiet, is taken again when
// another process disturbed it, and says how much of that was left (100: one whole core).
// With --fresh a row is what a user's program does: once, at once, on whatever cores the system picks.
//
// Threads: the main one, which is the frontend of whatever is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace headway::bench {

// One repetition's stopwatch. Set up, call begin(), issue, call issued(), wait, call done().
class Measure {
public:
    void begin();
    void issued();  // left out where there is no difference: issue takes as long as the whole
    void done();
    // In place of the three: totals that the body summed up itself.
    void set_totals(double issue_ns, double end_to_end_ns);
    // Bytes of trace that the ops left behind.
    void set_trace_bytes(std::uint64_t bytes) { trace_bytes_ = bytes; }

    [[nodiscard]] double issue_ns() const { return issue_ns_; }
    [[nodiscard]] double end_to_end_ns() const { return end_to_end_ns_; }
    // The most that the process grew by while it was measured, shared mappings (traces) left out.
    [[nodiscard]] std::int64_t growth_bytes() const { return growth_bytes_; }
    [[nodiscard]] std::uint64_t trace_bytes() const { return trace_bytes_; }
    // Page faults of the calling thread between begin() and done().
    [[nodiscard]] std::int64_t page_faults() const { return page_faults_; }
    // And its processor time.
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

// Does `ops` ops once and tells the stopwatch.
using Body = std::function<void(Measure&, long ops)>;

// The sizes of the workloads.
inline constexpr long kSmall = 10'000;
inline constexpr long kLarge = 1'000'000;
inline constexpr long kProducts = 10;
inline constexpr long kIdleOps = 50;

class Harness {
public:
    Harness(int argc, char** argv);  // ends the process with status 2 on wrong usage

    // Runs the row if it is wanted and prints its JSON line.
    void row(const std::string& peer, const std::string& workload, long ops, const Body& body,
             const std::string& note = "");

    // Whether any row of this workload is wanted: for set-up that is dear.
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

std::int64_t now_ns();
void sleep_us(std::int64_t us);

// Two cores that share as little as the machine allows: the frontend's and the worker's.
int frontend_core();
int worker_core();
void pin_to(int core);  // the calling thread, and the threads that it starts from here on; not with --fresh
void unpin();           // likewise, to every core that the process was given
void spin_pause();

// Tells the compiler that `pointer`'s target is used.
inline void keep(const void* pointer) {
    asm volatile("" : : "g"(pointer) : "memory");
}

}  // namespace headway::bench
