#include "app/model/explanation/sentence_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

// "Slow" and the line, in a run of a program with these files.
Sentence slow_at(core::Line line, const std::vector<std::string>& files = {"a.py"}) {
    RecordingBuilder builder;
    for (std::size_t i = 0; i < files.size(); ++i) {
        builder.recording().meta(trace::MetaType::file, static_cast<std::uint16_t>(i + 1), files[i]);
    }
    const auto run = builder.read();
    return SentenceWriter(*run, SentenceKind::many_waits).words("Slow").line(" at ", line).words(".").done();
}

TEST(SentenceWriter, AnUnknownLineIsNotMentioned) {
    for (const core::Line line : {core::Line{0}, core::make_line(1, 0)}) {
        const Sentence sentence = slow_at(line, {"a.py", "b.py"});
        EXPECT_EQ(sentence.text, "Slow.");
        EXPECT_TRUE(sentence.numbers.empty());
        EXPECT_TRUE(sentence.names.empty());
    }
}

TEST(SentenceWriter, NamesTheFileOfALineWhereThereAreSeveral) {
    const Sentence one = slow_at(core::make_line(1, 12), {"lib/a.py"});
    EXPECT_EQ(one.text, "Slow at line 12.");
    ASSERT_EQ(one.numbers.size(), 1u);
    EXPECT_EQ(one.numbers[0].value, 12);
    EXPECT_EQ(one.numbers[0].id, "line");
    EXPECT_EQ(slow_at(core::make_line(2, 1), {"a.py", "lib/b.py"}).text, "Slow at line 1 of b.py.");
    EXPECT_EQ(slow_at(core::make_line(1, 3), {"a.py", "lib/b.py"}).text, "Slow at line 3 of a.py.");
}

TEST(SentenceWriter, CountsInWords) {
    const auto run = RecordingBuilder().read();
    const auto counted = [&](std::uint64_t count) {
        return SentenceWriter(*run, SentenceKind::many_waits)
            .count("ops", count, "op", "ops")
            .words(" ")
            .times("times", count)
            .done()
            .text;
    };
    EXPECT_EQ(counted(0), "0 ops 0 times");
    EXPECT_EQ(counted(1), "1 op once");
    EXPECT_EQ(counted(2), "2 ops twice");
    EXPECT_EQ(counted(3), "3 ops 3 times");
}

TEST(SentenceWriter, AMomentCountsFromTheBeginOfTheMeasuredPart) {
    RecordingBuilder builder;
    builder.mark(trace::FrontendKind::measure_begin, 40);
    const auto run = builder.read();
    const Sentence sentence = SentenceWriter(*run, SentenceKind::many_waits).moment("at", 100).done();
    EXPECT_EQ(sentence.text, "60 ns");
    EXPECT_EQ(sentence.numbers.at(0).value, 60);
}

TEST(SentenceWriter, AShareOfNothingIsNone) {
    const auto run = RecordingBuilder().read();
    EXPECT_EQ(SentenceWriter(*run, SentenceKind::many_waits).share("part", 5, 0).done().numbers.at(0).value, 0);
    EXPECT_EQ(SentenceWriter(*run, SentenceKind::many_waits).share("part", 1, 1).done().numbers.at(0).value, 1);
}

}  // namespace
}  // namespace headway::model
