// What is to be run: a program, the lesson it belongs to, its parameters, all checked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"
#include "app/runner/execution/options.h"
#include "app/runner/execution/profile.h"
#include "app/runner/programs/program.h"

namespace headway::runner {

struct Job {
    std::unique_ptr<Program> program;
    std::optional<lesson::Lesson> lesson;
    std::map<std::string, std::string> parameters;
    RunOptions options;
    Profile profile;
    // What was chosen, else the profile's.
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    std::uint32_t streams = 1, workers = 1;
    std::vector<std::string> notes;  // a sentence for each option that was given and has no effect on the device
    // Of these, the names of those that were chosen and that the device has: "free_policy", "streams", "workers".
    [[nodiscard]] std::vector<std::string> chosen() const;

    [[nodiscard]] std::string title() const { return lesson ? lesson->title : program->title(); }
    // The policy that acts when nobody changes it, and how it is called.
    [[nodiscard]] trace::BarrierPolicy barrier() const;
};

// The lessons that can be run: those whose program and parameters exist. Others are told of in `refused`.
std::vector<lesson::Lesson> usable_lessons(std::vector<core::Error>& refused);

// Finds the lesson or program of that name and checks its parameters. The lesson's values are the defaults.
core::Result<Job> make_job(const RunOptions& options);

// The parameters of a program, with a lesson's labels, limits and values where it says something.
core::Result<std::vector<lesson::Parameter>> merged_parameters(const Program& program, const lesson::Lesson* lesson);

}  // namespace headway::runner
