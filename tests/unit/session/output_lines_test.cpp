#include "app/session/output_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headway::session {
namespace {

std::vector<std::string> texts(const OutputLines& output) {
    std::vector<std::string> texts;
    for (const OutputLine& line : output.lines()) {
        texts.push_back(line.text);
    }
    return texts;
}

using Texts = std::vector<std::string>;

TEST(OutputLines, AProgressBarIsOneLine) {
    OutputLines output;
    output.add("begin\n\r 10 %\r 20 %", false);
    EXPECT_EQ(texts(output), (Texts{"begin", " 20 %"}));
    output.add("\r", false);
    EXPECT_EQ(texts(output), (Texts{"begin", " 20 %"}));
    output.add(" 30 %", false);
    EXPECT_EQ(texts(output), (Texts{"begin", " 30 %"}));
    output.add("\r100 %\r\nend\n", false);
    EXPECT_EQ(texts(output), (Texts{"begin", "100 %", "end"}));
}

TEST(OutputLines, ALineMayEndInACarriageReturnAndANewline) {
    OutputLines output;
    output.add("one\r\ntwo\r", false);
    output.add("\nthree\r\r\n\r\n", false);
    EXPECT_EQ(texts(output), (Texts{"one", "two", "three", ""}));
}

TEST(OutputLines, TheOtherStreamsLineStays) {
    OutputLines output;
    output.add("out", false);
    output.add("10 %", true);
    output.add("\r20 %", true);
    output.add(" more\n", false);
    EXPECT_EQ(texts(output), (Texts{"out more", "20 %"}));
}

TEST(OutputLines, ALongLineThatIsReplacedBeginsAnew) {
    OutputLines output;
    output.add(std::string(OutputLines::kLineBytes + 100, 'x') + "\rshort", false);
    EXPECT_EQ(texts(output), Texts{"short"});
}

}  // namespace
}  // namespace headway::session
