// A moment or a stretch of a run that someone has marked, with a note.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/run/run.h"

namespace headway::model {

struct Bookmark {
    std::int64_t begin_ns = 0, end_ns = 0;  // from where measuring began; equal for a moment
    std::string text;                       // one line; may be empty
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

// Tells one recording from another wherever it lies on disk: settings, date and times of its first and last ops. Of a
// run that is over.
std::uint64_t fingerprint_of(const Run& run);

}  // namespace headway::model
