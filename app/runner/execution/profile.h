// How a framework behaves, as far as the engine decides it: the defaults of a program that is written for it. What is
// chosen (--streams, --workers, --free-policy) goes before. docs/profiles.md has the sources.
//
// Threads: any; a profile is a value.
#pragma once

#include <cstdint>
#include <string>

#include "engine/memory/pool.h"

namespace headway::runner {

struct Profile {
    std::string name = "Headway";            // the framework's; "Headway" for the engine as it is
    std::uint32_t streams = 0, workers = 0;  // lanes of a GPU and of a CPU; 0: the runner's default
    memory::FreePolicy free_policy = memory::FreePolicy::finish;
    // Values reach the program through a copy op in the GPU's stream, so that it waits for all that was issued before.
    bool copies_in_stream = false;
};

// Of a dialect (mxnet, pytorch, tensorflow; any other word: Headway's own).
Profile profile_of(const std::string& dialect);

// The dialect of a program: of a document its tab (empty: its first one), else the framework that is imported first;
// empty where there is none. `text_file` holds the text and may be a changed copy of `file`, whose name says what kind
// of file it is.
std::string dialect_of_file(const std::string& file, const std::string& text_file, const std::string& tab);

}  // namespace headway::runner
