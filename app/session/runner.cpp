#include "app/session/runner.h"

#include <filesystem>

namespace headway::session {

std::string hint_for_runner(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown) ? "" : "; scripts/run builds it, next to headway";
}

core::Result<process::Child> start_runner(const process::Command& command) {
    auto child = process::Child::start(command);
    if (!child) {
        return core::Error{child.error().kind, child.error().message + hint_for_runner(command.program)};
    }
    return child;
}

}  // namespace headway::session
