// Reports changes of files on disk, by any process.
//
// A thread polls size, time and identity of each file a few times a second, which works on every file system. A
// change is reported after the file was unchanged for one poll, to avoid reading half-written files.
//
// Threads: call everything from one thread; the callback runs on the watcher's thread.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headway::editor {

// Identifies the state of a file without reading it.
struct FileStamp {
    bool there = false;
    std::int64_t modified_ns = 0;
    std::uint64_t size = 0, inode = 0;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

// The bytes of a regular file of at most `limit` bytes; empty if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

class FileWatch {
public:
    struct Change {
        std::filesystem::path path;
        std::optional<std::string> bytes;  // empty: the file is gone, or cannot be read
    };

    // `changed` is called when take() has something to return.
    explicit FileWatch(std::function<void()> changed = {});

    // Starts watching. For a watched file: from now on only changes relative to its present state are reported.
    void watch(const std::filesystem::path& path);
    void forget(const std::filesystem::path& path);
    // The changes since the last call.
    std::vector<Change> take();

    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // size limit of files

private:
    struct Entry {
        FileStamp reported, seen;
    };
    void poll_files();

    std::function<void()> changed_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::map<std::filesystem::path, Entry> files_;
    std::vector<Change> changes_;
    std::jthread thread_;  // last: it uses the other members
};

}  // namespace headway::editor
