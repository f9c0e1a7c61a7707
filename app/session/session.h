// The state of the learner's work: the settings of the next run, the current or last run (B), the one before it
// (A), and the devices of this computer. Programs run in a separate runner process; they affect this process only
// through their recording, their output and their exit status.
//
// Threads: one at a time: the UI thread and, while that one waits, a ReadingThread. Never waits for a program.
//
// Session has many public functions because each of the learner's commands on a run is one, and each has to work for
// the next run, for a run that is starting and for one in progress.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "app/process/child.h"
#include "app/session/devices.h"
#include "app/session/execution.h"
#include "app/session/settings.h"
#include "app/session/temporary_folder.h"
#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::session {

struct Options {
    std::string runner;                   // path of headway-runner
    std::uint64_t trace_bytes_limit = 0;  // 0: a quarter of the free memory, at most 384 MiB
    bool look_for_devices = true;
};

class Session {
public:
    explicit Session(Options options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Settings of the next run. Changing barrier, budget and queue limit here affects only the next run; the
    // functions below also affect the current run, even while it is starting.
    Settings settings;

    // Starts a run; stops the current one first. The last run becomes A if it is comparable; otherwise A stays if
    // it is of the same program.
    core::Result<void> start() { return start_with(First::go); }
    void toggle_pause();
    [[nodiscard]] bool paused() const;  // or a pause was requested while starting
    // Asks the program to end at its next op. The runner is killed if this takes longer than a second.
    void stop();
    // Kills the runner now; its last output may be lost.
    void stop_at_once() { retire(); }
    // Ends the current run and removes both runs.
    void reset();
    void set_barrier(trace::BarrierPolicy policy);
    void set_budget(std::uint64_t bytes);
    void set_queue_limit(std::uint32_t ops);

    // Stepping. While the frontend is paused the backend continues, unless it is held. The first three start a
    // run if there is none.
    void step_line(trace::LineMode mode);  // to the next line (step, over); a new run pauses at its first line
    void run_to_line(std::uint32_t line);
    void step_op();  // issues one op, then pauses again
    static constexpr std::uint32_t kMostLine = 4095;
    void set_breakpoint(std::uint32_t line, bool on);  // 1 to kMostLine; others have no effect
    void set_breakpoints(std::set<std::uint32_t> lines);
    [[nodiscard]] const std::set<std::uint32_t>& breakpoints() const { return breakpoints_; }
    void hold_backend(bool held);
    [[nodiscard]] bool backend_held() const { return backend_held_; }
    void step_backend();                    // while held: each lane starts one more command
    void set_line_delay(std::uint64_t ns);  // slow motion, per line and per op; 0: none
    [[nodiscard]] std::uint64_t line_delay_ns() const { return line_delay_ns_; }
    // The program's current line, and whether it is paused there: before it, or before an op of it.
    [[nodiscard]] core::Line current_line() const;
    [[nodiscard]] trace::StopPosition stop_position() const;
    [[nodiscard]] bool stopped() const { return stop_position() != trace::StopPosition::no; }

    // Shows a recording instead of running. `walk`: a walk over it, if the recording is closed and one exists
    // already.
    void show(std::unique_ptr<model::Run> run, std::unique_ptr<model::NumbersWalk> walk = nullptr);

    // Shows two runs that have ended.
    void show_pair(std::unique_ptr<Execution> a, std::unique_ptr<Execution> b);
    // Transfers B to the caller, if it has ended; null while it is running.
    std::unique_ptr<Execution> take();

    // Processes events, and reads for about `budget_ms`; true if anything that is shown has changed since the last
    // call.
    bool poll(double budget_ms);
    // Reads recordings and sums them up for about `budget_ms`; true if more is waiting.
    bool read(double budget_ms);

    [[nodiscard]] const Options& options() const { return options_; }
    [[nodiscard]] const Execution* a() const { return a_.get(); }
    [[nodiscard]] const Execution* b() const { return b_.get(); }
    [[nodiscard]] bool live() const { return b_ && b_->live(); }
    // True if something may change without user input (a run that is not paused).
    [[nodiscard]] bool running() const { return b_ && b_->live() && b_->phase() != Phase::paused; }
    // True while the runner is executing and not paused. A run is live until all its output has been read.
    [[nodiscard]] bool executing() const { return running() && !ended_; }
    // True if poll() may still report something: a live run, unread records, the list of devices.
    [[nodiscard]] bool waiting() const { return live() || behind() || devices_.asking(); }
    // The recording has not been read completely or, after its end, summed up: poll() can use more time.
    [[nodiscard]] bool behind() const;
    // The recording of the run in progress gets full: the run will be held back unless poll() takes more.
    [[nodiscard]] bool filling() const;

    // CPU and simulated until the runner has answered.
    [[nodiscard]] const std::vector<ListedDevice>& devices() const { return devices_.devices(); }
    [[nodiscard]] bool looking_for_devices() const { return devices_.asking(); }
    [[nodiscard]] const std::string& device_problem() const { return devices_.problem(); }
    // A folder of this name in the session's temporary folder; made if need be, and removed with the session. The
    // program may write in its own one only, kOfProgram: what the window writes in others is not led elsewhere by
    // links.
    static constexpr const char* kOfProgram = "program";
    [[nodiscard]] core::Result<std::filesystem::path> temporary_folder(const std::string& name) const;
    // The number of runs started so far; identifies B.
    [[nodiscard]] std::uint64_t started() const { return started_; }
    [[nodiscard]] RunsVersion version() const {
        return {a_ ? a_->revision() + 1 : 0, b_ ? b_->revision() + 1 : 0, started_};
    }
    [[nodiscard]] pid_t runner_pid() const { return child_ ? child_->pid() : -1; }

private:
    // How the new run begins.
    enum class First { go, line, op, until };
    // Requests for a run that has not begun to record. Empty: not requested, the run's settings apply.
    struct PendingSettings {
        std::optional<trace::BarrierPolicy> barrier;
        std::optional<std::uint64_t> budget_bytes;
        std::optional<std::uint32_t> queue_limit;
        bool paused = false;
    };
    void poll_program();  // whether it has ended, its output, the start of its recording
    void poll_end();      // after read(): pauses, and the end of the run
    void try_to_map();
    void take_output();
    core::Result<void> start_with(First first, std::uint32_t line = 0);
    // `unread`: not all of its records have been read.
    void finish(const process::Ending& ending, bool unread);
    void note_intervention(bool on);
    void signal_attention();
    void resume();
    void apply_stepping();
    void apply_pending_settings();
    void store_pending_settings(trace::Control& to);
    void retire();
    [[nodiscard]] trace::Control* control();

    Options options_;
    TemporaryFolder temporary_;
    std::unique_ptr<Execution> a_, b_;
    std::optional<process::Child> child_;
    core::UniqueFd recording_;
    bool stop_asked_ = false;
    bool behind_ = false;  // records of the run in progress are waiting
    RunsVersion polled_;   // at the end of the last poll()
    PendingSettings pending_settings_;
    std::int64_t stop_asked_ns_ = 0, ended_at_ns_ = 0;
    std::uint64_t started_ = 0;
    std::set<std::uint32_t> breakpoints_;
    bool backend_held_ = false;
    First first_ = First::go;
    std::uint32_t first_line_ = 0;  // for First::until
    std::uint64_t line_delay_ns_ = 0;
    core::Line seen_line_ = 0;
    std::optional<process::Ending> ended_;
    DeviceList devices_;
};

}  // namespace headway::session
