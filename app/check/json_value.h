// JSON as a value of expressions: objects become records; using a null is an error that says that it is not known.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "app/expression/value.h"
#include "app/json/json.h"

namespace headway::check {

// `kind`: what the whole is called in messages, such as "report". The document need not outlive the value.
core::Result<expression::Value> value_of(const json::Value& json, const std::string& kind);

// The values that a graded program computed, as app/runner/python/graded.cpp records them: a record with the wanted
// names. Numbers, texts, booleans and lists of them as such; a tensor is a record with shape, values, sum and op, which
// `same` compares by its values. Empty text: the program ended before it reported values.
expression::Value result_values(std::string_view recorded);

}  // namespace headway::check
