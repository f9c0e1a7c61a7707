// A job: a program, its lesson, its options and its parameters, all checked.
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
#include "engine/devices/simulated/links.h"

namespace headway::runner {

struct Job {
    std::unique_ptr<Program> program;
    std::optional<lesson::Lesson> lesson;
    std::map<std::string, std::string> parameters;
    RunOptions options;
    Profile profile;
    // From the options, else from the profile.
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    std::uint32_t streams = 1, workers = 1;
    std::uint32_t gpus = 1;
    devices::Topology links = devices::Topology::pcie;  // between several GPUs
    std::vector<double> gpu_speeds;                     // of several GPUs; empty: all 1
    std::vector<std::string>
        notes;  // sentences: options that have no effect on the device; what a confined program may do
    // The names of the settings that were chosen and that the device has: "free_policy", "streams", "workers".
    [[nodiscard]] std::vector<std::string> chosen() const;

    // The files that it is read from: its program and its lesson.
    [[nodiscard]] std::vector<std::string> files() const;
    [[nodiscard]] std::string title() const { return lesson ? lesson->title : program->title(); }
    // The initial barrier policy.
    [[nodiscard]] trace::BarrierPolicy barrier() const;
};

// The lessons whose program and parameters exist. Errors of the others are added to `refused`.
std::vector<lesson::Lesson> usable_lessons(std::vector<core::Error>& refused);

// Finds the lesson or program by name and checks its parameters. The lesson's values are the defaults.
core::Result<Job> make_job(const RunOptions& options);

// The parameters of a program, with the lesson's labels, limits and values where it has them.
core::Result<std::vector<lesson::Parameter>> merged_parameters(const Program& program, const lesson::Lesson* lesson);

}  // namespace headway::runner
