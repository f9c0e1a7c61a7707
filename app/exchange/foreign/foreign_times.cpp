#include "app/exchange/foreign/foreign_times.h"

#include <algorithm>
#include <cstddef>

namespace headway::exchange {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000, kHourNs = 3600 * kSecondNs, kDayNs = 24 * kHourNs;
constexpr std::int64_t kLongestTraceNs = 100 * kDayNs;  // so that a double is exact to the nanosecond
constexpr auto kLongestSpanNs = static_cast<std::int64_t>(trace::unpack_duration(UINT32_MAX));
constexpr std::int64_t kTimesAsFar = 1000;
constexpr std::size_t kLeastSpans = 10;  // with fewer spans none is an outlier

// An approximate duration: "3 hours", "53 years".
std::string about(std::int64_t ns) {
    const auto in = [ns](std::int64_t unit, const char* one, const char* many) {
        return counted(static_cast<std::uint64_t>((ns + unit / 2) / unit), one, many);
    };
    return ns < 2 * kDayNs         ? in(kHourNs, "hour", "hours")
           : ns < 2 * 365 * kDayNs ? in(kDayNs, "day", "days")
                                   : in(365 * kDayNs, "year", "years");
}

bool is_far(std::int64_t away_ns, std::int64_t others_ns) {
    return away_ns > kHourNs && away_ns / kTimesAsFar > others_ns;
}

// The largest number of spans that may count as outliers.
std::size_t few_of(std::size_t all) {
    return all < kLeastSpans ? 0 : std::max<std::size_t>(1, all / 100);
}

// The number of outliers at one end: the values beyond the last gap of more than an hour that has few values beyond
// it.
std::size_t beyond_gap(const std::vector<std::int64_t>& sorted, bool at_end) {
    const std::size_t n = sorted.size();
    for (std::size_t count = few_of(n); count > 0; --count) {
        const std::size_t after = at_end ? n - count : count;  // the first one after the gap
        if (sorted[after] - sorted[after - 1] > kHourNs) {
            return count;
        }
    }
    return 0;
}

// The spans to keep, as a range [first, last) of the sorted begins.
struct KeptRange {
    std::size_t first = 0, last = 0;
};

// The 100 days in which the most spans begin; of several, the latest.
KeptRange busiest_days(const std::vector<std::int64_t>& begins) {
    KeptRange best;
    for (std::size_t first = 0, last = 1; last <= begins.size(); ++last) {
        while (begins[last - 1] - begins[first] > kLongestTraceNs) {
            ++first;
        }
        if (last - first >= best.last - best.first) {
            best = {first, last};
        }
    }
    return best;
}

// The spans without outliers at either end.
KeptRange without_far(const std::vector<std::int64_t>& begins) {
    const std::size_t n = begins.size();
    const std::size_t before = beyond_gap(begins, false), after = beyond_gap(begins, true);
    for (const KeptRange& stay : {KeptRange{before, n - after}, KeptRange{before, n}, KeptRange{0, n - after}}) {
        const std::int64_t others_ns = begins[stay.last - 1] - begins[stay.first];
        const bool few = stay.first + (n - stay.last) <= few_of(n);
        if (few && (stay.first == 0 || is_far(begins[stay.first] - begins[stay.first - 1], others_ns)) &&
            (stay.last == n || is_far(begins[stay.last] - begins[stay.last - 1], others_ns))) {
            return stay;
        }
    }
    return {0, n};
}

// Leaves out the spans outside of `stay`. `where` completes the note: before or after what.
void leave_out(const KeptRange& stay, const char* where, std::vector<ForeignSpan>& spans,
               std::vector<std::int64_t>& begins, TraceNotes& notes) {
    const auto say = [&](std::size_t count, std::int64_t away_ns, const char* side) {
        notes.left_out(count, counted(count, "span", "spans") + " that " + verb(count, "begins ", "begin ") +
                                  (count == 1 ? "" : "up to ") + about(away_ns) + side + where +
                                  verb(count, " was", " were") + " left out.");
    };
    const std::int64_t first_ns = begins[stay.first], last_ns = begins[stay.last - 1];
    say(stay.first, first_ns - begins.front(), " before ");
    say(begins.size() - stay.last, begins.back() - last_ns, " after ");
    std::erase_if(spans, [=](const ForeignSpan& span) { return span.begin_ns < first_ns || span.begin_ns > last_ns; });
    begins = {begins.begin() + static_cast<std::ptrdiff_t>(stay.first),
              begins.begin() + static_cast<std::ptrdiff_t>(stay.last)};
}

void settle_ends(std::vector<ForeignSpan>& spans, std::int64_t first_ns, std::int64_t last_ns, TraceNotes& notes) {
    std::int64_t end_ns = last_ns;
    for (const ForeignSpan& span : spans) {
        end_ns = span.end_ns == kUnended ? end_ns : std::max(end_ns, span.end_ns);
    }
    if (end_ns - last_ns > kHourNs) {
        std::vector<std::int64_t> ends;
        for (const ForeignSpan& span : spans) {
            ends.push_back(span.end_ns == kUnended ? last_ns : span.end_ns);
        }
        std::sort(ends.begin(), ends.end());
        const std::size_t far = beyond_gap(ends, true);
        const std::int64_t others_ns = std::max(ends[ends.size() - 1 - far], last_ns);
        if (far > 0 && is_far(ends[ends.size() - far] - others_ns, others_ns - first_ns)) {
            notes.repaired(far, counted(far, "span", "spans") + " that " + verb(far, "ends ", "end ") +
                                    about(end_ns - others_ns) + " after all others " + verb(far, "is", "are") +
                                    " shown up to where these end.");
            end_ns = others_ns;
        }
    }
    std::uint64_t unended = 0, too_long = 0;
    for (ForeignSpan& span : spans) {
        unended += span.end_ns == kUnended ? 1 : 0;
        span.end_ns = std::max(std::min(span.end_ns, end_ns), span.begin_ns);
        if (span.end_ns - span.begin_ns > kLongestSpanNs) {
            span.end_ns = span.begin_ns + kLongestSpanNs;
            ++too_long;
        }
    }
    notes.repaired(unended, counted(unended, "span", "spans") + " without an end " + verb(unended, "ends", "end") +
                                " where the trace ends.");
    notes.repaired(too_long, counted(too_long, "span", "spans") + " longer than 36 minutes " +
                                 verb(too_long, "is", "are") + " shown as that long.");
}

}  // namespace

void keep_one_time_range(std::vector<ForeignSpan>& spans, TraceNotes& notes) {
    if (spans.empty()) {
        return;
    }
    const auto [first, last] = std::minmax_element(
        spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    std::int64_t first_ns = first->begin_ns, last_ns = last->begin_ns;
    if (last_ns - first_ns > kHourNs) {  // most traces are shorter and need no sorting
        std::vector<std::int64_t> begins;
        begins.reserve(spans.size());
        for (const ForeignSpan& span : spans) {
            begins.push_back(span.begin_ns);
        }
        std::sort(begins.begin(), begins.end());
        if (last_ns - first_ns > kLongestTraceNs) {
            leave_out(busiest_days(begins), "the 100 days that hold the most", spans, begins, notes);
        }
        leave_out(without_far(begins), "all others", spans, begins, notes);
        first_ns = begins.front();
        last_ns = begins.back();
    }
    settle_ends(spans, first_ns, last_ns, notes);
}

}  // namespace headway::exchange
