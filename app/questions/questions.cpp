#include "app/questions/questions.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "app/check/run_facts.h"
#include "app/check/run_functions.h"
#include "app/lesson/yaml.h"

namespace headway::questions {
namespace {

using expression::Expression;
using expression::Sentence;

constexpr std::size_t kMostBytes = 200'000, kMostQuestions = 10, kMostChoices = 6, kFewestEvents = 3, kMostEvents = 6,
                      kMostLanes = 4;
constexpr double kMostWithin = 50;
constexpr const char* kKinds = "choices, number, order or drawn";

// An order of `count` things that only depends on the seed's text, and is not 0, 1, 2, …
std::vector<std::size_t> shuffled(std::size_t count, const std::string& seed) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::uint64_t state = 0xcbf29ce484222325;  // FNV-1a, then a linear congruential generator
    for (const char c : seed) {
        state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    for (std::size_t i = count - 1; i > 0; --i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::swap(order[i], order[(state >> 33U) % (i + 1)]);
    }
    if (std::is_sorted(order.begin(), order.end())) {
        std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    return order;
}

class Parser {
public:
    std::vector<Question> list(const YAML::Node& all) {
        if (!all.IsSequence() || all.size() == 0) {
            lesson::refuse("the file must be a list of questions, each of which begins with \"- ask: \"", all);
        }
        if (all.size() > kMostQuestions) {
            lesson::refuse("a lesson has at most " + std::to_string(kMostQuestions) + " questions", all);
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
            lesson::refuse("a question must be a map with ask, answer, and " + std::string(kKinds), node);
        }
        lesson::allow_only(node, {"answer", "ask", "choices", "drawn", "needs", "number", "order", "why"},
                           "a question");
        Question question;
        question.ask = lesson::required_text(node, "ask", "the question");
        question.answer = sentence(lesson::required_text(node, "answer", "the question"), node["answer"]);
        if (node["needs"]) {
            question.needs = expression(lesson::text_of(node["needs"], "needs"), node["needs"]);
        }
        const int kinds =
            (node["choices"] ? 1 : 0) + (node["number"] ? 1 : 0) + (node["order"] ? 1 : 0) + (node["drawn"] ? 1 : 0);
        if (kinds != 1) {
            lesson::refuse("a question has one of " + std::string(kKinds), node);
        }
        if (node["choices"]) {
            question.kind = choices(node["choices"]);
        } else if (node["number"]) {
            question.kind = number(node["number"]);
        } else if (node["order"]) {
            question.kind = order(node["order"], question.ask);
        } else {
            question.kind = drawn(node["drawn"]);
        }
        if (node["why"]) {
            if (!node["order"] && !node["drawn"]) {
                lesson::refuse("why belongs to an order or a drawn question, or to a choice", node["why"]);
            }
            question.why = sentence(lesson::text_of(node["why"], "why"), node["why"]);
        }
        return question;
    }

    Choices choices(const YAML::Node& node) {
        if (!node.IsSequence() || node.size() < 2 || node.size() > kMostChoices) {
            lesson::refuse("a question has 2 to " + std::to_string(kMostChoices) + " choices", node);
        }
        Choices choices;
        for (const auto& choice : node) {
            if (!choice.IsMap()) {
                lesson::refuse("a choice must be a map with text and right", choice);
            }
            lesson::allow_only(choice, {"right", "text", "why"}, "a choice");
            choices.push_back(
                {lesson::required_text(choice, "text", "the choice"), needed(choice, "right", "the choice"),
                 choice["why"] ? sentence(lesson::text_of(choice["why"], "why"), choice["why"]) : Sentence()});
        }
        return choices;
    }

    Number number(const YAML::Node& node) {
        if (!node.IsMap()) {
            lesson::refuse("number must be a map with value, least, most and within", node);
        }
        lesson::allow_only(node, {"least", "most", "unit", "value", "within"}, "a number");
        for (const char* needed : {"least", "most", "within"}) {
            if (!node[needed]) {
                lesson::refuse(std::string("the number has no ") + needed, node);
            }
        }
        Number number{needed(node, "value", "the number"), lesson::number(node["least"], "least"),
                      lesson::number(node["most"], "most"), lesson::text_of(node, "unit", ""),
                      lesson::number(node["within"], "within")};
        if (number.least >= number.most || number.within < 0) {
            lesson::refuse("the number needs a least below its most, and within of at least 0", node);
        }
        return number;
    }

    Order order(const YAML::Node& node, const std::string& ask) {
        if (!node.IsSequence() || node.size() < kFewestEvents || node.size() > kMostEvents) {
            lesson::refuse("an order has " + std::to_string(kFewestEvents) + " to " + std::to_string(kMostEvents) +
                               " events, each with text and at",
                           node);
        }
        Order order;
        std::set<std::string> texts;
        for (const auto& event : node) {
            if (!event.IsMap()) {
                lesson::refuse("an event must be a map with text and at", event);
            }
            lesson::allow_only(event, {"at", "text"}, "an event");
            order.events.push_back(
                {lesson::required_text(event, "text", "the event"), needed(event, "at", "the event")});
            if (!texts.insert(order.events.back().text).second) {
                lesson::refuse("two events have the same text", event);
            }
        }
        order.shown = shuffled(order.events.size(), ask);
        return order;
    }

    Drawn drawn(const YAML::Node& node) {
        if (!node.IsMap()) {
            lesson::refuse("drawn must be a map with row, from and within", node);
        }
        lesson::allow_only(node, {"axis", "draws", "from", "lanes", "row", "to", "within"}, "a drawn question");
        Drawn drawn{.from = needed(node, "from", "the drawn question")};
        if (node["to"]) {
            drawn.to = expression(lesson::text_of(node["to"], "to"), node["to"]);
        }
        drawn.lanes =
            node["lanes"] ? lesson::list_of_texts(node["lanes"], "lanes") : std::vector<std::string>{"Backend"};
        if (drawn.lanes.empty() || drawn.lanes.size() > kMostLanes) {
            lesson::refuse("a drawn question has 1 to " + std::to_string(kMostLanes) + " lanes", node["lanes"]);
        }
        const std::string row = lesson::required_text(node, "row", "the drawn question");
        const auto lane = std::find(drawn.lanes.begin(), drawn.lanes.end(), row);
        if (row != "frontend" && lane == drawn.lanes.end()) {
            lesson::refuse("row must be frontend or one of the lanes", node["row"]);
        }
        drawn.row = row == "frontend" ? 0 : static_cast<std::size_t>(lane - drawn.lanes.begin()) + 1;
        set_look(drawn, node);
        if (node["axis"]) {
            set_axis(drawn, node["axis"]);
        }
        if (!node["within"]) {
            lesson::refuse("the drawn question has no within", node);
        }
        drawn.within = lesson::number(node["within"], "within");
        if (drawn.within <= 0 || drawn.within > kMostWithin) {
            lesson::refuse("within is in percent of the axis, above 0 and at most 50", node["within"]);
        }
        return drawn;
    }

    static void set_look(Drawn& drawn, const YAML::Node& node) {
        if (drawn.row == 0) {
            const std::string what = lesson::text_of(node, "draws", "wait");
            if (what != "wait" && what != "issue" && what != "work") {
                lesson::refuse("the frontend's row draws wait, issue or work", node["draws"]);
            }
            drawn.what = what == "wait" ? Drawn::What::wait : what == "issue" ? Drawn::What::issue : Drawn::What::work;
            return;
        }
        drawn.what = Drawn::What::op;
        const std::string what = lesson::text_of(node, "draws", "other");
        std::string known;
        for (int i = 0; i <= static_cast<int>(devices::Family::other); ++i) {
            const auto family = static_cast<devices::Family>(i);
            if (what == devices::name_of(family)) {
                drawn.family = family;
                return;
            }
            known += (known.empty() ? "" : ", ") + std::string(devices::name_of(family));
        }
        lesson::refuse("a lane's row draws a family of ops: " + known, node["draws"]);
    }

    void set_axis(Drawn& drawn, const YAML::Node& node) {
        lesson::allow_only(node, {"begin", "end", "left", "right"}, "an axis");
        if (node["begin"].IsDefined() != node["left"].IsDefined() ||
            node["end"].IsDefined() != node["right"].IsDefined()) {
            lesson::refuse("the axis has a name for each end that it sets: left for its start, right for its end",
                           node);
        }
        if (node["begin"]) {
            drawn.axis_begin = needed(node, "begin", "the axis");
            drawn.left = lesson::required_text(node, "left", "the axis");
        }
        if (node["end"]) {
            drawn.axis_end = needed(node, "end", "the axis");
            drawn.right = lesson::required_text(node, "right", "the axis");
        }
    }

    // The expression of this key.
    Expression needed(const YAML::Node& map, const char* key, const std::string& what) {
        return expression(lesson::required_text(map, key, what), map[key]);
    }
    Expression expression(const std::string& text, const YAML::Node& at) { return known<Expression>(text, at); }
    Sentence sentence(const std::string& text, const YAML::Node& at) { return known<Sentence>(text, at); }
    template <class Parsed>
    Parsed known(const std::string& text, const YAML::Node& at) {
        auto parsed = check::parse_known<Parsed>(text, names_);
        if (!parsed) {
            lesson::refuse(parsed.error().message, at);
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
    } catch (const lesson::YamlError& problem) {
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
