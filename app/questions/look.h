// What a link in a lesson's text points at in a run: [the last wait](<look:last(waits)>).
//
//     look:memory                    a row: frontend, headway, lanes, memory
//     look:first(ops)                an expression about the run: an op, a wait, or a scope, or a list of such
//     look:lanes@first(scopes)       a row, for as long as those take
//     look:graph                     a tab: numbers, output, queue, graph, threads
//
// Expressions and facts are those of questions; docs/exercises.md describes them.
//
// Threads: any that may read the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/expression/expression.h"
#include "app/model/explanation/explanation.h"
#include "engine/core/result.h"

namespace headway::questions {

struct LookTarget {
    std::string tab;                             // empty: places in the timeline
    std::optional<model::Place> row;             // its row, over the whole run
    std::optional<expression::Expression> what;  // none: the row
};

// The address without "look:". Errors are one sentence.
core::Result<LookTarget> parse_look(std::string_view address);
// The places in the run whose facts these are; an error, one sentence, if the run has no such thing. Not of a tab.
core::Result<std::vector<model::Place>> places_of(const LookTarget& look, const expression::Record& facts,
                                                  const model::Run& run);

}  // namespace headway::questions
