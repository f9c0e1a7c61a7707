// What a recording says about the order of the program's own streams.
#pragma once

#include <utility>
#include <vector>

#include "engine/trace/reader.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

// All of its order records so far.
inline std::vector<trace::OrderRecord> orders_of(const trace::Recording& recording) {
    const auto reader = std::move(*recording.reader());
    reader->poll();
    std::vector<trace::OrderRecord> all;
    const trace::StreamId id{trace::StreamKind::orders, 0};
    while (all.size() < reader->size(id)) {
        const auto some = reader->records<trace::OrderRecord>(id, all.size());
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace headway::runtime
