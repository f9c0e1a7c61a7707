// A parameter of a program that the learner may set: a number within limits, or one of several words.
//
// Values are text, as in `--set NAME=VALUE` and in the window's fields; accept_value() validates all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::lesson {

struct Parameter {
    std::string name, label, help;
    std::string value;                 // default
    double least = 0, most = 0;        // for numbers
    bool whole = true;                 // for numbers: no fractions
    std::vector<std::string> choices;  // if not empty: one of these words; the limits are ignored
};

// A number for display: "10000", "0.05".
std::string text_of(double value);

// The parameter's range in words: "from 1 to 10000000", "once or each".
std::string range_of(const Parameter& parameter);

// The normalised value ("0100" becomes "100"), or an error of one sentence with the valid values.
core::Result<std::string> accept_value(const Parameter& parameter, std::string_view text);

}  // namespace headway::lesson
