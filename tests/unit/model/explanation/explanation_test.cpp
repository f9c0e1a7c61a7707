// The sentences of runs made by hand. tests/checker/explanation_test.py recomputes the numbers of all lessons.
#include "app/model/explanation/explanation.h"

#include <gtest/gtest.h>

#include <set>

#include "app/model/numbers/numbers_walk.h"
#include "tests/unit/model/explanation/explanation_cases.h"

namespace headway::model {
namespace {

using trace::WaitKind;
using Kind = SentenceKind;

const Sentence* find(const Explanation& explanation, Kind kind) {
    for (const Sentence& sentence : explanation.sentences) {
        if (sentence.kind == kind) {
            return &sentence;
        }
    }
    return nullptr;
}

std::string expected_text(const Case& one, const Sentence& sentence) {
    std::string text = one.text;
    for (const SentenceNumber& number : sentence.numbers) {
        const std::string id = "{" + number.id + "}";
        if (const std::size_t at = text.find(id); at != std::string::npos) {
            text.replace(at, id.size(), number.text);
        }
    }
    return text;
}

std::string all_of(const Explanation& explanation) {
    std::string text;
    for (const Sentence& sentence : explanation.sentences) {
        text += std::string(word_of(sentence.kind)) + ": " + sentence.text + "\n";
    }
    return text;
}

// All cases: one for each kind, and the other wordings.
std::vector<Case> all_cases() {
    std::vector<Case> all = cases();
    for (Case& one : wording_cases()) {
        all.push_back(std::move(one));
    }
    return all;
}

TEST(Explanation, HasARunForEachWording) {
    std::set<Kind> made;
    for (const Case& one : all_cases()) {
        made.insert(one.kind);
        const Explanation explanation = one.make();
        const Sentence* sentence = find(explanation, one.kind);
        if (sentence == nullptr) {
            ADD_FAILURE() << word_of(one.kind) << " was not said, but\n" << all_of(explanation);
            continue;
        }
        EXPECT_EQ(sentence->text, expected_text(one, *sentence));
    }
    EXPECT_EQ(made.size(), kSentenceKinds);
}

// Each number stands in the text, in this order, and nothing else in the text is a number, except for names.
TEST(Explanation, ListsTheNumbersOfItsText) {
    for (const Case& one : all_cases()) {
        const Explanation explanation = one.make();
        EXPECT_LE(explanation.sentences.size(), kMostSentences);
        for (const Sentence& sentence : explanation.sentences) {
            std::string rest = sentence.text;
            for (const std::string& name : sentence.names) {
                const std::size_t at = rest.find(name);
                ASSERT_NE(at, std::string::npos) << name << " in " << sentence.text;
                rest.replace(at, name.size(), "…");
            }
            std::size_t from = 0;
            std::set<std::string> ids;
            for (const SentenceNumber& number : sentence.numbers) {
                const std::size_t at = rest.find(number.text, from);
                ASSERT_NE(at, std::string::npos) << number.text << " in " << rest;
                rest.replace(at, number.text.size(), "…");
                from = at;
                EXPECT_TRUE(ids.insert(number.id).second) << number.id << " twice in " << sentence.text;
            }
            EXPECT_EQ(rest.find_first_of("0123456789"), std::string::npos) << rest;
            EXPECT_FALSE(sentence.places.empty()) << sentence.text;
        }
    }
}

TEST(Explanation, PartsOfTheBarAddUp) {
    for (const Case& one : all_cases()) {
        const TimeBar bar = one.make().bar;
        if (bar.parts.empty()) {
            continue;
        }
        std::int64_t sum_ns = 0;
        for (const TimeBar::Part& part : bar.parts) {
            sum_ns += part.ns;
        }
        EXPECT_EQ(sum_ns, bar.measured_ns) << word_of(one.kind);
        EXPECT_EQ(bar.parts[0].name, "predicted");
    }
}

TEST(Explanation, BarAsText) {
    EXPECT_EQ(text_of(TimeBar{{{"predicted", 1000}, {"hand-overs", 200}, {"nothing", 0}, {"returns", -100}}, 1100}),
              "predicted 1.00 µs + hand-overs 200 ns − returns 100 ns = measured 1.10 µs");
    EXPECT_EQ(text_of(TimeBar{}), "");
}

// What a click shows.
TEST(Explanation, PointsAtTheLongestWait) {
    Story story;
    story.op(10, 100);
    story.wait();
    story.op(10, 300);
    story.wait(WaitKind::waitall, 10, 12);
    const auto run = story.run();
    const Explanation explanation = explain(*run, numbers_of(*run));
    const Sentence* sentence = find(explanation, Kind::many_waits);
    ASSERT_NE(sentence, nullptr);
    ASSERT_EQ(sentence->places.size(), 1u);
    const Place& place = sentence->places[0];
    EXPECT_EQ(place.row, Place::Row::frontend);
    EXPECT_EQ(place.wait, 1);
    EXPECT_EQ(place.begin_ns, run->waits()[1].begin_ns);
    EXPECT_EQ(place.end_ns, run->waits()[1].end_ns);
    EXPECT_EQ(core::number_of(place.line), 12u);
}

// On a real clock a time is a fact of this run only.
TEST(Explanation, CallsVirtualTimeVirtual) {
    RecordingBuilder builder(std::size_t{32} << 20, false);
    builder.issue({0, 1000, 0, 1, 0, 0, true});
    builder.exec(0, 1, 1000, 900'000);
    builder.wait(1000, 1'000'000, WaitKind::waitall);
    builder.mark(trace::FrontendKind::program_end, 1'000'000);
    builder.recording().header().state = static_cast<std::uint32_t>(trace::RunState::finished);
    const auto run = builder.read();
    run->close();
    const Explanation explanation = explain(*run, numbers_of(*run));
    ASSERT_FALSE(explanation.sentences.empty());
    EXPECT_TRUE(explanation.sentences[0].text.starts_with("This run took ")) << explanation.sentences[0].text;
}

TEST(Explanation, SaysThreeToSixSentencesOfAWholeRun) {
    for (const WaitKind kind : {WaitKind::waitall, WaitKind::print, WaitKind::op_barrier, WaitKind::queue_limit}) {
        for (const std::int64_t t1 : {5, 50, 500}) {
            const std::size_t said = waits(kind, t1, 50).explained().sentences.size();
            EXPECT_GE(said, 3u);
            EXPECT_LE(said, kMostSentences);
        }
    }
}

}  // namespace
}  // namespace headway::model
