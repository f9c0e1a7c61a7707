#include "app/editor/document.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "app/editor/file_watch.h"

namespace headway::editor {
namespace {

namespace fs = std::filesystem;

class DocumentTest : public ::testing::Test {
protected:
    DocumentTest() {
        char name[] = "/tmp/headway-document-XXXXXX";
        folder = mkdtemp(name);
    }
    ~DocumentTest() override { fs::remove_all(folder); }
    fs::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return folder / name;
    }
    static std::string read(const fs::path& path) { return read_file(path, 1 << 20).value_or("(nothing)"); }
    static std::unique_ptr<Document> open(const fs::path& path) {
        auto document = Document::open(path);
        EXPECT_TRUE(document) << document.error().message;
        return document ? std::move(*document) : nullptr;
    }
    fs::path folder;
};

TEST_F(DocumentTest, SavesEdits) {
    const auto path = write("a.py", "x = 1\n");
    auto document = open(path);
    EXPECT_FALSE(document->modified());
    document->text.type("# ");
    EXPECT_TRUE(document->modified());
    document->text.undo();
    EXPECT_FALSE(document->modified());
    document->text.redo();
    ASSERT_TRUE(document->save());
    EXPECT_FALSE(document->modified());
    EXPECT_EQ(read(path), "# x = 1\n");
}

TEST_F(DocumentTest, KeepsLineEndsAndByteOrderMark) {
    const auto path = write("a.py", "\xef\xbb\xbfx = 1\r\ny = 2\r\n");
    auto document = open(path);
    EXPECT_EQ(document->text.text(), "x = 1\ny = 2\n");
    document->text.type("z");
    ASSERT_TRUE(document->save());
    EXPECT_EQ(read(path), "\xef\xbb\xbfzx = 1\r\ny = 2\r\n");
}

TEST_F(DocumentTest, SavesThroughALink) {
    const auto path = write("a.py", "x");
    fs::create_symlink(path, folder / "link.py");
    auto document = open(folder / "link.py");
    document->text.type("y");
    ASSERT_TRUE(document->save());
    EXPECT_TRUE(fs::is_symlink(folder / "link.py"));
    EXPECT_EQ(read(path), "yx");
}

TEST_F(DocumentTest, AFailedSaveLosesNothing) {
    const auto path = write("a.py", "x");
    auto document = open(path);
    document->text.type("y");
    fs::remove_all(folder);
    const auto saved = document->save();
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find("a.py"), std::string::npos);
    EXPECT_TRUE(document->modified());
    EXPECT_EQ(document->text.text(), "yx");
}

TEST_F(DocumentTest, ReportsWhyAFileCannotBeOpened) {
    EXPECT_NE(Document::open(folder / "none.py").error().message.find("there is no file"), std::string::npos);
    EXPECT_NE(Document::open(folder).error().message.find("is not a regular file"), std::string::npos);
    EXPECT_NE(Document::open(write("a.ipynb", "{}")).error().message.find("a.ipynb: this is not a notebook"),
              std::string::npos);
    EXPECT_NE(Document::open(write("big.py", std::string(5 << 20, 'x'))).error().message.find("larger"),
              std::string::npos);
    ASSERT_EQ(mkfifo((folder / "pipe.py").c_str(), 0600), 0);
    EXPECT_FALSE(Document::open(folder / "pipe.py"));  // without waiting for a writer
}

TEST_F(DocumentTest, FilesThatAreNotUtf8AreReadOnly) {
    auto document = open(write("a.py", "x = '\xff'\n"));
    EXPECT_TRUE(document->read_only());
    EXPECT_EQ(document->text.text(), "x = '\xef\xbf\xbd'\n");
    EXPECT_FALSE(document->save());
}

TEST_F(DocumentTest, FollowsTheDiskUntilItIsEdited) {
    auto document = open(write("a.py", "x = 1\n"));
    document->note_disk("x = 2\n");
    EXPECT_EQ(document->text.text(), "x = 2\n");
    EXPECT_FALSE(document->modified());
    document->text.type("# ");
    document->note_disk("x = 3\n");
    EXPECT_EQ(document->text.text(), "# x = 2\n");
    EXPECT_EQ(document->disk(), Document::Disk::changed);
    document->keep_mine();
    EXPECT_EQ(document->disk(), Document::Disk::same);
    EXPECT_TRUE(document->modified());
    document->note_disk("x = 4\n");
    EXPECT_EQ(document->disk(), Document::Disk::changed);
    document->take_disk();
    EXPECT_EQ(document->text.text(), "x = 4\n");
    EXPECT_FALSE(document->modified());
    document->text.undo();
    EXPECT_EQ(document->text.text(), "# x = 2\n");
}

