// Frontend time outside issues and waits, measured by the frontend itself during the run: recording, dropping tensors,
// times without a core, page faults.
//
// Threads: the frontend, from the first call on.
//
// Measuring a record or a drop reads the clock three times, which takes longer than the record itself. So only some are
// measured (trace::StreamWriter::due()), and the cost of the measurement is recorded too. System calls take more than a
// microsecond; they are made only after intervals of 50 µs and more, and at scope and minibatch events.
#pragma once

#include <cstdint>

#include "engine/core/system/unique_fd.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

class FrontendCosts {
public:
    explicit FrontendCosts(trace::Recording& recording);

    static constexpr std::uint64_t kLongTicks = 125'000;  // about 50 µs

    // Adds interpreter time that was counted as part of issues.
    void add_interpreter_time(std::uint64_t ticks) { interpreter_ticks_ += ticks; }

    // Records that a record or a drop took from `begin` until now. `count`: number of its kind so far, including this
    // one. `alone`: it represents only itself.
    [[gnu::noinline]] void measured(trace::CostKind kind, std::uint64_t begin, std::uint64_t count, bool alone);
    // Records for how long the frontend had no core between `begin` and `end`. An issue lasted from `issue` to `end`;
    // the two are equal if there was none.
    [[gnu::noinline]] void look_for_core(std::uint64_t begin, std::uint64_t issue, std::uint64_t end);
    // Call after a wait: time without a core during a wait is not counted.
    void forget_core() { (void)without_core_ns(); }
    // Records page faults and interpreter time so far.
    void record_totals(std::uint64_t now);

private:
    // Nanoseconds that the thread was runnable without a core since the last call; 0 if the system does not report it.
    std::uint64_t without_core_ns();

    trace::StreamWriter<trace::CostRecord> costs_;
    std::uint64_t interpreter_ticks_ = 0;
    std::uint64_t sampled_[2] = {0, 0};  // [records, drops]: their count at the last sample that represents others
    std::uint64_t alone_[2] = {0, 0};    // measured since then that represent only themselves
    std::uint16_t sampling_ = 0;         // ticks that taking the last measurement took
    std::uint64_t without_core_ns_ = 0;
    core::UniqueFd schedstat_;  // none: not supported, or not looked for yet
    bool schedstat_tried_ = false;
};

}  // namespace headway::runtime
