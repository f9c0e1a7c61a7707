// The search language for ops and waits of a run. Words:
//
//     matmul            its name contains this (an op's kind, a wait's name)
//     kind:matmul       its name is exactly this
//     line:25           issued or waited at this line of any file
//     lane:1            executed in this lane
//     batch:3           issued in this minibatch
//     op:1042  #1042    this op
//     is:op  is:wait    only ops, only waits
//     >100us  <=2ms     how long it ran or waited
//
// All words must match.
//
// Threads: any; the run must not be updated at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::model {

struct Query {
    std::vector<std::string> words;  // lower case
    std::string kind;                // lower case
    std::optional<std::uint32_t> line, lane, minibatch;
    OpId op = 0;
    bool ops = true, waits = true;
    std::int64_t least_ns = 0, most_ns = INT64_MAX;
    [[nodiscard]] bool empty() const;
};

// The error describes the first invalid word, in one sentence.
core::Result<Query> parse_query(std::string_view text);

// An op or a wait of a run.
struct Found {
    OpId op = 0;  // 0: a wait
    std::int32_t wait = -1;
    std::int64_t ns = 0;  // its start: an op on its lane (its issue if it has not run), a wait on the frontend
    friend bool operator==(const Found&, const Found&) = default;
};

// Visits all ops and waits present at construction, except folded ones (10 to 40 ms per million), in steps, so that a
// window can draw frames in between. The run may be updated between steps. An empty query finds nothing.
class SearchWalk {
public:
    SearchWalk(const Run& run, Query query, std::size_t limit);
    // Works for about `budget_ms` (0: until done); true if more is left to do.
    bool step(double budget_ms);
    [[nodiscard]] bool done() const { return done_; }
    // After step() has returned false: the first `limit` matches by time, and the number of all matches.
    [[nodiscard]] const std::vector<Found>& found() const { return found_; }
    [[nodiscard]] std::size_t count() const { return count_; }
    // How many ops and waits could not be searched: of them, only sums are kept.
    [[nodiscard]] std::size_t not_searched() const { return not_searched_; }

private:
    [[nodiscard]] bool fits(const Op& op);
    [[nodiscard]] bool fits(const Wait& wait) const;
    void add(const Found& found);

    const Run& run_;
    Query query_;
    std::size_t limit_;
    OpId next_op_ = 1, last_op_ = 0;
    std::size_t next_wait_ = 0, waits_ = 0;
    std::vector<signed char> named_;  // by signature, computed on demand: 1: the name matches, -1: not computed yet
    std::vector<Found> found_;
    std::optional<Found> latest_;  // the last of `limit` matches: later ones are only counted
    std::size_t count_ = 0, not_searched_ = 0;
    bool done_ = false;
};
// Runs the whole search at once.
std::vector<Found> search(const Run& run, const Query& query, std::size_t limit, std::size_t* count = nullptr);

}  // namespace headway::model
