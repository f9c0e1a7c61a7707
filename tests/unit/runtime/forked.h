// Expectations in a process that is forked off, as a program's `os.fork()` does.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace headway::runtime {

// Whether all expectations of `check` were met in a child process. Only the calling thread goes on there, as after any
// fork(); in this process the threads that keep the recording would go on writing to it.
template <class Check>
bool holds_in_a_child(const Check& check) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        // An exception must not reach the test framework, which would run the other tests here.
        [&check]() noexcept { check(); }();
        std::fflush(nullptr);
        std::_Exit(testing::Test::HasFailure() ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace headway::runtime
