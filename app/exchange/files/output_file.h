// A file that is written atomically: to a temporary name in the same folder, then renamed.
//
// Threads: one.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::exchange {

class OutputFile {
public:
    // Opens the file for writing. Devices and pipes (/dev/stdout) are written to directly.
    static core::Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;
    ~OutputFile();  // without commit() the file is removed

    // False after an error, such as a full disk; commit() then returns the error.
    bool write(std::string_view bytes);
    // Replaces the existing file, if any.
    core::Result<void> commit();

private:
    OutputFile() = default;
    void discard();

    std::string path_, target_, temporary_;  // as requested; after resolving links; empty if written to directly
    core::UniqueFd fd_;
    int errno_ = 0;
};

// Checks whether a file could be written there, before a long run. Creates nothing.
core::Result<void> check_writable(const std::string& path);

// Removes the temporary files, when the process has to end at once. Safe in a signal handler.
void remove_unfinished_files();

}  // namespace headway::exchange
