// What the learner is doing: the settings of the next run, the run that goes on or went on last (B), the one before it
// (A), and the devices of this machine. Programs run in a runner of their own; nothing they do reaches this process but
// their recording, their output and the way they end.
//
// Threads: the UI's. Nothing here waits for a program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "app/session/child_process.h"
#include "app/session/devices.h"
#include "app/session/execution.h"
#include "app/session/settings.h"
#include "engine/core/result.h"

namespace headway::session {

struct Options {
    std::string runner;                   // path of headway-runner
    std::uint64_t trace_bytes_limit = 0;  // 0: a quarter of the memory that is free, at most 2 GiB
    bool look_for_devices = true;
};

class Session {
public:
    explicit Session(Options options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // The next run's. Changing barrier, budget and queue limit here acts on the next run only; the calls below act on
    // the run that goes on as well, also while it is only starting.
    Settings settings;

    // Starts a run; one that still goes on is stopped first. The last run becomes A where it is comparable; else A
    // stays, if it is of the same program.
    core::Result<void> start() { return start_with(First::go); }
    void toggle_pause();
    [[nodiscard]] bool paused() const;  // or asked to be, while it starts
    // Asks the program to end at its next op; the runner is killed when that takes longer than a second.
    void stop();
    // Ends it now, without a last word.
    void stop_at_once() { retire(); }
    // Ends what goes on and forgets both runs.
    void reset();
    void set_barrier(trace::BarrierPolicy policy);
    void set_budget(std::uint64_t bytes);
    void set_queue_limit(std::uint32_t ops);

    // Stepping. While the frontend stands still the backend goes on, unless it is held.
    // Each starts a run where none goes on.
    void step_line(trace::LineMode mode);  // to the next line (step, over); a new run stands at its first one
    void run_to_line(std::uint32_t line);
    void step_op();  // issues one op, then stands still again
    static constexpr std::uint32_t kMostLine = 4095;
    void set_breakpoint(std::uint32_t line, bool on);  // 1 to kMostLine; others have no effect
    void set_breakpoints(std::set<std::uint32_t> lines);
    [[nodiscard]] const std::set<std::uint32_t>& breakpoints() const { return breakpoints_; }
    void clear_breakpoints();
    void hold_backend(bool held);
    [[nodiscard]] bool backend_held() const { return backend_held_; }
    void step_backend();                    // while held: the lanes start one more command
    void set_line_delay(std::uint64_t ns);  // slow motion, for each line and as much for each op; 0: none
    [[nodiscard]] std::uint64_t line_delay_ns() const { return line_delay_ns_; }
    // Where the program is, and whether it stands still there.
    [[nodiscard]] core::Line current_line() const;
    [[nodiscard]] bool standing() const;

    // Shows a recording instead of running. `walk`: one over it, if it is closed and somebody has made one.
    void show(std::unique_ptr<model::Run> run, std::unique_ptr<model::NumbersWalk> walk = nullptr);

    // Shows two runs that are over.
    void show_pair(std::unique_ptr<Execution> a, std::unique_ptr<Execution> b);
    // B, which is over, for somebody else; null while it goes on.
    std::unique_ptr<Execution> take();

    // Takes in what happened; at most about `budget_ms` of work. True when something that is shown has changed.
    bool poll(double budget_ms);

    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Execution* a() const { return a_.get(); }
    [[nodiscard]] const Execution* b() const { return b_.get(); }
    [[nodiscard]] bool live() const { return b_ && b_->live(); }
    // Whether something may change without the user (a run that is not paused; devices being looked for).
    [[nodiscard]] bool running() const { return b_ && b_->live() && b_->phase() != Phase::paused; }
    // The program itself is at work: there is a runner, not paused. A run is live until all that it left is read.
    [[nodiscard]] bool executing() const { return running() && !ended_; }
    [[nodiscard]] bool waiting() const { return live() || behind() || devices_.asking(); }
    // There is more in a recording than has been read, or summed up of one that is over: poll() may be given more time.
    [[nodiscard]] bool behind() const;

    // CPU and simulated until the runner has answered.
    [[nodiscard]] const std::vector<DeviceInfo>& devices() const { return devices_.devices(); }
    [[nodiscard]] bool looking_for_devices() const { return devices_.asking(); }
    [[nodiscard]] const std::string& device_problem() const { return devices_.problem(); }
    // Where the program may write besides its own folder: removed with the session. "" when there is none.
    [[nodiscard]] const std::string& temporary_folder() const { return temporary_; }
    // The runs that were started, ever; tells one B from the next.
    [[nodiscard]] std::uint64_t started() const { return started_; }
    [[nodiscard]] pid_t runner_pid() const { return child_ ? child_->pid() : -1; }

private:
    // How the run that is being started is to begin.
    enum class First { go, line, op, until };
    // What was asked of a run that has not begun to record. Nothing: nobody asked, and the run's own settings stand.
    struct Wishes {
        std::optional<trace::BarrierPolicy> barrier;
        std::optional<std::uint64_t> budget_bytes;
        std::optional<std::uint32_t> queue_limit;
        bool paused = false;
    };
    bool poll_run(double budget_ms);
    void try_to_map();
    void take_output(double budget_ms);
    core::Result<void> start_with(First first, std::uint32_t line = 0);
    void finish(const Ending& ending);
    void note_hand(bool on);
    void signal_attention();
    void resume();
    void hand_over_stepping();
    void hand_over_wishes();
    void store_wishes(trace::Control& to);
    void retire();
    [[nodiscard]] trace::Control* control();

    Options options_;
    std::string temporary_;
    std::unique_ptr<Execution> a_, b_;
    std::optional<ChildProcess> child_;
    int recording_fd_ = -1;
    bool stop_asked_ = false;
    bool behind_ = false;
    Wishes wishes_;
    std::int64_t stop_asked_ns_ = 0, ended_at_ns_ = 0;
    std::uint64_t started_ = 0;
    std::set<std::uint32_t> breakpoints_;
    bool backend_held_ = false;
    First first_ = First::go;
    std::uint32_t first_line_ = 0;  // of First::until
    std::uint64_t line_delay_ns_ = 0;
    core::Line seen_line_ = 0;
    std::optional<Ending> ended_;
    DeviceList devices_;
};

}  // namespace headway::session
