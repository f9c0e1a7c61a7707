// Writes a run's outputs: report, trace and figure, and messages on stderr.
#include <algorithm>
#include <filesystem>

#include "app/exchange/chrome/trace_file.h"
#include "app/model/explanation/explanation.h"
#include "app/model/numbers/format.h"
#include "app/model/numbers/numbers_walk.h"
#include "app/model/report/report.h"
#include "app/model/user_data/user_data.h"
#include "app/runner/commands/commands.h"
#include "app/runner/execution/words.h"
#include "engine/core/system/output_file.h"
#ifdef HEADWAY_WITH_FIGURES
#include "app/figure/animation.h"
#include "app/figure/figure.h"
#endif

namespace headway::runner {

namespace {

std::string lower_case_end(const std::string& path) {
    std::string end = path.substr(path.find_last_of("./") == std::string::npos ? 0 : path.find_last_of("./"));
    for (char& c : end) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return end;
}

core::Result<model::Arrangements> lanes_of(const FigureRequest& request, std::vector<std::string>* remarks = nullptr) {
    if (request.lanes.empty()) {
        return model::Arrangements();
    }
    if (request.lanes == "window") {
        return model::read_arrangements(model::arrangement_file(model::user_data_folder()), remarks);
    }
    std::error_code ignored;
    if (!std::filesystem::exists(request.lanes, ignored)) {
        return core::Error{core::ErrorKind::unreadable,
                           "there is no file " + request.lanes + " with an arrangement of lanes"};
    }
    return model::read_arrangements(request.lanes, remarks);
}

// Checks the path of a figure or an animation.
[[maybe_unused]] core::Result<void> check_figure(const std::string& path) {
#ifdef HEADWAY_WITH_FIGURES
    if (figure::is_animation_path(path)) {
        return figure::check_animation_path(path);
    }
    if (!figure::check_figure_path(path)) {
        return usage_error(
            "A figure's file ends in .png, .svg or .pdf, an animation's in .gif or .mp4, or it is named "
            "frame-%04d.png, not '" +
            path + "'.");
    }
    return {};
#else
    return usage_error("a figure (" + path + ") is not possible: this build has none");
#endif
}

// A series of frames has generated file names, and its folder may not exist yet.
bool has_frames(const std::string& path) {
    return path.find('%', path.find_last_of('/') + 1) != std::string::npos;
}

}  // namespace

core::Result<std::unique_ptr<model::Run>> read_run(const trace::Recording& recording) {
    auto reader = recording.reader();
    if (!reader) {
        return reader.error();
    }
    auto run = std::make_unique<model::Run>(std::move(*reader));
    run->update();
    run->close();
    return run;
}

namespace {

// Whether two paths name the same file, however they are spelled. False for what is written to directly, such as
// /dev/null, which may be used several times.
bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    const bool same = std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored) ||
                      std::filesystem::equivalent(a, b, ignored);
    return same && !core::is_written_directly(a) && !core::is_written_directly(b);
}

}  // namespace

core::Result<void> check_outputs(const std::string& report, const std::string& trace, const std::string& figure,
                                 const FigureRequest& request, const std::vector<std::string>& inputs) {
    if (!trace.empty() && lower_case_end(trace) == ".gz" &&
        lower_case_end(trace.substr(0, trace.size() - 3)) != ".json") {
        return usage_error("--trace must end in .json or .json.gz, not " + trace);
    }
    if (!figure.empty()) {
        if (auto known = check_figure(figure); !known) {
            return known;
        }
        std::vector<std::string> remarks;
        if (auto lanes = lanes_of(request, &remarks); !lanes) {
            return lanes.error();
        }
        for (const std::string& remark : remarks) {
            tell(remark);
        }
    }
    const std::string* paths[] = {&report, &trace, &figure};
    for (const auto* path : paths) {
        if (path->empty()) {
            continue;
        }
        for (const auto* other : paths) {
            if (other != path && !other->empty() && is_same_file(*other, *path)) {
                return usage_error(*path + " is asked for twice");
            }
        }
        for (const std::string& input : inputs) {
            if (!input.empty() && is_same_file(input, *path)) {
                return usage_error(*path + " would be written over what is read from it");
            }
        }
        if (path == &figure && has_frames(figure)) {
            continue;
        }
        if (auto writable = core::check_writable(*path); !writable) {
            return writable.error();
        }
    }
    return {};
}

core::Result<void> announce(const Job& job) {
    for (const std::string& note : job.notes) {
        tell(note);
    }
    const RunOptions& options = job.options;
    return check_outputs(options.report, options.trace, options.figure, options.figure_request, job.files());
}

