// Recordings: a mapped file in which any byte may be wrong. The input describes how to build the file (a patch of the
// header, or a chunk with its fields and records), so that small changes of the input are small changes of the file.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/model/run/run.h"
#include "engine/trace/reader.h"
#include "tests/fuzz/views.h"

namespace {

using namespace headway;

constexpr std::size_t kChunks = 10;
constexpr std::size_t kKinds = 12;  // those of StreamKind, and an unknown one on either side

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
    [[nodiscard]] bool empty() const { return left_ == 0; }
    template <class T>
    T take() {
        T value{};
        copy(&value, sizeof value);
        return value;
    }
    std::size_t copy(void* to, std::size_t bytes) {
        bytes = std::min(bytes, left_);
        std::memcpy(to, data_, bytes);
        data_ += bytes;
        left_ -= bytes;
        return bytes;
    }

private:
    const std::uint8_t* data_;
    std::size_t left_;
};

void build(Input& input, std::byte* file) {
    auto* header = reinterpret_cast<trace::Header*>(file);
    header->magic = trace::kMagic;
    header->version = trace::kVersion;
    header->chunk_capacity = kChunks;
    header->clock_kind = 1;
    header->state.store(static_cast<std::uint32_t>(trace::RunState::finished));
    std::uint32_t used = 0;
    std::array<std::uint32_t, kKinds * 20> ordinals{};
    while (!input.empty()) {
        const auto kind = input.take<std::uint8_t>();
        if (kind == 0) {
            const auto at = input.take<std::uint8_t>();
            input.copy(file + at, std::min<std::size_t>(input.take<std::uint8_t>() % 17, sizeof(trace::Header) - at));
            continue;
        }
        if (used == kChunks) {
            break;
        }
        std::byte* place = file + trace::kHeaderBytes + used * trace::kChunkBytes;
        ++used;
        auto* chunk = reinterpret_cast<trace::ChunkHeader*>(place);
        chunk->kind = static_cast<trace::StreamKind>(kind % kKinds);
        const auto odd = input.take<std::uint8_t>();  // which fields are taken from the input
        chunk->index = chunk->kind == trace::StreamKind::lane ? input.take<std::uint8_t>() % 20 : 0;
        // An unknown kind has no record size; its chunk says 1.
        const std::size_t record = std::max<std::size_t>(1, trace::record_bytes_of(chunk->kind));
        const std::size_t bytes = input.copy(place + trace::kChunkHeaderBytes, input.take<std::uint16_t>() % 2048);
        auto& ordinal = ordinals[static_cast<std::size_t>(chunk->kind) * 20 + chunk->index];
        chunk->record_bytes = (odd & 1) != 0 ? input.take<std::uint16_t>() : static_cast<std::uint16_t>(record);
        chunk->ordinal = (odd & 2) != 0 ? input.take<std::uint8_t>() : ordinal++;
        chunk->committed.store((odd & 4) != 0 ? input.take<std::uint32_t>()
                                              : static_cast<std::uint32_t>((bytes + record - 1) / record));
        chunk->claimed.store((odd & 8) != 0 ? input.take<std::uint8_t>() : 1u);
    }
    header->chunks_used.fetch_add(used);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    const std::size_t bytes = trace::kHeaderBytes + kChunks * trace::kChunkBytes;
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
        std::abort();
    }
    auto* file = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (file == MAP_FAILED) {
        std::abort();
    }
    Input input(data, size);
    build(input, file);
    munmap(file, bytes);
    auto reader = trace::Reader::open(fd);
    close(fd);
    if (!reader) {
        return reader.error().message.empty() ? (std::abort(), 0) : 0;
    }
    model::Run run(std::move(*reader));
    run.update();
    run.close();
    fuzz::view(run, {data, size});
    static_cast<void>(exchange::write_chrome_trace(run, [](std::string_view) { return true; }));
    return 0;
}
