// Questions of a lesson: any input gives questions or a one-sentence error with a line of the file. Each question can
// be judged: on the facts of a run that never began it has an answer, which is right, or one sentence why it has none.
#include <cstdint>
#include <memory>
#include <string>

#include "app/check/run_facts.h"
#include "app/questions/judge.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway::questions;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto questions = parse_questions(text, "questions.yaml");
    if (!questions) {
        const auto& error = questions.error();
        require(!error.message.empty() && error.file == "questions.yaml" && error.line != 0);
        return 0;
    }
    const auto facts = headway::check::make_run_facts(std::make_shared<headway::check::RunData>());
    for (const Question& question : *questions) {
        const RunAnswer answer = answer_of(question, *facts, {[](double ns) { return ns; }, 100});
        require(answer.right.has_value() == answer.problem.empty());
        if (answer.right) {
            require(is_right(question, answer, *answer.right));
            require(!words_of(question, *answer.right).empty());
        }
        if (const auto* order = std::get_if<Order>(&question.kind); order != nullptr && answer.right) {
            require(order->shown.size() == order->events.size());
            require(in_place(answer, OrderGuess{order->shown}).size() == order->events.size());
        }
    }
    return 0;
}
