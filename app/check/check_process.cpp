#include "app/check/check_process.h"

#include <algorithm>

namespace headway::check {

namespace {

constexpr std::size_t kMostOutput = 10'000'000;

// What the runner wrote to stderr, without its prefix.
std::string message_of(const std::string& err) {
    constexpr std::string_view kPrefix = "headway: ";
    const std::string line = err.substr(0, err.find('\n'));
    return line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
}

}  // namespace

core::Result<CheckProcess> CheckProcess::start(const CheckRequest& request) {
    process::Command command{.program = request.runner,
                             .arguments = {"check", request.exercise, request.program, "--format", "json"},
                             .name = "headway-runner"};
    if (!request.key.empty()) {
        command.arguments.insert(command.arguments.end(), {"--key", request.key});
    }
    auto child = process::Child::start(command);
    if (!child) {
        return child.error();
    }
    return CheckProcess(std::move(*child), request.name);
}

std::optional<core::Result<CheckReport>> CheckProcess::poll() {
    if (done_) {
        return std::nullopt;
    }
    const auto ended = child_.poll();
    child_.read_stdout(out_, kMostOutput - std::min(kMostOutput, out_.size()));
    child_.read_stderr(err_, kMostOutput - std::min(kMostOutput, err_.size()));
    if (!ended) {
        return std::nullopt;
    }
    done_ = true;
    auto report = report_from(out_);
    if (!report) {
        const std::string message = message_of(err_);
        return core::Error{core::ErrorKind::failed,
                           message.empty() ? "the check ended with status " + std::to_string(ended->status) : message,
                           {},
                           0,
                           0};
    }
    if (!name_.empty()) {
        report->program = name_;
    }
    return report;
}

}  // namespace headway::check
