// One run of a program, in progress or ended: its recording, its output and how it ended.
//
// Threads: those of its Session, one at a time: see reading_thread.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/run.h"
#include "app/process/child.h"
#include "app/session/output_lines.h"
#include "app/session/settings.h"

namespace headway::session {

enum class Phase {
    starting,  // the runner has not begun to record
    running,
    paused,
    finished,
    failed,    // the program or its start failed; ending() says why
    stopped,   // by the learner
    killed,    // the runner was ended by a signal
    recorded,  // read from a file
};
constexpr bool is_live(Phase phase) {
    return phase <= Phase::paused;
}

// Identifies the state of all that a session shows: changes when either run does, and when other runs take their place.
struct RunsVersion {
    std::uint64_t a = 0, b = 0;  // 1 + the run's revision; 0: none
    std::uint64_t started = 0;   // runs started so far
    friend bool operator==(const RunsVersion&, const RunsVersion&) = default;
};

class Execution {
public:
    Settings settings;
    char letter = 'B';

    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] bool live() const { return is_live(phase_); }
    // Null while starting, and if the runner never began to record.
    [[nodiscard]] const model::Run* run() const { return run_.get(); }
    // True if run() may still change: the program is running, or its recording has not been read completely.
    [[nodiscard]] bool grows() const { return live() || unread_; }
    // For reading on another thread; only while grows() is false. For a growing run, use its another().
    [[nodiscard]] std::shared_ptr<const model::Run> shared_run() const { return run_; }
    [[nodiscard]] const std::deque<OutputLine>& output() const { return output_.lines(); }
    [[nodiscard]] std::uint64_t output_cut() const { return output_.cut(); }  // lines dropped at the front
    [[nodiscard]] const std::string& ending() const { return ending_; }       // one sentence, or ""
    // Of a live run whose program has failed, while ops that it had issued are yet to be executed: "Failed after
    // issuing 12 ops: no file 7, at a.py:3." Else "".
    [[nodiscard]] std::string early_failure() const;
    // The numbers of the present run(). If walking over the ops takes several polls, means and sums are older than
    // the other numbers; then sums_of_total_ns() is the total at that time.
    [[nodiscard]] const model::Numbers& numbers() const { return numbers_; }
    [[nodiscard]] std::optional<std::int64_t> sums_of_total_ns() const { return sums_of_total_ns_; }
    // Time per source line, by line, ascending; updated together with the sums, see numbers().
    [[nodiscard]] const std::vector<model::LineCost>& line_costs() const { return line_costs_; }
    // Ended, but not completely read or summed up yet.
    [[nodiscard]] bool lags() const { return unread_ || (walk_ && !live()); }
    // While lags(): "reading the recording, 43 %", later "adding up its times".
    [[nodiscard]] std::string reading_text() const;
    // Ended regularly, without intervention of the learner, and issued ops: may be compared.
    [[nodiscard]] bool comparable() const;
    // The same, but may have no ops: its duration is meaningful.
    [[nodiscard]] bool whole() const;
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // changes when anything shown changes

private:
    friend class Session;
    void take_output(std::string_view bytes, bool error);
    void take_recorded_output();  // of a run from a file
    // Takes new records of a run in progress; true if more are left.
    bool take_records(double budget_ms);
    // Call while lags().
    void catch_up(double budget_ms);
    // Marks the recording as complete: reads it to its end. `walk`: a walk over it, if one exists already.
    void close(std::unique_ptr<model::NumbersWalk> walk = nullptr);
    void cannot_start(const std::string& why);
    // Call when the run has ended. `unread`: not all of its records have been read; then lags() until catch_up() has
    // done so.
    void finish(const model::ProcessEnd& end, bool unread);
    // Sets phase and sentence from how the process ended and from what has been read.
    void judge_end();
    [[nodiscard]] std::string failure() const;
    // `changed`: the run has changed since the last call.
    void renew_numbers(double budget_ms, bool changed);
    void begin_walk(std::unique_ptr<model::NumbersWalk> walk);

    Phase phase_ = Phase::starting;
    std::shared_ptr<model::Run> run_;  // shared with users that draw it on another thread
    OutputLines output_;
    bool intervened_ = false;  // paused, stepped, held or slowed down by the learner
    bool unread_ = false;      // ended, but not completely read
    std::string ending_;
    // How the process ended; empty for a run that was not started here, and while it is in progress.
    std::optional<model::ProcessEnd> end_;
    model::Numbers numbers_;
    std::optional<std::int64_t> sums_of_total_ns_;
    std::int64_t measured_from_ns_ = 0;  // of the run, in the numbers
    std::vector<model::LineCost> line_costs_;
    std::unique_ptr<model::NumbersWalk> walk_;  // null: none in progress
    bool walk_is_of_now_ = false;               // the run has not changed since the walk began
    std::uint64_t revision_ = 0;
};

// Whether there is a run, and ops in it.
[[nodiscard]] inline bool has_ops(const Execution* execution) {
    return execution != nullptr && execution->run() != nullptr && execution->run()->op_count() > 0;
}

}  // namespace headway::session
