#include <gtest/gtest.h>

#include "tests/unit/expression/facts.h"

namespace headway::expression {
namespace {

std::string said(const std::string& text) {
    const auto sentence = Sentence::parse(text);
    if (!sentence) {
        return "error: " + sentence.error().message;
    }
    const auto words = sentence->evaluate(facts());
    return words ? *words : "error: " + words.error().message;
}

TEST(Sentence, PutsValuesIntoWords) {
    EXPECT_EQ(said("There are {count(ops)} ops, first {ops[0].name}."), "There are 3 ops, first matmul.");
    EXPECT_EQ(said("{n}"), "12");
    EXPECT_EQ(said("no braces"), "no braces");
    EXPECT_EQ(said(""), "");
    EXPECT_EQ(said("a set is written {{1, 2}}"), "a set is written {1, 2}");
    EXPECT_EQ(said("{[1.5, true, 'x']}"), "1.5, yes and x");
    EXPECT_EQ(said("{empty}"), "none");
    EXPECT_EQ(said("{range(20)}"), "0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
}

TEST(Sentence, SaysWhatIsWrong) {
    EXPECT_EQ(said("{n"), "error: column 1: this brace is not closed; a brace in a sentence is written {{");
    EXPECT_EQ(said("n}"), "error: column 2: this brace closes nothing; a brace in a sentence is written }}");
    EXPECT_EQ(said("abc {1 +}"), "error: column 5: in the braces, column 4: the expression ends too early");
    EXPECT_EQ(said("{opps}"), "error: column 1: there is no fact called opps");
}

}  // namespace
}  // namespace headway::expression
