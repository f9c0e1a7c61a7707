#include "app/editor/syntax.h"

#include <gtest/gtest.h>

namespace headway::editor {
namespace {

// The token of each byte as a letter: k keyword, n name, 1 number, s string, # comment, p prose, . plain.
std::string letters(Language language, std::string_view line, LineState* state = nullptr) {
    std::vector<Span> spans;
    LineState own;
    LineState& s = state != nullptr ? *state : own;
    s = read_line(language, s, line, spans);
    std::string text(line.size(), '.');
    for (const auto& span : spans) {
        for (std::uint32_t i = span.begin; i < span.end; ++i) {
            text[i] = ".kn1s#p"[static_cast<int>(span.token)];
        }
    }
    return text;
}
std::string python(std::string_view line) {
    return letters(Language::python, line);
}

TEST(Syntax, ReadsPython) {
    EXPECT_EQ(python("for i in range(10):"), "kkk...kk.......11..");
    EXPECT_EQ(python("x = 'it' + \"#\"  # why"), "....ssss...sss..#####");
    EXPECT_EQ(python("def step(x): return x"), "kkk.nnnn.....kkkkkk..");
    EXPECT_EQ(python("a.pass_ = b.is"), "..............");
    EXPECT_EQ(python("f'{x}' rb\"y\""), "ssssss.sssss");
    EXPECT_EQ(python("1e-3 + 0x1f-1"), "1111...1111.1");
    EXPECT_EQ(python("@wraps.it"), "nnnnnnnnn");
    EXPECT_EQ(python("a @ b"), ".....");
    EXPECT_EQ(python("match = 1"), "........1");
    EXPECT_EQ(python("match x:"), "kkkkk...");
    EXPECT_EQ(python("'not closed"), "sssssssssss");
    EXPECT_EQ(python("'a\\'b' c"), "ssssss..");
    EXPECT_EQ(python(""), "");
}

TEST(Syntax, StringsSpanLines) {
    LineState state;
    EXPECT_EQ(letters(Language::python, "x = \"\"\"one", &state), "....ssssss");
    EXPECT_EQ(letters(Language::python, "for # ''' ", &state), "ssssssssss");
    EXPECT_EQ(letters(Language::python, "two\"\"\" + 1", &state), "ssssss...1");
    EXPECT_EQ(state, LineState{});
    EXPECT_EQ(letters(Language::python, "'''a''' '''b", &state), "sssssss.ssss");
    EXPECT_EQ(state.open, LineState::Open::triple_single);
}

TEST(Syntax, ReadsCpp) {
    EXPECT_EQ(letters(Language::cpp, "#include <x>"), "kkkkkkkkkkkk");
    EXPECT_EQ(letters(Language::cpp, "int a = 1'000; // b"), "kkk.....11111..####");
    LineState state;
    EXPECT_EQ(letters(Language::cpp, "a /* b", &state), "..####");
    EXPECT_EQ(letters(Language::cpp, "int */ int", &state), "######.kkk");
}

TEST(Syntax, ReadsDocuments) {
    LineState state;
    const auto line = [&state](std::string_view text) { return letters(Language::markdown, text, &state); };
    EXPECT_EQ(line("# Title"), "kkkkkkk");
    EXPECT_EQ(line("for words"), "ppppppppp");
    EXPECT_EQ(line("```{.python .input}"), "###################");
    EXPECT_EQ(line("for x in y:"), "kkk...kk...");
    EXPECT_EQ(line("```"), "###");
    EXPECT_EQ(line("```sh"), "#####");
    EXPECT_EQ(line("for x"), ".....");
    EXPECT_EQ(line("```"), "###");
    EXPECT_EQ(line("for"), "ppp");
}

TEST(Syntax, FollowsEdits) {
    Highlighter colours(Language::python);
    colours.update({"x = 1", "y = 2"});
    EXPECT_EQ(colours.spans(1), (std::vector<Span>{{4, 5, Token::number}}));
    colours.update({"x = '''", "y = 2"});
    EXPECT_EQ(colours.spans(1), (std::vector<Span>{{0, 5, Token::string}}));
    colours.update({"x = '''", "'''", "y = 2"});
    EXPECT_EQ(colours.spans(2), (std::vector<Span>{{4, 5, Token::number}}));
    colours.update({""});
    EXPECT_EQ(colours.size(), 1u);
}

}  // namespace
}  // namespace headway::editor
