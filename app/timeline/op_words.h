// Names the ops of a run: "ops", or "spans" for traces of other programs. And the copies of a link.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include "app/model/run/devices.h"
#include "app/model/run/run.h"

namespace headway::figure {

// "12 ops", or "12 spans" where the lanes are the threads of another program.
std::string ops_text(const model::TraceCapabilities& capabilities, std::uint64_t count);
const char* ops_word(const model::TraceCapabilities& capabilities, std::uint64_t count);
// "13 MB in 13 copies".
std::string copies_text(const model::CopySum& sum);

}  // namespace headway::figure
