#include "app/session/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace headway::session {
namespace {

namespace fs = std::filesystem;

// Older versions made folders without a lock, whose names contain neither "window" nor "check". They are left alone,
// because their windows may still be running.
constexpr int kAttempts = 8;

// The folder, opened and locked; empty if another process holds the lock, or if it is a link or another user's.
core::UniqueFd locked(const std::string& path) {
    core::UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat s {};
    if (folder &&
        (fstat(folder.get(), &s) != 0 || s.st_uid != geteuid() || flock(folder.get(), LOCK_EX | LOCK_NB) != 0)) {
        folder.reset();
    }
    return folder;
}

void remove_abandoned(const fs::path& parent, std::string_view prefix) {
    std::error_code problem;
    for (fs::directory_iterator at(parent, problem), end; !problem && at != end; at.increment(problem)) {
        const std::string name = at->path().filename();
        if (name.size() == prefix.size() + 6 && name.starts_with(prefix)) {
            if (const core::UniqueFd lock = locked(at->path().string())) {
                std::error_code ignored;
                fs::remove_all(at->path(), ignored);
            }
        }
    }
}

fs::path systems_folder() {
    std::error_code problem;
    const fs::path folder = fs::temp_directory_path(problem);
    if (!problem) {
        return folder;
    }
    // The one that it would have been, for the message.
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
        if (const char* named = std::getenv(name); named != nullptr && *named != '\0') {
            return named;
        }
    }
    return "/tmp";
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(systems_folder()) {}

TemporaryFolder::TemporaryFolder(const fs::path& parent, std::string_view prefix) {
    const auto set_problem = [this, &parent](const std::string& reason) {
        problem_ = "no temporary folder can be made in " + parent.string() + reason +
                   "; set TMPDIR to a folder that you can write in, and start Headway again";
    };
    set_problem("");
    remove_abandoned(parent, prefix);
    // Another owner that starts now may remove the folder before it is locked: then make another.
    for (int attempt = 0; attempt < kAttempts && path_.empty(); ++attempt) {
        std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
        if (mkdtemp(name.data()) == nullptr) {
            set_problem(std::string(": ") + std::strerror(errno));
            return;
        }
        lock_ = locked(name);
        struct stat s {};
        if (lock_ && fstat(lock_.get(), &s) == 0 && s.st_nlink > 0 && access(name.c_str(), F_OK) == 0) {
            path_ = name;
            problem_.clear();
        }
    }
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
}

}  // namespace headway::session
