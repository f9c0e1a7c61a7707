// An external program that reads bytes from stdin: an encoder, a clipboard.
//
// Threads: one per Tool. Calls block on the program, so never use it on a thread that draws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/process/child.h"

namespace headway::process {

// The path of an executable file on PATH.
std::optional<std::string> find_tool(const std::string& name);

class Tool {
public:
    // `program` is a path or a name on PATH. Its stdout is discarded; its stderr is kept for error messages.
    static core::Result<Tool> start(const std::string& program, const std::vector<std::string>& arguments);

    // Writes to the program's stdin. False when the program accepts no more; finish() then returns the reason.
    bool write(std::string_view bytes) { return child_.write(bytes); }
    // Closes stdin and waits for the program to end. An error contains its last line on stderr.
    core::Result<void> finish();

private:
    Tool(std::string name, Child child, core::UniqueFd errors)
        : name_(std::move(name)), child_(std::move(child)), errors_(std::move(errors)) {}

    std::string name_;
    Child child_;
    core::UniqueFd errors_;
};

}  // namespace headway::process
