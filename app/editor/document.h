// An open program's source: its text, its file, breakpoints, and the relation of its lines to the text of the last
// run. Document has many public functions because every edit of the text changes all of these.
//
// There are two kinds of files. A learner's own file is saved where it was read. A lesson's program never changes:
// the learner's version of it is saved as a separate copy, until it is reverted.
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
    enum class Disk { same, changed, gone };  // compared to the last version read or written here

    // Errors name the file and its problem.
    static core::Result<std::unique_ptr<Document>> open(const std::filesystem::path& file);
    // Opens a lesson's program, or the learner's copy of it if there is one.
    static core::Result<std::unique_ptr<Document>> open_lesson(const std::filesystem::path& lesson_file,
                                                               const std::filesystem::path& copy);
    // True for file types that can be opened as programs: .py, .ipynb, .md, .txt.
    static bool is_program(const std::filesystem::path& path);

    TextEditor text;
    Highlighter colours;

    // Where it is saved: the learner's file or copy. For a read-only program, where it was read.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string name() const { return path_.filename().string(); }
    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool of_lesson() const { return !lesson_file_.empty(); }
    // Why it cannot be edited (C++ is compiled; a file that is not UTF-8 would be damaged); empty if it can.
    [[nodiscard]] const std::string& read_only_reason() const { return read_only_; }
    [[nodiscard]] bool read_only() const { return !read_only_.empty(); }

    // True if the text differs from the file, or the file no longer exists.
    [[nodiscard]] bool modified() const;
    // True if the text differs from the lesson's original.
    [[nodiscard]] bool differs_from_lesson() const;
    // Writes the file atomically. A copy that equals the lesson's original is removed.
    core::Result<void> save();
    // Writes what save() would write to another file, to run unsaved text.
    core::Result<void> write_to(const std::filesystem::path& file) const { return write_text_to(text.text(), file); }
    // The same for an earlier version of the text.
    core::Result<void> write_text_to(const std::string& text, const std::filesystem::path& file) const;
    // Restores the lesson's original (can be undone).
    void revert();

    // Reports the file's current contents (empty: the file is gone). Replaces the text if it has no unsaved edits.
    void note_disk(const std::optional<std::string>& bytes);
    [[nodiscard]] Disk disk() const { return disk_; }
    void take_disk();  // after Disk::changed: use the file's text (can be undone)
    void keep_mine();  // after Disk::changed: keep the edits; the next save() overwrites the file

    // Line numbers, from 1. They follow their lines when the text changes.
    [[nodiscard]] const std::set<std::uint32_t>& breakpoints() const { return breakpoints_; }
    void set_breakpoint(std::uint32_t line, bool on);
    // Call once per frame, after edits: updates highlighting and breakpoints. True if a breakpoint has moved.
    bool settle();

    // Remembers the present text as the text of the run.
    void note_run();
    // Maps a line (from 1) of the present text to the text of the run, and back; 0: none.
    [[nodiscard]] std::uint32_t run_line(std::uint32_t line) const;
    [[nodiscard]] std::uint32_t line_of_run(std::uint32_t run_line) const;

private:
    Document(std::filesystem::path path, Kind kind, std::string_view shown);
    [[nodiscard]] core::Result<std::string> bytes_of(const std::string& text) const;
    // Converts a file's bytes to text, and remembers the file's encoding details.
    core::Result<std::string> decode(const std::string& bytes);
    void taken(const std::string& bytes);
    [[nodiscard]] bool edited() const;
    void map_lines() const;

    std::filesystem::path path_, lesson_file_;
    Kind kind_;
    std::string read_only_;
    std::string lesson_text_, saved_text_, disk_bytes_;  // disk_bytes_: for notebooks and take_disk()
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
