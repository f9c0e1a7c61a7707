// A file that appears whole or not at all: written beside its place under another name, then renamed.
//
// Threads: one.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::exchange {

class OutputFile {
public:
    // Ready to be written to. Devices and pipes (/dev/stdout) are written to directly.
    static core::Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&& other) noexcept;
    ~OutputFile();  // without commit() nothing stays behind

    // False once the disk is full or the like; commit() then says so.
    bool write(std::string_view bytes);
    // The file is there now, in place of an older one.
    core::Result<void> commit();

private:
    OutputFile() = default;
    void discard();

    std::string path_, target_, temporary_;  // as asked for; where links lead; empty when written to directly
    int fd_ = -1;
    int errno_ = 0;
};

// Whether a file could be written there now: to be asked before a long run. Leaves no trace.
core::Result<void> check_writable(const std::string& path);

// Names of files that are being written, so that a process that is told to end at once can remove them. Safe in a
// signal handler.
void remove_unfinished_files();

}  // namespace headway::exchange
