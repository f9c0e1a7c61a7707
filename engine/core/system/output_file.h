// A file that is written atomically: without a name or with a temporary one in the same folder, then renamed. After a
// failure its name still refers to the old contents. Errors are of kind unreadable and name the file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::core {

// Whether an output is written to directly, instead of replacing the file of that name: devices, pipes, and everything
// in /dev and /proc. That includes /dev/stdout where it is redirected to a file, because that file may also contain
// other output. Any thread.
[[nodiscard]] bool is_written_directly(const std::string& path);

class OutputFile {
public:
    // Opens the file for writing.
    static Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;
    ~OutputFile();  // without commit() the file is removed

    // False after an error, such as a full disk; commit() then returns the error.
    bool write(std::string_view bytes);
    // Replaces the existing file, if any.
    Result<void> commit();

private:
    OutputFile() = default;
    void discard();
    void give_name();

    std::string path_, target_;  // as requested; after resolving links, empty if written to directly
    std::string temporary_;      // empty while it has no name
    UniqueFd fd_;
    int errno_ = 0;
};

// Keeps an output's folder open while a program runs: what the program does with folders and links meanwhile does not
// change where the output goes. OutputFile::create() looks here for the path itself, and for others in its folder, on
// any thread. Make it before, and destroy it after, the OutputFiles for which it is kept.
class HeldOutput {
public:
    // `path`: "" for none. The file need not exist yet. Does nothing for outputs that are written to directly.
    explicit HeldOutput(const std::string& path);
    ~HeldOutput();
    HeldOutput(const HeldOutput&) = delete;
    HeldOutput& operator=(const HeldOutput&) = delete;

private:
    friend class OutputFile;
    // Where to write `path`, as a path through the open folder; nothing if it is not held here. A folder that the
    // program has removed is made again.
    [[nodiscard]] std::optional<Result<std::string>> place(const std::string& path) const;
    // The same in the first held folder that has `path`.
    static std::optional<Result<std::string>> any_place(const std::string& path);

    std::string path_, folder_;  // as given
    std::string whole_folder_;   // absolute, without links
    // The folder, and where the file is if the path is a link to one elsewhere.
    mutable UniqueFd open_folder_;
    UniqueFd linked_folder_;
    std::string linked_name_;
};

// Writes a whole file. Any thread, but only one at a time per file. An OutputFile itself is for one thread at a time.
Result<void> write_whole(const std::string& path, std::string_view bytes);

// The permissions that the umask gives new files, for example 0644. Any thread: the umask is read from /proc, because
// reading it with umask() would set it for a moment.
mode_t permissions_of_new_files();

// Why a file cannot be written, from an errno; and the error that says so. Any thread.
[[nodiscard]] std::string write_problem(int why);
[[nodiscard]] Error cannot_write(const std::string& path, int why);

// Checks whether a file could be written there, before a long run. Creates nothing.
Result<void> check_writable(const std::string& path);

// Removes the temporary files, when the process has to end at once. Safe in a signal handler.
void remove_unfinished_files();

}  // namespace headway::core
