// The program's time: the run's time from where measuring began, without the times in which the learner held
// everything. A run that was stepped through then reads like one that was not.
//
// Threads: functions that only read, any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headway::model {

class Run;

// A range of run time that is left out: the learner had paused the frontend, or held the lanes that it waited for,
// and no lane executed anything.
struct TimeCut {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::int64_t cut_before_ns = 0;  // the summed duration of the cuts before this one
    [[nodiscard]] std::int64_t duration_ns() const { return end_ns - begin_ns; }
    friend bool operator==(const TimeCut&, const TimeCut&) = default;
};

class ProgramTime {
public:
    // Shorter ones stay on the axis: a gap that short between two ops of a lane is not caused by the learner.
    static constexpr std::int64_t kLeastCutNs = 500'000;

    // Finds what was cut in what was recorded since the last call. Call after each update of the run.
    void update(const Run& run);
    void clear() { *this = ProgramTime(); }

    // Ascending and disjoint. The last one grows while the learner pauses.
    [[nodiscard]] std::span<const TimeCut> cuts() const { return cuts_; }
    // Never descends; the same for all times in one cut.
    [[nodiscard]] double program_ns(std::int64_t run_ns) const;
    // From one run time to a later one, without what is cut.
    [[nodiscard]] double between(std::int64_t begin_ns, std::int64_t end_ns) const {
        return program_ns(end_ns) - program_ns(begin_ns);
    }
    // The inverse of program_ns(); at a cut, its end.
    [[nodiscard]] double run_ns(double program_ns) const;
    // The cuts at these times and between them.
    [[nodiscard]] std::span<const TimeCut> cuts_between(double begin_program_ns, double end_program_ns) const;

private:
    // How far the search got.
    struct Progress {
        std::size_t wait = 0;              // the first wait that is not searched
        std::vector<std::size_t> next_op;  // per lane: the first of its ops that may end later
        std::size_t cuts = 0;
        std::int64_t last_end_ns = 0;  // of the last of the cuts
    };

    void search(const Run& run, Progress& progress, std::int64_t known_until_ns);
    void search_between(const Run& run, Progress& progress, std::int64_t begin_ns, std::int64_t end_ns);
    void cut(std::int64_t begin_ns, std::int64_t end_ns);
    [[nodiscard]] std::int64_t cut_ns(std::int64_t run_ns) const;
    [[nodiscard]] double place_of(const TimeCut& cut) const {
        return static_cast<double>(cut.begin_ns - cut.cut_before_ns - zero_ns_);
    }

    std::vector<TimeCut> cuts_;
    Progress settled_;
    std::int64_t zero_ns_ = 0;  // where measuring began: run time less what was cut before it
};

}  // namespace headway::model
