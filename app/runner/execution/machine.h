// What this machine is, for the report and the caption of a figure.
#pragma once

#include <cstdint>
#include <string>

namespace headway::runner {

struct Machine {
    std::string cpu, os;
    int cores = 1;  // that this process may use
};
Machine this_machine();

// The resident memory of this process; 0 when it cannot be read.
std::uint64_t resident_bytes();

// Now, in local time: "2026-01-31T12:59:00+01:00".
std::string iso_date();

}  // namespace headway::runner
