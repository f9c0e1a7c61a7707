// A framework's behaviour, as far as the engine controls it: the defaults for a program written for that framework.
// Explicit options (--streams, --workers, --free-policy) override them. Sources: docs/profiles.md.
//
// Threads: any; a profile is a value.
#pragma once

#include <cstdint>
#include <string>

#include "engine/memory/pool.h"

namespace headway::runner {

struct Profile {
    std::string name = "Headway";            // the framework's name; "Headway" for the engine's own defaults
    std::uint32_t streams = 0, workers = 0;  // lanes of a GPU and of a CPU; 0: the runner's default
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    // Values reach the program through a copy op in the GPU's stream, so reading waits for everything issued before.
    bool copies_in_stream = false;
    bool program_streams = false;  // the program makes streams, and orders them itself
};

// The profile of a dialect (mxnet, pytorch, tensorflow; any other name: Headway's own).
Profile profile_of(const std::string& dialect);

// The profile of a program's dialect: a document's tab (empty: its first), else the first framework that is imported;
// Headway's own if there is none. `text_file` holds the text and may be an edited copy of `file`, whose extension
// determines the kind of file. A program whose text makes streams gets more of them.
Profile profile_of_file(const std::string& file, const std::string& text_file, const std::string& tab);

}  // namespace headway::runner
