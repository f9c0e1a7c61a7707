#include "app/session/runner.h"

#include <filesystem>

namespace headway::session {

core::Result<process::Child> start_runner(const process::Command& command) {
    auto child = process::Child::start(command);
    std::error_code unknown;
    if (!child && !std::filesystem::exists(command.program, unknown)) {
        return core::Error{child.error().kind, child.error().message + "; scripts/run builds it, beside headway"};
    }
    return child;
}

}  // namespace headway::session
