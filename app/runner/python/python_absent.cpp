// Replaces python_program.cpp in builds without Python.
#include "app/runner/python/python_program.h"

namespace headway::runner {

core::Result<std::unique_ptr<Program>> make_python_program(PythonSource source) {
    return core::Error{core::ErrorKind::usage, source.path + " cannot be run: " + python_unavailable(), {}, 0, 0};
}

std::string python_unavailable() {
    return "this build has no Python frontend (python3-dev was not found)";
}

}  // namespace headway::runner
