#include "app/runner/execution/job.h"
#include "app/confinement/explanation.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/lesson/assets.h"
#include "app/runner/execution/words.h"
#include "app/runner/python/python_program.h"
#include "engine/core/count_text.h"
#include "engine/trace/barrier_names.h"

namespace headway::runner {

namespace {

const Program* find_program(const std::vector<std::unique_ptr<Program>>& programs, const std::string& name) {
    for (const auto& program : programs) {
        if (program->name() == name) {
            return program.get();
        }
    }
    return nullptr;
}

bool is_source_file(const std::string& name) {
    for (const std::string_view end : {".py", ".ipynb", ".md", ".txt"}) {
        if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0) {
            return true;
        }
    }
    return false;
}

// Absolute, because the program may run in another folder.
std::string folder_of(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::absolute(file, ignored).parent_path().string();
}

// The tab of the lesson's first missing Python file ("" for the lesson's own file); nullopt if none is missing.
std::optional<std::string> missing_file(const lesson::Lesson& lesson) {
    std::vector<std::string> wanted{""};
    for (const auto& [tab, file] : lesson.tabs) {
        wanted.push_back(tab);
    }
    for (const auto& tab : wanted) {
        const auto file = lesson.python_file(tab);
        std::error_code ignored;
        if (!file.empty() && !std::filesystem::is_regular_file(file, ignored)) {
            return tab;
        }
    }
    return std::nullopt;
}

// The lesson folder that a path names: the folder itself, or the one that holds lesson.md. Nullopt if there is none.
std::optional<std::filesystem::path> lesson_place(const std::string& program) {
    const std::filesystem::path path = program;
    std::error_code ignored;
    if (path.filename() == "lesson.md" && lesson::load_lesson(path.parent_path())) {
        return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    }
    return std::filesystem::is_directory(path, ignored) ? std::optional(path) : std::nullopt;
}

std::string file_and_line(const core::Error& error) {
    return error.file + (error.line != 0 ? ":" + std::to_string(error.line) : "") + ": " + error.message;
}

}  // namespace

trace::BarrierPolicy Job::barrier() const {
    const auto chosen = options.barrier.value_or(trace::BarrierPolicy{});
    return chosen.kind == trace::BarrierKind::as_written ? program->written_barrier() : chosen;
}

core::Result<std::vector<lesson::Parameter>> merged_parameters(const Program& program, const lesson::Lesson* lesson) {
    auto parameters = program.parameters();
    if (lesson == nullptr) {
        return parameters;
    }
    std::vector<std::string> known;
    for (const auto& parameter : parameters) {
        known.push_back(parameter.name);
    }
    for (std::size_t i = 0; i < lesson->parameters.size(); ++i) {
        const auto& wanted = lesson->parameters[i];
        const auto refuse = [&](std::string message) {
            return core::Error{core::ErrorKind::unreadable, std::move(message), lesson->file, lesson->lines[i], 0};
        };
        const auto at = std::find(known.begin(), known.end(), wanted.name);
        if (at == known.end()) {
            return refuse("the program " + program.name() + " has no parameter " + wanted.name +
                          " (it has: " + list_of(known) + ")");
        }
        auto& own = parameters[static_cast<std::size_t>(at - known.begin())];
        if (own.choices.empty() != wanted.choices.empty()) {
            return refuse(own.choices.empty() ? wanted.name + " is a number: it needs least and most, and no choices"
                                              : wanted.name + " needs choices out of " + range_of(own));
        }
        for (const auto& choice : wanted.choices) {
            if (!lesson::accept_value(own, choice)) {
                return refuse("the program does not accept " + wanted.name + " \"" + choice + "\", only " +
                              range_of(own));
            }
        }
        if (own.choices.empty() && (wanted.least < own.least || wanted.most > own.most)) {
            return refuse(wanted.name + " may be " + range_of(wanted) + ", but the program accepts only " +
                          range_of(own));
        }
        if (own.whole && !wanted.whole) {
            return refuse("the program accepts only whole numbers for " + wanted.name);
        }
        own = wanted;
    }
    return parameters;
}

