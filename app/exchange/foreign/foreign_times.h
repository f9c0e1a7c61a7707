// Times of another program's trace that cannot be shown beside each other: stamps of another clock, a zero that stands
// for "not known", spans that end long after everything else. One of them would stretch the axis until nothing could be
// seen on it. Private to app/exchange.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "app/exchange/foreign/foreign_spans.h"

namespace headway::exchange {

// The end of a span of which only the begin is known.
inline constexpr std::int64_t kUnended = INT64_MAX;

// Leaves one stretch of time with all that is in it, and says in `notes` what was left out or cut:
// - Of a trace that is longer than 100 days, the 100 days with the most spans stay.
// - Of ten spans or more, those that lie far from all others go: one in a hundred, or one alone, more than an hour
//   away and more than a thousand times as far as the others lie apart. One that ends so far after all others is shown
//   up to where these end.
// - Spans without an end are shown up to the end of the trace; none is shown for longer than a recording can hold,
//   about 36 minutes.
void keep_one_stretch(std::vector<ForeignSpan>& spans, TraceNotes& notes);

}  // namespace headway::exchange
