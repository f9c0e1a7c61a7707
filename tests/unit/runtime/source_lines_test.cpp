// The line that an op and an error get.
#include "engine/runtime/frontend/source_lines.h"

#include <gtest/gtest.h>

namespace headway::runtime {
namespace {

using Where = core::SourceLocation;

class SourceLinesTest : public testing::Test {
protected:
    std::unique_ptr<trace::Recording> recording = std::move(*trace::Recording::create(std::size_t{1} << 24));
    SourceLines lines{*recording};
};

TEST_F(SourceLinesTest, TheOutermostScopeSetsTheLine) {
    const auto outer = Where::current(), inner = Where::current();
    {
        const LineScope program(lines, outer);
        const LineScope library(lines, inner);
        EXPECT_EQ(core::number_of(lines.current()), outer.line());
    }
    const LineScope program(lines, inner);
    EXPECT_EQ(core::number_of(lines.current()), inner.line());
    EXPECT_EQ(lines.file_name(lines.current()), "source_lines_test.cpp");
}

TEST_F(SourceLinesTest, ALanguageThatReportsLinesTakesOver) {
    lines.take_over();
    const core::Line line = core::make_line(lines.add_file("train.py"), 70'000);
    lines.set(line);
    const LineScope library(lines, Where::current());
    EXPECT_EQ(lines.current(), line);
    EXPECT_EQ(lines.short_number(), 65'535u);
    EXPECT_EQ(lines.text(line), ", at train.py:70000");
    EXPECT_EQ(lines.text(0), "");
}

TEST_F(SourceLinesTest, ErrorsNameTheLineAndTheOp) {
    lines.set(core::make_line(lines.add_file("train.py"), 12));
    try {
        lines.raise(core::ErrorKind::shape, "matmul: no", 7);
        FAIL();
    } catch (const ProgramError& problem) {
        EXPECT_STREQ(problem.what(), "matmul: no, at train.py:12");
        EXPECT_EQ(problem.error().file, "train.py");
        EXPECT_EQ(problem.error().line, 12u);
        EXPECT_EQ(problem.error().op, 7u);
    }
}

}  // namespace
}  // namespace headway::runtime
