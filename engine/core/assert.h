// HEADWAY_ASSERT: a broken invariant prints a message and aborts the process. Expected failures return core::Result.
#pragma once

namespace headway::core {

[[noreturn]] void assertion_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace headway::core

#define HEADWAY_ASSERT(condition, message) \
    ((condition) ? void(0) : ::headway::core::assertion_failed(#condition, message, __FILE__, __LINE__))
