#include "engine/trace/late_error.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "engine/trace/format.h"

namespace headway::trace {
namespace {

// Read and written as a file: the program may have done anything to the memory, so nothing here depends on it.
template <class Value>
std::optional<Value> value_at(int recording, std::uint64_t offset) {
    std::array<char, sizeof(Value)> bytes;
    if (pread(recording, bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes.size())) {
        return std::nullopt;
    }
    Value value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

bool put(int recording, std::uint64_t offset, const void* from, std::size_t bytes) {
    return pwrite(recording, from, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

}  // namespace

bool record_error(int recording, std::string_view error) {
    const auto magic = value_at<std::uint64_t>(recording, offsetof(Header, magic));
    const auto state = value_at<std::uint32_t>(recording, offsetof(Header, state));
    const auto capacity = value_at<std::uint32_t>(recording, offsetof(Header, chunk_capacity));
    const auto used = value_at<std::uint32_t>(recording, offsetof(Header, chunks_used));
    if (!magic || *magic != kMagic || !state || *state > static_cast<std::uint32_t>(RunState::running) || !capacity ||
        !used) {
        return false;
    }
    // The last chunk of the stream.
    std::uint64_t last = 0, ordinal = 0;
    for (std::uint64_t i = 0; i < std::min(*used, *capacity); ++i) {
        const std::uint64_t chunk = kHeaderBytes + i * kChunkBytes;
        const auto kind = value_at<StreamKind>(recording, chunk + offsetof(ChunkHeader, kind));
        const auto claimed = value_at<std::uint32_t>(recording, chunk + offsetof(ChunkHeader, claimed));
        const auto number = value_at<std::uint32_t>(recording, chunk + offsetof(ChunkHeader, ordinal));
        if (kind == StreamKind::meta && claimed == 1u && number && (last == 0 || *number > ordinal)) {
            last = chunk;
            ordinal = *number;
        }
    }
    const auto committed =
        last == 0 ? std::nullopt : value_at<std::uint32_t>(recording, last + offsetof(ChunkHeader, committed));
    const std::size_t bytes = (error.size() + 7) / 8 * 8;
    const std::uint64_t grown = std::uint64_t{committed.value_or(0)} + sizeof(MetaRecord) + bytes;
    if (!committed || grown > kChunkBytes - kChunkHeaderBytes) {
        return false;
    }
    std::string record(sizeof(MetaRecord), '\0');
    const MetaRecord head{static_cast<std::uint32_t>(error.size()), MetaType::error, 0};
    std::memcpy(record.data(), &head, sizeof head);
    record += error;
    record.resize(sizeof(MetaRecord) + bytes);
    const auto now_committed = static_cast<std::uint32_t>(grown);
    const auto failed = static_cast<std::uint32_t>(RunState::failed);
    return put(recording, last + kChunkHeaderBytes + *committed, record.data(), record.size()) &&
           put(recording, last + offsetof(ChunkHeader, committed), &now_committed, sizeof now_committed) &&
           put(recording, offsetof(Header, state), &failed, sizeof failed);
}

}  // namespace headway::trace
