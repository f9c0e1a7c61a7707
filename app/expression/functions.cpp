// The functions of the language. What is about runs is elsewhere (app/check/run_functions.h).
#include <algorithm>
#include <cmath>

#include "app/expression/expression.h"

namespace headway::expression {

namespace {

using Arguments = std::span<const Value>;
using Outcome = core::Result<Value>;

constexpr double kTolerance = 1e-4;
constexpr std::size_t kLongestRange = 100'000;

core::Error needs(const char* what, const Value& got) {
    return sentence(std::string(what) + " is needed, not " + got.type_words());
}

core::Result<double> number_of(const Value& value) {
    if (value.number() == nullptr) {
        return needs("a number", value);
    }
    return *value.number();
}

core::Result<const List*> list_of(const Value& value) {
    if (value.list() == nullptr) {
        return needs("a list", value);
    }
    return value.list();
}

core::Result<std::string> text_of(const Value& value) {
    if (value.text() == nullptr) {
        return needs("a text", value);
    }
    return *value.text();
}

// The numbers of one list, or of all arguments.
core::Result<std::vector<double>> numbers_of(Arguments arguments) {
    std::vector<double> numbers;
    const bool one = arguments.size() == 1 && arguments[0].list() != nullptr;
    for (const Value& value : one ? Arguments(*arguments[0].list()) : arguments) {
        auto number = number_of(value);
        if (!number) {
            return number.error();
        }
        numbers.push_back(*number);
    }
    return numbers;
}

// Of a list of numbers that must not be empty.
template <class Of>
Outcome of_numbers(Arguments arguments, Of of) {
    auto numbers = numbers_of(arguments);
    if (!numbers) {
        return numbers.error();
    }
    if (numbers->empty()) {
        return sentence("the list is empty");
    }
    return Value(of(*numbers));
}

Outcome count(Arguments a) {
    if (a[0].text() != nullptr) {
        return Value(a[0].text()->size());
    }
    auto list = list_of(a[0]);
    return list ? Outcome(Value((*list)->size())) : list.error();
}

Outcome sum(Arguments a) {
    auto numbers = numbers_of(a);
    if (!numbers) {
        return numbers.error();
    }
    double sum = 0;
    for (const double number : *numbers) {
        sum += number;
    }
    return Value(sum);
}

Outcome mean(Arguments a) {
    return of_numbers(a, [](const std::vector<double>& all) {
        double sum = 0;
        for (const double number : all) {
            sum += number;
        }
        return sum / static_cast<double>(all.size());
    });
}
Outcome median(Arguments a) {
    return of_numbers(a, [](std::vector<double> all) {
        std::sort(all.begin(), all.end());
        const std::size_t half = all.size() / 2;
        return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
    });
}
Outcome least(Arguments a) {
    return of_numbers(a, [](const std::vector<double>& all) { return *std::min_element(all.begin(), all.end()); });
}
Outcome most(Arguments a) {
    return of_numbers(a, [](const std::vector<double>& all) { return *std::max_element(all.begin(), all.end()); });
}

// Whether all elements, or any element, are `wanted`.
Outcome truths(Arguments a, bool all) {
    auto list = list_of(a[0]);
    if (!list) {
        return list.error();
    }
    bool result = all;
    for (const Value& value : **list) {
        if (value.truth() == nullptr) {
            return needs("a list of yes or no", value);
        }
        result = all ? result && *value.truth() : result || *value.truth();
    }
    return Value(result);
}
Outcome all(Arguments a) {
    return truths(a, true);
}
Outcome any(Arguments a) {
    return truths(a, false);
}

Outcome at_end(Arguments a, bool last) {
    auto list = list_of(a[0]);
    if (!list) {
        return list.error();
    }
    if ((*list)->empty()) {
        return sentence("the list is empty");
    }
    return last ? (*list)->back() : (*list)->front();
}
Outcome first(Arguments a) {
    return at_end(a, false);
}
Outcome last(Arguments a) {
    return at_end(a, true);
}

// All numbers or all texts.
Outcome sorted(Arguments a) {
    auto list = list_of(a[0]);
    if (!list) {
        return list.error();
    }
    List copy = **list;
    for (const Value& value : copy) {
        if (auto comparable = order(copy.front(), value); !comparable) {
            return comparable.error();
        }
    }
    std::stable_sort(copy.begin(), copy.end(), [](const Value& x, const Value& y) { return *order(x, y) < 0; });
    return Value(std::move(copy));
}

// Without duplicates, in ascending order.
Outcome unique(Arguments a) {
    auto sorted_list = sorted(a);
    if (!sorted_list) {
        return sorted_list;
    }
    List kept;
    for (const Value& value : *sorted_list->list()) {
        if (kept.empty() || *order(kept.back(), value) != 0) {
            kept.push_back(value);
        }
    }
    return Value(std::move(kept));
}

Outcome reversed(Arguments a) {
    auto list = list_of(a[0]);
    return list ? Outcome(Value(List((*list)->rbegin(), (*list)->rend()))) : list.error();
}

// The elements [from, to) of a list.
Outcome slice(Arguments a) {
    auto list = list_of(a[0]);
    auto from = number_of(a[1]);
    auto to = a.size() > 2 ? number_of(a[2]) : core::Result<double>(1e9);
    if (!list || !from || !to) {
        return !list ? list.error() : !from ? from.error() : to.error();
    }
    const auto size = static_cast<double>((*list)->size());
    const auto place = [size](double index) {
        return static_cast<std::ptrdiff_t>(std::clamp(index < 0 ? size + index : index, 0.0, size));
    };
    const auto begin = place(std::floor(*from)), end = std::max(begin, place(std::floor(*to)));
    return Value(List((*list)->begin() + begin, (*list)->begin() + end));
}

// 0, 1, … below the number.
Outcome range(Arguments a) {
    auto number = number_of(a[0]);
    if (!number) {
        return number.error();
    }
    if (*number > static_cast<double>(kLongestRange)) {
        return sentence("at most " + std::to_string(kLongestRange) + " numbers");
    }
    List list;
    for (double i = 0; i < *number; ++i) {
        list.emplace_back(i);
    }
    return Value(std::move(list));
}

// Whether a list has an equal element, or a text has this part.
Outcome contains(Arguments a) {
    if (a[0].text() != nullptr) {
        auto part = text_of(a[1]);
        return part ? Outcome(Value(a[0].text()->find(*part) != std::string::npos)) : part.error();
    }
    auto list = list_of(a[0]);
    if (!list) {
        return list.error();
    }
    for (const Value& value : **list) {
        auto same = equal(value, a[1]);
        if (!same) {
            return same.error();
        }
        if (*same) {
            return Value(true);
        }
    }
    return Value(false);
}

Outcome starts_with(Arguments a) {
    auto text = text_of(a[0]);
    auto part = text_of(a[1]);
    return !text ? text.error() : !part ? part.error() : Outcome(Value(text->starts_with(*part)));
}

Outcome lower(Arguments a) {
    auto text = text_of(a[0]);
    if (!text) {
        return text.error();
    }
    for (char& c : *text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return Value(*text);
}

Outcome text(Arguments a) {
    return Value(a[0].words());
}

template <double (*kOf)(double)>
Outcome of_number(Arguments a) {
    auto number = number_of(a[0]);
    return number ? Outcome(Value(kOf(*number))) : number.error();
}

// The remainder; its sign is that of the divisor.
Outcome mod(Arguments a) {
    auto x = number_of(a[0]);
    auto y = number_of(a[1]);
    if (!x || !y) {
        return !x ? x.error() : y.error();
    }
    if (*y == 0) {
        return sentence("a division by zero");
    }
    return Value(*x - *y * std::floor(*x / *y));
}

// `left`: comparisons that may still be made.
core::Result<bool> close(const Value& a, const Value& b, double tolerance, int depth, std::size_t& left) {
    constexpr int kDeepest = 16;
    if (left-- == 0) {
        return sentence("the lists are too long");
    }
    if (a.record() != nullptr && b.record() != nullptr && depth < kDeepest) {
        const auto x = a.record()->content(), y = b.record()->content();
        if (x && y) {
            return close(*x, *y, tolerance, depth + 1, left);
        }
    }
    if (a.number() != nullptr && b.number() != nullptr) {
        const double x = *a.number(), y = *b.number();
        return std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)});
    }
    if (a.list() != nullptr && b.list() != nullptr && depth < kDeepest) {
        if (a.list()->size() != b.list()->size()) {
            return false;
        }
        for (std::size_t i = 0; i < a.list()->size(); ++i) {
            auto same = close((*a.list())[i], (*b.list())[i], tolerance, depth + 1, left);
            if (!same || !*same) {
                return same;
            }
        }
        return true;
    }
    // Of different types, then: not the same value, and no error, since a learner may have assigned anything.
    const auto same = equal(a, b);
    return same.has_value() && *same;
}

