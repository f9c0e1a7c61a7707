#include "app/questions/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "engine/core/count_text.h"

namespace headway::questions {
namespace {

using expression::Expression;
using expression::Record;

constexpr const char* kNoAnswer = "This run does not answer the question";
// How far a moment may be off the axis, in percent of its length: what rounding does.
constexpr double kOffAxis = 0.5;

// Why a run does not answer; empty: without a reason.
struct NoAnswer {
    std::string why;
};

std::string without_full_stop(std::string text) {
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

template <class Value>
Value known(core::Result<Value> value) {
    if (!value) {
        throw NoAnswer{without_full_stop(expression::without_column(value.error().message))};
    }
    return std::move(*value);
}

double number_of(const Expression& expression, const Record& facts) {
    const auto value = known(expression.evaluate(facts));
    if (value.number() == nullptr || !std::isfinite(*value.number())) {
        throw NoAnswer{"it has no such number"};
    }
    return *value.number();
}

// Finds what is right, by kind of question.
struct Finder {
    const Question& question;
    const Record& facts;
    const TimeAxis& axis;
    RunAnswer& answer;

    void operator()(const Choices& choices) const {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const bool right = known(choices[i].right.truth(facts));
            if (right && answer.right) {
                throw NoAnswer{"more than one choice is right for it"};
            }
            if (right) {
                answer.right = ChoiceGuess{i};
            }
            const auto why = choices[i].why.evaluate(facts);
            answer.whys.push_back(why ? *why : "");
        }
        if (!answer.right) {
            throw NoAnswer{"none of the choices is right for it"};
        }
    }

    void operator()(const Number& number) const { answer.right = NumberGuess{number_of(number.value, facts)}; }

    void operator()(const Order& order) const {
        for (const Event& event : order.events) {
            answer.at_ns.push_back(axis.ns(number_of(event.at, facts)));
        }
        OrderGuess right{std::vector<std::size_t>(order.events.size())};
        std::iota(right.events.begin(), right.events.end(), 0U);
        std::stable_sort(right.events.begin(), right.events.end(),
                         [this](std::size_t a, std::size_t b) { return answer.at_ns[a] < answer.at_ns[b]; });
        answer.right = std::move(right);
        take_why();
    }

    void operator()(const Drawn& drawn) const {
        const double begin = drawn.axis_begin ? axis.ns(number_of(*drawn.axis_begin, facts)) : 0;
        const double end = drawn.axis_end ? axis.ns(number_of(*drawn.axis_end, facts)) : axis.end_ns;
        if (end <= begin) {
            throw NoAnswer{"its axis has no length"};
        }
        answer.axis_ns = end - begin;
        const auto percent = [&](const Expression& moment) {
            const double share = 100 * (axis.ns(number_of(moment, facts)) - begin) / (end - begin);
            if (share < -kOffAxis || share > 100 + kOffAxis) {
                throw NoAnswer{"what is to be drawn lies outside of the axis"};
            }
            return std::clamp(share, 0.0, 100.0);
        };
        DrawnGuess right;
        right.from = percent(drawn.from);
        right.to = drawn.to ? percent(*drawn.to) : right.from;
        if (right.to < right.from) {
            throw NoAnswer{"what is to be drawn ends before it begins"};
        }
        answer.right = right;
        take_why();
    }

private:
    void take_why() const {
        const auto why = question.why.evaluate(facts);
        answer.whys.push_back(why ? *why : "");
    }
};

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Whether what is right, or the answer, depends on ops one by one.
bool is_about_ops(const Question& question) {
    const auto uses = [](const auto& text) {
        constexpr std::array kFacts{"ops", "minibatches", "headway_max", "report"};
        return std::any_of(kFacts.begin(), kFacts.end(), [&](const char* fact) { return text.uses(fact); });
    };
    const bool right = std::visit(
        Overloaded{[&](const Choices& choices) {
                       return std::any_of(choices.begin(), choices.end(),
                                          [&](const Choice& c) { return uses(c.right); });
                   },
                   [&](const Number& number) { return uses(number.value); },
                   [&](const Order& order) {
                       return std::any_of(order.events.begin(), order.events.end(),
                                          [&](const Event& event) { return uses(event.at); });
                   },
                   [&](const Drawn& drawn) {
                       const auto in = [&](const std::optional<Expression>& moment) { return moment && uses(*moment); };
                       return uses(drawn.from) || in(drawn.to) || in(drawn.axis_begin) || in(drawn.axis_end);
                   }},
        question.kind);
    return right || uses(question.answer) || (question.needs && uses(*question.needs));
}

}  // namespace

TimeAxis time_axis_of(const model::Run& run) {
    const model::ProgramTime& time = run.program_time();
    return {[&time](double moment_ns) { return time.program_ns(std::llround(moment_ns)); },
            time.program_ns(run.measured().end_ns)};
}

RunAnswer answer_of(const Question& question, const Record& facts, const TimeAxis& axis) {
    static const Expression graphs = std::move(*Expression::parse("report.settings.issue == 'graph'"));
    RunAnswer answer;
    try {
        if (const auto issued = graphs.truth(facts); issued && *issued && is_about_ops(question)) {
            throw NoAnswer{"several ops were issued as one graph, and the question is about single ops"};
        }
        if (question.needs && !known(question.needs->truth(facts))) {
            throw NoAnswer{};
        }
        std::visit(Finder{question, facts, axis, answer}, question.kind);
        answer.sentence = known(question.answer.evaluate(facts));
    } catch (const NoAnswer& no) {
        answer = {};
        answer.problem = std::string(kNoAnswer) + (no.why.empty() ? "." : ": " + no.why + ".");
    }
    return answer;
}

bool is_right(const Question& question, const RunAnswer& answer, const Guess& guess) {
    if (!answer.right || answer.right->index() != guess.index()) {
        return false;
    }
    return std::visit(
        Overloaded{[&](const ChoiceGuess& choice) { return choice == std::get<ChoiceGuess>(*answer.right); },
                   [&](const NumberGuess& number) {
                       return std::abs(number.value - std::get<NumberGuess>(*answer.right).value) <=
                              std::get<Number>(question.kind).within;
                   },
                   [&](const OrderGuess& order) {
                       const auto placed = in_place(answer, order);
                       return std::all_of(placed.begin(), placed.end(), [](bool in) { return in; });
                   },
                   [&](const DrawnGuess& drawn) {
                       const auto& right = std::get<DrawnGuess>(*answer.right);
                       const double within = std::get<Drawn>(question.kind).within;
                       return std::abs(drawn.from - right.from) <= within && std::abs(drawn.to - right.to) <= within;
                   }},
        guess);
}

std::vector<bool> in_place(const RunAnswer& answer, const OrderGuess& guess) {
    const auto& right = std::get<OrderGuess>(*answer.right);
    std::vector<bool> placed;
    for (std::size_t i = 0; i < guess.events.size(); ++i) {
        placed.push_back(answer.at_ns[guess.events[i]] == answer.at_ns[right.events[i]]);
    }
    return placed;
}

std::string why_not(const RunAnswer& answer, const Guess& guess) {
    const auto* choice = std::get_if<ChoiceGuess>(&guess);
    const std::size_t index = choice != nullptr ? choice->choice : 0;
    return index < answer.whys.size() ? answer.whys[index] : "";
}

namespace {

// "10,000"; of numbers that are not whole four digits, more than anybody reads: "96.14", "12,346".
std::string shown(double number) {
    constexpr double kCounts = 1e15, kFourDigits = 9999.5;
    const double size = std::abs(number);
    if (size < kCounts && (size >= kFourDigits || size == std::floor(size))) {
        return (number < 0 ? "-" : "") + core::count_text(static_cast<std::uint64_t>(std::llround(size)));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
}

}  // namespace

std::string words_of(const Question& question, const Guess& guess) {
    const auto percent = [](double value) { return expression::number_text(std::round(value * 10) / 10) + " %"; };
    return std::visit(
        Overloaded{[&](const ChoiceGuess& choice) { return std::get<Choices>(question.kind)[choice.choice].text; },
                   [&](const NumberGuess& number) {
                       const std::string& unit = std::get<Number>(question.kind).unit;
                       return shown(number.value) + (unit.empty() ? "" : " " + unit);
                   },
                   [&](const OrderGuess& order) {
                       std::string words;
                       for (const std::size_t event : order.events) {
                           words += (words.empty() ? "" : " → ") + std::get<Order>(question.kind).events[event].text;
                       }
                       return words;
                   },
                   [&](const DrawnGuess& drawn) {
                       return std::get<Drawn>(question.kind).to
                                  ? "from " + percent(drawn.from) + " to " + percent(drawn.to)
                                  : "at " + percent(drawn.from);
                   }},
        guess);
}

}  // namespace headway::questions
