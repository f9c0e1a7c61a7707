#include "app/session/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/core/clock.h"

namespace headway::session {
namespace {

constexpr std::size_t kOutputPerPoll = 128 * 1024;
constexpr std::size_t kOutputLines = 5000;
constexpr std::size_t kOutputLineBytes = 4000;
constexpr double kOutputShare = 0.5;  // of the time for a poll
constexpr std::int64_t kStopPatience_ns = 700'000'000;  // so that all is over within a second
constexpr double kRetireBudget_ms = 4;
constexpr std::int64_t kNumbersEvery_ns = 100'000'000;
// Whoever the program started may hold its pipes open; nobody waits for them longer than this.
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

std::string ops_text(std::uint64_t ops) {
    std::string digits = std::to_string(ops);
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
        digits.insert(static_cast<std::size_t>(i), ",");
    }
    return digits + (ops == 1 ? " op" : " ops");
}

// As it stands by itself: "Out of memory at op 203."
std::string sentence(std::string text) {
    if (!text.empty()) {
        if (text[0] >= 'a' && text[0] <= 'z') {
            text[0] = static_cast<char>(text[0] - 'a' + 'A');
        }
        if (text.back() != '.' && text.back() != '!' && text.back() != '?') {
            text += '.';
        }
    }
    return text;
}

std::string make_temporary_folder() {
    std::error_code problem;
    std::string name = (std::filesystem::temp_directory_path(problem) / "headway-XXXXXX").string();
    return problem || mkdtemp(name.data()) == nullptr ? std::string() : name;
}

core::Error failed(std::string message) {
    return {core::ErrorKind::failed, std::move(message)};
}

}  // namespace

void Execution::take_output(const std::string& bytes, bool error) {
    if (bytes.empty()) {
        return;
    }
    ++revision_;
    bool& open = open_line_[error ? 1 : 0];
    std::size_t from = 0;
    while (from < bytes.size()) {
        const std::size_t end = std::min(bytes.find('\n', from), bytes.size());
        std::string_view piece(bytes.data() + from, end - from);
        if (piece.ends_with('\r')) {
            piece.remove_suffix(1);
        }
        OutputLine* line = nullptr;
        if (open) {
            const auto mine = std::find_if(output_.rbegin(), output_.rend(),
                                           [error](const OutputLine& l) { return l.error == error; });
            line = mine != output_.rend() ? &*mine : nullptr;
        }
        if (line == nullptr) {
            line = &output_.emplace_back(OutputLine{{}, error});
        }
        if (line->text.size() < kOutputLineBytes) {
            line->text += piece.substr(0, kOutputLineBytes - line->text.size());
            if (line->text.size() >= kOutputLineBytes) {
                line->text += "…";
            }
        }
        open = end == bytes.size();
        from = end + 1;
    }
    while (output_.size() > kOutputLines) {
        output_.pop_front();
        ++output_cut_;
    }
}

Session::Session(Options options) : options_(std::move(options)), temporary_(make_temporary_folder()) {
    devices_ = {{"cpu", "CPU", true, {}}, {"simulated", "SIMULATED GPU", true, {}}};
    if (options_.look_for_devices) {
        auto probe = ChildProcess::start(options_.runner, {"devices", "--json"});
        if (probe) {
            device_probe_ = std::move(*probe);
        } else {
            device_problem_ = probe.error().message;
        }
    }
}

Session::~Session() {
    retire();
    if (!temporary_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(temporary_, ignored);
    }
}

