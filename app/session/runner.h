// Starting the runner, which runs the program in a process of its own.
#pragma once

#include "app/process/child.h"
#include "engine/core/result.h"

namespace headway::session {

// As process::Child::start; the error also says where the runner comes from.
core::Result<process::Child> start_runner(const process::Command& command);

}  // namespace headway::session
