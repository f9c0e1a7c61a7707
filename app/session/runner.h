// Starting the runner, which runs the program in a process of its own.
#pragma once

#include <string>

#include "app/process/child.h"
#include "engine/core/result.h"

namespace headway::session {

// The end of a message about a runner that cannot be started: how to build it, if there is no such file; else "".
std::string hint_for_runner(const std::string& path);

// As process::Child::start; the error ends in that hint.
core::Result<process::Child> start_runner(const process::Command& command);

}  // namespace headway::session
