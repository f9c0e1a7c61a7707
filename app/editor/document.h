// A program's source while it is open: its text, the file it belongs to, breakpoints, and which of its lines have been
// run as they stand.
//
// Two kinds of files: a learner's own, which is saved where it was read; and a program that belongs to a lesson, whose
// file never changes. What the learner makes of the latter is kept beside, as the learner's copy, until it is reverted.
//
// Threads: one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/editor/syntax.h"
#include "app/editor/text_editor.h"
#include "engine/core/result.h"

namespace headway::editor {

class Document {
public:
    enum class Kind { python, notebook, text, cpp };
    enum class Disk { same, changed, gone };  // against what was last read or written here

    // Errors name the file and say what is wrong with it.
    static core::Result<std::unique_ptr<Document>> open(const std::filesystem::path& file);
    // The program of a lesson, or what the learner has made of it.
    static core::Result<std::unique_ptr<Document>> open_lesson(const std::filesystem::path& lesson_file,
                                                               const std::filesystem::path& copy);
    // Whether files of this name are programs that can be opened: .py, .ipynb, .md, .txt.
    static bool is_program(const std::filesystem::path& path);

    TextEditor text;
    Highlighter colours;

    // Where it is saved: the learner's file or copy; for a program to look at, where it was read.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string name() const { return path_.filename().string(); }
    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool of_lesson() const { return !lesson_file_.empty(); }
    // Why it cannot be edited: C++ is compiled, a file that is not UTF-8 would be damaged. Empty: it can.
    [[nodiscard]] const std::string& read_only_reason() const { return read_only_; }
    [[nodiscard]] bool read_only() const { return !read_only_.empty(); }

    // Whether the text differs from what the file holds, or there is no file any more.
    [[nodiscard]] bool modified() const;
    // Whether it differs from the lesson's own.
    [[nodiscard]] bool differs_from_lesson() const;
    // Writes the file, whole or not at all. A copy that is the lesson's own again is removed.
    core::Result<void> save();
    // Writes what save() would write to another file: for a run of what is not saved.
    core::Result<void> write_to(const std::filesystem::path& file) const { return write_text_to(text.text(), file); }
    // The same of a text that it had before.
    core::Result<void> write_text_to(const std::string& text, const std::filesystem::path& file) const;
    // The lesson's own text again (can be undone).
    void revert();

    // What was found on disk (nothing: the file is gone). A text without edits of the learner follows it.
    void note_disk(const std::optional<std::string>& bytes);
    [[nodiscard]] Disk disk() const { return disk_; }
    void take_disk();  // after Disk::changed: the file's text, instead of the edits (can be undone)
    void keep_mine();  // the edits, which the next save() writes over the file's text

    // Lines, from 1. They move with the text.
    [[nodiscard]] const std::set<std::uint32_t>& breakpoints() const { return breakpoints_; }
    void set_breakpoint(std::uint32_t line, bool on);
    // Once a frame, after edits: colours and marks follow. True when a breakpoint has moved.
    bool settle();

    // The text is being run as it is now.
    void note_run();
    [[nodiscard]] bool has_run() const { return !ran_.empty(); }
    // The line (from 1) of the text that was run, for a line of the present text, and the other way; 0: none.
    [[nodiscard]] std::uint32_t run_line(std::uint32_t line) const;
    [[nodiscard]] std::uint32_t line_of_run(std::uint32_t run_line) const;

private:
    Document(std::filesystem::path path, Kind kind, std::string_view shown);
    [[nodiscard]] core::Result<std::string> bytes_of(const std::string& text) const;
    // The text that is shown for a file's bytes; takes note of how the file writes it.
    core::Result<std::string> decode(const std::string& bytes);
    void taken(const std::string& bytes);
    [[nodiscard]] bool edited() const;
    void map_lines() const;

    std::filesystem::path path_, lesson_file_;
    Kind kind_;
    std::string read_only_;
    std::string lesson_text_, saved_text_, disk_bytes_;  // disk_bytes_: notebooks, and what take_disk() takes
    bool crlf_ = false, byte_order_mark_ = false;
    Disk disk_ = Disk::same;
    std::set<std::uint32_t> breakpoints_;
    std::uint64_t settled_ = ~std::uint64_t{0};
    mutable std::uint64_t compared_ = ~std::uint64_t{0};
    mutable bool modified_ = false, differs_ = false;
    std::vector<std::string> ran_;
    mutable std::vector<std::uint32_t> run_lines_;
    mutable std::uint64_t mapped_ = ~std::uint64_t{0};
};

}  // namespace headway::editor
