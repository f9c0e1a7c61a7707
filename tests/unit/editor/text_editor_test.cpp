#include "app/editor/text_editor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headway::editor {
namespace {

// A text with '|' at the caret and '[' at the other end of the selection.
TextEditor marked(std::string text) {
    const std::size_t caret = text.find('|');
    if (caret != std::string::npos) {
        text.erase(caret, 1);
    }
    TextEditor editor(text);
    if (caret != std::string::npos) {
        const std::string before = text.substr(0, caret);
        const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
        const std::size_t newline = before.rfind('\n');
        editor.place({line, static_cast<std::uint32_t>(newline == std::string::npos ? caret : caret - newline - 1)});
    }
    return editor;
}
std::string shown(const TextEditor& editor) {
    TextEditor copy = editor;
    copy.place(editor.caret());
    copy.type("|");
    return copy.text();
}

TEST(TextEditor, TypingIsOneUndoStep) {
    TextEditor editor("x = 1\n");
    editor.place({0, 5});
    for (const char* c : {"2", "3", "4"}) {
        editor.type(c);
    }
    EXPECT_EQ(shown(editor), "x = 1234|\n");
    EXPECT_TRUE(editor.undo());
    EXPECT_EQ(shown(editor), "x = 1|\n");
    EXPECT_FALSE(editor.undo());
    EXPECT_TRUE(editor.redo());
    EXPECT_EQ(shown(editor), "x = 1234|\n");
    EXPECT_FALSE(editor.redo());
}

TEST(TextEditor, MovingTheCaretEndsAnUndoStep) {
    TextEditor editor("");
    editor.type("a");
    editor.move(Move::left);
    editor.type("b");
    EXPECT_EQ(editor.text(), "ba");
    editor.undo();
    EXPECT_EQ(editor.text(), "a");
    editor.undo();
    EXPECT_EQ(editor.text(), "");
}

TEST(TextEditor, TypingReplacesTheSelection) {
    TextEditor editor("one two\nthree");
    editor.select({{0, 4}, {1, 2}});
    editor.type("X");
    EXPECT_EQ(shown(editor), "one X|ree");
    editor.undo();
    EXPECT_EQ(editor.text(), "one two\nthree");
    EXPECT_EQ(editor.selection(), (Range{{0, 4}, {1, 2}}));
}

TEST(TextEditor, NewlineKeepsTheIndentation) {
    auto editor = marked("for i in x:|");
    editor.newline();
    EXPECT_EQ(shown(editor), "for i in x:\n    |");
    editor = marked("    y = 1|");
    editor.newline();
    EXPECT_EQ(shown(editor), "    y = 1\n    |");
    editor = marked("    if a:  # why|");
    editor.newline();
    EXPECT_EQ(shown(editor), "    if a:  # why\n        |");
    editor = marked("        return x|");
    editor.newline();
    EXPECT_EQ(shown(editor), "        return x\n    |");
    editor = marked("    returned = 1|");
    editor.newline();
    EXPECT_EQ(shown(editor), "    returned = 1\n    |");
    editor = marked("  |  x");
    editor.newline();
    EXPECT_EQ(shown(editor), "  \n  |  x");
}

TEST(TextEditor, BackspaceRemovesOneIndentationStep) {
    auto editor = marked("        |x");
    editor.backspace();
    EXPECT_EQ(shown(editor), "    |x");
    editor = marked("      |x");
    editor.backspace();
    EXPECT_EQ(shown(editor), "    |x");
    editor = marked("ab|");
    editor.backspace();
    EXPECT_EQ(shown(editor), "a|");
    editor = marked("a\n|b");
    editor.backspace();
    EXPECT_EQ(shown(editor), "a|b");
    editor = marked("|a");
    editor.backspace();
    EXPECT_EQ(shown(editor), "|a");
    editor = marked("one two|");
    editor.backspace(true);
    EXPECT_EQ(shown(editor), "one |");
    editor = marked("|one two");
    editor.erase(true);
    EXPECT_EQ(shown(editor), "|two");
}

TEST(TextEditor, TabIndentsTheSelection) {
    auto editor = marked("a|b");
    editor.indent();
    EXPECT_EQ(shown(editor), "a   |b");
    editor = TextEditor("a\n\nb\nc");
    editor.select({{0, 0}, {3, 0}});
    editor.indent();
    EXPECT_EQ(editor.text(), "    a\n\n    b\nc");
    editor.outdent();
    EXPECT_EQ(editor.text(), "a\n\nb\nc");
    editor.undo();
    editor.undo();
    EXPECT_EQ(editor.text(), "a\n\nb\nc");
    editor = marked("  x|");
    editor.outdent();
    EXPECT_EQ(shown(editor), "x|");
    editor = TextEditor("\tx");
    editor.outdent();
    EXPECT_EQ(editor.text(), "x");
}

TEST(TextEditor, TogglesComments) {
    TextEditor editor("  a\n\n    b");
    editor.select_all();
    editor.toggle_comment();
    EXPECT_EQ(editor.text(), "  # a\n\n  #   b");
    editor.toggle_comment();
    EXPECT_EQ(editor.text(), "  a\n\n    b");
    editor = TextEditor("");
    editor.toggle_comment();
    EXPECT_EQ(editor.text(), "");
}

TEST(TextEditor, CutWithoutASelectionTakesTheLine) {
    TextEditor editor("one\ntwo\nthree");
    editor.place({1, 1});
    EXPECT_EQ(editor.cut(), "two\n");
    EXPECT_EQ(editor.text(), "one\nthree");
    editor.paste("a\r\nb\rc");
    EXPECT_EQ(editor.text(), "one\na\nb\ncthree");
}

TEST(TextEditor, MovesByCharactersAndWords) {
    TextEditor editor("äb 日本 x_1+y");
    editor.move(Move::right);
    EXPECT_EQ(editor.caret().byte, 2u);
    editor.move(Move::word_right);
    EXPECT_EQ(editor.caret().byte, 4u);
    editor.move(Move::word_right);
    EXPECT_EQ(editor.caret().byte, 11u);
    editor.move(Move::word_right);
    EXPECT_EQ(editor.caret().byte, 14u);
    editor.move(Move::word_left);
    EXPECT_EQ(editor.caret().byte, 11u);
    editor.move(Move::left, true, 2);
    EXPECT_EQ(editor.text(editor.selection()), "本 ");
    editor.move(Move::right);
    EXPECT_EQ(editor.caret().byte, 11u);
    EXPECT_FALSE(editor.has_selection());
}

TEST(TextEditor, UpAndDownRememberTheColumn) {
    TextEditor editor("long line\nx\nlong line");
    editor.place({0, 7});
    editor.move(Move::down);
    EXPECT_EQ(editor.caret(), (Position{1, 1}));
    editor.move(Move::down);
    EXPECT_EQ(editor.caret(), (Position{2, 7}));
    editor.move(Move::down);
    EXPECT_EQ(editor.caret(), (Position{2, 9}));
    editor.move(Move::up, false, 10);
    EXPECT_EQ(editor.caret(), (Position{0, 0}));
}

TEST(TextEditor, HomeGoesToTheTextFirst) {
    auto editor = marked("    x = 1|");
    editor.move(Move::line_begin);
    EXPECT_EQ(editor.caret().byte, 4u);
    editor.move(Move::line_begin);
    EXPECT_EQ(editor.caret().byte, 0u);
    editor.move(Move::line_end, true);
    EXPECT_EQ(editor.text(editor.selection()), "    x = 1");
}

TEST(TextEditor, SelectsWordsAndLines) {
    TextEditor editor("a = hw.randn(2)\nnext");
    editor.select_word({0, 8});
    EXPECT_EQ(editor.text(editor.selection()), "randn");
    editor.select_word({0, 15});
    EXPECT_EQ(editor.text(editor.selection()), ")");
    editor.select_line(0);
    EXPECT_EQ(editor.text(editor.selection()), "a = hw.randn(2)\n");
    editor.select_line(7);
    EXPECT_EQ(editor.text(editor.selection()), "next");
}

TEST(TextEditor, FindsForwardBackwardAndWrapsAround) {
    const TextEditor editor("Alpha beta\nalpha");
    EXPECT_EQ(editor.find("alpha", {0, 0})->begin, (Position{0, 0}));
    EXPECT_EQ(editor.find("alpha", {0, 1})->begin, (Position{1, 0}));
    EXPECT_EQ(editor.find("alpha", {1, 1})->begin, (Position{0, 0}));
    EXPECT_EQ(editor.find("Alpha", {0, 1})->begin, (Position{0, 0}));
    EXPECT_EQ(editor.find("alpha", {1, 0}, false)->begin, (Position{0, 0}));
    EXPECT_EQ(editor.find("alpha", {0, 0}, false)->begin, (Position{1, 0}));
    EXPECT_FALSE(editor.find("gamma", {0, 0}));
    EXPECT_FALSE(editor.find("", {0, 0}));
}

TEST(TextEditor, ReportsLineChanges) {
    TextEditor editor("a\nb\nc");
    editor.place({1, 1});
    editor.newline();
    auto changes = editor.take_line_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].first, 1u);
    EXPECT_EQ(changes[0].removed, 1u);
    EXPECT_EQ(changes[0].added, 2u);
    EXPECT_TRUE(editor.take_line_changes().empty());
    editor.place({0, 0});
    editor.paste("new\n");  // moves the first line down
    changes = editor.take_line_changes();
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].removed, 0u);
    EXPECT_EQ(changes[0].added, 1u);
}

