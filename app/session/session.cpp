#include "app/session/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "app/session/runner.h"
#include "engine/core/clock.h"
#include "engine/trace/barrier_names.h"
#include "engine/trace/reader.h"
#include "engine/trace/recording_file.h"

namespace headway::session {
namespace {

constexpr std::size_t kOutputPerPoll = 128 * 1024;
constexpr double kOutputBudget_ms = 3;
constexpr std::int64_t kStopPatience_ns = 700'000'000;  // so that the run ends within a second
constexpr double kRetireBudget_ms = 4;
// Room for six million ops. A longer run uses it again: what has been read is given back.
constexpr std::uint64_t kTraceBytes = std::uint64_t{384} << 20;
// The program's child processes may keep its pipes open: after its end, output is read for at most this long.
constexpr std::int64_t kOutputPatience_ns = 300'000'000;

std::uint64_t free_memory_bytes() {
    std::ifstream in("/proc/meminfo");
    std::string name;
    std::uint64_t kib = 0;
    std::string unit;
    while (in >> name >> kib && std::getline(in, unit)) {
        if (name == "MemAvailable:") {
            return kib * 1024;
        }
    }
    return std::uint64_t{1} << 30;
}

core::Error failed(std::string message) {
    return {core::ErrorKind::failed, std::move(message)};
}

}  // namespace

Session::Session(Options options) : options_(std::move(options)) {
    if (options_.look_for_devices) {
        devices_.ask(options_.runner);
    }
}

Session::~Session() {
    retire();
}

core::Result<void> Session::start_with(First first, std::uint32_t line) {
    retire();
    first_ = first;
    first_line_ = line;
    if (b_ && b_->comparable()) {
        a_ = std::move(b_);
        a_->letter = 'A';
    }
    b_.reset();
    if (a_ && a_->settings.program != settings.program) {
        a_.reset();  // not comparable to the new lesson's run
    }
    recording_.reset(memfd_create("headway-recording", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!recording_) {
        return failed(std::string("no memory for a recording: ") + std::strerror(errno));
    }
    const std::uint64_t limit = options_.trace_bytes_limit != 0
                                    ? options_.trace_bytes_limit
                                    : std::min<std::uint64_t>(kTraceBytes, free_memory_bytes() / 4);
    b_ = std::make_unique<Execution>();
    behind_ = false;
    b_->settings = settings;
    b_->intervened_ = first_ != First::go || backend_held_ || line_delay_ns_ != 0;
    const auto temporary = temporary_folder(kOfProgram);
    auto made = runner_arguments(settings, process::Command::kPassedDescriptor, limit,
                                 temporary ? temporary->string() : std::string());
    if (!made) {
        const core::Error why{made.error().kind,
                              made.error().message + (temporary ? "" : ": " + temporary.error().message)};
        b_->cannot_start(why.message);
        retire();
        return why;
    }
    std::vector<std::string> arguments = std::move(*made);
    if (first_ != First::go || !breakpoints_.empty() || backend_held_ || line_delay_ns_ != 0) {
        arguments.emplace_back("--watched");  // the program starts when it has received the stepping commands
    }
    auto child = start_runner({.program = options_.runner,
                               .arguments = std::move(arguments),
                               .passed = recording_.get(),
                               .supervisor = true});
    if (!child) {
        b_->cannot_start(child.error().message);
        retire();
        return child.error();
    }
    child_ = std::move(*child);
    ++started_;
    return {};
}

core::Result<std::filesystem::path> Session::temporary_folder(const std::string& name) const {
    if (temporary_.path().empty()) {
        return core::Error{core::ErrorKind::unreadable, temporary_.problem()};
    }
    const std::filesystem::path folder = std::filesystem::path(temporary_.path()) / name;
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return core::Error{core::ErrorKind::unreadable,
                           "the folder " + folder.string() + " cannot be made: " + problem.message()};
    }
    return folder;
}

bool Session::behind() const {
    return (live() && behind_) || (a_ && a_->lags()) || (b_ && b_->lags());
}

bool Session::filling() const {
    return live() && b_->run_ && b_->run_->reader().should_give_back();
}

void Session::retire() {
    child_.reset();  // kills it: nothing more will come
    if (b_ && b_->live()) {
        b_->phase_ = Phase::stopped;
        if (b_->run_) {
            b_->unread_ = true;  // a long recording is read during the next frames
            b_->catch_up(kRetireBudget_ms);
        }
        ++b_->revision_;
    }
    ended_.reset();
    stop_asked_ = false;
    pending_settings_ = {};
    recording_.reset();
}

void Session::stop() {
    if (!live() || stop_asked_) {
        return;
    }
    stop_asked_ = true;
    stop_asked_ns_ = core::monotonic_ns();
    if (auto* c = control()) {
        c->stop.store(1);
        c->pause.store(0);
        signal_attention();
    } else if (child_) {
        child_->end();
    }
}

void Session::reset() {
    retire();
    a_.reset();
    b_.reset();
}

void Session::show(std::unique_ptr<model::Run> run, std::unique_ptr<model::NumbersWalk> walk) {
    reset();
    b_ = std::make_unique<Execution>();
    b_->run_ = std::move(run);
    b_->run_->update();
    b_->close(std::move(walk));
    b_->phase_ = Phase::recorded;
    b_->take_recorded_output();
    b_->settings.program = b_->run_->info().program;
    b_->settings.device = b_->run_->info().device_kind;
    if (auto policy = trace::barrier_called(b_->run_->info().barrier)) {
        b_->settings.barrier = *policy;
    }
    ++started_;
}

void Session::show_pair(std::unique_ptr<Execution> a, std::unique_ptr<Execution> b) {
    reset();
    a_ = std::move(a);
    a_->letter = 'A';
    b_ = std::move(b);
    b_->letter = 'B';
    ++started_;
}

std::unique_ptr<Execution> Session::take() {
    return live() ? nullptr : std::move(b_);
}

bool Session::poll(double budget_ms) {
    const bool changed = devices_.poll();
    poll_program();
    read(budget_ms);
    poll_end();
    return std::exchange(polled_, version()) != version() || changed;
}

bool Session::read(double budget_ms) {
    for (auto* execution : {b_.get(), a_.get()}) {
        if (execution != nullptr && execution->lags()) {
            budget_ms /= 2;
            execution->catch_up(budget_ms);
        }
    }
    if (live() && b_->run_) {
        behind_ = b_->take_records(budget_ms);
    }
    return behind();
}

void Session::try_to_map() {
    // Map the file only after its header is complete: the runner may still be resizing it.
    std::uint64_t magic = 0;
    if (pread(recording_.get(), &magic, sizeof magic, 0) != sizeof magic || magic != trace::kMagic) {
        return;
    }
    auto reader = trace::Reader::open(recording_.get());
    if (!reader) {
        return;
    }
    // Seal the file, so that it cannot shrink below the mapping.
    fcntl(recording_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    (*reader)->will_give_back();
    b_->run_ = std::make_unique<model::Run>(std::move(*reader));
    b_->phase_ = Phase::running;
    store_pending_settings(b_->run_->reader().control());
    apply_stepping();  // a program started with --watched begins now
    ++b_->revision_;
}

// Stops when its time is spent: a program that writes without end then blocks on its full pipe.
void Session::take_output() {
    const std::int64_t end = core::monotonic_ns() + static_cast<std::int64_t>(kOutputBudget_ms * 1e6);
    std::size_t taken = 0;
    do {
        std::string out, err;
        child_->read_stdout(out, kOutputPerPoll);
        child_->read_stderr(err, kOutputPerPoll);
        b_->take_output(out, false);
        b_->take_output(err, true);
        taken = out.size() + err.size();
    } while (taken >= kOutputPerPoll && core::monotonic_ns() < end);
}

void Session::poll_program() {
    if (!live() || !child_) {
        return;
    }
    // First check whether it has ended, then read the output and the recording: nothing can come after the end.
    if (!ended_) {
        ended_ = child_->poll();
        ended_at_ns_ = core::monotonic_ns();
    }
    take_output();
    if (!b_->run_) {
        try_to_map();
    }
}

void Session::poll_end() {
    if (!live() || !child_) {
        return;
    }
    if (b_->run_ && !stop_asked_) {
        // A breakpoint or a step pauses the program without a request from here.
        const bool paused = b_->run_->reader().control().pause.load() != 0;
        b_->intervened_ = b_->intervened_ || paused;
        if (paused != (b_->phase_ == Phase::paused)) {
            b_->phase_ = paused ? Phase::paused : Phase::running;
            ++b_->revision_;
        }
        const auto line = current_line();
        if (line != seen_line_) {
            seen_line_ = line;
            ++b_->revision_;
        }
    }
    const std::int64_t now = core::monotonic_ns();
    if (stop_asked_ && !ended_ && now - stop_asked_ns_ > kStopPatience_ns) {
        child_->end();
    }
    const bool all_output = child_->output_ended() || now - ended_at_ns_ > kOutputPatience_ns;
    if (ended_ && all_output) {
        finish(*ended_, behind_);
    }
}

void Session::finish(const process::Ending& ending, bool unread) {
    model::ProcessEnd end{ending.status, ending.signal, stop_asked_};
    end.killed = stop_asked_ && ending.signal == SIGKILL;
    end.damaged = recording_ && trace::is_damaged(recording_.get());
    b_->finish(end, unread);
    child_.reset();
    ended_.reset();
    stop_asked_ = false;
    pending_settings_ = {};
    recording_.reset();
}

}  // namespace headway::session