TEST_F(DocumentTest, ARemovedFileLeavesItsText) {
    const auto path = write("a.py", "x = 1\n");
    auto document = open(path);
    document->note_disk(std::nullopt);
    EXPECT_EQ(document->disk(), Document::Disk::gone);
    EXPECT_TRUE(document->modified());
    fs::remove(path);
    ASSERT_TRUE(document->save());
    EXPECT_EQ(read(path), "x = 1\n");
    EXPECT_EQ(document->disk(), Document::Disk::same);
    // Removed while there are edits, then restored: the edits are still a conflict.
    document->text.type("y");
    document->note_disk(std::nullopt);
    document->note_disk("x = 9\n");
    EXPECT_EQ(document->text.text(), "yx = 1\n");
    EXPECT_EQ(document->disk(), Document::Disk::changed);
}

TEST_F(DocumentTest, ALessonsProgramBecomesTheLearnersCopy) {
    const auto lesson = write("lesson.py", "x = 1\n");
    const auto copy = folder / "home" / "id" / "lesson.py";
    auto document = std::move(*Document::open_lesson(lesson, copy));
    EXPECT_FALSE(document->differs_from_lesson());
    ASSERT_TRUE(document->save());
    EXPECT_FALSE(fs::exists(copy));  // it contains no edits
    document->text.type("y");
    EXPECT_TRUE(document->differs_from_lesson());
    ASSERT_TRUE(document->save());
    EXPECT_EQ(read(copy), "yx = 1\n");
    EXPECT_EQ(read(lesson), "x = 1\n");
    auto again = std::move(*Document::open_lesson(lesson, copy));
    EXPECT_EQ(again->text.text(), "yx = 1\n");
    EXPECT_TRUE(again->differs_from_lesson());
    EXPECT_FALSE(again->modified());
    again->revert();
    EXPECT_EQ(again->text.text(), "x = 1\n");
    EXPECT_TRUE(again->modified());
    ASSERT_TRUE(again->save());
    EXPECT_FALSE(fs::exists(copy));
    again->text.undo();
    EXPECT_EQ(again->text.text(), "yx = 1\n");
}

TEST_F(DocumentTest, BreakpointsMoveWithTheirLines) {
    auto document = open(write("a.py", "a\nb\nc\nd\n"));
    document->settle();
    document->set_breakpoint(2, true);
    document->set_breakpoint(4, true);
    document->set_breakpoint(99, true);  // no such line
    document->text.place({0, 0});
    document->text.paste("new\n");
    EXPECT_TRUE(document->settle());
    EXPECT_EQ(document->breakpoints(), (std::set<std::uint32_t>{3, 5}));
    document->text.place({2, 0});
    document->text.newline();  // moves the third line down
    document->settle();
    EXPECT_EQ(document->breakpoints(), (std::set<std::uint32_t>{4, 6}));
    document->text.select({{3, 0}, {5, 0}});
    document->text.backspace();
    document->settle();
    EXPECT_EQ(document->breakpoints().count(4), 1u);
    document->set_breakpoint(4, false);
    EXPECT_EQ(document->breakpoints().count(4), 0u);
}

TEST_F(DocumentTest, MapsLinesToTheLastRun) {
    auto document = open(write("a.py", "a\nb\nc\n"));
    document->note_run();
    document->text.place({0, 0});
    document->text.paste("new\n");
    EXPECT_EQ(document->run_line(1), 0u);
    EXPECT_EQ(document->run_line(2), 1u);
    EXPECT_EQ(document->line_of_run(3), 4u);
    document->text.place({2, 1});
    document->text.type("x");
    EXPECT_EQ(document->run_line(3), 0u);
    EXPECT_EQ(document->line_of_run(2), 0u);
    EXPECT_EQ(document->line_of_run(0), 0u);
    document->text.undo();
    EXPECT_EQ(document->line_of_run(2), 3u);
}

TEST_F(DocumentTest, NotebooksAreEditedByCell) {
    const auto path = write("a.ipynb", R"({"cells": [{"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4})");
    auto document = open(path);
    EXPECT_EQ(document->text.text(), "# %%\nx = 1");
    document->text.place(document->text.end());
    document->text.type("0");
    ASSERT_TRUE(document->save());
    EXPECT_NE(read(path).find("x = 10"), std::string::npos);
    EXPECT_NE(read(path).find("nbformat"), std::string::npos);
    ASSERT_TRUE(document->write_to(folder / "b.ipynb"));
    EXPECT_EQ(read(folder / "b.ipynb"), read(path));
}

}  // namespace
}  // namespace headway::editor