// Checks a lesson and fills in all its parameters; the error says why it cannot be run.
core::Result<lesson::Lesson> usable_lesson(lesson::Lesson lesson,
                                           const std::vector<std::unique_ptr<Program>>& programs) {
    if (const auto missing = missing_file(lesson)) {
        return core::Error{core::ErrorKind::unreadable,
                           "its program " + lesson.python_file(*missing).filename().string() + " is not in its folder",
                           lesson.file, lesson.line_of(*missing), 0};
    }
    if (!lesson.python_file().empty()) {
        return lesson;  // a Python lesson defines all its parameters
    }
    const Program* program = find_program(programs, lesson.program);
    if (program == nullptr) {
        return core::Error{core::ErrorKind::unreadable, "there is no program " + lesson.program, lesson.file,
                           lesson.program_line, 0};
    }
    auto parameters = merged_parameters(*program, &lesson);
    if (!parameters) {
        return parameters.error();
    }
    // List all parameters of the program, not only those that the lesson changes.
    lesson.lines.resize(parameters->size());
    lesson.parameters = std::move(*parameters);
    return lesson;
}

std::vector<lesson::Lesson> usable_lessons(std::vector<core::Error>& refused) {
    auto assets = lesson::find_assets_dir();
    if (!assets) {
        refused.push_back(assets.error());
        return {};
    }
    auto lessons = lesson::load_lessons(*assets / "lessons", &refused);
    if (!lessons) {
        refused.push_back(lessons.error());
        return {};
    }
    const auto programs = built_in_programs();
    std::vector<lesson::Lesson> usable;
    for (auto& lesson : *lessons) {
        if (auto good = usable_lesson(std::move(lesson), programs)) {
            usable.push_back(std::move(*good));
        } else {
            refused.push_back(good.error());
        }
    }
    return usable;
}

// Looks for the lesson in the folder of that name, so that a run need not read all lessons. Nullopt if there is none.
core::Result<std::optional<lesson::Lesson>> lesson_by_folder(const std::string& id) {
    const auto assets = lesson::find_assets_dir();
    const auto folder = assets ? lesson::find_lesson_folder(*assets / "lessons", id) : std::nullopt;
    const std::optional<lesson::Lesson> none;
    if (!folder) {
        return none;
    }
    auto read = lesson::load_lesson(*folder);
    if (!read) {
        return read.error();
    }
    if (read->id != id) {
        return none;
    }
    auto lesson = usable_lesson(std::move(*read), built_in_programs());
    return lesson ? core::Result<std::optional<lesson::Lesson>>(std::move(*lesson)) : lesson.error();
}

