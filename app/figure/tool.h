// An external program that reads bytes from stdin: an encoder, a clipboard.
//
// Threads: one per Tool. Calls block on the program, so never use it on a thread that draws.
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
    // `program` is a path or a name on PATH. Its stdout is discarded; its stderr is kept for error messages.
    static core::Result<Tool> start(const std::string& program, const std::vector<std::string>& arguments);
    Tool(Tool&& other) noexcept;
    Tool& operator=(Tool&& other) noexcept;
    ~Tool();  // kills it if it still runs

    // Writes to the program's stdin. False when the program accepts no more; finish() then returns the reason.
    bool write(std::string_view bytes);
    // Closes stdin and waits for the program to end. An error contains its last line on stderr.
    core::Result<void> finish();

private:
    Tool() = default;
    void end() noexcept;

    std::string name_;
    pid_t pid_ = -1;
    int input_ = -1, complaints_ = -1;
};

}  // namespace headway::figure
