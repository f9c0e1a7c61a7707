#include "app/exchange/files/trace_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/core/system/unique_fd.h"

namespace headway::exchange {

namespace {

constexpr int kWriterPatience_ms = 1000;  // a pipe's writer may have just been started

core::Error unreadable(std::string message) {
    return {core::ErrorKind::unreadable, std::move(message)};
}

// Compressed bytes from a file or memory.
class Bytes {
public:
    virtual ~Bytes() = default;
    virtual core::Result<std::size_t> read(char* to, std::size_t bytes) = 0;
    [[nodiscard]] virtual double share_read() const = 0;
};

class FileBytes final : public Bytes {
public:
    FileBytes(core::UniqueFd fd, std::string path, std::uint64_t size)
        : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

    core::Result<std::size_t> read(char* to, std::size_t bytes) override {
        while (true) {
            const ssize_t got = ::read(fd_.get(), to, bytes);
            if (got >= 0) {
                done_ += static_cast<std::uint64_t>(got);
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR) {
                return unreadable(path_ + " cannot be read: " + std::strerror(errno));
            }
        }
    }
    [[nodiscard]] double share_read() const override {
        return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(size_));
    }

private:
    core::UniqueFd fd_;
    std::string path_;
    std::uint64_t size_, done_ = 0;
};

class MemoryBytes final : public Bytes {
public:
    explicit MemoryBytes(std::string_view bytes) : left_(bytes), size_(bytes.size()) {}
    core::Result<std::size_t> read(char* to, std::size_t bytes) override {
        bytes = std::min(bytes, left_.size());
        std::memcpy(to, left_.data(), bytes);
        left_.remove_prefix(bytes);
        return bytes;
    }
    [[nodiscard]] double share_read() const override {
        return size_ == 0 ? 1 : 1 - static_cast<double>(left_.size()) / static_cast<double>(size_);
    }

private:
    std::string_view left_;
    std::size_t size_;
};

class PlainSource final : public TraceSource {
public:
    PlainSource(std::unique_ptr<Bytes> bytes, std::string first) : bytes_(std::move(bytes)), first_(std::move(first)) {}
    core::Result<std::size_t> read(char* to, std::size_t bytes) override {
        if (!first_.empty()) {
            bytes = std::min(bytes, first_.size());
            std::memcpy(to, first_.data(), bytes);
            first_.erase(0, bytes);
            return bytes;
        }
        return bytes_->read(to, bytes);
    }
    [[nodiscard]] double share_read() const override { return bytes_->share_read(); }

private:
    std::unique_ptr<Bytes> bytes_;
    std::string first_;  // read ahead to detect the format
};

class GzipSource final : public TraceSource {
public:
    GzipSource(std::unique_ptr<Bytes> bytes, const std::string& first) : bytes_(std::move(bytes)), in_(1 << 17) {
        std::memcpy(in_.data(), first.data(), first.size());
        stream_.next_in = in_.data();
        stream_.avail_in = static_cast<uInt>(first.size());
        good_ = inflateInit2(&stream_, 15 + 16) == Z_OK;
    }
    ~GzipSource() override { inflateEnd(&stream_); }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;

    core::Result<std::size_t> read(char* to, std::size_t bytes) override {
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
        const auto wanted = stream_.avail_out;
        while (good_ && stream_.avail_out == wanted) {
            if (stream_.avail_in == 0) {
                auto got = bytes_->read(reinterpret_cast<char*>(in_.data()), in_.size());
                if (!got) {
                    return got.error();
                }
                if (*got == 0) {
                    cut_off_ = in_member_;
                    good_ = false;
                    break;
                }
                stream_.next_in = in_.data();
                stream_.avail_in = static_cast<uInt>(*got);
            }
            in_member_ = true;
            const int result = inflate(&stream_, Z_NO_FLUSH);
            if (result == Z_STREAM_END) {
                in_member_ = false;
                // Another member may follow, as in the output of `cat a.gz b.gz`.
                good_ = inflateReset(&stream_) == Z_OK;
                any_member_ = true;
            } else if (result != Z_OK && result != Z_BUF_ERROR) {
                // Data after a complete member that is not another member is padding; an error within a member
                // loses the rest.
                damaged_ = cut_off_ = !any_member_ || wanted != stream_.avail_out;
                good_ = false;
            }
        }
        return wanted - stream_.avail_out;
    }
    [[nodiscard]] bool cut_off() const override { return cut_off_; }
    [[nodiscard]] bool damaged() const override { return damaged_; }
    bool turns_out_damaged() override {
        std::vector<char> rest(1 << 17);
        for (auto got = read(rest.data(), rest.size()); got && *got > 0;) {
            got = read(rest.data(), rest.size());
        }
        return cut_off_;
    }
    [[nodiscard]] double share_read() const override { return bytes_->share_read(); }

private:
    std::unique_ptr<Bytes> bytes_;
    std::vector<Bytef> in_;
    z_stream stream_{};
    bool good_ = false, cut_off_ = false, damaged_ = false, in_member_ = false, any_member_ = false;
};

core::Result<std::unique_ptr<TraceSource>> source_of(std::unique_ptr<Bytes> bytes) {
    std::string first(2, '\0');
    std::size_t have = 0;
    while (have < first.size()) {
        auto got = bytes->read(first.data() + have, first.size() - have);
        if (!got) {
            return got.error();
        }
        if (*got == 0) {
            break;
        }
        have += *got;
    }
    first.resize(have);
    if (first == "\x1f\x8b") {
        return std::unique_ptr<TraceSource>(std::make_unique<GzipSource>(std::move(bytes), first));
    }
    return std::unique_ptr<TraceSource>(std::make_unique<PlainSource>(std::move(bytes), first));
}

}  // namespace

core::Result<std::unique_ptr<TraceSource>> open_trace_file(const std::string& path) {
    core::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe may have no writer
    if (!fd) {
        return unreadable(path + " cannot be opened: " + std::strerror(errno));
    }
    fcntl(fd.get(), F_SETFL, 0);
    struct stat status {};
    const bool known = fstat(fd.get(), &status) == 0;
    if (S_ISDIR(status.st_mode)) {
        return unreadable(path + " is a folder, not a trace");
    }
    if (pollfd writer{fd.get(), POLLIN, 0}; S_ISFIFO(status.st_mode) && poll(&writer, 1, kWriterPatience_ms) == 0) {
        return unreadable(path + " is a pipe that nothing writes to");
    }
    posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    const auto size = known ? static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0)) : 0;
    return source_of(std::make_unique<FileBytes>(std::move(fd), path, size));
}

std::unique_ptr<TraceSource> trace_in_memory(std::string_view bytes) {
    return std::move(*source_of(std::make_unique<MemoryBytes>(bytes)));
}

}  // namespace headway::exchange
