#include "engine/trace/newest_first.h"

namespace headway::trace {

std::vector<const ChunkHeader*> newest_chunks(Recording& recording, StreamId stream) {
    const Header& header = recording.header();
    std::vector<const ChunkHeader*> chunks;
    const auto used = std::min(header.chunks_used.load(std::memory_order_acquire), header.chunk_capacity);
    for (std::size_t i = 0; i < used; ++i) {
        const auto* chunk = reinterpret_cast<const ChunkHeader*>(reinterpret_cast<const std::byte*>(&header) +
                                                                 kHeaderBytes + i * kChunkBytes);
        if (chunk->claimed.load(std::memory_order_acquire) == 1 && chunk->kind == stream.kind &&
            chunk->index == stream.index) {
            chunks.push_back(chunk);
        }
    }
    std::sort(chunks.begin(), chunks.end(),
              [](const ChunkHeader* a, const ChunkHeader* b) { return a->ordinal > b->ordinal; });
    const auto gap = std::adjacent_find(chunks.begin(), chunks.end(), [](const ChunkHeader* a, const ChunkHeader* b) {
        return a->ordinal != b->ordinal + 1;
    });
    if (gap != chunks.end()) {
        chunks.erase(gap + 1, chunks.end());
    }
    return chunks;
}

}  // namespace headway::trace
