// The program's source files, the line that it is in, and the errors that name it.
//
// Threads: the frontend only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/ids.h"
#include "engine/core/result.h"
#include "engine/core/source_location.h"
#include "engine/trace/recorder.h"

namespace headway::runtime {

// Thrown to the program for its own mistakes and for failed ops. what() is one sentence.
class ProgramError : public std::runtime_error {
public:
    explicit ProgramError(core::Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
    [[nodiscard]] const core::Error& error() const { return error_; }

private:
    core::Error error_;
};

// The error of a program that the user has stopped.
[[nodiscard]] inline core::Error stopped_error() {
    return {core::ErrorKind::stopped, "stopped", {}, 0, 0};
}

class SourceLines {
public:
    explicit SourceLines(trace::Recording& recording) : recording_(recording) {}
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    // The line of the ops issued from now on. Ops called by library code keep the program's line: see LineScope.
    void set(core::Line line) { current_ = line; }
    [[nodiscard]] core::Line current() const { return current_; }
    // Its number as stored in a command, at most 65535.
    [[nodiscard]] std::uint16_t short_number() const {
        return static_cast<std::uint16_t>(std::min(core::number_of(current_), 0xffffu));
    }
    [[nodiscard]] core::Line at(const core::SourceLocation& where) {
        const char* path = where.file_name();
        return core::make_line(path == last_path_ ? last_file_ : file_at(path), where.line());
    }

    // For languages that report lines themselves: add_file() returns the id of a source file; after take_over()
    // LineScope has no effect.
    std::uint32_t add_file(const std::string& name);
    void take_over() { ++depth_; }

    // The name of a line's file; empty if it is unknown.
    [[nodiscard]] std::string_view file_name(core::Line line) const { return name_of_file(core::file_of(line)); }
    [[nodiscard]] std::string_view name_of_file(std::uint32_t file) const;
    // ", at train.py:12"; empty if the line is unknown.
    [[nodiscard]] std::string text(core::Line line) const;

    // An error at `line`. Its message does not get the line's text.
    [[nodiscard]] core::Error error(core::ErrorKind kind, std::string message, core::Line line,
                                    core::OpId op = 0) const;
    // Throws ProgramError at the current line, whose text is added to the message. `op`: the op that failed; 0: none.
    [[noreturn]] void raise(core::ErrorKind kind, std::string message, core::OpId op = 0) const;

private:
    friend class LineScope;
    std::uint32_t file_at(const char* path);  // `path` from the compiler: one file, one address

    trace::Recording& recording_;
    core::Line current_ = 0;
    std::uint32_t depth_ = 0;          // nesting depth of LineScopes
    const char* last_path_ = nullptr;  // cache of at()
    std::uint32_t last_file_ = 0;
    std::vector<std::pair<const char*, std::string>> files_;
};

// All ops issued during its lifetime get the source line of the outermost scope. Library code opens one, so that its
// ops get the line of the program that called it.
class LineScope {
public:
    LineScope(SourceLines& lines, const core::SourceLocation& where) : lines_(lines) {
        if (lines_.depth_++ == 0) {
            lines_.set(lines_.at(where));
        }
    }
    ~LineScope() { --lines_.depth_; }
    LineScope(const LineScope&) = delete;
    LineScope& operator=(const LineScope&) = delete;

private:
    SourceLines& lines_;
};

}  // namespace headway::runtime