core::Result<void> Session::start() {
    retire();
    if (b_ && b_->run() != nullptr && b_->run()->op_count() > 0) {
        a_ = std::move(b_);
        a_->letter = 'A';
        if (a_->settings.program != settings.program) {
            a_.reset();  // another lesson's times say nothing about this one's
        }
    }
    b_.reset();
    recording_fd_ = memfd_create("headway-recording", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (recording_fd_ < 0) {
        return failed(std::string("no memory for a recording: ") + std::strerror(errno));
    }
    const std::uint64_t limit = options_.trace_bytes_limit != 0
                                    ? options_.trace_bytes_limit
                                    : std::min<std::uint64_t>(std::uint64_t{2} << 30, free_memory_bytes() / 4);
    b_ = std::make_unique<Execution>();
    b_->settings = settings;
    auto arguments = runner_arguments(settings, ChildProcess::kPassedDescriptor, limit, temporary_);
    if (first_ != First::go || !breakpoints_.empty() || backend_held_ || line_delay_ns_ != 0) {
        arguments.emplace_back("--watched");  // the program begins when it has been told where to stand
    }
    auto child = ChildProcess::start(options_.runner, arguments, recording_fd_);
    if (!child) {
        b_->phase_ = Phase::failed;
        b_->ending_ = sentence(child.error().message);
        retire();
        return child.error();
    }
    child_ = std::move(*child);
    ++started_;
    return {};
}

bool Execution::read_on(double budget_ms) {
    if (!unread_) {
        return false;
    }
    unread_ = run_->update(budget_ms);
    if (!unread_) {
        run_->close();
        numbers_ = run_->numbers();
    }
    ++revision_;
    return unread_;
}

bool Session::behind() const {
    return (live() && behind_) || (a_ && a_->unread_) || (b_ && b_->unread_);
}

void Session::retire() {
    child_.reset();  // kills it: nothing more comes
    if (b_ && b_->live()) {
        b_->phase_ = Phase::stopped;
        if (b_->run_) {
            b_->unread_ = true;  // a long recording is read over the next frames
            b_->read_on(kRetireBudget_ms);
        }
        ++b_->revision_;
    }
    ended_.reset();
    stop_asked_ = false;
    if (recording_fd_ >= 0) {
        close(recording_fd_);
        recording_fd_ = -1;
    }
}

trace::Control* Session::control() {
    return live() && b_->run_ ? &b_->run_->reader().control() : nullptr;
}

void Session::signal_attention() {
    if (auto* c = control()) {
        c->attention.store(1);
    }
}

void Session::toggle_pause() {
    auto* c = control();
    if (c == nullptr) {
        return;
    }
    const bool pause = c->pause.load() == 0;  // a breakpoint may have set it since the last look
    c->pause.store(pause ? 1 : 0);
    signal_attention();
    b_->phase_ = pause ? Phase::paused : Phase::running;
    ++b_->revision_;
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
        child_->kill(SIGKILL);
    }
}

void Session::reset() {
    retire();
    a_.reset();
    b_.reset();
}

void Session::set_barrier(trace::BarrierPolicy policy) {
    settings.barrier = policy;
    if (auto* c = control()) {
        c->barrier.store(trace::pack_barrier(policy));
        signal_attention();
    }
}

void Session::set_budget(std::uint64_t bytes) {
    settings.budget_bytes = bytes;
    if (auto* c = control()) {
        c->budget_bytes.store(bytes);
        signal_attention();
    }
}

void Session::set_queue_limit(std::uint32_t ops) {
    settings.queue_limit = ops;
    if (auto* c = control()) {
        c->queue_limit.store(ops);
        signal_attention();
    }
}

// What the learner chose before the program was there: the runner looks at it from its first line on.
void Session::hand_over_stepping() {
    auto* c = control();
    if (c == nullptr) {
        return;
    }
    for (std::size_t word = 0; word < std::size(c->breakpoints); ++word) {
        std::uint64_t bits = 0;
        for (const auto line : breakpoints_) {
            bits |= line / 64 == word ? std::uint64_t{1} << (line % 64) : 0;
        }
        c->breakpoints[word].store(bits);
    }
    c->breakpoint_count.store(static_cast<std::uint32_t>(breakpoints_.size()));
    c->hold_backend.store(backend_held_ ? 1 : 0);
    c->line_delay_ns.store(line_delay_ns_);
    c->op_delay_ns.store(line_delay_ns_);
    switch (std::exchange(first_, First::go)) {
        case First::go:
            break;
        case First::line:
            c->line_mode.store(static_cast<std::uint32_t>(trace::LineMode::step));
            break;
        case First::until:
            c->until_line.store(first_line_);
            c->line_mode.store(static_cast<std::uint32_t>(trace::LineMode::until));
            break;
        case First::op:
            c->step_ops.store(1);
            c->pause.store(1);
            break;
    }
    signal_attention();
}

void Session::resume() {
    if (auto* c = control()) {
        c->pause.store(0);
        signal_attention();
        b_->phase_ = Phase::running;
        ++b_->revision_;
    }
}

void Session::start_with(First first, std::uint32_t line) {
    first_ = first;
    first_line_ = line;
    if (auto started = start(); !started) {
        first_ = First::go;
    }
}

void Session::step_line(trace::LineMode mode) {
    if (!live()) {
        start_with(First::line);
    } else if (auto* c = control()) {
        c->line_mode.store(static_cast<std::uint32_t>(mode));
        resume();
    }
}

void Session::run_to_line(std::uint32_t line) {
    if (!live()) {
        start_with(First::until, line);
    } else if (auto* c = control()) {
        c->until_line.store(line);
        step_line(trace::LineMode::until);
    }
}

