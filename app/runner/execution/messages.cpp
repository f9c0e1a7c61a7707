#include "app/runner/execution/messages.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace headway::runner {

void tell(const std::string& sentence) {
    std::string line = "headway: ";
    for (const char c : sentence) {  // replaces line breaks that come from files or arguments
        line += c == '\n' || c == '\r' ? ' ' : c;
    }
    line += '\n';
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

int fail(const core::Error& error) {
    std::string sentence = error.message;
    if (!error.file.empty() && sentence.find(error.file) == std::string::npos) {
        sentence = error.file + (error.line != 0 ? ":" + std::to_string(error.line) : "") + ": " + sentence;
    }
    tell(sentence);
    return status_of(error.kind);
}

core::Result<void> print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
        return {};
    }
    return core::Error{core::ErrorKind::unreadable,
                       std::string("the result cannot be written to stdout: ") + std::strerror(errno)};
}

int print_result(const std::string& text) {
    const auto printed = print(text);
    return printed ? kDone : fail(printed.error());
}

int status_of(core::ErrorKind kind) {
    switch (kind) {
        case core::ErrorKind::usage:
        case core::ErrorKind::unreadable:
            return kUsage;
        case core::ErrorKind::unavailable:
            return kUnavailable;
        default:
            return kProgramFailed;
    }
}

}  // namespace headway::runner
