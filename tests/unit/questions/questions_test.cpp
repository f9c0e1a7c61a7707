#include "app/questions/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "app/check/run_facts.h"
#include "app/questions/judge.h"
#include "tests/unit/model/recording_builder.h"

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
    [[nodiscard]] std::vector<std::string> names() const override { return {"total_ns", "headway_max", "warmup_ops"}; }
    [[nodiscard]] std::string kind() const override { return "run"; }

private:
    std::map<std::string, double> facts_;
};

// The axis begins at 100, and is as long as the fact total_ns.
RunAnswer answered(const Question& question, std::map<std::string, double> facts) {
    const TimeAxis axis{[](double ns) { return ns - 100; }, facts["total_ns"]};
    return answer_of(question, Facts(std::move(facts)), axis);
}

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
        const RunAnswer answer = answered(question, {{"headway_max", headway}});
        ASSERT_EQ(answer.problem, "");
        EXPECT_EQ(answer.right, Guess(ChoiceGuess{headway > 1 ? 1U : 0U}));
        EXPECT_EQ(answer.sentence, headway > 1 ? "It was 7 ahead." : "It was 1 ahead.");
        EXPECT_EQ(answer.whys, (std::vector<std::string>{"That needs a barrier.", ""}));
        EXPECT_EQ(is_right(question, answer, ChoiceGuess{0}), headway <= 1);
        EXPECT_EQ(is_right(question, answer, ChoiceGuess{1}), headway > 1);
        EXPECT_EQ(why_not(answer, ChoiceGuess{0}), "That needs a barrier.");
        EXPECT_EQ(words_of(question, *answer.right), headway > 1 ? "Far" : "Not at all");
    }
}

