// Functions of expressions about runs, in addition to the language's own:
//
//   busy_ns(list)          how long any of these ops, waits or scopes was going on
//   bytes(number)          a size for people: "8.4 MB"
//   depends(op, op)        whether the first op needs the second one, directly or through others
//   overlap_ns(a, b)       how long one of a and one of b were going on at the same time
//   time(number)           a duration for people: "1.38 ms"
//
// Threads: any that may read the run.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/expression/expression.h"

namespace headway::check {

std::span<const expression::Function> run_functions();

// Parses an Expression or a Sentence that uses these functions, and only the facts with these names.
template <class Parsed>
core::Result<Parsed> parse_known(std::string_view text, std::span<const std::string> fact_names) {
    auto parsed = Parsed::parse(text, run_functions());
    if (parsed) {
        if (auto known = parsed->check_names(fact_names); !known) {
            return known.error();
        }
    }
    return parsed;
}

}  // namespace headway::check
