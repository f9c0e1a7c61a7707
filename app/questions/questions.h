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
//     - ask: In which order does this happen?
//       order:
//         - text: The product is issued.
//           at: ops[0].issue_begin_ns
//         - text: It has been executed.
//           at: ops[0].end_ns
//         - text: The wait ends.
//           at: waits[0].end_ns
//       why: A wait ends after what it is for.
//       answer: The wait took {time(waits[0].ns)}.
//     - ask: Where does the frontend wait?
//       drawn:
//         row: frontend
//         draws: wait
//         from: waits[0].begin_ns
//         to: waits[0].end_ns
//         within: 10       # percent
//       answer: It waited {time(waits[0].ns)} of {time(total_ns)}.
//
// `right`, `value`, `at`, `from`, `to` and `needs` are expressions about the facts of a run, the other texts sentences
// that may contain some in braces; docs/exercises.md describes both, docs/lessons.md the kinds of questions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/expression/expression.h"
#include "engine/core/result.h"
#include "engine/devices/op.h"

namespace headway::questions {

struct Choice {
    std::string text;
    expression::Expression right;  // whether this choice is right for a run
    expression::Sentence why;      // why somebody might choose it, and what is wrong with it; may be empty
};
using Choices = std::vector<Choice>;  // two or more

struct Number {
    expression::Expression value;  // for a run
    double least = 0, most = 0;
    std::string unit;   // after the number; may be empty
    double within = 0;  // a guess is right if it is at most this far off, in the same unit
};

// Events are put in the order of their times. Equal times may stand in either order.
struct Event {
    std::string text;
    expression::Expression at;  // a moment of the run, as the facts have it
};
struct Order {
    std::vector<Event> events;       // in the order that is right with the lesson's own settings
    std::vector<std::size_t> shown;  // the order in which the learner gets them: always the same, never the listed one
};

// The learner draws an interval, or a moment, into one row of an empty timeline.
struct Drawn {
    // What is drawn, for its look: the frontend's waits, issues or own work, or ops of a family in a lane.
    enum class What : std::uint8_t { wait, issue, work, op };
    What what = What::wait;
    devices::Family family = devices::Family::other;  // of ops
    std::vector<std::string> lanes{};                 // the rows below that of the frontend
    std::size_t row = 0;                              // where it is drawn; 0: the frontend, n: lanes[n - 1]
    expression::Expression from;
    std::optional<expression::Expression> to{};  // none: a moment
    // The moments at the ends of the axis; none: where measuring began, the end of the run.
    std::optional<expression::Expression> axis_begin{}, axis_end{};
    std::string left = "begin", right = "end of the run";  // the names of the axis's ends
    double within = 0;  // right if each end is at most this far off, in percent of the axis
};

struct Question {
    std::string ask;
    std::optional<expression::Expression> needs;
    std::variant<Choices, Number, Order, Drawn> kind;
    expression::Sentence why;  // of an order or a drawn guess: what is wrong with others; may be empty
    expression::Sentence answer;
};

constexpr const char* kFileName = "questions.yaml";

// Errors have the file and the line.
core::Result<std::vector<Question>> parse_questions(const std::string& content, const std::string& file);
// Those of the lesson in this folder; none without such a file.
core::Result<std::vector<Question>> load_questions(const std::filesystem::path& folder);

}  // namespace headway::questions
