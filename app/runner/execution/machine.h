// Describes this machine, for the report and the captions of figures.
#pragma once

#include <cstdint>
#include <string>

namespace headway::runner {

struct Machine {
    std::string cpu, os;
    int cores = 1;  // available to this process
};
Machine this_machine();

// The resident memory of this process; 0 when it cannot be read.
std::uint64_t resident_bytes();

// The current local time: "2026-01-31T12:59:00+01:00".
std::string iso_date();

}  // namespace headway::runner
