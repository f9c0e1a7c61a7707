// Questions of a lesson: the learner predicts before a run, and the run answers. They stand in questions.yaml in the
// lesson's folder, a list of
//
//     - ask: How far ahead of the backend does the frontend get?
//       choices:
//         - text: Not at all, each op waits for the one before it.
//           right: headway_max <= 1
//           why: That is what a barrier after each op does; here there is none.
//         - text: It issues all ops before half of them are done.
//           right: headway_max > 1
//       answer: The frontend was {headway_max} ops ahead.
//     - ask: What share of the time does the frontend wait?
//       number: {value: 100 * busy_ns(waits) / total_ns, least: 0, most: 100, unit: "%", within: 10}
//       needs: count(ops) > 0        # optional; where it does not hold, the run answers nothing
//       answer: It waited {time(busy_ns(waits))}.
//
// `right`, `value` and `needs` are expressions about the facts of a run, the other texts sentences that may contain
// some in braces; docs/exercises.md describes both.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/expression/expression.h"
#include "engine/core/result.h"

namespace headway::questions {

struct Choice {
    std::string text;
    expression::Expression right;  // whether this choice is right for a run
    expression::Sentence why;      // why somebody might choose it, and what is wrong with it; may be empty
};

struct Number {
    expression::Expression value;  // for a run
    double least = 0, most = 0;
    std::string unit;   // after the number; may be empty
    double within = 0;  // a guess is right if it is at most this far off, in the same unit
};

struct Question {
    std::string ask;
    std::optional<expression::Expression> needs;
    std::vector<Choice> choices;   // two or more, or
    std::optional<Number> number;  // a number
    expression::Sentence answer;
};

constexpr const char* kFileName = "questions.yaml";

// Errors have the file and the line.
core::Result<std::vector<Question>> parse_questions(const std::string& content, const std::string& file);
// Those of the lesson in this folder; none without such a file.
core::Result<std::vector<Question>> load_questions(const std::filesystem::path& folder);

}  // namespace headway::questions
