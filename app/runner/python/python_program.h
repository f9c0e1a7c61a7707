// A Python program, run by an interpreter in this process: .py, .ipynb, or a document (.md, .txt) with code cells.
//
// Threads: run() is called once per process, on the frontend thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/runner/programs/program.h"

namespace headway::runner {

struct PythonSource {
    std::string path;
    std::string tab;                         // of a document with tabs: mxnet, pytorch or tensorflow; empty: the first
    std::map<std::string, std::string> set;  // values for the program's top-level names
    std::string folder{};                    // the program may import modules from it, as if it were run there
    // The program is graded: it may do less, and these top-level names are its results (graded.h).
    std::optional<std::vector<std::string>> graded{};
    // `import torch` gives the real PyTorch where its module is built; otherwise Headway's dialect, for which the
    // lessons are written.
    bool pytorch = false;
};

// Fails when the file cannot be read. Errors in its contents are reported when it runs.
core::Result<std::unique_ptr<Program>> make_python_program(PythonSource source);

// Why Python programs cannot be run here; empty when they can.
std::string python_unavailable();

}  // namespace headway::runner
