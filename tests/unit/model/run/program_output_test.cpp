// What a program wrote, and when.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/model/recording_builder.h"

namespace headway::model {
namespace {

TEST(ProgramOutput, IsCompleteAndInOrder) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        RecordingBuilder builder;
        struct Call {
            std::int64_t ns;
            std::string text;
            bool error;
        };
        std::vector<Call> calls;
        for (std::int64_t ns = 10; ns < 2000; ns += 1 + static_cast<std::int64_t>(random() % 60)) {
            std::string text;
            for (auto left = 1 + random() % 50; left > 0; --left) {
                text += static_cast<char>(random() % 256);
            }
            calls.push_back({ns, text, random() % 3 == 0});
            builder.wrote(ns, text, calls.back().error);
        }
        const auto run = builder.read();
        const ProgramOutput& output = run->program_output();
        ASSERT_EQ(output.written().size(), calls.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
            EXPECT_EQ(output.written()[i].ns, calls[i].ns);
            EXPECT_EQ(output.written()[i].error, calls[i].error);
            EXPECT_EQ(output.text(output.written()[i]), calls[i].text);
        }
        for (std::int64_t ns = 0; ns < 2100; ns += 7) {
            const auto count = std::count_if(calls.begin(), calls.end(), [ns](const Call& c) { return c.ns <= ns; });
            EXPECT_EQ(output.until(ns), static_cast<std::size_t>(count)) << ns;
        }
    }
}

TEST(ProgramOutput, OfATruncatedRecordIsLimitedToItsBytes) {
    RecordingBuilder builder;
    builder.wrote(10, "abc");
    const auto run = builder.read();
    trace::OutputRecord record{.bytes = 255, .stream = 1};
    record.text.fill('x');
    ProgramOutput output;
    output.take(record, 5);
    EXPECT_EQ(output.text(output.written().front()), std::string(trace::OutputRecord::kBytes, 'x'));
    EXPECT_EQ(run->program_output().text(run->program_output().written().front()), "abc");
}

}  // namespace
}  // namespace headway::model
