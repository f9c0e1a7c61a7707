// Visits a stream of a recording from its newest record to its oldest.
//
// Threads: any of the process that records; other threads may be recording. A chunk that the watching process gives
// back meanwhile may be written again: look only for what may be recent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/trace/format.h"
#include "engine/trace/recorder.h"

namespace headway::trace {

// The stream's chunks that are still in the recording, from the newest back to where one is missing.
std::vector<const ChunkHeader*> newest_chunks(Recording& recording, StreamId stream);

// Calls visit(record) for each record that is still in the recording, until it returns false.
template <class Record, class Visit>
void newest_first(Recording& recording, StreamId stream, Visit visit) {
    for (const ChunkHeader* chunk : newest_chunks(recording, stream)) {
        const auto* records =
            reinterpret_cast<const Record*>(reinterpret_cast<const std::byte*>(chunk) + kChunkHeaderBytes);
        const auto committed = chunk->committed.load(std::memory_order_acquire);
        for (std::size_t i = std::min(committed, records_per_chunk(sizeof(Record))); i > 0; --i) {
            if (!visit(records[i - 1])) {
                return;
            }
        }
    }
}

}  // namespace headway::trace
