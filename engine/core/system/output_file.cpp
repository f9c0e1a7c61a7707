#include "engine/core/system/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

namespace headway::core {

namespace {

// A signal handler may read these at any time, and several threads may write files. So each name is a plain character
// array in a slot that only one thread uses.
enum class Slot : int { free, taken, named };
struct Unfinished {
    std::array<std::array<char, 4096>, 4> names{};
    std::array<std::atomic<Slot>, 4> slots{};
};
Unfinished unfinished;

void remember(const std::string& name) {
    for (std::size_t i = 0; i < unfinished.names.size(); ++i) {
        Slot free = Slot::free;
        if (name.size() < unfinished.names[i].size() &&
            unfinished.slots[i].compare_exchange_strong(free, Slot::taken)) {
            std::memcpy(unfinished.names[i].data(), name.c_str(), name.size() + 1);
            unfinished.slots[i].store(Slot::named);
            return;
        }
    }
}

void forget(const std::string& name) {
    for (std::size_t i = 0; i < unfinished.names.size(); ++i) {
        if (unfinished.slots[i].load() == Slot::named && name == unfinished.names[i].data()) {
            unfinished.slots[i].store(Slot::free);
            return;
        }
    }
}

std::mutex held_mutex;  // guards held_outputs, and the folders that HeldOutput::place() opens again
std::vector<const HeldOutput*> held_outputs;

UniqueFd open_folder(const std::string& path) {
    return UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::string through(const UniqueFd& folder, const std::string& name) {
    return "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string name_of(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

// The first part of a name in the same folder.
std::string temporary_beside(const std::string& target) {
    return target.substr(0, target.find_last_of('/') + 1) + ".headway-";  // npos + 1 is 0
}

// The path of the file that a path stands for once its symbolic links are followed. The file need not exist.
std::string end_of_links(std::string path) {
    constexpr int kMost = 40;  // as in Linux
    std::error_code problem;
    for (int i = 0; i < kMost && std::filesystem::is_symlink(path, problem); ++i) {
        const std::filesystem::path target = std::filesystem::read_symlink(path, problem);
        path = (std::filesystem::path(folder_of(path)) / target).string();  // an absolute target replaces the folder
    }
    return path;
}

bool is_removed(const UniqueFd& folder) {
    struct stat now {};
    return fstat(folder.get(), &now) != 0 || now.st_nlink == 0;
}

}  // namespace

std::string write_problem(int why) {
    return std::strerror(why) +
           std::string(why == EFBIG ? "; the limit on a file's size (ulimit -f) is too small" : "");
}

Error cannot_write(const std::string& path, int why) {
    return {ErrorKind::unreadable, "cannot write " + path + ": " + write_problem(why)};
}

bool is_written_directly(const std::string& path) {
    struct stat existing {};
    return path.starts_with("/dev/") || path.starts_with("/proc/") ||
           (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode));
}

HeldOutput::HeldOutput(const std::string& path) {
    std::error_code problem;
    if (path.empty() || is_written_directly(path)) {
        return;
    }
    folder_ = folder_of(path);
    whole_folder_ = std::filesystem::canonical(folder_, problem);
    open_folder_ = open_folder(folder_);
    if (problem || !open_folder_) {
        return;
    }
    if (std::filesystem::is_symlink(path, problem)) {
        const std::string file = end_of_links(path);
        linked_folder_ = open_folder(folder_of(file));
        linked_name_ = name_of(file);
        if (!linked_folder_) {
            return;  // it cannot be written
        }
    }
    path_ = path;
    const std::lock_guard lock(held_mutex);
    held_outputs.push_back(this);
}

HeldOutput::~HeldOutput() {
    const std::lock_guard lock(held_mutex);
    std::erase(held_outputs, this);
}

std::optional<Result<std::string>> HeldOutput::place(const std::string& path) const {
    if (path == path_ && linked_folder_) {
        return through(linked_folder_, linked_name_);
    }
    if (folder_of(path) != folder_) {
        return std::nullopt;
    }
    if (is_removed(open_folder_)) {
        std::error_code problem;
        std::filesystem::create_directories(whole_folder_, problem);
        if (problem || std::filesystem::canonical(whole_folder_, problem) != whole_folder_) {
            return Error{
                ErrorKind::unreadable,
                "cannot write " + path + ": its folder was removed while the program ran, and cannot be made again"};
        }
        open_folder_ = open_folder(whole_folder_);
    }
    return through(open_folder_, name_of(path));
}

std::optional<Result<std::string>> HeldOutput::any_place(const std::string& path) {
    const std::lock_guard lock(held_mutex);
    for (const HeldOutput* held : held_outputs) {
        if (auto place = held->place(path)) {
            return place;
        }
    }
    return std::nullopt;
}

void remove_unfinished_files() {
    for (std::size_t i = 0; i < unfinished.names.size(); ++i) {
        if (unfinished.slots[i].load() == Slot::named) {
            unlink(unfinished.names[i].data());
        }
    }
}

Result<OutputFile> OutputFile::create(const std::string& path) {
    if (path.empty()) {
        return Error{ErrorKind::usage, "the name of a file to write is empty"};
    }
    OutputFile file;
    file.path_ = path;
    struct stat existing {};
    if (auto held = HeldOutput::any_place(path)) {
        if (!*held) {
            return held->error();
        }
        file.target_ = **held;
    }
    const bool is_held = !file.target_.empty();
    const bool exists = is_held ? lstat(file.target_.c_str(), &existing) == 0 : stat(path.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) {
        return cannot_write(path, EISDIR);
    }
    if (!is_held && is_written_directly(path)) {
        // If /dev/stdout is redirected to a file, opening it again would start at a separate file offset.
        file.fd_.reset(path == "/dev/stdout" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                             : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND));
        if (!file.fd_) {
            return cannot_write(path, errno);
        }
        return file;
    }
    if (!is_held) {
        file.target_ = end_of_links(path);
    }
    // A file without a name vanishes with the process, however that ends. Not every file system has such files.
    file.fd_.reset(open(folder_of(file.target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file.fd_) {
        file.temporary_ = temporary_beside(file.target_) + "XXXXXX";
        file.fd_.reset(mkostemp(file.temporary_.data(), O_CLOEXEC));
        if (!file.fd_) {
            const int why = errno;
            file.temporary_.clear();
            return cannot_write(path, why);
        }
        remember(file.temporary_);
    }
    const bool keeps_mode = exists && S_ISREG(existing.st_mode);
    if (fchmod(file.fd_.get(), keeps_mode ? existing.st_mode & 0777 : permissions_of_new_files()) != 0) {
        file.errno_ = errno;
    }
    return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::move(other.fd_)),
      errno_(other.errno_) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
    if (this != &other) {
        discard();
        path_ = std::move(other.path_);
        target_ = std::move(other.target_);
        temporary_ = std::exchange(other.temporary_, {});
        fd_ = std::move(other.fd_);
        errno_ = other.errno_;
    }
    return *this;
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() {
    fd_.reset();
    if (!temporary_.empty()) {
        unlink(temporary_.c_str());
        forget(temporary_);
        temporary_.clear();
    }
}

bool OutputFile::write(std::string_view bytes) {
    while (errno_ == 0 && !bytes.empty()) {
        const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            errno_ = errno;
        }
    }
    return errno_ == 0;
}

// Gives the file a temporary name in the target's folder: rename() needs one.
void OutputFile::give_name() {
    static std::atomic<unsigned> named = 0;
    const std::string file = "/proc/self/fd/" + std::to_string(fd_.get());
    do {
        temporary_ = temporary_beside(target_) + std::to_string(getpid()) + "-" + std::to_string(named++);
        remember(temporary_);
        errno_ = linkat(AT_FDCWD, file.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
        if (errno_ != 0) {
            forget(temporary_);
            temporary_.clear();
        }
    } while (errno_ == EEXIST);
}

Result<void> OutputFile::commit() {
    // A full disk may be reported only now. Not every file system supports fsync.
    if (errno_ == 0 && !target_.empty() && fsync(fd_.get()) != 0 && errno != EINVAL && errno != EROFS) {
        errno_ = errno;
    }
    if (errno_ == 0 && !target_.empty() && temporary_.empty()) {
        give_name();
    }
    const int closed = fd_.close();
    errno_ = errno_ == 0 ? closed : errno_;
    if (errno_ == 0 && !temporary_.empty()) {
        if (rename(temporary_.c_str(), target_.c_str()) != 0) {
            errno_ = errno;
        } else {
            forget(temporary_);
            temporary_.clear();
        }
    }
    if (errno_ != 0) {
        const int why = errno_;
        discard();
        return cannot_write(path_, why);
    }
    return {};
}

Result<void> write_whole(const std::string& path, std::string_view bytes) {
    auto file = OutputFile::create(path);
    if (!file) {
        return file.error();
    }
    file->write(bytes);
    return file->commit();
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

Result<void> check_writable(const std::string& path) {
    // Do not open an existing pipe: closing it again would end the input of its reader.
    struct stat existing {};
    if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode) && !S_ISDIR(existing.st_mode)) {
        return access(path.c_str(), W_OK) == 0 ? Result<void>() : Result<void>(cannot_write(path, errno));
    }
    auto file = OutputFile::create(path);
    if (!file) {
        return file.error();
    }
    return {};
}

}  // namespace headway::core
