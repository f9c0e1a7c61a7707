#include "app/questions/judge.h"

#include <cmath>

namespace headway::questions {
namespace {

constexpr const char* kNoAnswer = "This run does not answer the question";

RunAnswer no_answer(const std::string& why) {
    return {std::string(kNoAnswer) + (why.empty() ? "." : ": " + why + "."), std::nullopt, "", {}};
}

std::string without_full_stop(std::string text) {
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

}  // namespace

RunAnswer answer_of(const Question& question, const expression::Record& facts) {
    RunAnswer answer;
    if (question.needs) {
        const auto needed = question.needs->truth(facts);
        if (!needed || !*needed) {
            return no_answer(needed ? "" : without_full_stop(needed.error().message));
        }
    }
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
        const auto right = question.choices[i].right.truth(facts);
        if (!right) {
            return no_answer(without_full_stop(right.error().message));
        }
        if (*right && answer.right) {
            return no_answer("more than one choice is right for it");
        }
        if (*right) {
            answer.right = static_cast<double>(i);
        }
        const auto why = question.choices[i].why.evaluate(facts);
        answer.whys.push_back(why ? *why : "");
    }
    if (question.number) {
        const auto value = question.number->value.evaluate(facts);
        if (!value) {
            return no_answer(without_full_stop(value.error().message));
        }
        if (value->number() == nullptr || !std::isfinite(*value->number())) {
            return no_answer("it has no such number");
        }
        answer.right = *value->number();
    }
    if (!answer.right) {
        return no_answer("none of the choices is right for it");
    }
    const auto sentence = question.answer.evaluate(facts);
    if (!sentence) {
        return no_answer(without_full_stop(sentence.error().message));
    }
    answer.sentence = *sentence;
    return answer;
}

bool is_right(const Question& question, const RunAnswer& answer, double guess) {
    return question.number ? std::abs(guess - *answer.right) <= question.number->within : guess == *answer.right;
}

}  // namespace headway::questions
