// What a learner looks for in a run: ops and waits, by words such as
//
//     matmul            its name holds this (an op's kind, a wait's name)
//     kind:matmul       its name is this
//     line:25           issued or waited at this line of any file
//     lane:1            executed in this lane
//     batch:3           issued in this minibatch
//     op:1042  #1042    this op
//     is:op  is:wait    only the one or the other
//     >100us  <=2ms     how long it ran or waited
//
// Several words are all meant at once.
//
// Threads: any; a Run must not be updated meanwhile.
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

// One sentence about the first word that says nothing to us.
core::Result<Query> parse_query(std::string_view text);

// An op or a wait of a run.
struct Found {
    OpId op = 0;  // 0: a wait
    std::int32_t wait = -1;
    std::int64_t ns = 0;  // where it begins: an op on its lane (its issue, when it has not run), a wait on the frontend
    friend bool operator==(const Found&, const Found&) = default;
};

// Looks at every op and every wait that there are when it begins (10 to 40 ms for a million), done in pieces so that a
// window can go on meanwhile; the run may grow between two of them. An empty query finds nothing.
class SearchWalk {
public:
    SearchWalk(const Run& run, Query query, std::size_t limit);
    // Goes on for about this long (0: to the end); true while there is more to do.
    bool step(double budget_ms);
    [[nodiscard]] bool done() const { return done_; }
    // Once step() has returned false: the first `limit` of them by time, and how many there are in all.
    [[nodiscard]] const std::vector<Found>& found() const { return found_; }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    [[nodiscard]] bool fits(const Op& op);
    [[nodiscard]] bool fits(const Wait& wait) const;
    void add(const Found& found);

    const Run& run_;
    Query query_;
    std::size_t limit_;
    OpId next_op_ = 1, last_op_ = 0;
    std::size_t next_wait_ = 0, waits_ = 0;
    std::vector<signed char> named_;  // per signature, looked at once: 1: its name fits, -1: not yet
    std::vector<Found> found_;
    std::optional<Found> latest_;  // of as many as are wanted: what is later is only counted
    std::size_t count_ = 0;
    bool done_ = false;
};
// To the end, at once.
std::vector<Found> search(const Run& run, const Query& query, std::size_t limit, std::size_t* count = nullptr);

}  // namespace headway::model
