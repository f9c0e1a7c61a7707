// Records of a recording, as its reader finds them.
#pragma once

#include <utility>
#include <vector>

#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

// All of a stream so far.
template <class Record>
std::vector<Record> records_of(const trace::Recording& recording, trace::StreamId id) {
    const auto reader = std::move(*recording.reader());
    reader->poll();
    std::vector<Record> all;
    while (all.size() < reader->size(id)) {
        const auto some = reader->records<Record>(id, all.size());
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

// The order of the program's own streams.
inline std::vector<trace::OrderRecord> orders_of(const trace::Recording& recording) {
    return records_of<trace::OrderRecord>(recording, {trace::StreamKind::orders, 0});
}

// What the frontend did, of this kind.
inline std::vector<trace::FrontendRecord> events_of(const trace::Recording& recording, trace::FrontendKind kind) {
    auto found = records_of<trace::FrontendRecord>(recording, trace::kFrontendStream);
    std::erase_if(found, [kind](const auto& record) {
        return static_cast<trace::FrontendKind>(record.kind & trace::kKindMask) != kind;
    });
    return found;
}

inline std::vector<trace::FrontendRecord> waits_of(const trace::Recording& recording, trace::WaitKind kind) {
    auto found = events_of(recording, trace::FrontendKind::wait);
    std::erase_if(found, [kind](const auto& wait) { return static_cast<trace::WaitKind>(wait.lane) != kind; });
    return found;
}

}  // namespace headway::runtime
