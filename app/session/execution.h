// One run of a program, going on or over: its recording, its output and how it ended.
//
// Threads: the UI's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/numbers/numbers_walk.h"
#include "app/model/run/run.h"
#include "app/session/child_process.h"
#include "app/session/settings.h"

namespace headway::session {

enum class Phase {
    starting,  // the runner has not begun to record
    running,
    paused,
    finished,
    failed,    // the program or its start failed; ending() says why
    stopped,   // by the learner
    killed,    // the runner ended by a signal
    recorded,  // read from a file
};
constexpr bool is_live(Phase phase) {
    return phase <= Phase::paused;
}

struct OutputLine {
    std::string text;
    bool error = false;  // stderr
};

class Execution {
public:
    Settings settings;
    char letter = 'B';

    [[nodiscard]] Phase phase() const { return phase_; }
    [[nodiscard]] bool live() const { return is_live(phase_); }
    // Null while starting, and when the runner never began to record.
    [[nodiscard]] const model::Run* run() const { return run_.get(); }
    // Something may still come of it that run() does not hold: it goes on, or is not yet read to its end.
    [[nodiscard]] bool grows() const { return live() || unread_; }
    // For who reads it beside the frames: only while it does not grow. What grows is read by another() of its own.
    [[nodiscard]] std::shared_ptr<const model::Run> shared_run() const { return run_; }
    [[nodiscard]] const std::deque<OutputLine>& output() const { return output_; }
    [[nodiscard]] std::uint64_t output_cut() const { return output_cut_; }  // lines dropped at the front
    [[nodiscard]] const std::string& ending() const { return ending_; }     // one sentence, or ""
    // The numbers of what run() holds now. Where the ops are so many that walking over them takes several polls, their
    // means and sums are older than the rest; then this is the total that they are of.
    [[nodiscard]] const model::Numbers& numbers() const { return numbers_; }
    [[nodiscard]] std::optional<std::int64_t> sums_of_total_ns() const { return sums_of_total_ns_; }
    // What each line took, by line, ascending: as old as the sums.
    [[nodiscard]] const std::vector<model::LineCost>& line_costs() const { return line_costs_; }
    // Over, but not yet read or walked over to its end.
    [[nodiscard]] bool lags() const { return unread_ || (walk_ && !live()); }
    // It came to its end by itself, without a hand on it, and issued ops: what may be compared.
    [[nodiscard]] bool comparable() const;
    // The same but for the ops: its length means something.
    [[nodiscard]] bool whole() const;
    [[nodiscard]] std::uint64_t revision() const { return revision_; }  // changes when anything shown does

private:
    friend class Session;
    void take_output(const std::string& bytes, bool error);
    // What has come of a run that goes on; true while there is more.
    bool take_records(double budget_ms);
    // While it lags().
    void catch_up(double budget_ms);
    // The recording as it is: to its end, and never growing. `walk`: one over it that somebody has made.
    void close(std::unique_ptr<model::NumbersWalk> walk = nullptr);
    void cannot_start(const std::string& why);
    // It is over, in this way; `stop_asked`: by the learner's word.
    void finish(const Ending& ending, bool stop_asked);
    [[nodiscard]] std::string failure(const Ending& ending) const;
    // `changed`: the run, since the last time.
    void renew_numbers(double budget_ms, bool changed);
    void begin_walk(std::unique_ptr<model::NumbersWalk> walk);

    Phase phase_ = Phase::starting;
    std::shared_ptr<model::Run> run_;  // shared with who draws a picture of it
    std::deque<OutputLine> output_;
    bool handled_ = false;                // paused, stepped, held or slowed down by the learner
    bool unread_ = false;                 // over, but not yet read to its end
    bool open_line_[2] = {false, false};  // the last line of stdout, stderr still grows
    std::uint64_t output_cut_ = 0;
    std::string ending_;
    model::Numbers numbers_;
    std::optional<std::int64_t> sums_of_total_ns_;
    std::vector<model::LineCost> line_costs_;
    std::unique_ptr<model::NumbersWalk> walk_;  // null: none is begun
    bool walk_is_of_now_ = false;               // nothing has come since
    std::uint64_t revision_ = 0;
};

}  // namespace headway::session
