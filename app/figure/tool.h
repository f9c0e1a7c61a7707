// A program of the machine that takes bytes on its stdin: an encoder, a clipboard.
//
// Threads: one per Tool. Its calls wait for the program; none belongs on a thread that draws.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::figure {

// The path of an executable file on PATH.
std::optional<std::string> find_tool(const std::string& name);

class Tool {
public:
    // `program` is a path or a name on PATH. What it prints goes nowhere, but for its last complaint.
    static core::Result<Tool> start(const std::string& program, const std::vector<std::string>& arguments);
    Tool(Tool&& other) noexcept;
    Tool& operator=(Tool&& other) noexcept;
    ~Tool();  // kills it if it still runs

    // False when it takes no more; finish() then says why.
    bool write(std::string_view bytes);
    // Ends its stdin and waits for it. An error holds its last line on stderr.
    core::Result<void> finish();

private:
    Tool() = default;
    void end() noexcept;

    std::string name_;
    pid_t pid_ = -1;
    int input_ = -1, complaints_ = -1;
};

}  // namespace headway::figure
