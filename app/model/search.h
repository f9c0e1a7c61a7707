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

#include "app/model/run.h"
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
    OpId op = 0;          // 0: a wait
    std::int32_t wait = -1;
    std::int64_t ns = 0;  // where it begins: an op on its lane (its issue, when it has not run), a wait on the frontend
    friend bool operator==(const Found&, const Found&) = default;
};

// All that fit, by time; at most `limit`, with how many there are in all in `count` where given. An empty query finds
// nothing. Looks at every op: about 10 ms for a million.
std::vector<Found> search(const Run& run, const Query& query, std::size_t limit, std::size_t* count = nullptr);

}  // namespace headway::model
