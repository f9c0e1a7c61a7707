#include "engine/trace/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engine/trace/recorder.h"

namespace headway::trace {
namespace {

// A unique file in the temporary directory, removed in the destructor.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& content) {
        path_ = testing::TempDir() + "headway-trace-XXXXXX";
        const int fd = mkstemp(path_.data());
        EXPECT_GE(fd, 0);
        EXPECT_EQ(write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
        close(fd);
        fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    }
    ~TemporaryFile() {
        close(fd_);
        unlink(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] int fd() const { return fd_; }

private:
    std::string path_;
    int fd_ = -1;
};

// The bytes of a small recording, with only the chunks in use.
std::string recorded_bytes() {
    auto recording = std::move(*Recording::create(std::size_t{32} << 20));
    recording->use_virtual_clock();
    recording->string_id("forward");
    StreamWriter<FrontendRecord> frontend(*recording, kFrontendStream);
    StreamWriter<ExecRecord> lane(*recording, {StreamKind::lane, 0});
    for (std::uint32_t i = 0; i < 70'000; ++i) {
        frontend.add({i, 1, 1, 1, 0, 0, i, 0, 0});
        lane.add({i, 1, i + 1});
    }
    const std::size_t bytes = kHeaderBytes + recording->header().chunks_used.load() * kChunkBytes;
    std::string content(bytes, '\0');
    EXPECT_EQ(pread(recording->fd(), content.data(), bytes, 0), static_cast<ssize_t>(bytes));
    return content;
}

// Reads everything; returns the number of records.
std::uint64_t read_all(Reader& reader) {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    const auto walk = [&]<class Record>(StreamId id, Record) {
        const std::uint64_t size = reader.size(id);
        std::uint64_t index = 0;
        for (auto records = reader.records<Record>(id, 0); !records.empty();
             records = reader.records<Record>(id, index)) {
            for (const auto& record : records) {
                sum += reinterpret_cast<const unsigned char&>(record);
            }
            index += records.size();
        }
        EXPECT_LE(index, size + records_per_chunk(sizeof(Record)));
        count += index;
    };
    walk(kFrontendStream, FrontendRecord{});
    walk({StreamKind::drops, 0}, DropRecord{});
    walk({StreamKind::samples, 0}, SampleRecord{});
    for (std::uint8_t lane = 0; lane < core::kMaxTraceLanes; ++lane) {
        walk({StreamKind::lane, lane}, ExecRecord{});
    }
    reader.each_meta([&](MetaType, std::uint16_t, std::string_view text) {
        for (const char c : text) {
            sum += static_cast<unsigned char>(c);
        }
    });
    volatile std::uint64_t used = sum + static_cast<std::uint64_t>(reader.scale().ns_per_tick());
    static_cast<void>(used);
    return count;
}

TEST(Reader, OpensASavedFile) {
    const TemporaryFile file(recorded_bytes());
    auto reader = Reader::open(file.fd());
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ((*reader)->size(kFrontendStream), 70'000u);
    EXPECT_EQ(read_all(**reader), 140'000u);
    (*reader)->control().pause.store(1);  // changes a private mapping only
}

TEST(Reader, HasAsManyLanesAsATraceMayHave) {
    auto recording = std::move(*Recording::create(std::size_t{32} << 20));
    recording->use_virtual_clock();
    auto reader = std::move(*Reader::open(recording->fd()));
    EXPECT_EQ(reader->lanes(), 0u);
    const auto record_in = [&](std::uint32_t lane, core::OpId op) {
        StreamWriter<ExecRecord>(*recording, {StreamKind::lane, static_cast<std::uint8_t>(lane)}).add({op, 1, op});
        reader->poll();
    };
    record_in(17, 3);
    EXPECT_EQ(reader->lanes(), 18u);
    record_in(core::kMaxTraceLanes - 1, 4);
    record_in(core::kMaxTraceLanes, 5);  // not a valid lane of a trace
    record_in(255, 6);
    EXPECT_EQ(reader->lanes(), core::kMaxTraceLanes);
    for (std::uint32_t lane = 0; lane < 256; ++lane) {
        const bool used = lane == 17 || lane == core::kMaxTraceLanes - 1;
        const StreamId id{StreamKind::lane, static_cast<std::uint8_t>(lane)};
        ASSERT_EQ(reader->size(id), used ? 1u : 0u) << "lane " << lane;
        const auto records = reader->records<ExecRecord>(id, 0);
        ASSERT_EQ(records.size(), used ? 1u : 0u) << "lane " << lane;
    }
    EXPECT_EQ(reader->records<ExecRecord>({StreamKind::lane, core::kMaxTraceLanes - 1}, 0)[0].op, 4u);
}

TEST(Reader, SaysWhatIsWrongWithAFile) {
    const auto reason = [](const std::string& content) {
        const TemporaryFile file(content);
        auto reader = Reader::open(file.fd());
        EXPECT_FALSE(reader);
        return reader ? std::string() : reader.error().message;
    };
    EXPECT_EQ(reason(""), "not a recording of Headway: the file is too short");
    EXPECT_EQ(reason(std::string(1'000'000, 'x')), "not a recording of Headway");
    std::string content = recorded_bytes();
    const std::size_t chunks = content.size() / kChunkBytes - 1;  // the keeper may have claimed one for a sample
    EXPECT_EQ(reason(content.substr(0, content.size() - 1)), "the recording is cut off: " + std::to_string(chunks - 1) +
                                                                 " of " + std::to_string(chunks) + " chunks are there");
    EXPECT_EQ(reason(content.substr(0, 5000)),
              "the recording is cut off: 0 of " + std::to_string(chunks) + " chunks are there");
    content[8] = 77;
    EXPECT_EQ(reason(content), "a recording of version 77; this program reads version 1");
    EXPECT_FALSE(Reader::open(-1));
}

TEST(Reader, SurvivesDamagedFiles) {
    const std::string whole = recorded_bytes();
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        std::string content = whole;
        // Damage the structure: the header, the chunk headers and the meta records.
        for (int i = 0; i < 12; ++i) {
            const std::size_t chunk = random() % (content.size() / kChunkBytes);
            const std::size_t place = chunk * kChunkBytes + random() % (chunk == 0 ? 256 : 96);
            if (place >= 12) {  // keep magic and version
                content[place] = static_cast<char>(random());
            }
        }
        const TemporaryFile file(content);
        if (auto reader = Reader::open(file.fd())) {
            (*reader)->poll();
            read_all(**reader);
        }
    }
}

TEST(Reader, ReadsWhileAnotherProcessWritesAndAfterItIsKilled) {
    const int fd = memfd_create("test", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        auto recording = Recording::create(std::size_t{256} << 20, fd);
        if (!recording) {
            _exit(1);
        }
        StreamWriter<FrontendRecord> frontend(**recording, kFrontendStream);
        for (std::uint32_t i = 0;; ++i) {
            frontend.add({i, ~i, 0, 1, 0, 0, i, i, i});
            if (i % 64 == 0) {
                (*recording)->string_id("scope " + std::to_string(i % 1000));
            }
        }
    }
    std::unique_ptr<Reader> reader;
    while (!reader) {
        if (auto opened = Reader::open(dup(fd))) {
            reader = std::move(*opened);
        }
        usleep(1000);
    }
    std::uint64_t next = 0;
    const auto read_new = [&] {
        reader->poll();
        while (true) {
            const auto records = reader->records<FrontendRecord>(kFrontendStream, next);
            if (records.empty()) {
                return;
            }
            for (const auto& record : records) {
                ASSERT_EQ(record.begin, next);
                ASSERT_EQ(record.duration, ~static_cast<std::uint32_t>(next));
                ASSERT_EQ(record.in1, static_cast<std::uint32_t>(next));
                ++next;
            }
        }
    };
    while (next < 500'000) {
        read_new();
        ASSERT_FALSE(HasFatalFailure());
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(fd);
    read_new();
    EXPECT_EQ(reader->size(kFrontendStream), next);
    EXPECT_GE(next, 500'000u);
    int strings = 0;
    reader->each_meta([&](MetaType type, std::uint16_t id, std::string_view text) {
        EXPECT_EQ(type, MetaType::string);
        EXPECT_EQ(id, ++strings);
        EXPECT_EQ(text.substr(0, 6), "scope ");
    });
    EXPECT_GT(strings, 100);
    EXPECT_GT(reader->header().heartbeat_ns.load(), 0u);
}

// The caller gets the values that were checked, even if the writer changes its memory afterwards.
TEST(Reader, GivesCopiesOfMetaRecords) {
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    constexpr std::uint32_t kText = 100;
    auto recording = std::move(*Recording::create(kBytes));
    recording->use_virtual_clock();
    recording->meta(MetaType::result, 7, std::string(kText, 'x'));
    recording->meta(MetaType::result, 8, "behind it");
    void* mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, recording->fd(), 0);
    ASSERT_NE(mapped, MAP_FAILED);
    auto* const text = static_cast<char*>(memmem(mapped, kBytes, "xxxxxxxxxxxxxxxx", 16));
    ASSERT_NE(text, nullptr);
    auto reader = std::move(*Reader::open(recording->fd()));
    std::vector<std::string> seen;
    reader->each_meta([&](MetaType, std::uint16_t, std::string_view payload) {
        const std::uint32_t huge = 0x7fff'fff0u;
        std::memcpy(text - sizeof(MetaRecord), &huge, sizeof huge);
        std::memset(text, 'y', kText);
        seen.emplace_back(payload);
    });
    EXPECT_EQ(seen, (std::vector<std::string>{std::string(kText, 'x'), "behind it"}));
    // The next reader finds a length that does not fit and reads nothing after it.
    reader->another()->each_meta([](MetaType, std::uint16_t, std::string_view) { ADD_FAILURE(); });
    munmap(mapped, kBytes);
}

TEST(Reader, ControlReachesTheWriter) {
    auto recording = std::move(*Recording::create(std::size_t{16} << 20));
    auto reader = std::move(*Reader::open(recording->fd()));
    reader->control().barrier.store(pack_barrier({BarrierKind::behind, 3}));
    EXPECT_EQ(unpack_barrier(recording->control().barrier.load()), (BarrierPolicy{BarrierKind::behind, 3}));
}

}  // namespace
}  // namespace headway::trace
