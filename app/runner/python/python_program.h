// A learner's program in Python, run by an interpreter inside this process: .py, .ipynb, or a document (.md, .txt)
// with code cells.
//
// Threads: run() is called once in a process, on the frontend thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/runner/programs/program.h"

namespace headway::runner {

struct PythonSource {
    std::string path;
    std::string tab;  // of a document with tabs: mxnet, pytorch or tensorflow; empty: the document's first
    std::map<std::string, std::string> set;  // values for the program's top-level names
    std::string folder{};                    // whose modules the program may import, as if it were run from there
};

// Fails when the file cannot be read. What is wrong inside it is told when it runs.
core::Result<std::unique_ptr<Program>> make_python_program(PythonSource source);

// Why Python programs cannot be run here; empty when they can.
std::string python_unavailable();

}  // namespace headway::runner
