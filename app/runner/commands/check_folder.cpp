// headway check EXERCISE FOLDER: every program in a folder, each checked by a process of its own, some at a time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "app/check/check_process.h"
#include "app/check/judge.h"
#include "app/runner/commands/check_parts.h"
#include "app/runner/commands/commands.h"
#include "app/runner/execution/interrupt.h"
#include "engine/core/system/output_file.h"

namespace headway::runner {

namespace fs = std::filesystem;

namespace {

constexpr auto kLook = std::chrono::milliseconds(5);

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct FoundPrograms {
    std::vector<std::string> names;   // paths in the folder, sorted
    std::vector<core::Error> unread;  // folders that cannot be read
};

// Adds the programs below `folder`, a folder in `root`.
void add_programs(const fs::path& root, const fs::path& folder, FoundPrograms& found) {
    std::error_code problem, ignored;
    for (fs::directory_iterator entry(folder, problem), last; !problem && entry != last; entry.increment(problem)) {
        const fs::path& path = entry->path();
        const std::string kind = path.extension().string();
        if (path.filename().string().starts_with('.')) {
            continue;  // .ipynb_checkpoints and the like
        }
        if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) {
            add_programs(root, path, found);
        } else if (entry->is_regular_file(ignored) && (kind == ".py" || kind == ".ipynb")) {
            found.names.push_back(path.lexically_relative(root).string());
        }
    }
    if (problem) {
        found.unread.push_back({core::ErrorKind::unreadable, "the folder " + folder.string() + " cannot be read (" +
                                                                 problem.message() +
                                                                 "), so its programs are not checked"});
    }
}

FoundPrograms programs_below(const fs::path& folder) {
    FoundPrograms found;
    add_programs(folder, folder, found);
    std::sort(found.names.begin(), found.names.end());
    return found;
}

class FolderCheck {
public:
    FolderCheck(const check::Exercise& exercise, const CheckOptions& options, std::vector<std::string> names)
        : exercise_(exercise), options_(options), names_(std::move(names)), reports_(names_.size()) {}

    // The reports, in the order of the names. Fails if one cannot be kept, or the user stops.
    core::Result<std::vector<check::CheckReport>> run() {
        const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
        const std::size_t most = options_.jobs != 0 ? options_.jobs : cores;
        std::size_t next = 0;
        while (next < names_.size() || !jobs_.empty()) {
            if (Interrupts::count() > 0) {
                return core::Error{core::ErrorKind::stopped,
                                   "stopped after " + std::to_string(done_) + " of " + std::to_string(names_.size()) +
                                       " programs" + (options_.results.empty() ? "" : "; the same command goes on"),
                                   {},
                                   0,
                                   0};
            }
            for (; next < names_.size() && jobs_.size() < most; ++next) {
                if (auto known = kept(next)) {
                    take(next, std::move(*known));
                } else if (auto started = start(next); !started) {
                    return started.error();
                }
            }
            if (auto looked = look(); !looked) {
                return looked.error();
            }
            std::this_thread::sleep_for(kLook);
        }
        std::vector<check::CheckReport> all;
        for (auto& report : reports_) {
            all.push_back(std::move(*report));
        }
        return all;
    }

private:
    struct Job {
        std::size_t index;
        check::CheckProcess process;
    };

    [[nodiscard]] fs::path path_of(std::size_t index) const { return fs::path(options_.program) / names_[index]; }
    [[nodiscard]] fs::path result_file(std::size_t index) const {
        return fs::path(options_.results) / (names_[index] + ".json");
    }

    // The result of an earlier call, if it is that of this program and this exercise.
    [[nodiscard]] std::optional<check::CheckReport> kept(std::size_t index) const {
        if (options_.results.empty()) {
            return std::nullopt;
        }
        auto report = check::report_from(bytes_of(result_file(index)));
        const bool same = report && report->hash == exercise_.hash && report->exercise == exercise_.id &&
                          report->headway == HEADWAY_VERSION && report->key == options_.key &&
                          report->program_hash == check::hash_of(bytes_of(path_of(index)));
        return same ? std::optional(std::move(*report)) : std::nullopt;
    }