namespace {

core::Result<Job> find_job(const RunOptions& options) {
    Job job;
    job.options = options;
    // If a plain name is both a lesson and a folder, it means the lesson.
    auto place = lesson_place(options.program);
    if (place && options.program.find('/') == std::string::npos && options.program != "lesson.md") {
        auto lesson = lesson_by_folder(options.program);
        std::vector<core::Error> others;
        const auto lessons = lesson && !*lesson ? usable_lessons(others) : std::vector<lesson::Lesson>();
        const bool known =
            !lesson || *lesson || find_program(built_in_programs(), options.program) != nullptr ||
            std::any_of(lessons.begin(), lessons.end(), [&](const auto& l) { return l.id == options.program; });
        if (known) {
            place.reset();
        }
    }
    if (!place && is_source_file(options.program)) {
        if (!options.tab.empty() && options.program.ends_with(".py")) {
            return usage_error("--tab is for lessons and documents, not for " + options.program);
        }
        auto program = make_python_program({options.source.empty() ? options.program : options.source,
                                            options.tab,
                                            {options.set.begin(), options.set.end()},
                                            folder_of(options.program),
                                            options.graded,
                                            !options.graded});
        if (!program) {
            return program.error();
        }
        job.program = std::move(*program);
        if (!options.graded) {  // those of a hidden case stay hidden
            job.parameters = {options.set.begin(), options.set.end()};
        }
        job.profile =
            profile_of_file(options.program, options.source.empty() ? options.program : options.source, options.tab);
        job.options.device = options.device.empty() ? "cpu" : options.device;
        return job;
    }
    std::vector<core::Error> refused;
    std::vector<lesson::Lesson> lessons;
    const bool folder = place.has_value();
    if (folder) {
        auto read = lesson::load_lesson(*place);
        auto lesson = read ? usable_lesson(std::move(*read), built_in_programs()) : std::move(read);
        if (!lesson) {
            return lesson.error();
        }
        lessons.push_back(std::move(*lesson));
    } else {
        auto lesson = lesson_by_folder(options.program);
        if (!lesson) {
            return lesson.error();
        }
        if (*lesson) {
            lessons.push_back(std::move(**lesson));
        } else {
            lessons = usable_lessons(refused);
        }
    }
    for (const auto& error : refused) {  // report why the requested lesson is not usable
        const auto read = lesson::load_lesson(std::filesystem::path(error.file).parent_path());
        if (read && read->id == options.program) {
            return error;
        }
    }
    std::vector<std::string> names;
    for (const auto& lesson : lessons) {
        names.push_back(lesson.id);
        if (folder || lesson.id == options.program) {
            job.lesson = lesson;
        }
    }
    auto programs = built_in_programs();
    const std::string program_name = job.lesson ? job.lesson->program : options.program;
    for (const auto& program : programs) {
        if (std::find(names.begin(), names.end(), program->name()) == names.end()) {
            names.push_back(program->name());
        }
    }
    for (auto& program : programs) {
        if (program->name() == program_name) {
            job.program = std::move(program);
            break;
        }
    }
    const auto python = job.lesson ? job.lesson->python_file(options.tab) : std::filesystem::path();
    if (job.program == nullptr && !job.lesson) {
        std::string message =
            "there is no lesson or program \"" + options.program.substr(0, 60) + "\"; there are: " + list_of(names);
        if (!refused.empty()) {
            const std::size_t others = refused.size() - 1;
            message += " (left out: " + file_and_line(refused.front()) +
                       (others > 0 ? "; and " + std::to_string(others) + " more, see headway lessons" : "") + ")";
        }
        return usage_error(message);
    }
    if (!options.tab.empty() && python.empty()) {
        return usage_error(options.program + " has no tab " + options.tab);
    }
    const auto parameters = job.lesson ? job.lesson->parameters : job.program->parameters();
    std::vector<std::string> known;
    for (const auto& parameter : parameters) {
        known.push_back(parameter.name);
        job.parameters[parameter.name] = parameter.value;
    }
    for (const auto& [name, value] : options.set) {
        const auto at = std::find(known.begin(), known.end(), name);
        if (at == known.end()) {
            return usage_error(options.program + " has no parameter \"" + name.substr(0, 60) + "\"; it has " +
                               (known.empty() ? "none" : "these: " + list_of(known)));
        }
        auto accepted = lesson::accept_value(parameters[static_cast<std::size_t>(at - known.begin())], value);
        if (!accepted) {
            return accepted.error();
        }
        job.parameters[name] = *accepted;
    }
    if (!python.empty()) {
        auto program = make_python_program(
            {options.source.empty() ? python.string() : options.source, "", job.parameters, folder_of(python)});
        if (!program) {
            return program.error();
        }
        job.program = std::move(*program);
        job.profile =
            profile_of_file(python.string(), options.source.empty() ? python.string() : options.source, options.tab);
    }
    if (job.options.device.empty()) {
        job.options.device = job.lesson ? job.lesson->device : "cpu";
    }
    if (!job.options.barrier && job.lesson && job.lesson->barrier != "as-written") {
        auto barrier = trace::barrier_called(job.lesson->barrier);
        if (!barrier) {
            return barrier.error();
        }
        job.options.barrier = *barrier;
    }
    return job;
}

}  // namespace

namespace {

// Notes on options that have no effect on the device.
std::vector<std::string> notes_on(const RunOptions& given, const std::string& device) {
    std::vector<std::string> notes;
    if (given.streams_given && device == "cpu") {
        notes.emplace_back("--streams has no effect on cpu: its lanes are workers, see --workers");
    }
    const bool other_cuda = given.cuda.launch != devices::CudaLaunch::engine || !given.cuda.pinned || given.cuda.tf32;
    if (other_cuda && device != "cuda") {
        notes.push_back("--launch, --copies and --products have no effect on " + device + ": they are for cuda");
    }
    return notes;
}

}  // namespace

std::vector<std::string> Job::files() const {
    std::vector<std::string> files{options.program, options.source};
    if (lesson) {
        files.push_back(lesson->file);
        files.push_back(lesson->python_file(options.tab).string());
    }
    return files;
}

std::vector<std::string> Job::chosen() const {
    std::vector<std::string> names;
    if (options.free_policy) {
        names.emplace_back("free_policy");
    }
    if (options.device == "cpu" ? options.workers_given : options.streams_given) {
        names.emplace_back(options.device == "cpu" ? "workers" : "streams");
    }
    return names;
}

