#include "app/expression/value.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace headway::expression {

namespace {

constexpr std::size_t kShownElements = 8;
constexpr double kExactIntegers = 1e15;
constexpr int kDeepestList = 32;

// `left`: comparisons that may still be made.
core::Result<bool> equal_at(const Value& a, const Value& b, int depth, std::size_t& left) {
    if (left-- == 0) {
        return sentence("the lists are too long");
    }
    if (a.number() != nullptr && b.number() != nullptr) {
        return *a.number() == *b.number();
    }
    if (a.truth() != nullptr && b.truth() != nullptr) {
        return *a.truth() == *b.truth();
    }
    if (a.text() != nullptr && b.text() != nullptr) {
        return *a.text() == *b.text();
    }
    if (a.record() != nullptr && b.record() != nullptr) {
        return a.record()->equals(*b.record());
    }
    if (a.list() != nullptr && b.list() != nullptr) {
        if (a.list()->size() != b.list()->size()) {
            return false;
        }
        if (depth == kDeepestList) {
            return sentence("the lists are nested too deeply");
        }
        for (std::size_t i = 0; i < a.list()->size(); ++i) {
            auto same = equal_at((*a.list())[i], (*b.list())[i], depth + 1, left);
            if (!same || !*same) {
                return same;
            }
        }
        return true;
    }
    return sentence(a.type_words() + " cannot be compared with " + b.type_words());
}

}  // namespace

std::string with_article(const std::string& noun) {
    const bool vowel = !noun.empty() && std::string_view("aeio").find(noun[0]) != std::string_view::npos;
    return (vowel ? "an " : "a ") + noun;
}

std::string number_text(double number) {
    std::array<char, 40> text;
    const bool whole = std::abs(number) < kExactIntegers && number == std::floor(number);
    std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.6g", number == 0 ? 0.0 : number);
    return text.data();
}

std::string Value::type_words() const {
    if (number() != nullptr) {
        return "a number";
    }
    if (truth() != nullptr) {
        return "a yes or no";
    }
    if (text() != nullptr) {
        return "a text";
    }
    return list() != nullptr ? "a list" : with_article(record()->kind());
}

std::string Value::words() const {
    if (number() != nullptr) {
        return number_text(*number());
    }
    if (truth() != nullptr) {
        return *truth() ? "yes" : "no";
    }
    if (text() != nullptr) {
        return *text();
    }
    if (record() != nullptr) {
        return record()->text();
    }
    const List& all = *list();
    if (all.empty()) {
        return "none";
    }
    std::string words;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == kShownElements && all.size() > kShownElements + 1) {
            return words + " and " + std::to_string(all.size() - i) + " more";
        }
        words += i == 0 ? "" : i + 1 == all.size() ? " and " : ", ";
        words += all[i].list() != nullptr ? "(a list)" : all[i].words();
    }
    return words;
}

core::Result<bool> equal(const Value& a, const Value& b) {
    std::size_t left = kMostComparisons;
    return equal_at(a, b, 0, left);
}

core::Result<int> order(const Value& a, const Value& b) {
    if (a.number() != nullptr && b.number() != nullptr) {
        return *a.number() < *b.number() ? -1 : *a.number() > *b.number() ? 1 : 0;
    }
    if (a.text() != nullptr && b.text() != nullptr) {
        return *a.text() < *b.text() ? -1 : *a.text() > *b.text() ? 1 : 0;
    }
    return sentence("only two numbers or two texts have an order, not " + a.type_words() + " and " + b.type_words());
}

}  // namespace headway::expression
