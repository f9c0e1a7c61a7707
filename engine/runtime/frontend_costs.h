// What the frontend spends beside issuing and waiting, as it measures it of itself while it runs: recording, dropping
// tensors, times without a core, page faults.
//
// Threads: the frontend's, from the first call on.
//
// Measuring a record or a drop takes three readings of the clock, more than the record itself: so only some are
// measured (trace::StreamWriter::due()), and what that took is part of what is recorded. Asking the system takes more
// than a microsecond: it is asked after stretches of 50 µs and more, and at the marks of the program.
#pragma once

#include <cstdint>

#include "engine/trace/recorder.h"

namespace headway::runtime {

class FrontendCosts {
public:
    explicit FrontendCosts(trace::Recording& recording);
    ~FrontendCosts();
    FrontendCosts(const FrontendCosts&) = delete;
    FrontendCosts& operator=(const FrontendCosts&) = delete;

    static constexpr std::uint64_t kLongTicks = 125'000;  // about 50 µs

    // That issues held of the language's own work.
    void add_language(std::uint64_t ticks) { language_ += ticks; }

    // A record or a drop took from `begin` until now. `count`: how many of its kind there have been, with this one.
    [[gnu::noinline]] void measured(trace::CostKind kind, std::uint64_t begin, std::uint64_t count, bool alone);
    // The frontend was at one thing from `begin` on, and from `issue` to `end` at an issue (both the same: at none).
    // Records how long it had no core.
    [[gnu::noinline]] void look_for_core(std::uint64_t begin, std::uint64_t issue, std::uint64_t end);
    // A wait is over, in which it does not matter.
    void forget_core() { (void)without_core_ns(); }
    // Page faults and the language's work so far.
    void record_totals(std::uint64_t now);

private:
    // How long the thread has been ready to run without a core since the last call; 0 where the system does not tell.
    std::uint64_t without_core_ns();

    trace::StreamWriter<trace::CostRecord> costs_;
    std::uint64_t language_ = 0;
    std::uint64_t sampled_[2] = {0, 0};  // records, drops: how many there were at the last one that stands for others
    std::uint64_t alone_[2] = {0, 0};    // and measured since that stand for themselves
    std::uint16_t sampling_ = 0;         // ticks that the last measurement took by itself
    std::uint64_t without_core_ns_ = 0;
    int schedstat_ = -1;
};

}  // namespace headway::runtime