// Equal but for rounding; values of different types are not.
Outcome same(Arguments a) {
    auto tolerance = a.size() > 2 ? number_of(a[2]) : core::Result<double>(kTolerance);
    if (!tolerance) {
        return tolerance.error();
    }
    std::size_t left = kMostComparisons;
    auto result = close(a[0], a[1], *tolerance, 0, left);
    return result ? Outcome(Value(*result)) : result.error();
}

// "1 op", "12 ops"; the plural may be given.
Outcome plural(Arguments a) {
    auto number = number_of(a[0]);
    auto noun = text_of(a[1]);
    if (!number || !noun) {
        return !number ? number.error() : noun.error();
    }
    auto many = a.size() > 2 ? text_of(a[2]) : core::Result<std::string>(*noun + "s");
    return many ? Outcome(Value(number_text(*number) + " " + (*number == 1 ? *noun : *many))) : many.error();
}

double absolute(double x) {
    return std::abs(x);
}
double down(double x) {
    return std::floor(x);
}
double up(double x) {
    return std::ceil(x);
}
double nearest(double x) {
    return std::round(x);
}
double root(double x) {
    return std::sqrt(x);
}

constexpr std::size_t kAny = 100;
constexpr Function kBasic[] = {
    {"abs", 1, 1, of_number<absolute>},
    {"all", 1, 1, all},
    {"any", 1, 1, any},
    {"ceil", 1, 1, of_number<up>},
    {"contains", 2, 2, contains},
    {"count", 1, 1, count},
    {"first", 1, 1, first},
    {"floor", 1, 1, of_number<down>},
    {"last", 1, 1, last},
    {"lower", 1, 1, lower},
    {"max", 1, kAny, most},
    {"mean", 1, kAny, mean},
    {"median", 1, kAny, median},
    {"min", 1, kAny, least},
    {"mod", 2, 2, mod},
    {"plural", 2, 3, plural},
    {"range", 1, 1, range},
    {"reversed", 1, 1, reversed},
    {"round", 1, 1, of_number<nearest>},
    {"same", 2, 3, same},
    {"slice", 2, 3, slice},
    {"sorted", 1, 1, sorted},
    {"sqrt", 1, 1, of_number<root>},
    {"starts_with", 2, 2, starts_with},
    {"sum", 1, kAny, sum},
    {"text", 1, 1, text},
    {"unique", 1, 1, unique},
};

}  // namespace

std::span<const Function> basic_functions() {
    return kBasic;
}

}  // namespace headway::expression
