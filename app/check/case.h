// The values with which a program is run.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/check/exercise.h"

namespace headway::check {

struct Case {
    bool hidden = false;
    std::uint64_t seed = 0;
    std::vector<std::pair<std::string, std::string>> values;  // as for --set
    std::string costs;                                        // of the simulated device, with the values filled in
    friend bool operator==(const Case&, const Case&) = default;
};

// The same `key` gives the same values. By default the key is the hash of the learner's program: one program always
// gets the same cases, and writing their values into it changes them.
std::vector<Case> draw_cases(const Exercise& exercise, const std::string& key);

}  // namespace headway::check
