#include "app/runner/commands/grader.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "app/confinement/confinement.h"
#include "app/editor/notebook.h"
#include "app/process/child.h"
#include "app/runner/commands/live_run.h"
#include "app/runner/commands/supervisor.h"
#include "app/runner/execution/interrupt.h"

namespace headway::runner {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostProgramBytes = 1'000'000;
constexpr std::uint64_t kPatience_ms = 3000;  // after its time limit the program's process may end by itself
// The limit counts what the program computes, so that a busy machine changes no verdict. A program that waits instead
// is ended after a multiple of it.
constexpr std::uint64_t kWaitFactor = 20;
constexpr std::size_t kMostReferences = 256;     // kept for further programs
constexpr std::size_t kMostErrorBytes = 20'000;  // of standard error

core::Error unreadable(const std::string& message, const fs::path& file) {
    return {core::ErrorKind::unreadable, message, file.string(), 0, 0};
}

core::Result<std::string> text_of(const fs::path& file) {
    std::error_code problem;
    if (!fs::is_regular_file(file, problem)) {
        return unreadable("there is no such file", file);
    }
    const std::uintmax_t bytes = fs::file_size(file, problem);
    if (!problem && bytes > kMostProgramBytes) {
        return unreadable("the program is larger than 1 MB", file);
    }
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return unreadable("the program cannot be read", file);
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

// The system's folder for temporary files; empty if there is none.
fs::path temporary_place() {
    std::error_code problem;
    const fs::path place = fs::temp_directory_path(problem);
    return problem ? fs::path() : place;
}

// A name that is safe in a path and in messages.
std::string plain_name(const fs::path& file) {
    std::string name = file.filename().string();
    for (char& c : name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
        c = plain ? c : '_';
    }
    return name.size() > 100 ? name.substr(name.size() - 100) : name;
}

// A folder with a copy of the program, which the program cannot change, and one where it may write.
class Workplace {
public:
    // In an existing folder; one at a time.
    static core::Result<Workplace> make(const fs::path& folder, const fs::path& program) {
        if (folder.empty()) {
            return unreadable("no temporary folder can be made", program);
        }
        Workplace place(folder / "run");
        std::error_code problem;
        fs::create_directories(place.work(), problem);
        fs::create_directory(place.path_ / "program", problem);
        place.program_ = place.path_ / "program" / plain_name(program);
        fs::copy_file(program, place.program_, problem);
        if (problem) {
            return unreadable("the program cannot be copied: " + problem.message(), program);
        }
        return place;
    }
    Workplace(Workplace&& other) noexcept
        : path_(std::exchange(other.path_, {})), program_(std::move(other.program_)) {}
    Workplace& operator=(Workplace&&) = delete;
    ~Workplace() {
        if (!path_.empty()) {
            std::error_code ignored;
            fs::remove_all(path_, ignored);
        }
    }
    [[nodiscard]] fs::path work() const { return path_ / "work"; }
    [[nodiscard]] const fs::path& program() const { return program_; }

private:
    explicit Workplace(fs::path path) : path_(std::move(path)) {}
    fs::path path_, program_;
};

// After that much time on processors the kernel ends the process with SIGXCPU.
void limit_processor_time(pid_t process, std::uint64_t ms) {
    const rlim_t seconds = std::max<rlim_t>(1, (ms + 999) / 1000);
    const rlimit limit{seconds, seconds + 1};
    prlimit(process, RLIMIT_CPU, &limit, nullptr);
}

std::vector<std::string> run_arguments(const check::Exercise& exercise, const check::Case& with,
                                       const Workplace& place) {
    std::vector<std::string> words{"run", place.program().string()};
    const auto add = [&words](const char* option, const std::string& value) {
        words.insert(words.end(), {option, value});
    };
    std::string results;
    for (const std::string& name : exercise.results) {
        results += (results.empty() ? "" : ",") + name;
    }
    add("--graded", results.empty() ? "-" : results);
    add("--device", exercise.device);
    add("--seed", std::to_string(with.seed));
    for (const auto& [name, value] : with.values) {
        add("--set", name + "=" + value);
    }
    if (exercise.streams != 0) {
        add("--streams", std::to_string(exercise.streams));
    }
    if (!with.costs.empty()) {
        add("--costs", with.costs);
    }
    if (!exercise.budget.empty()) {
        add("--budget", exercise.budget);
    }
    add("--folder", place.work().string());
    add("--temporary", place.work().string());
    if (confinement::support().writes()) {
        add("--confine", place.work().string());
    }
    const check::Limits& limits = exercise.limits;
    for (const auto& [option, value] :
         {std::pair{"--time-limit", std::to_string(static_cast<double>(kWaitFactor * limits.time_ms) / 1000)},
          {"--memory-limit", std::to_string(limits.memory_bytes)},
          {"--output-limit", std::to_string(limits.output_bytes)},
          {"--process-limit", std::string("1")}}) {
        add(option, value);
    }
    return words;
}

}  // namespace

core::Result<std::vector<std::string>> lines_of_program(const fs::path& file) {
    auto text = text_of(file);
    if (text && file.extension() == ".ipynb") {
        text = editor::text_of_notebook(*text);
    }
    return text ? core::Result(lines_of(*text)) : text.error();
}

Grader::Grader(check::Exercise exercise)
    : exercise_(std::move(exercise)), folder_(temporary_place(), "headway-check-") {}

core::Result<Grader::Ran> Grader::run(const fs::path& program, const check::Case& with) const {
    auto place = Workplace::make(folder_.path(), program);
    if (!place) {
        return place.error();
    }
    auto recording = make_recording("headway-check");
    if (!recording) {
        return recording.error();
    }
    process::Command command{.program = "/proc/self/exe",
                             .arguments = run_arguments(exercise_, with, *place),
                             .name = "headway-runner",
                             .passed = recording->get(),
                             .limit = std::chrono::milliseconds(kWaitFactor * exercise_.limits.time_ms + kPatience_ms)};
    command.arguments.insert(command.arguments.end(),
                             {"--trace-fd", std::to_string(process::Command::kPassedDescriptor)});
    const Descendants descendants;
    auto child = process::Child::start(command);
    if (!child) {
        return child.error();
    }
    limit_processor_time(child->pid(), exercise_.limits.time_ms);
    auto data = std::make_shared<check::RunData>();
    std::string words, rest;
    const std::size_t most = exercise_.limits.output_bytes;
    // Output beyond the limit is read and discarded: the program must not block on a full pipe.
    const auto take_output = [&] {
        child->read_stdout(data->printed, most - std::min(most, data->printed.size()));
        child->read_stdout(rest, most);
        child->read_stderr(words, most);
        rest.clear();
        if (words.size() > kMostErrorBytes) {
            words.erase(0, words.size() - kMostErrorBytes);
        }
    };
    LiveRun live(recording->get());
    const model::ProcessEnd end = supervise(*child, recording->get(), &live, descendants, {}, take_output);
    take_output();
    Ran ran;
    const process::Ending process = child->wait();
    const bool out_of_time = process.out_of_time || process.signal == SIGXCPU;
    std::shared_ptr<model::Run> run;
    if (!end.damaged) {
        auto read = live.finish(end);
        if (!read) {
            return Ran{data,
                       {check::Verdict::forged, "The recording cannot be read: " + read.error().message + ".", 0}};
        }
        run = std::move(*read);
    }
    if (run != nullptr && run->info().version.empty()) {
        run.reset();
    }
    data->run = run;
    if (auto lines = lines_of_program(program)) {
        data->source = std::move(*lines);
    }
    ran.ending = end.damaged
                     ? check::CaseEnd{check::Verdict::forged, "The program wrote into the recording's memory.", 0}
                     : check::ending_of(run.get(), out_of_time, exercise_.limits, words);
    ran.data = std::move(data);
    return ran;
}

core::Result<std::shared_ptr<const check::RunData>> Grader::reference(const check::Case& with) {
    for (const auto& [values, run] : references_) {
        if (values == with) {
            return run;
        }
    }
    auto ran = run(exercise_.reference(), with);
    if (!ran) {
        return ran.error();
    }
    if (!ran->ending.good()) {
        return unreadable("the exercise's reference does not run to its end: " + ran->ending.sentence,
                          exercise_.reference());
    }
    if (references_.size() < kMostReferences) {
        references_.emplace_back(with, ran->data);
    }
    return ran->data;
}

core::Result<check::CheckReport> Grader::check(const fs::path& program, const std::string& name, const std::string& key,
                                               bool brief) {
    auto text = text_of(program);
    if (!text) {
        return text.error();
    }
    auto start = lines_of_program(exercise_.start());
    if (!start) {
        return start.error();
    }
    check::CheckReport report;
    report.program = name;
    report.program_hash = check::hash_of(*text);
    report.key = key;
    report.headway = HEADWAY_VERSION;
    if (!confinement::support().writes()) {
        report.notes.emplace_back("This kernel has no Landlock, so the program was not confined.");
    }
    std::vector<check::CaseRun> runs;
    for (const check::Case& with : check::draw_cases(exercise_, key.empty() ? report.program_hash : key)) {
        auto ran = run(program, with);
        if (!ran) {
            return ran.error();
        }
        if (Interrupts::count() > 0) {
            return core::Error{core::ErrorKind::stopped, "stopped", {}, 0, 0};
        }
        auto wanted = reference(with);
        if (!wanted) {
            return wanted.error();
        }
        const bool good = ran->ending.good();
        runs.push_back({with, std::move(ran->data), std::move(*wanted), std::move(ran->ending)});
        if (!good) {
            break;  // it would take as long again, and show nothing new
        }
        if (brief) {
            check::judge(exercise_, runs, *start, report);
            if (!report.passed()) {
                break;
            }
        }
    }
    check::judge(exercise_, runs, *start, report);
    return report;
}

}  // namespace headway::runner
