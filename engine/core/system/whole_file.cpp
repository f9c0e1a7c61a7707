#include "engine/core/system/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "engine/core/system/unique_fd.h"

namespace headway::core {
namespace {

Error cannot_write(const std::string& path, int why) {
    return {ErrorKind::unreadable, "Cannot write '" + path + "': " + std::strerror(why) + "."};
}

// 0 or the errno.
int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

// Gives a file that has no name one in `folder`, as only a name can replace another file. Returns 0 or the errno.
int give_name(int fd, const std::string& folder, std::string& name) {
    static std::atomic<unsigned> named = 0;
    const std::string file = "/proc/self/fd/" + std::to_string(fd);
    for (;;) {
        std::string tried = folder + ".headway-" + std::to_string(getpid()) + "-" + std::to_string(named++);
        if (linkat(AT_FDCWD, file.c_str(), AT_FDCWD, tried.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            name = std::move(tried);
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
    }
}

}  // namespace

Result<void> write_whole(const std::string& path, std::string_view bytes) {
    struct stat existing {};
    const bool exists = stat(path.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) {
        return cannot_write(path, EISDIR);
    }
    if (exists && !S_ISREG(existing.st_mode)) {  // /dev/stdout, a pipe: rename() would replace it
        const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
        const int why = !fd ? errno : write_all(fd.get(), bytes);
        return why == 0 ? Result<void>() : Result<void>(cannot_write(path, why));
    }
    const auto slash = path.find_last_of('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    // A file without a name vanishes with the process, however that ends. Not every file system has such files.
    std::string temporary;
    UniqueFd fd(open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!fd) {
        temporary = folder + ".headway-XXXXXX";
        fd.reset(mkostemp(temporary.data(), O_CLOEXEC));
    }
    if (!fd) {
        return cannot_write(path, errno);
    }
    int why = write_all(fd.get(), bytes);
    if (why == 0 && fchmod(fd.get(), exists ? existing.st_mode & 0777 : permissions_of_new_files()) != 0) {
        why = errno;
    }
    if (why == 0 && fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) {
        why = errno;
    }
    if (why == 0 && temporary.empty()) {
        why = give_name(fd.get(), folder, temporary);
    }
    const int closed = fd.close();
    why = why == 0 ? closed : why;
    if (why == 0 && rename(temporary.c_str(), path.c_str()) != 0) {
        why = errno;
    }
    if (why != 0) {
        if (!temporary.empty()) {
            unlink(temporary.c_str());
        }
        return cannot_write(path, why);
    }
    return {};
}

mode_t permissions_of_new_files() {
    constexpr mode_t kAll = 0666;
    constexpr std::string_view kName = "Umask:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(kName)) {
            return kAll & ~static_cast<mode_t>(std::strtoul(line.c_str() + kName.size(), nullptr, 8));
        }
    }
    const mode_t mask = umask(0);
    umask(mask);
    return kAll & ~mask;
}

}  // namespace headway::core
