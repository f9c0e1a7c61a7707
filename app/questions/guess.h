// What a learner predicts, by kind of question. What is exactly right for a run has the same type.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

namespace headway::questions {

struct ChoiceGuess {
    std::size_t choice = 0;  // index
    friend bool operator==(const ChoiceGuess&, const ChoiceGuess&) = default;
};

struct NumberGuess {
    double value = 0;
    friend bool operator==(const NumberGuess&, const NumberGuess&) = default;
};

struct OrderGuess {
    std::vector<std::size_t> events;  // indices of all events, from the first in time to the last
    friend bool operator==(const OrderGuess&, const OrderGuess&) = default;
};

struct DrawnGuess {
    double from = 0, to = 0;  // in percent of the question's axis; a moment: both are equal
    friend bool operator==(const DrawnGuess&, const DrawnGuess&) = default;
};

using Guess = std::variant<ChoiceGuess, NumberGuess, OrderGuess, DrawnGuess>;

}  // namespace headway::questions