void Session::step_op() {
    if (!live()) {
        start_with(First::op);
    } else if (auto* c = control()) {
        c->step_ops.fetch_add(1);
        c->pause.store(1);
        signal_attention();
        b_->phase_ = Phase::paused;
        ++b_->revision_;
    }
}

void Session::set_breakpoint(std::uint32_t line, bool on) {
    if (line == 0 || line > kMostLine) {
        return;
    }
    if (on) {
        breakpoints_.insert(line);
    } else {
        breakpoints_.erase(line);
    }
    hand_over_stepping();
}

void Session::set_breakpoints(std::set<std::uint32_t> lines) {
    std::erase_if(lines, [](std::uint32_t line) { return line == 0 || line > kMostLine; });
    if (lines != breakpoints_) {
        breakpoints_ = std::move(lines);
        hand_over_stepping();
    }
}

void Session::clear_breakpoints() {
    breakpoints_.clear();
    hand_over_stepping();
}

void Session::hold_backend(bool held) {
    backend_held_ = held;
    hand_over_stepping();
}

void Session::step_backend() {
    if (auto* c = control()) {
        c->backend_steps.fetch_add(1);
    }
}

void Session::set_line_delay(std::uint64_t ns) {
    line_delay_ns_ = ns;
    hand_over_stepping();
}

core::Line Session::current_line() const {
    return live() && b_->run_ ? b_->run_->reader().control().current_line.load() : 0;
}

bool Session::standing() const {
    return live() && b_->run_ && b_->run_->reader().control().standing.load() != 0;
}

void Session::show(std::unique_ptr<model::Run> run) {
    reset();
    b_ = std::make_unique<Execution>();
    b_->run_ = std::move(run);
    b_->run_->update();
    b_->run_->close();
    b_->numbers_ = b_->run_->numbers();
    b_->phase_ = Phase::recorded;
    b_->settings.program = b_->run_->info().program;
    b_->settings.device = b_->run_->info().device_kind;
    if (auto policy = barrier_from_word(b_->run_->info().barrier)) {
        b_->settings.barrier = *policy;
    }
    ++started_;
}

bool Session::poll(double budget_ms) {
    bool changed = poll_devices();
    for (auto* execution : {b_.get(), a_.get()}) {
        if (execution != nullptr && execution->unread_) {
            budget_ms /= 2;
            execution->read_on(budget_ms);
            changed = true;
        }
    }
    return poll_run(budget_ms) || changed;
}

