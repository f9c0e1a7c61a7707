#include "engine/core/system/standard_fds.h"

#include <fcntl.h>
#include <unistd.h>

namespace headway::core {

void ensure_standard_fds() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) == -1) {
            // open() returns the lowest free number, which is fd. No O_CLOEXEC: child processes inherit it as a
            // standard descriptor.
            [[maybe_unused]] const int opened = open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
        }
    }
}

}  // namespace headway::core
