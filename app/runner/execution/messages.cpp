#include "app/runner/execution/messages.h"

#include <unistd.h>

#include <cstdio>

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

std::string time_text(double ns) {
    char text[40];
    const double size = ns < 0 ? -ns : ns;
    const double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1;
    const char* name = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : unit == 1e3 ? "µs" : "ns";
    const double value = ns / unit;
    std::snprintf(text, sizeof text,
                  unit == 1      ? "%.0f %s"
                  : value >= 100 ? "%.0f %s"
                  : value >= 10  ? "%.1f %s"
                                 : "%.2f %s",
                  value, name);
    return text;
}

std::string bytes_text(std::uint64_t bytes) {
    char text[40];
    const double value = static_cast<double>(bytes);
    if (bytes < 1000) {
        std::snprintf(text, sizeof text, "%.0f bytes", value);
    } else if (bytes < 1'000'000) {
        std::snprintf(text, sizeof text, "%.1f kB", value / 1e3);
    } else if (bytes < 1'000'000'000) {
        std::snprintf(text, sizeof text, "%.1f MB", value / 1e6);
    } else {
        std::snprintf(text, sizeof text, "%.2f GB", value / 1e9);
    }
    return text;
}

}  // namespace headway::runner
