#include "engine/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace headway::core {

void assertion_failed(const char* condition, const char* message, const char* file, int line) {
    std::fprintf(stderr, "headway: internal error: %s (%s) at %s:%d\n", message, condition, file, line);
    std::abort();
}

}  // namespace headway::core
