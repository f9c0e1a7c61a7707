// A small exercise for tests.
#pragma once

#include <string>

namespace headway::check {

inline const std::string kExercise = R"(---
id: halves
version: 3
title: Half the work twice
costs: t1={t1}us,t2=60us,t3=10us
streams: 2
results: [upper]
cases:
  - {size: 32, t1: 5}
  - {hidden: true, size: 20..60, t1: [1, 2]}
let:
  products: "[o in ops where o.name == 'matmul']"
checks:
  - id: products
    title: There are two products
    why: One for each half.
    pass: count(products) == 2
    fail: "There are {plural(count(products), 'product')}, and 2 are wanted."
    at: last(products)
    hints: [Count them., There are two lines with @.]
    partial: true
  - id: waits
    title: Nothing waits
    why: A wait empties the queue.
    pass: count(waits) == 0
    fail: "There is a {first(waits).name}."
    at: first(waits)
    needs: [products]
    hints: [Look at the row of the frontend.]
    points: 2
equivalent:
  - why: It does not matter.
    mutants: [one, two]
---
**Task.** Compute two halves.
)";

// The text with one part replaced.
inline std::string exercise_with(const std::string& from, const std::string& to) {
    std::string text = kExercise;
    return text.replace(text.find(from), from.size(), to);
}

}  // namespace headway::check