TEST(TextEditor, ReplacingTheTextKeepsTheCaret) {
    TextEditor editor("a\nb\nc\nd");
    editor.place({3, 1});
    editor.replace_all("a\nB\nB2\nc\nd");
    EXPECT_EQ(editor.text(), "a\nB\nB2\nc\nd");
    EXPECT_EQ(editor.caret().line, 3u);
    editor.replace_all("");
    EXPECT_EQ(editor.text(), "");
    EXPECT_EQ(editor.caret(), (Position{0, 0}));
    editor.undo();
    editor.undo();
    EXPECT_EQ(editor.text(), "a\nb\nc\nd");
}

TEST(TextEditor, PositionsStayBetweenCharacters) {
    const TextEditor editor("日\xff本");
    EXPECT_EQ(editor.nearest({0, 1}).byte, 0u);
    EXPECT_EQ(editor.nearest({0, 2}).byte, 0u);
    EXPECT_EQ(editor.nearest({0, 3}).byte, 3u);
    EXPECT_EQ(editor.nearest({0, 4}).byte, 4u);  // an invalid byte counts as a character
    EXPECT_EQ(editor.nearest({0, 5}).byte, 4u);
    EXPECT_EQ(editor.nearest({9, 9}), editor.end());
}

// For random edits: undoing all restores the first text, and redoing all restores the last.
TEST(TextEditor, RandomEditsCanAllBeUndone) {
    std::mt19937 random(7);
    const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (int round = 0; round < 200; ++round) {
        const std::string start = "def f(x):\n    return x\n\nfor i in range(3):\n    print(f(i))  # äö\n";
        TextEditor editor(start);
        for (int step = 0; step < 40; ++step) {
            editor.place({below(8), below(30)});
            if (below(2) == 0) {
                editor.place({below(8), below(30)}, true);
            }
            switch (below(11)) {
                case 0:
                    editor.type("é");
                    break;
                case 1:
                    editor.type("x");
                    break;
                case 2:
                    editor.newline();
                    break;
                case 3:
                    editor.backspace(below(2) == 0);
                    break;
                case 4:
                    editor.erase(below(2) == 0);
                    break;
                case 5:
                    editor.indent();
                    break;
                case 6:
                    editor.outdent();
                    break;
                case 7:
                    editor.toggle_comment();
                    break;
                case 8:
                    editor.paste("one\ntwo");
                    break;
                case 9:
                    editor.cut();
                    break;
                case 10:
                    below(2) == 0 ? editor.undo() : editor.redo();
                    break;
            }
            for (const auto& line : editor.lines()) {
                ASSERT_EQ(line.find('\n'), std::string::npos);
            }
            ASSERT_EQ(editor.nearest(editor.caret()), editor.caret());
        }
        while (editor.redo()) {
        }
        const std::string end = editor.text();
        while (editor.undo()) {
        }
        ASSERT_EQ(editor.text(), start);
        while (editor.redo()) {
        }
        ASSERT_EQ(editor.text(), end);
    }
}

}  // namespace
}  // namespace headway::editor