    core::Result<void> start(std::size_t index) {
        auto process = check::CheckProcess::start({.runner = "/proc/self/exe",
                                                   .exercise = exercise_.folder.string(),
                                                   .program = path_of(index).string(),
                                                   .name = names_[index],
                                                   .key = options_.key});
        if (!process) {
            return process.error();
        }
        jobs_.push_back({index, std::move(*process)});
        return {};
    }

    core::Result<void> look() {
        for (std::size_t i = 0; i < jobs_.size();) {
            auto report = jobs_[i].process.poll();
            if (!report) {
                ++i;
                continue;
            }
            const std::size_t index = jobs_[i].index;
            jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(i));
            if (auto taken = take_result(index, std::move(*report)); !taken) {
                return taken;
            }
        }
        return {};
    }

    core::Result<void> take_result(std::size_t index, core::Result<check::CheckReport> report) {
        if (!report) {
            report = not_checked(index, report.error());
        } else if (!options_.results.empty()) {
            std::error_code ignored;
            fs::create_directories(result_file(index).parent_path(), ignored);
            if (auto written = core::write_whole(result_file(index).string(), check::as_json(*report)); !written) {
                return written;
            }
        }
        take(index, std::move(*report));
        return {};
    }

    // A program that could not be checked, such as a file that cannot be read.
    [[nodiscard]] check::CheckReport not_checked(std::size_t index, const core::Error& error) const {
        std::string reason = error.message;
        if (const std::string path = path_of(index).string() + ": "; reason.starts_with(path)) {
            reason.erase(0, path.size());  // the report names the program
        }
        check::CheckReport report;
        check::CaseRun run;
        run.run = run.reference = std::make_shared<check::RunData>();
        run.ending = check::ending_of(nullptr, false, exercise_.limits, "headway: " + reason);
        check::judge(exercise_, {&run, 1}, {}, report);
        return report;
    }

    void take(std::size_t index, check::CheckReport report) {
        report.program = names_[index];
        reports_[index] = std::move(report);
        ++done_;
        if (options_.format == "text") {
            std::fprintf(stderr, "headway: %zu of %zu: %s: %s\n", done_, names_.size(), names_[index].c_str(),
                         check::word_of(reports_[index]->verdict));
        }
    }

    const check::Exercise& exercise_;
    const CheckOptions& options_;
    std::vector<std::string> names_;
    std::vector<std::optional<check::CheckReport>> reports_;
    std::vector<Job> jobs_;
    std::size_t done_ = 0;
};

}  // namespace

int check_folder(const check::Exercise& exercise, const CheckOptions& options) {
    if (options.format == "gradescope") {
        return fail(
            {core::ErrorKind::usage, "--format gradescope is for one program: Gradescope checks one at a time"});
    }
    FoundPrograms found = programs_below(options.program);
    int unread = kDone;
    for (const core::Error& error : found.unread) {
        unread = fail(error);
    }
    if (found.names.empty()) {
        return unread != kDone ? unread
                               : fail({core::ErrorKind::usage, "there is no .py or .ipynb file in " + options.program});
    }
    std::vector<std::string> programs;
    for (const std::string& name : found.names) {
        programs.push_back((fs::path(options.program) / name).string());
    }
    if (auto ready = check_result_file(exercise, options, std::move(programs)); !ready) {
        return fail(ready.error());
    }
    auto reports = FolderCheck(exercise, options, std::move(found.names)).run();
    if (!reports) {
        return fail(reports.error());
    }
    if (auto written = write_result(options.format == "json" ? check::as_json(*reports) : formatted(*reports, options),
                                    options.output);
        !written) {
        return fail(written.error());
    }
    const bool all = std::all_of(reports->begin(), reports->end(), [](const auto& report) { return report.passed(); });
    return unread != kDone ? unread : all ? kDone : kProgramFailed;
}

}  // namespace headway::runner