namespace {

core::Result<void> take_gpus(const RunOptions& given, Job& job) {
    const bool simulated = job.options.device == "simulated", cpu = job.options.device == "cpu";
    const lesson::Lesson* lesson = job.lesson && !cpu ? &*job.lesson : nullptr;
    job.gpus = given.gpus != 0 ? given.gpus : lesson != nullptr ? lesson->gpus : 1;
    if (job.gpus > 1 && cpu) {
        return usage_error("--gpus is for --device simulated or cuda: a run on cpu uses no GPU");
    }
    if (!simulated && (!given.links.empty() || !given.gpu_speeds.empty())) {
        return usage_error("--links and --gpu-speeds are for --device simulated: a real machine has its own");
    }
    if (!job.options.streams_given && job.profile.program_streams) {
        job.streams = std::min(job.streams, (core::kMaxLanes - 1) / job.gpus);  // one lane is left for the CPU
    }
    if (job.gpus * job.streams > core::kMaxLanes) {
        return usage_error(std::to_string(job.gpus) + " GPUs with " + std::to_string(job.streams) +
                           " streams each need " + std::to_string(job.gpus * job.streams) + " lanes, and a run has " +
                           std::to_string(core::kMaxLanes) + ": choose --streams " +
                           std::to_string(core::kMaxLanes / job.gpus) + " or fewer");
    }
    if (!given.links.empty() && job.gpus < 2) {
        return usage_error("--links is for a machine with several GPUs: choose --gpus 2 or more");
    }
    const std::string& links = !given.links.empty() || lesson == nullptr ? given.links : lesson->links;
    job.links = devices::topology_called(links).value_or(devices::Topology::pcie);
    if (!given.gpu_speeds.empty() && (job.gpus < 2 || given.gpu_speeds.size() != job.gpus)) {
        return usage_error(job.gpus < 2
                               ? "--gpu-speeds is for a machine with several GPUs: choose --gpus 2 or more"
                               : "--gpu-speeds has " + core::counted(given.gpu_speeds.size(), "speed") + " for " +
                                     std::to_string(job.gpus) + " GPUs: write one for each, such as 1,0.5");
    }
    // Those of a lesson are for the number of GPUs that it chooses.
    const bool lessons = given.gpu_speeds.empty() && lesson != nullptr && lesson->gpu_speeds.size() == job.gpus;
    job.gpu_speeds = lessons ? lesson->gpu_speeds : given.gpu_speeds;
    return {};
}

}  // namespace

core::Result<Job> make_job(const RunOptions& options) {
    auto job = find_job(options);
    if (!job) {
        return job;
    }
    if (options.answers && !job->lesson) {
        return usage_error("--answers is for lessons, and " + options.program + " is not a lesson");
    }
    for (const auto& [given, option] :
         {std::pair{!options.costs.empty(), "--costs"}, std::pair{options.order != 0, "--order"}}) {
        if (given && job->options.device != "simulated") {
            return usage_error(std::string(option) + " is for --device simulated, not for " + job->options.device);
        }
    }
    if (job->options.costs.empty() && job->lesson && job->options.device == "simulated") {
        auto costs = parse_costs(job->lesson->costs, "costs");
        if (!costs) {
            return core::Error{core::ErrorKind::unreadable, costs.error().message, job->lesson->file, 0, 0};
        }
        job->options.costs = job->lesson->costs;
        job->options.cost_choice = *costs;
    }
    if (!options.streams_given && job->lesson && job->lesson->streams != 0) {
        job->options.streams = job->lesson->streams;
        job->options.streams_given = true;
    }
    job->notes = notes_on(options, job->options.device);
    if (!options.confine.empty()) {
        job->notes.push_back(
            confinement::explanation({true, options.confine, options.network}, confinement::support()));
    }
    job->free_policy = options.free_policy.value_or(job->profile.free_policy);
    const bool own = job->options.streams_given || job->profile.streams == 0;
    job->streams = own ? job->options.streams : job->profile.streams;
    if (auto taken = take_gpus(options, *job); !taken) {
        return taken.error();
    }
    job->workers = options.workers_given || job->profile.workers == 0 ? options.workers : job->profile.workers;
    return job;
}

}  // namespace headway::runner
