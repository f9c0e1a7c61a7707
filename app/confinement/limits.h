// Limits of what one run may take, and what a process and its descendants have taken so far.
//
// Read from /proc, as no limit of the kernel fits: RLIMIT_AS counts memory that is only reserved,
// RLIMIT_NPROC the processes of other programs, RLIMIT_FSIZE one file at a time.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace headway::confinement {

// 0: no limit.
struct Limits {
    std::uint64_t memory_bytes = 0;
    std::uint64_t output_bytes = 0;
    std::uint64_t time_ms = 0;
    std::uint32_t processes = 0;
    [[nodiscard]] bool any() const { return memory_bytes != 0 || output_bytes != 0 || time_ms != 0 || processes != 0; }

    friend bool operator==(const Limits&, const Limits&) = default;
};

// For programs of the window: three quarters of the machine's memory, 256 processes, 4 GB of output, 4 hours;
// without those that this kernel does not count.
Limits default_limits();

struct Usage {
    std::uint64_t memory_bytes = 0;  // resident and not in files; neither recordings nor other shared memory
    std::uint64_t output_bytes = 0;  // passed to write() for files, pipes and terminals
    std::uint32_t processes = 0;     // without `root`
};
// Of process `root` and its descendants that have not been orphaned. Memory that forked processes share is counted once
// if the sum is above `exact_above`: that takes the kernel milliseconds for each gigabyte, the plain sum microseconds.
Usage usage_of(pid_t root, std::uint64_t exact_above = 0);
// Of the descendants of `parent` but for those of `except`. `parent` itself does not count, nor does the first of its
// children, which is the program.
Usage usage_below(pid_t parent, const std::vector<pid_t>& except, std::uint64_t exact_above = 0);
std::vector<pid_t> descendants_of(pid_t root);

// One sentence about the first limit that is exceeded; "" if none is.
std::string exceeded(const Limits& limits, const Usage& usage, std::uint64_t elapsed_ms);

enum class Limit { memory, processes, output, time };
// The limit that a sentence of exceeded() is about, which may continue; nothing for other sentences. A recording keeps
// only the sentence.
std::optional<Limit> exceeded_limit(std::string_view sentence);

// "at most 12 GB of memory, 256 processes, 4 GB of output and 4 h"; "" without limits.
std::string words_of(const Limits& limits);

// Fails if this kernel does not count what a limit needs.
core::Result<void> check_limits(const Limits& limits);

}  // namespace headway::confinement
