// The syntax tree of an expression.
//
// Threads: any: a tree does not change after it is parsed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/expression/expression.h"

namespace headway::expression {

enum class NodeKind : std::uint8_t {
    literal,
    name,           // a fact, or the variable of a list
    field,          // a.name
    element,        // a[b]
    call,           // name(a, b)
    choice,         // if(a, b, c): evaluates b or c
    list,           // [a, b]
    comprehension,  // name in a where b -> c; b and c may be null
    negate,
    not_,
    and_,
    or_,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    add,
    subtract,
    multiply,
    divide
};

struct Node {
    NodeKind kind = NodeKind::literal;
    std::uint32_t at = 0;  // offset in the text
    std::string name{};
    Value value = 0.0;
    const Function* function = nullptr;
    std::vector<std::shared_ptr<const Node>> parts{};
};

// An error of the expression `text` at an offset.
core::Error error_at(std::string_view text, std::size_t offset, const std::string& message);

}  // namespace headway::expression
