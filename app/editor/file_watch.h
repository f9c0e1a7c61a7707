// Notices when files change on disk, whoever changes them.
//
// A thread of its own looks a few times a second at size, time and identity of each file, which works on every file
// system; a change is told once the file has kept still for one look, so that half a file is not taken for a whole one.
//
// Threads: all calls from one thread; the callback comes on the watcher's own.
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

// What tells one state of a file from another without reading it.
struct FileStamp {
    bool there = false;
    std::int64_t modified_ns = 0;
    std::uint64_t size = 0, inode = 0;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp stamp_of(const std::filesystem::path& path);

// The bytes of a regular file of at most `limit` bytes; nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

class FileWatch {
public:
    struct News {
        std::filesystem::path path;
        std::optional<std::string> bytes;  // nothing: the file is gone, or cannot be read
    };

    // `changed` is called when there is news.
    explicit FileWatch(std::function<void()> changed = {});

    // Starts to watch; again: from now on only what differs from the present state is news.
    void watch(const std::filesystem::path& path);
    void forget(const std::filesystem::path& path);
    // What has changed since the last call.
    std::vector<News> take();

    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of a file that is read

private:
    struct Entry {
        FileStamp told, seen;
    };
    void look();

    std::function<void()> changed_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::map<std::filesystem::path, Entry> files_;
    std::vector<News> news_;
    std::jthread thread_;  // last: it uses the others
};

}  // namespace headway::editor