namespace {

// "r.json" -> "r.partial.json", "t.json.gz" -> "t.partial.json.gz"
std::string partial_path(const std::string& path) {
    const std::filesystem::path whole = path;
    std::string name = whole.filename(), end;
    if (name.size() > 3 && name.ends_with(".gz")) {
        end = ".gz";
        name.resize(name.size() - end.size());
    }
    const auto dot = name.rfind('.');
    const auto at = dot == std::string::npos || dot == 0 ? name.size() : dot;
    return (whole.parent_path() / (name.substr(0, at) + ".partial" + name.substr(at) + end)).string();
}

// Whether a file is there already, or a picture of a series that is named like frame-%04d.png.
bool is_there(const std::string& path) {
    std::error_code ignored;
    if (!has_frames(path)) {
        return std::filesystem::is_regular_file(path, ignored);
    }
    const std::filesystem::path whole = path;
    const std::string name = whole.filename(), before = name.substr(0, name.find('%'));
    const std::string after = name.substr(std::min(name.size(), name.find('d', before.size()) + 1));
    const auto is_of_series = [&](const std::string& other) {
        return other.size() > before.size() + after.size() && other.starts_with(before) && other.ends_with(after) &&
               other.find_first_not_of("0123456789", before.size()) == other.size() - after.size();
    };
    const auto folder = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
    for (auto entry = std::filesystem::directory_iterator(folder, ignored);
         entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
        if (is_of_series(entry->path().filename())) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string place_of(const std::string& path, bool replace, bool complete) {
    if (path.empty() || replace || complete || core::is_written_directly(path) || !is_there(path)) {
        return path;
    }
    std::string other = partial_path(path);
    tell(path + " already exists and was not replaced, because this run is not complete; see " + other +
         " (--replace replaces it)");
    return other;
}

int write_outputs(const RunOptions& options, const model::Run& run, const std::string& report) {
    int status = kDone;
    const bool complete = run.end().complete();
    const auto keep_first = [&status](const core::Result<void>& written) {
        if (!written) {
            const int problem = fail(written.error());
            status = status == kDone ? problem : status;
        }
    };
    if (!options.report.empty()) {
        keep_first(core::write_whole(place_of(options.report, options.replace, complete),
                                     report.empty() ? model::report_json(run) : report));
    }
    if (!options.trace.empty()) {
        keep_first(exchange::write_trace_file(run, place_of(options.trace, options.replace, complete)));
    }
    if (!options.figure.empty()) {
        keep_first(
            write_figure(place_of(options.figure, options.replace, complete), run, nullptr, options.figure_request));
    }
    return status;
}

std::string printed(const model::Run& run) {
    std::string text;
    for (const auto& written : run.program_output().written()) {
        if (!written.error) {
            text += run.program_output().text(written);
        }
    }
    return text;
}

std::vector<std::string> explanation_lines(const model::Run& run) {
    const model::Explanation explanation = model::explain(run, numbers_of(run));
    std::vector<std::string> lines;
    for (const model::Sentence& sentence : explanation.sentences) {
        lines.push_back(std::to_string(lines.size() + 1) + ". " + sentence.text);
    }
    if (std::string bar = model::text_of(explanation.bar); !bar.empty()) {
        lines.push_back(std::move(bar));
    }
    return lines;
}

void tell_explanation(const model::Run& run) {
    for (const std::string& line : explanation_lines(run)) {
        tell(line);
    }
}

core::Result<void> write_figure([[maybe_unused]] const std::string& path, [[maybe_unused]] const model::Run& a,
                                [[maybe_unused]] const model::Run* b, [[maybe_unused]] const FigureRequest& request,
                                [[maybe_unused]] const comparison::Verdict* verdict) {
#ifdef HEADWAY_WITH_FIGURES
    figure::FigureOptions options;
    options.size = figure::figure_size_called(request.size).value_or(options.size);
    options.width_px = static_cast<float>(request.width_px);
    options.height_px = static_cast<float>(request.height_px);
    options.fit_height = request.fit_height;
    options.scale = static_cast<float>(request.scale);
    options.title = request.title;
    if (verdict != nullptr) {
        options.verdict = *verdict;
    }
    auto lanes = lanes_of(request);
    if (!lanes) {
        return lanes.error();
    }
    const model::RunInfo& last = (b != nullptr ? *b : a).info();
    options.arrangement = lanes->of(last.program, last.device_kind);
    if (options.arrangement.empty() && !lanes->own.empty()) {
        tell("No lanes are arranged for " + last.program + " on " + last.device_kind +
             ": they are in their usual order");
    }
    options.theme = figure::theme_called(request.theme).value_or(options.theme);
    if (request.from_ns || request.to_ns) {
        double end_ns = 0;
        for (const model::Run* run : {&a, b}) {
            end_ns = run == nullptr ? end_ns : std::max(end_ns, run->program_time().program_ns(run->end_ns()));
        }
        options.view = figure::TimelineView{request.from_ns.value_or(0), request.to_ns.value_or(end_ns)};
        if (options.view->begin_ns >= std::min(options.view->end_ns, end_ns)) {
            return usage_error("the run is over after " + model::duration_text(end_ns) +
                               ", so there is nothing to show from " + model::duration_text(options.view->begin_ns) +
                               " on");
        }
    }
    if (figure::is_animation_path(path)) {
        return figure::write_animation(path, a, b, options, {request.seconds, request.fps});
    }
    return figure::write_figure(path, a, b, options);
#else
    return usage_error("--figure is not possible: this build has no figures");
#endif
}

}  // namespace headway::runner
