// What expressions can ask about an execution: its run, what it printed, and its program's text.
//
// Threads: the UI's.
#pragma once

#include <memory>

#include "app/check/run_facts.h"
#include "app/session/execution.h"

namespace headway::ui {

[[nodiscard]] std::shared_ptr<const check::RunData> data_of(const session::Execution& execution);

}  // namespace headway::ui