void Session::try_to_map() {
    // The file is not touched before its beginning says that it is whole: the runner may still be sizing it.
    std::uint64_t magic = 0;
    if (pread(recording_fd_, &magic, sizeof magic, 0) != sizeof magic || magic != trace::kMagic) {
        return;
    }
    auto reader = trace::Reader::open(recording_fd_);
    if (!reader) {
        return;
    }
    // From now on nobody can cut the file off below this mapping.
    fcntl(recording_fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    b_->run_ = std::make_unique<model::Run>(std::move(*reader));
    b_->phase_ = Phase::running;
    // What was changed between the start and now.
    if (!(b_->settings.barrier == settings.barrier)) {
        set_barrier(settings.barrier);
    }
    if (b_->settings.budget_bytes != settings.budget_bytes) {
        set_budget(settings.budget_bytes);
    }
    if (b_->settings.queue_limit != settings.queue_limit) {
        set_queue_limit(settings.queue_limit);
    }
    hand_over_stepping();
    ++b_->revision_;
}

// A program that writes without end is slowed down by its pipe; whoever writes a gigabyte once is not kept for long.
void Session::take_output(double budget_ms) {
    const std::int64_t end = core::monotonic_ns() + static_cast<std::int64_t>(budget_ms * 1e6);
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

bool Session::poll_run(double budget_ms) {
    if (!live() || !child_) {
        return false;
    }
    const std::uint64_t before = b_->revision_;
    const std::int64_t now = core::monotonic_ns();
    // First how it ended, then what it left: nothing can come after the end.
    if (!ended_) {
        ended_ = child_->poll();
        ended_at_ns_ = now;
    }
    take_output(budget_ms * kOutputShare);
    if (!b_->run_) {
        try_to_map();
    }
    bool more = false;
    if (b_->run_) {
        const auto seen = b_->run_->now_ns();
        const auto ops = b_->run_->op_count();
        more = b_->run_->update(budget_ms);
        behind_ = more;
        if (b_->run_->now_ns() != seen || b_->run_->op_count() != ops || more) {
            ++b_->revision_;
        }
        if (now - numbers_at_ns_ > std::max(kNumbersEvery_ns, numbers_cost_ns_ * 20)) {
            b_->numbers_ = b_->run_->numbers();
            numbers_at_ns_ = core::monotonic_ns();
            numbers_cost_ns_ = numbers_at_ns_ - now;
        }
    }
    if (b_->run_ && !stop_asked_) {
        // A breakpoint or a step pauses by itself.
        const bool paused = b_->run_->reader().control().pause.load() != 0;
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
    if (stop_asked_ && !ended_ && now - stop_asked_ns_ > kStopPatience_ns) {
        child_->kill(SIGKILL);
    }
    const bool all_read = child_->output_ended() || now - ended_at_ns_ > kOutputPatience_ns;
    if (ended_ && !more && all_read) {
        finish(*ended_);
    }
    return b_->revision_ != before;
}

void Session::finish(const Ending& ending) {
    std::uint64_t ops = 0;
    const model::RunError* error = nullptr;
    if (b_->run_) {
        b_->run_->close();
        b_->numbers_ = b_->run_->numbers();
        ops = b_->run_->op_count();
        error = b_->run_->error() ? &*b_->run_->error() : nullptr;
    }
    const auto last_words = [this] {
        for (auto line = b_->output_.rbegin(); line != b_->output_.rend(); ++line) {
            if (line->error && !line->text.empty()) {
                return line->text;
            }
        }
        return std::string();
    };
    const bool recorded = ops > 0;
    // The runner says in the recording that it has come to its end; who leaves without a word was made to.
    const auto said = b_->run_ ? b_->run_->reader().state() : trace::RunState::failed;
    const bool left = error == nullptr && said != trace::RunState::finished && said != trace::RunState::failed;
    if (stop_asked_) {
        b_->phase_ = Phase::stopped;
        b_->ending_ = "Stopped after " + ops_text(ops) + (recorded ? "; what was recorded is kept." : ".");
    } else if (ending.signal != 0) {
        b_->phase_ = Phase::killed;
        b_->ending_ = "The runner ended by " + signal_text(ending.signal) + " after " + ops_text(ops) +
                      (recorded ? "; what it recorded is kept." : ".");
    } else if (left) {
        b_->phase_ = Phase::killed;
        b_->ending_ = "The program ended its own process with status " + std::to_string(ending.status) + " after " +
                      ops_text(ops) + (recorded ? "; what it recorded is kept." : ".");
    } else if (ending.status == 0 && error == nullptr) {
        b_->phase_ = Phase::finished;
    } else {
        b_->phase_ = Phase::failed;
        if (error != nullptr) {
            b_->ending_ = error->message;
            const std::string place = error->file + ":" + std::to_string(error->line);
            if (!error->file.empty() && error->message.find(place) == std::string::npos) {
                b_->ending_ += " (" + place.substr(place.rfind('/') + 1) + ")";
            }
        } else if (const std::string words = last_words(); !words.empty()) {
            b_->ending_ = words.starts_with("headway: ") ? words.substr(9) : words;
        } else {
            b_->ending_ = "The runner ended with status " + std::to_string(ending.status) + ".";
        }
    }
    b_->ending_ = sentence(std::move(b_->ending_));
    if (b_->ending_.find("the GPU is lost to this process") != std::string::npos) {
        b_->ending_ += " The next run has a new runner, which gets the device back.";
    }
    ++b_->revision_;
    child_.reset();
    ended_.reset();
    stop_asked_ = false;
    close(recording_fd_);
    recording_fd_ = -1;
}

bool Session::poll_devices() {
    if (!device_probe_) {
        return false;
    }
    const auto ending = device_probe_->poll();
    std::string err;
    device_probe_->read_stdout(device_answer_, kOutputPerPoll);
    device_probe_->read_stderr(err, kOutputPerPoll);
    if (!ending || !device_probe_->output_ended()) {
        return false;
    }
    device_probe_.reset();
    if (auto found = devices_from_json(device_answer_)) {
        devices_ = std::move(*found);
    } else {
        device_problem_ = found.error().message;
    }
    return true;
}

core::Result<std::vector<DeviceInfo>> devices_from_json(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_array() || json.empty()) {
        return failed("the runner gave no list of devices");
    }
    std::vector<DeviceInfo> devices;
    for (const auto& entry : json) {
        if (!entry.is_object() || !entry.contains("kind") || !entry["kind"].is_string()) {
            return failed("the runner's list of devices cannot be read");
        }
        const auto word = [&entry](const char* key) {
            return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : std::string();
        };
        DeviceInfo device;
        device.kind = word("kind");
        device.name = word("name").empty() ? device.kind : word("name");
        device.available = entry.value("available", false);
        device.reason = word("reason");
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace headway::session
