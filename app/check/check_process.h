// A check that goes on in a process of its own, for a window: start it, look at it now and then, and take its result.
//
//     auto check = CheckProcess::start({.runner = runner, .exercise = exercise.id, .program = file});
//     … once a frame: if (auto report = check->poll()) { show(*report); }
//
// Destroying it ends the check and the program that is checked.
//
// Threads: one.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/check/result.h"
#include "app/process/child.h"
#include "engine/core/result.h"

namespace headway::check {

struct CheckRequest {
    std::string runner;    // path of headway-runner
    std::string exercise;  // an id or a folder
    std::string program;   // the file to check
    std::string name{};    // the program's name in the report; empty: as the file is called
    std::string key{};     // see Case; empty: the program's text chooses the hidden cases
};

class CheckProcess {
public:
    // Fails if the process cannot be started.
    static core::Result<CheckProcess> start(const CheckRequest& request);

    // The report, once: when it is there. Never blocks. Fails if the check could not be made: the exercise is broken,
    // or the file cannot be read. Empty while it goes on, and afterwards.
    [[nodiscard]] std::optional<core::Result<CheckReport>> poll();
    // True until poll() has given the result.
    [[nodiscard]] bool busy() const { return !done_; }

private:
    CheckProcess(process::Child child, std::string name) : child_(std::move(child)), name_(std::move(name)) {}

    process::Child child_;
    std::string name_, out_, err_;
    bool done_ = false;
};

}  // namespace headway::check
