// Functions of expressions about runs, in addition to the language's own:
//
//   busy_ns(list)          how long any of these ops, waits or scopes was going on
//   bytes(number)          a size for people: "8.4 MB"
//   depends(op, op)        whether the first op needs the second one, directly or through others
//   overlap_ns(a, b)       how long one of a and one of b were going on at the same time
//   time(number)           a duration for people: "1.38 ms"
#pragma once

#include <span>

#include "app/expression/expression.h"

namespace headway::check {

std::span<const expression::Function> run_functions();

}  // namespace headway::check
