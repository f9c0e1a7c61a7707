// Answers a question from a run's facts, and judges guesses.
//
// Threads: any that may read the facts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/run.h"
#include "app/questions/guess.h"
#include "app/questions/questions.h"

namespace headway::questions {

struct RunAnswer {
    std::string problem;            // why the run does not answer the question; "": it does
    std::optional<Guess> right;     // what is exactly right; of an order with equal times one of several
    std::vector<double> at_ns;      // of an order: the times of its events on the timeline's axis
    std::optional<double> axis_ns;  // of a drawn one: the length of the axis
    std::string sentence;           // the answer
    std::vector<std::string> whys;  // what is wrong with a wrong guess: by choice, or one; "" where there is none
};

// The time axis of a run's timeline. Learners' pauses are cut out of it.
struct TimeAxis {
    std::function<double(double moment_ns)> ns;  // where a moment is on it, as the facts have moments
    double end_ns = 0;                           // where the measured part ends
};
// That of a run, which must outlive it.
[[nodiscard]] TimeAxis time_axis_of(const model::Run& run);

[[nodiscard]] RunAnswer answer_of(const Question& question, const expression::Record& facts, const TimeAxis& axis);

// Whether a guess is right. The run must have answered. A guess of another kind than the question's is wrong.
[[nodiscard]] bool is_right(const Question& question, const RunAnswer& answer, const Guess& guess);
// Of an order: for each place, whether the event that the learner put there belongs there.
[[nodiscard]] std::vector<bool> in_place(const RunAnswer& answer, const OrderGuess& guess);
// What is wrong with a wrong guess; empty if there is nothing to say.
[[nodiscard]] std::string why_not(const RunAnswer& answer, const Guess& guess);

// A guess in words: "12.5 ms", "the text of a choice", "first event → second event", "from 10 % to 90 %".
[[nodiscard]] std::string words_of(const Question& question, const Guess& guess);

}  // namespace headway::questions
