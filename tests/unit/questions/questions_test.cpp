#include "app/questions/questions.h"

#include <gtest/gtest.h>

#include <map>

#include "app/questions/judge.h"

namespace headway::questions {
namespace {

// Facts by name.
class Facts final : public expression::Record {
public:
    explicit Facts(std::map<std::string, double> facts) : facts_(std::move(facts)) {}
    [[nodiscard]] std::optional<core::Result<expression::Value>> field(std::string_view name) const override {
        const auto found = facts_.find(std::string(name));
        if (found == facts_.end()) {
            return core::Result<expression::Value>(expression::sentence("the run has no such fact"));
        }
        return core::Result<expression::Value>(expression::Value(found->second));
    }
    [[nodiscard]] std::vector<std::string> names() const override { return {"total_ns", "headway_max"}; }
    [[nodiscard]] std::string kind() const override { return "run"; }

private:
    std::map<std::string, double> facts_;
};

constexpr const char* kChoice = R"(
- ask: How far ahead?
  choices:
    - text: Not at all
      right: headway_max <= 1
      why: That needs a barrier.
    - text: Far
      right: headway_max > 1
  answer: It was {headway_max} ahead.
)";

Question only(const std::string& yaml) {
    auto parsed = parse_questions(yaml, "q.yaml");
    EXPECT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->size(), 1u);
    return parsed->front();
}

TEST(Questions, TheRunSaysWhichChoiceIsRight) {
    const Question question = only(kChoice);
    for (const double headway : {1.0, 7.0}) {
        const RunAnswer answer = answer_of(question, Facts({{"headway_max", headway}}));
        ASSERT_EQ(answer.problem, "");
        EXPECT_EQ(*answer.right, headway > 1 ? 1 : 0);
        EXPECT_EQ(answer.sentence, headway > 1 ? "It was 7 ahead." : "It was 1 ahead.");
        EXPECT_EQ(answer.whys, (std::vector<std::string>{"That needs a barrier.", ""}));
        EXPECT_EQ(is_right(question, answer, 0), headway <= 1);
        EXPECT_EQ(is_right(question, answer, 1), headway > 1);
    }
}

TEST(Questions, ANumberMayBeOffByWhatIsAllowed) {
    const Question question = only(R"(
- ask: How long?
  number: {value: total_ns / 1000, least: 0, most: 100, unit: "µs", within: 5}
  answer: It took {total_ns} ns.
)");
    const RunAnswer answer = answer_of(question, Facts({{"total_ns", 20'000}}));
    EXPECT_EQ(answer.right, 20);
    EXPECT_TRUE(is_right(question, answer, 25));
    EXPECT_TRUE(is_right(question, answer, 15));
    EXPECT_FALSE(is_right(question, answer, 25.5));
}

TEST(Questions, ARunMayAnswerNothing) {
    const Question question = only(std::string(kChoice) + "  needs: total_ns > 10\n");
    const auto problem = [&](std::map<std::string, double> facts) {
        return answer_of(question, Facts(std::move(facts))).problem;
    };
    EXPECT_EQ(problem({{"total_ns", 1}, {"headway_max", 1}}), "This run does not answer the question.");
    EXPECT_NE(problem({{"total_ns", 11}}).find("the run has no such fact"), std::string::npos);
    EXPECT_EQ(problem({{"total_ns", 11}, {"headway_max", 1}}), "");
}

TEST(Questions, ExactlyOneChoiceMustBeRight) {
    const auto with = [](const std::string& first, const std::string& second) {
        return only("- ask: A?\n  choices:\n    - {text: a, right: " + first + "}\n    - {text: b, right: " + second +
                    "}\n  answer: c\n");
    };
    const Facts facts({{"headway_max", 3}});
    EXPECT_NE(answer_of(with("headway_max > 1", "headway_max > 2"), facts).problem.find("more than one"),
              std::string::npos);
    EXPECT_NE(answer_of(with("headway_max > 8", "headway_max > 9"), facts).problem.find("none of the choices"),
              std::string::npos);
}

TEST(Questions, ErrorsHaveFileAndLine) {
    const auto error_of = [](const std::string& yaml) {
        const auto parsed = parse_questions(yaml, "q.yaml");
        EXPECT_FALSE(parsed) << yaml;
        return parsed ? core::Error() : parsed.error();
    };
    struct Case {
        const char *yaml, *words;
        std::uint32_t line;
    };
    for (const auto& [yaml, words, line] : std::vector<Case>{
             {"just words", "must be a list of questions", 1},
             {"- ask: A?\n  choices: []\n  answer: b\n", "2 to 6 choices", 2},
             {"- ask: A?\n  answer: b\n", "either choices or a number", 1},
             {"- ask: A?\n  what: 1\n  answer: b\n", "what", 2},
             {"- answer: b\n", "ask", 1},
             {"- ask: A?\n  answer: '{nonsense}'\n  number: {value: 1, least: 0, most: 1, within: 0}\n", "nonsense", 2},
             {"- ask: A?\n  answer: b\n  number: {value: 1 +, least: 0, most: 1, within: 0}\n", "column", 3},
             {"- ask: A?\n  answer: b\n  number: {value: 1, least: 2, most: 1, within: 0}\n", "least below its most",
              3},
             {"- ask: A?\n  answer: b\n  number: {value: 1, least: 2, most: 3}\n", "within", 3},
             {"- ask: [\n", "cannot be read", 2},
         }) {
        const core::Error error = error_of(yaml);
        EXPECT_NE(error.message.find(words), std::string::npos) << yaml << ": " << error.message;
        EXPECT_EQ(error.file, "q.yaml");
        EXPECT_EQ(error.line, line) << yaml << ": " << error.message;
    }
}

TEST(Questions, ALessonNeedsNone) {
    const auto none = load_questions("/nonexistent");
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace headway::questions
