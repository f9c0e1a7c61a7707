#include "app/figure/tool.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace headway::figure {
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
    Tool tool;
    tool.name_ = program.substr(program.find_last_of('/') + 1);
    // A socket, not a pipe: if the program ends early, send() returns an error instead of raising SIGPIPE.
    std::array<int, 2> ends{};
    const auto failed = [&](int why) {
        return core::Error{core::ErrorKind::unavailable, "Cannot start " + program + ": " + std::strerror(why) + "."};
    };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failed(errno);
    }
    tool.input_ = ends[0];
    tool.complaints_ = memfd_create("complaints", MFD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (tool.complaints_ >= 0) {
        posix_spawn_file_actions_adddup2(&actions, tool.complaints_, STDERR_FILENO);
    }
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
        words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const int why = posix_spawnp(&tool.pid_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (why != 0) {
        tool.pid_ = -1;
        return failed(why);
    }
    return tool;
}

Tool::Tool(Tool&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      complaints_(std::exchange(other.complaints_, -1)) {}

Tool& Tool::operator=(Tool&& other) noexcept {
    if (this != &other) {
        end();
        name_ = std::move(other.name_);
        pid_ = std::exchange(other.pid_, -1);
        input_ = std::exchange(other.input_, -1);
        complaints_ = std::exchange(other.complaints_, -1);
    }
    return *this;
}

Tool::~Tool() {
    end();
}

void Tool::end() noexcept {
    for (int* fd : {&input_, &complaints_}) {
        if (*fd >= 0) {
            close(std::exchange(*fd, -1));
        }
    }
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
}

bool Tool::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

core::Result<void> Tool::finish() {
    close(std::exchange(input_, -1));
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return {};
    }
    const std::string why = complaints_ >= 0 ? last_line(complaints_) : std::string();
    return core::Error{core::ErrorKind::failed, name_ + " failed" + (why.empty() ? std::string() : ": " + why) + "."};
}

}  // namespace headway::figure
