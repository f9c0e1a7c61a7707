#include "engine/core/system/exit_notice.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace headway::core {

ExitNotice::ExitNotice() {
    if (const char* number = std::getenv(kVariable)) {
        const int fd = std::atoi(number);
        unsetenv(kVariable);
        fd_ = fd > STDERR_FILENO && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
    }
}

void ExitNotice::say() const {
    struct stat now {};  // the program may have closed it and reused its number for a file
    if (fd_ >= 0 && fstat(fd_, &now) == 0 && S_ISFIFO(now.st_mode)) {
        [[maybe_unused]] const auto written = write(fd_, "x", 1);
    }
}

}  // namespace headway::core
