#include "app/process/tool.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace headway::process {
namespace {

// The last non-empty line of the file.
std::string last_line(int fd) {
    std::array<char, 4096> bytes{};
    const off_t size = lseek(fd, 0, SEEK_END);
    const auto room = static_cast<off_t>(bytes.size());
    const ssize_t n = pread(fd, bytes.data(), bytes.size(), size > room ? size - room : 0);
    std::string text(bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
        text.pop_back();
    }
    const auto newline = text.find_last_of("\n\r");
    return newline == std::string::npos ? text : text.substr(newline + 1);
}

}  // namespace

std::optional<std::string> find_tool(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const std::string file = rest.substr(0, colon) + "/" + name;
        struct stat found {};
        if (stat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && access(file.c_str(), X_OK) == 0) {
            return file;
        }
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
    return std::nullopt;
}

core::Result<Tool> Tool::start(const std::string& program, const std::vector<std::string>& arguments) {
    // A file: a pipe that is read only at the end could fill and block the program.
    core::UniqueFd errors(memfd_create("stderr", MFD_CLOEXEC));
    auto child = Child::start({.program = program,
                               .arguments = arguments,
                               .in = Stream::pipe(),
                               .out = Stream::nothing(),
                               .err = errors ? Stream::descriptor(errors.get()) : Stream::nothing()});
    if (!child) {
        return core::Error{child.error().kind, "C" + child.error().message.substr(1) + "."};
    }
    return Tool(program.substr(program.find_last_of('/') + 1), std::move(*child), std::move(errors));
}

core::Result<void> Tool::finish() {
    child_.close_input();
    if (const Ending ending = child_.wait(); ending.status == 0) {
        return {};
    }
    const std::string why = errors_ ? last_line(errors_.get()) : std::string();
    return core::Error{core::ErrorKind::failed, name_ + " failed" + (why.empty() ? std::string() : ": " + why) + "."};
}

}  // namespace headway::process
