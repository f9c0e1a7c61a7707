#include "engine/trace/recording_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/trace/format.h"

namespace headway::trace {
namespace {

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

std::uint64_t chunk_at(std::uint64_t index) {
    return kHeaderBytes + index * kChunkBytes;
}

// A full recording is plausible only if all chunks are used.
bool is_header_damaged(int recording) {
    const auto version = value_at<std::uint32_t>(recording, offsetof(Header, version));
    const auto capacity = value_at<std::uint32_t>(recording, offsetof(Header, chunk_capacity));
    const auto used = value_at<std::uint32_t>(recording, offsetof(Header, chunks_used));
    const auto state = value_at<std::uint32_t>(recording, offsetof(Header, state));
    const auto lost = value_at<std::uint64_t>(recording, offsetof(Header, lost_records));
    return version != kVersion || !state || *state > static_cast<std::uint32_t>(RunState::failed) || !lost ||
           *lost > std::uint64_t{1} << 48 || (*lost != 0 && used < capacity);
}

// Each stream's chunks are numbered without gaps: from 0, or from the first that the reader has not given back.
bool are_chunks_damaged(int recording) {
    std::map<std::pair<StreamKind, std::uint8_t>, std::set<std::uint32_t>> streams;
    const auto used = value_at<std::uint32_t>(recording, offsetof(Header, chunks_used));
    const auto capacity = value_at<std::uint32_t>(recording, offsetof(Header, chunk_capacity));
    for (std::uint64_t i = 0; i < std::min(used.value_or(0), capacity.value_or(0)); ++i) {
        const auto claimed = value_at<std::uint32_t>(recording, chunk_at(i) + offsetof(ChunkHeader, claimed));
        if (claimed == 0u) {
            continue;  // given back, or the process ended before it wrote anything there
        }
        const auto kind = value_at<StreamKind>(recording, chunk_at(i) + offsetof(ChunkHeader, kind));
        const auto index = value_at<std::uint8_t>(recording, chunk_at(i) + offsetof(ChunkHeader, index));
        const auto size = value_at<std::uint16_t>(recording, chunk_at(i) + offsetof(ChunkHeader, record_bytes));
        const auto ordinal = value_at<std::uint32_t>(recording, chunk_at(i) + offsetof(ChunkHeader, ordinal));
        const auto committed = value_at<std::uint32_t>(recording, chunk_at(i) + offsetof(ChunkHeader, committed));
        const std::size_t expected = kind ? record_bytes_of(*kind) : 0;
        if (claimed != 1u || expected == 0 || size != expected || !index || !ordinal || !committed ||
            *committed > records_per_chunk(expected) || !streams[{*kind, *index}].insert(*ordinal).second) {
            return true;
        }
    }
    const auto given_back = value_at<std::uint32_t>(recording, offsetof(Header, given_back));
    std::uint64_t missing = 0;
    for (const auto& [id, ordinals] : streams) {
        missing += *ordinals.rbegin() + std::uint64_t{1} - ordinals.size();
    }
    return missing > given_back;
}

}  // namespace

bool is_damaged(int recording) {
    const auto magic = value_at<std::uint64_t>(recording, offsetof(Header, magic));
    if (!magic) {
        return false;  // the run had not begun
    }
    if (*magic == 0) {
        return value_at<std::uint32_t>(recording, offsetof(Header, chunks_used)) != 0u;
    }
    return *magic != kMagic || is_header_damaged(recording) || are_chunks_damaged(recording);
}

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
        const std::uint64_t chunk = chunk_at(i);
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
