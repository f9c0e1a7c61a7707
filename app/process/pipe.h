// A pipe, closed on exec.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "engine/core/result.h"
#include "engine/core/system/unique_fd.h"

namespace headway::process {

struct Pipe {
    core::UniqueFd read_end, write_end;
};

// `flags`: O_NONBLOCK, or 0.
inline core::Result<Pipe> make_pipe(int flags = 0) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC | flags) != 0) {
        return core::Error{core::ErrorKind::failed, std::string("pipe2: ") + std::strerror(errno)};
    }
    return Pipe{core::UniqueFd(ends[0]), core::UniqueFd(ends[1])};
}

}  // namespace headway::process
