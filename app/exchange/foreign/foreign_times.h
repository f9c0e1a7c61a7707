// Removes outliers from the times of another program's trace: stamps of another clock, zeros for unknown times,
// spans that end long after all others. A single one would make the time axis unusable. Private to app/exchange.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

// The end of a span that has only a start.
inline constexpr std::int64_t kUnended = INT64_MAX;

// Keeps the spans of one contiguous time range, and adds a sentence to `notes` for what was left out or shortened:
// - Of a trace longer than 100 days, the 100 days with the most spans.
// - Outliers are removed, if there are at least ten spans: at most one in a hundred (or a single one), more than an
// hour away and more than a thousand times as far as the extent of the others. A span that ends this far after all
// others is cut at their end.
// - Spans without an end are extended to the end of the trace. No span is longer than a recording can store, about
// 36 minutes.
void keep_one_time_range(std::vector<ForeignSpan>& spans, TraceNotes& notes);

}  // namespace headway::exchange
