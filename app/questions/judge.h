// What a run says to a question.
//
// Threads: any that may read the facts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/questions/questions.h"

namespace headway::questions {

struct RunAnswer {
    std::string problem;            // why the run does not answer the question; "": it does
    std::optional<double> right;    // the index of the right choice, or the number
    std::string sentence;           // the answer
    std::vector<std::string> whys;  // by choice; "" where there is none
};

[[nodiscard]] RunAnswer answer_of(const Question& question, const expression::Record& facts);

// Whether a guess, the index of a choice or a number, is right. The run must have answered.
[[nodiscard]] bool is_right(const Question& question, const RunAnswer& answer, double guess);

}  // namespace headway::questions
