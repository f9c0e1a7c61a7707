#include "app/editor/file_watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "engine/core/system/thread.h"
#include "engine/core/system/unique_fd.h"

namespace headway::editor {
namespace {

constexpr std::chrono::milliseconds kPeriod{200};

}  // namespace

FileStamp stamp_of(const std::filesystem::path& path) {
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) {
        return {};
    }
    return {true, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec,
            static_cast<std::uint64_t>(s.st_size), static_cast<std::uint64_t>(s.st_ino)};
}

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
    // O_NONBLOCK: opening a pipe would block until it has a writer.
    const core::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
        return std::nullopt;
    }
    std::string bytes;
    struct stat s {};
    bool good = fstat(fd.get(), &s) == 0 && S_ISREG(s.st_mode);
    std::array<char, 65536> buffer;
    while (good) {
        const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            good = got == 0;
            break;
        }
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
        good = bytes.size() <= limit;
    }
    return good ? std::optional(std::move(bytes)) : std::nullopt;
}

FileWatch::FileWatch(std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this](const std::stop_token& done) {
          core::name_thread("file watch");
          std::unique_lock lock(mutex_);
          while (!done.stop_requested()) {
              if (files_.empty()) {
                  wake_.wait(lock, done, [this] { return !files_.empty(); });
              }
              wake_.wait_for(lock, done, kPeriod, [] { return false; });
              if (done.stop_requested()) {
                  return;
              }
              lock.unlock();
              poll_files();
              lock.lock();
          }
      }) {}

void FileWatch::watch(const std::filesystem::path& path) {
    const FileStamp stamp = stamp_of(path);
    const std::lock_guard lock(mutex_);
    files_[path] = {stamp, stamp};
    std::erase_if(changes_, [&path](const Change& change) { return change.path == path; });
    wake_.notify_all();
}

void FileWatch::forget(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
    std::erase_if(changes_, [&path](const Change& change) { return change.path == path; });
}

std::vector<FileWatch::Change> FileWatch::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(changes_, {});
}

// Accesses the disk without the lock, so that a slow disk does not block callers.
void FileWatch::poll_files() {
    std::map<std::filesystem::path, Entry> files;
    {
        const std::lock_guard lock(mutex_);
        files = files_;
    }
    bool any = false;
    for (const auto& [path, entry] : files) {
        const FileStamp now = stamp_of(path);
        const bool settled = now == entry.seen && !(now == entry.reported);
        std::optional<std::string> bytes;
        if (settled && now.there) {
            bytes = read_file(path, kMostBytes);
            if (!(stamp_of(path) == now)) {
                continue;  // still being written
            }
        }
        const std::lock_guard lock(mutex_);
        const auto watched = files_.find(path);
        if (watched == files_.end() || !(watched->second.seen == entry.seen) ||
            !(watched->second.reported == entry.reported)) {
            continue;  // watch() or forget() was called in between
        }
        watched->second.seen = now;
        if (settled) {
            watched->second.reported = now;
            changes_.push_back({path, std::move(bytes)});
            any = true;
        }
    }
    if (any && changed_) {
        changed_();
    }
}

}  // namespace headway::editor
