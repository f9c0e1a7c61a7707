// A setting of a program that the learner may choose: a number within limits, or one of a few words.
//
// Values travel as text, the way `--set NAME=VALUE` and the window's fields have them; accept_value() is the one judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::lesson {

struct Parameter {
    std::string name, label, help;
    std::string value;                 // what it is when nobody chooses
    double least = 0, most = 0;        // numbers
    bool whole = true;                 // numbers: no fractions
    std::vector<std::string> choices;  // not empty: one of these words, and the limits mean nothing
};

// A number as people write it: "10000", "0.05".
std::string text_of(double value);

// The parameter's range in words: "from 1 to 10000000", "once or each".
std::string range_of(const Parameter& parameter);

// The value as it is kept ("0100" becomes "100"), or one sentence that says what would fit.
core::Result<std::string> accept_value(const Parameter& parameter, std::string_view text);

}  // namespace headway::lesson
