#include "app/questions/questions.h"

#include <fstream>
#include <sstream>

#include "app/check/run_facts.h"
#include "app/check/run_functions.h"
#include "app/check/yaml.h"

namespace headway::questions {
namespace {

using expression::Expression;
using expression::Sentence;

constexpr std::size_t kMostBytes = 200'000, kMostQuestions = 10, kMostChoices = 6;

class Parser {
public:
    std::vector<Question> list(const YAML::Node& all) {
        if (!all.IsSequence() || all.size() == 0) {
            check::refuse("the file must be a list of questions, each of which begins with \"- ask: \"", all);
        }
        if (all.size() > kMostQuestions) {
            check::refuse("a lesson has at most " + std::to_string(kMostQuestions) + " questions", all);
        }
        std::vector<Question> questions;
        for (const auto& node : all) {
            questions.push_back(question(node));
        }
        return questions;
    }

private:
    Question question(const YAML::Node& node) {
        if (!node.IsMap()) {
            check::refuse("a question must be a map with ask, answer, and choices or number", node);
        }
        check::allow_only(node, {"answer", "ask", "choices", "needs", "number"}, "a question");
        Question question;
        question.ask = check::needed_words(node, "ask", "the question");
        question.answer = sentence(check::needed_words(node, "answer", "the question"), node["answer"]);
        if (node["needs"]) {
            question.needs = expression(check::words(node["needs"], "needs"), node["needs"]);
        }
        if (node["choices"].IsDefined() == node["number"].IsDefined()) {
            check::refuse("a question has either choices or a number", node);
        }
        if (node["number"]) {
            question.number = number(node["number"]);
            return question;
        }
        const YAML::Node choices = node["choices"];
        if (!choices.IsSequence() || choices.size() < 2 || choices.size() > kMostChoices) {
            check::refuse("a question has 2 to " + std::to_string(kMostChoices) + " choices", choices);
        }
        for (const auto& choice : choices) {
            if (!choice.IsMap()) {
                check::refuse("a choice must be a map with text and right", choice);
            }
            check::allow_only(choice, {"right", "text", "why"}, "a choice");
            question.choices.push_back(
                {check::needed_words(choice, "text", "the choice"),
                 expression(check::needed_words(choice, "right", "the choice"), choice["right"]),
                 choice["why"] ? sentence(check::words(choice["why"], "why"), choice["why"]) : Sentence()});
        }
        return question;
    }

    Number number(const YAML::Node& node) {
        if (!node.IsMap()) {
            check::refuse("number must be a map with value, least, most and within", node);
        }
        check::allow_only(node, {"least", "most", "unit", "value", "within"}, "a number");
        for (const char* needed : {"least", "most", "within"}) {
            if (!node[needed]) {
                check::refuse(std::string("the number has no ") + needed, node);
            }
        }
        Number number{expression(check::needed_words(node, "value", "the number"), node["value"]),
                      check::number(node["least"], "least"), check::number(node["most"], "most"),
                      check::words(node, "unit", ""), check::number(node["within"], "within")};
        if (number.least >= number.most || number.within < 0) {
            check::refuse("the number needs a least below its most, and within of at least 0", node);
        }
        return number;
    }

    Expression expression(const std::string& text, const YAML::Node& at) {
        return known(Expression::parse(text, check::run_functions()), at);
    }
    Sentence sentence(const std::string& text, const YAML::Node& at) {
        return known(Sentence::parse(text, check::run_functions()), at);
    }
    template <class Parsed>
    Parsed known(core::Result<Parsed> parsed, const YAML::Node& at) {
        if (!parsed) {
            check::refuse(parsed.error().message, at);
        }
        if (const auto names = parsed->check_names(names_); !names) {
            check::refuse(names.error().message, at);
        }
        return std::move(*parsed);
    }

    std::vector<std::string> names_ = check::run_fact_names();
};

}  // namespace

core::Result<std::vector<Question>> parse_questions(const std::string& content, const std::string& file) {
    const auto fail = [&](const std::string& message, std::uint32_t line) {
        return core::Error{core::ErrorKind::unreadable, message, file, line + 1, 0};
    };
    try {
        return Parser().list(YAML::Load(content));
    } catch (const check::YamlError& problem) {
        return fail(problem.message, problem.line);
    } catch (const YAML::Exception& problem) {
        return fail("the questions cannot be read: " + problem.msg,
                    static_cast<std::uint32_t>(std::max(problem.mark.line, 0)));
    }
}

core::Result<std::vector<Question>> load_questions(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kFileName;
    std::error_code problem;
    if (!std::filesystem::exists(file, problem)) {
        return std::vector<Question>();
    }
    const auto bytes = std::filesystem::file_size(file, problem);
    std::ifstream stream(file, std::ios::binary);
    if (problem || !stream) {
        return core::Error{core::ErrorKind::unreadable, "the questions cannot be opened", file.string(), 0, 0};
    }
    if (bytes > kMostBytes) {
        return core::Error{core::ErrorKind::unreadable, "the questions are larger than 200 kB", file.string(), 0, 0};
    }
    std::ostringstream content;
    content << stream.rdbuf();
    return parse_questions(content.str(), file.string());
}

}  // namespace headway::questions