TEST(Questions, ANumberMayBeOffByWhatIsAllowed) {
    const Question question = only(R"(
- ask: How long?
  number: {value: total_ns / 1000, least: 0, most: 100, unit: "µs", within: 5}
  answer: It took {total_ns} ns.
)");
    const RunAnswer answer = answered(question, {{"total_ns", 20'000}});
    EXPECT_EQ(answer.right, Guess(NumberGuess{20}));
    EXPECT_TRUE(is_right(question, answer, NumberGuess{25}));
    EXPECT_TRUE(is_right(question, answer, NumberGuess{15}));
    EXPECT_FALSE(is_right(question, answer, NumberGuess{25.5}));
    EXPECT_FALSE(is_right(question, answer, ChoiceGuess{20})) << "of another kind";
    EXPECT_EQ(words_of(question, NumberGuess{12.5}), "12.5 µs");
    EXPECT_EQ(words_of(question, NumberGuess{10000}), "10,000 µs");
    EXPECT_EQ(words_of(question, NumberGuess{96.1441}), "96.14 µs");
    EXPECT_EQ(words_of(question, NumberGuess{12345.678}), "12,346 µs");
    EXPECT_EQ(words_of(question, NumberGuess{9999.7}), "10,000 µs");
}

TEST(Questions, ARunMayAnswerNothing) {
    const Question question = only(std::string(kChoice) + "  needs: total_ns > 10\n");
    const auto problem = [&](std::map<std::string, double> facts) {
        return answered(question, std::move(facts)).problem;
    };
    EXPECT_EQ(problem({{"total_ns", 1}, {"headway_max", 1}}), "This run does not answer the question.");
    EXPECT_EQ(problem({{"total_ns", 11}}), "This run does not answer the question: the run has no such fact.");
    EXPECT_EQ(problem({{"total_ns", 11}, {"headway_max", 1}}), "");
}

TEST(Questions, ExactlyOneChoiceMustBeRight) {
    const auto with = [](const std::string& first, const std::string& second) {
        return only("- ask: A?\n  choices:\n    - {text: a, right: " + first + "}\n    - {text: b, right: " + second +
                    "}\n  answer: c\n");
    };
    const std::map<std::string, double> facts{{"headway_max", 3}};
    EXPECT_NE(answered(with("headway_max > 1", "headway_max > 2"), facts).problem.find("more than one"),
              std::string::npos);
    EXPECT_NE(answered(with("headway_max > 8", "headway_max > 9"), facts).problem.find("none of the choices"),
              std::string::npos);
}

// Four events; the times of two of them are facts.
constexpr const char* kOrder = R"(
- ask: In which order?
  order:
    - {text: first, at: 100}
    - {text: second, at: total_ns}
    - {text: third, at: headway_max}
    - {text: fourth, at: 900}
  why: The second one takes {total_ns} ns.
  answer: The third was at {headway_max}.
)";

TEST(Questions, AnOrderIsJudgedByTheTimesOfItsEvents) {
    const Question question = only(kOrder);
    const RunAnswer answer = answered(question, {{"total_ns", 500}, {"headway_max", 700}});
    ASSERT_EQ(answer.problem, "");
    EXPECT_EQ(answer.right, Guess(OrderGuess{{0, 1, 2, 3}}));
    EXPECT_EQ(answer.at_ns, (std::vector<double>{0, 400, 600, 800})) << "on the axis";
    EXPECT_EQ(answer.sentence, "The third was at 700.");
    EXPECT_EQ(words_of(question, *answer.right), "first → second → third → fourth");
    EXPECT_TRUE(is_right(question, answer, OrderGuess{{0, 1, 2, 3}}));
    EXPECT_FALSE(is_right(question, answer, OrderGuess{{0, 2, 1, 3}}));
    EXPECT_EQ(in_place(answer, OrderGuess{{0, 2, 1, 3}}), (std::vector<bool>{true, false, false, true}));
    EXPECT_EQ(why_not(answer, OrderGuess{{0, 2, 1, 3}}), "The second one takes 500 ns.");

    const RunAnswer other = answered(question, {{"total_ns", 950}, {"headway_max", 700}});
    EXPECT_EQ(other.right, Guess(OrderGuess{{0, 2, 3, 1}}));
    EXPECT_FALSE(is_right(question, other, OrderGuess{{0, 1, 2, 3}}));
}

TEST(Questions, EventsAtTheSameTimeStandInEitherOrder) {
    const Question question = only(kOrder);
    const RunAnswer answer = answered(question, {{"total_ns", 500}, {"headway_max", 500}});
    EXPECT_TRUE(is_right(question, answer, OrderGuess{{0, 1, 2, 3}}));
    EXPECT_TRUE(is_right(question, answer, OrderGuess{{0, 2, 1, 3}}));
    EXPECT_FALSE(is_right(question, answer, OrderGuess{{1, 0, 2, 3}}));
    EXPECT_EQ(in_place(answer, OrderGuess{{2, 0, 1, 3}}), (std::vector<bool>{false, false, true, true}));
    const RunAnswer almost = answered(question, {{"total_ns", 501}, {"headway_max", 500}});
    EXPECT_FALSE(is_right(question, almost, OrderGuess{{0, 1, 2, 3}}));
}

TEST(Questions, AnOrderIsShownShuffledAndAlwaysTheSame) {
    for (int count = 3; count <= 6; ++count) {
        for (int i = 0; i < 200; ++i) {
            std::string yaml = "- ask: Question " + std::to_string(i) + "?\n  answer: a\n  order:\n";
            std::vector<std::size_t> listed;
            for (int event = 0; event < count; ++event) {
                yaml += "    - {text: event " + std::to_string(event) + ", at: 1}\n";
                listed.push_back(static_cast<std::size_t>(event));
            }
            const auto shown = std::get<Order>(only(yaml).kind).shown;
            EXPECT_EQ(shown, std::get<Order>(only(yaml).kind).shown);
            EXPECT_NE(shown, listed);
            EXPECT_TRUE(std::is_permutation(shown.begin(), shown.end(), listed.begin(), listed.end()));
        }
    }
}

TEST(Questions, AnIntervalIsRightIfBothEndsAreNearEnough) {
    const Question question = only(R"(
- ask: Where?
  drawn: {row: frontend, from: 100 + warmup_ops, to: 100 + headway_max, within: 10}
  why: It began at {warmup_ops}.
  answer: It lasted until {headway_max}.
)");
    const auto run = [&](double from, double to) {
        return answered(question, {{"total_ns", 200}, {"warmup_ops", from}, {"headway_max", to}});
    };
    const RunAnswer answer = run(40, 180);
    ASSERT_EQ(answer.problem, "");
    EXPECT_EQ(answer.right, Guess(DrawnGuess{20, 90}));
    EXPECT_EQ(answer.axis_ns, 200);
    EXPECT_EQ(words_of(question, *answer.right), "from 20 % to 90 %");
    EXPECT_TRUE(is_right(question, answer, DrawnGuess{20, 90}));
    EXPECT_TRUE(is_right(question, answer, DrawnGuess{10, 100}));
    EXPECT_TRUE(is_right(question, answer, DrawnGuess{30, 80}));
    EXPECT_FALSE(is_right(question, answer, DrawnGuess{31, 90}));
    EXPECT_FALSE(is_right(question, answer, DrawnGuess{9, 90}));
    EXPECT_FALSE(is_right(question, answer, DrawnGuess{20, 79}));
    EXPECT_EQ(why_not(answer, DrawnGuess{0, 100}), "It began at 40.");

    EXPECT_NE(run(40, 30).problem.find("ends before it begins"), std::string::npos);
    EXPECT_NE(run(-2, 30).problem.find("outside of the axis"), std::string::npos);
    EXPECT_NE(run(40, 202).problem.find("outside of the axis"), std::string::npos);
    EXPECT_EQ(run(40, 200.5).right, Guess(DrawnGuess{20, 100})) << "rounding";
    EXPECT_NE(answered(question, {{"total_ns", 0}, {"warmup_ops", 0}, {"headway_max", 0}}).problem.find("no length"),
              std::string::npos);
}

// The frontend is paused from 2 ms to 500 ms; the lane is busy until 30 ms.
TEST(Questions, TheLearnersPausesAreNotOnTheAxis) {
    constexpr std::int64_t kMs = 1'000'000;
    model::RecordingBuilder builder;
    builder.exec(0, builder.issue({.begin = 0, .end = 1 * kMs, .out = 1, .fresh = true}), 1 * kMs, 30 * kMs);
    builder.wait(2 * kMs, 500 * kMs, trace::WaitKind::paused);
    builder.exec(0, builder.issue({.begin = 500 * kMs, .end = 501 * kMs, .out = 2, .fresh = true}), 502 * kMs,
                 510 * kMs);
    builder.mark(trace::FrontendKind::program_end, 510 * kMs);
    const auto data = std::make_shared<check::RunData>();
    data->run = builder.read();
    const Question question = only(R"(
- ask: When?
  drawn: {row: Backend, from: "ops[1].begin_ns", to: "ops[1].end_ns", within: 1}
  answer: Then.
)");
    const RunAnswer answer = answer_of(question, *check::make_run_facts(data), time_axis_of(*data->run));
    ASSERT_EQ(answer.problem, "");
    EXPECT_EQ(answer.axis_ns, 40e6);
    EXPECT_EQ(answer.right, Guess(DrawnGuess{80, 100}));
}

// The ops of such a run are whole graphs.
TEST(Questions, AboutOpsAreNotAnsweredByGraphs) {
    const Question question = only(
        "- ask: How many?\n  number: {value: count(ops), least: 0, most: 9, within: 1}\n"
        "  answer: So many.\n");
    const Question other = only(
        "- ask: How long?\n  number: {value: total_ns, least: 0, most: 99, within: 1}\n"
        "  answer: So long.\n");
    for (const bool graphs : {false, true}) {
        model::RecordingBuilder builder;
        builder.exec(0, builder.issue({.begin = 0, .end = 1, .out = 1, .fresh = true}), 1, 30);
        builder.recording().meta(trace::MetaType::run, 0, graphs ? R"({"issue": "graph"})" : R"({"issue": "op"})");
        const auto data = std::make_shared<check::RunData>();
        data->run = builder.read();
        const RunAnswer answer = answer_of(question, *check::make_run_facts(data), time_axis_of(*data->run));
        EXPECT_EQ(answer.right.has_value(), !graphs);
        EXPECT_EQ(answer.problem,
                  graphs ? "This run does not answer the question: several ops were issued as one graph, and the "
                           "question is about single ops."
                         : "");
        EXPECT_TRUE(answer_of(other, *check::make_run_facts(data), time_axis_of(*data->run)).right);
    }
}

TEST(Questions, AMomentIsDrawnOnAnAxisOfItsOwn) {
    const Question question = only(R"(
- ask: When?
  drawn:
    row: Second
    lanes: [First, Second]
    draws: matmul
    from: headway_max
    axis: {begin: warmup_ops, left: the loop begins, end: warmup_ops + 50, right: the loop ends}
    within: 5
  answer: At {headway_max}.
)");
    const auto& drawn = std::get<Drawn>(question.kind);
    EXPECT_EQ(drawn.row, 2u);
    EXPECT_EQ(drawn.what, Drawn::What::op);
    EXPECT_EQ(drawn.family, devices::Family::matmul);
    EXPECT_EQ(drawn.left, "the loop begins");
    EXPECT_EQ(drawn.right, "the loop ends");
    const RunAnswer answer = answered(question, {{"warmup_ops", 300}, {"headway_max", 310}});
    ASSERT_EQ(answer.problem, "");
    EXPECT_EQ(answer.right, Guess(DrawnGuess{20, 20}));
    EXPECT_EQ(words_of(question, *answer.right), "at 20 %");
    EXPECT_TRUE(is_right(question, answer, DrawnGuess{25, 25}));
    EXPECT_FALSE(is_right(question, answer, DrawnGuess{26, 26}));
}

TEST(Questions, ErrorsHaveFileAndLine) {
    const auto error_of = [](const std::string& yaml) {
        const auto parsed = parse_questions(yaml, "q.yaml");
        EXPECT_FALSE(parsed) << yaml;
        return parsed ? core::Error() : parsed.error();
    };
    struct Case {
        std::string yaml, words;
        std::uint32_t line;
    };
    const auto order = [](const std::string& last) {
        return "- ask: A?\n  answer: b\n  order:\n    - {text: a, at: 1}\n    - {text: b, at: 2}\n    " + last + "\n";
    };
    const auto drawn = [](const std::string& entry) { return "- ask: A?\n  answer: b\n  drawn: " + entry + "\n"; };
    for (const auto& [yaml, words, line] : std::vector<Case>{
             {"just words", "must be a list of questions", 1},
             {"- ask: A?\n  choices: []\n  answer: b\n", "2 to 6 choices", 2},
             {"- ask: A?\n  answer: b\n", "one of choices, number, order or drawn", 1},
             {"- ask: A?\n  answer: b\n  choices: []\n  order: []\n", "one of choices, number, order or drawn", 1},
             {"- ask: A?\n  answer: b\n  why: c\n  number: {value: 1, least: 0, most: 1, within: 0}\n", "why belongs",
              3},
             {"- ask: A?\n  what: 1\n  answer: b\n", "what", 2},
             {"- answer: b\n", "ask", 1},
             {"- ask: A?\n  answer: '{nonsense}'\n  number: {value: 1, least: 0, most: 1, within: 0}\n", "nonsense", 2},
             {"- ask: A?\n  answer: b\n  number: {value: 1 +, least: 0, most: 1, within: 0}\n", "column", 3},
             {"- ask: A?\n  answer: b\n  number: {value: 1, least: 2, most: 1, within: 0}\n", "least below its most",
              3},
             {"- ask: A?\n  answer: b\n  number: {value: 1, least: 2, most: 3}\n", "within", 3},
             {"- ask: [\n", "cannot be read", 2},
             {"- ask: A?\n  answer: b\n  order: {text: a}\n", "3 to 6 events", 3},
             {"- ask: A?\n  answer: b\n  order:\n    - {text: a, at: 1}\n    - {text: b, at: 2}\n", "3 to 6 events", 4},
             {order("- just words"), "map with text and at", 6},
             {order("- {text: c}"), "the event has no at", 6},
             {order("- {text: c, at: 1, why: d}"), "\"why\" is not known in an event", 6},
             {order("- {text: a, at: 1}"), "two events have the same text", 6},
             {order("- {text: c, at: 1 +}"), "column", 6},
             {order("- {text: c, at: nonsense}"), "nonsense", 6},
             {drawn("words"), "map with row, from and within", 3},
             {drawn("{from: 1, within: 5}"), "has no row", 3},
             {drawn("{row: frontend, within: 5}"), "has no from", 3},
             {drawn("{row: frontend, from: 1}"), "has no within", 3},
             {drawn("{row: frontend, from: 1, within: 0}"), "at most 50", 3},
             {drawn("{row: frontend, from: 1, within: 60}"), "at most 50", 3},
             {drawn("{row: frontend, from: 1, to: (, within: 5}"), "column", 3},
             {drawn("{row: frontend, from: nonsense, within: 5}"), "nonsense", 3},
             {drawn("{row: Frontend, from: 1, within: 5}"), "row must be frontend or one of the lanes", 3},
             {drawn("{row: frontend, lanes: [], from: 1, within: 5}"), "1 to 4 lanes", 3},
             {drawn("{row: frontend, draws: matmul, from: 1, within: 5}"), "wait, issue or work", 3},
             {drawn("{row: Backend, draws: wait, from: 1, within: 5}"), "family of ops: create, elementwise", 3},
             {drawn("{row: frontend, from: 1, within: 5, axis: {end: 7}}"), "a name for each end", 3},
             {drawn("{row: frontend, from: 1, within: 5, axis: {left: a}}"), "a name for each end", 3},
             {drawn("{row: frontend, from: 1, within: 5, colour: red}"), "\"colour\" is not known", 3},
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
