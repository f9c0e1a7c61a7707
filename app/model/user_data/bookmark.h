// A bookmark: a moment or a time range of a run, with a note.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/run/run.h"

namespace headway::model {

struct Bookmark {
    std::int64_t begin_ns = 0, end_ns = 0;  // relative to the start of the measured part; equal for a moment
    std::string text;                       // one line; may be empty
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

// Identifies a recording independently of its path: settings, date and times of its first and last ops. The run
// must have ended.
std::uint64_t fingerprint_of(const Run& run);

}  // namespace headway::model
