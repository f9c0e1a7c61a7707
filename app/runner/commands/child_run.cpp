#include "app/runner/commands/child_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "app/runner/commands/commands.h"
#include "app/runner/execution/interrupt.h"
#include "engine/core/signal_words.h"

extern char** environ;

namespace headway::runner {

namespace {

core::Error cannot_start(const char* what, int why) {
    return {core::ErrorKind::failed, std::string("a run cannot be started: ") + what + ": " + std::strerror(why)};
}

}  // namespace

core::Result<ChildRun> run_in_child(const std::string& program, const std::vector<std::string>& options) {
    ChildRun run{Descriptor(memfd_create("headway-run", 0)), 0};  // without MFD_CLOEXEC, so the child inherits it
    if (run.recording.get() < 0) {
        return cannot_start("memfd_create", errno);
    }
    std::vector<std::string> words{"headway-runner", "run", program, "--trace-fd", std::to_string(run.recording.get())};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (auto& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (const int why = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ); why != 0) {
        return cannot_start("posix_spawn", why);
    }
    fcntl(run.recording.get(), F_SETFD, FD_CLOEXEC);
    Interrupts::watch_child(child);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0) {
        if (errno != EINTR) {
            Interrupts::watch_child(0);
            return cannot_start("waitpid", errno);
        }
    }
    Interrupts::watch_child(0);
    if (WIFSIGNALED(ended)) {
        tell("the run was ended by " + core::signal_words(WTERMSIG(ended)));
        run.status = kProgramFailed;
    } else {
        run.status = WEXITSTATUS(ended);
    }
    return run;
}

}  // namespace headway::runner
