// The names of the kinds of waits.
#pragma once

#include <array>

#include "engine/trace/format.h"

namespace headway::trace {

struct WaitNames {
    WaitKind kind;
    const char* word;   // in reports
    const char* name;   // shown where the program's call has no name of its own
    const char* cause;  // the group that it belongs to, in tables
};
inline constexpr std::array<WaitNames, 14> kWaitNames{
    {{WaitKind::waitall, "waitall", "waitall", "barrier"},
     {WaitKind::wait_to_read, "wait_to_read", "wait_to_read", "barrier"},
     {WaitKind::synchronize, "synchronize", "synchronize", "barrier"},
     {WaitKind::op_barrier, "op_barrier", "op barrier", "barrier"},
     {WaitKind::minibatch_barrier, "minibatch_barrier", "minibatch barrier", "barrier"},
     {WaitKind::item, "item", "item", "blocker"},
     {WaitKind::numpy, "numpy", "numpy", "blocker"},
     {WaitKind::print, "print", "print", "blocker"},
     {WaitKind::boolean, "boolean", "bool", "blocker"},
     {WaitKind::copy, "copy", "copy", "blocker"},
     {WaitKind::queue_limit, "queue_limit", "queue limit", "queue limit"},
     {WaitKind::memory, "memory", "memory", "memory"},
     {WaitKind::recording, "recording", "recording full", "recording"},
     {WaitKind::paused, "paused", "paused", "paused"}}};

// For a kind that is not in the table, which a broken recording may have: "wait".
constexpr WaitNames names_of(WaitKind kind) {
    for (const WaitNames& names : kWaitNames) {
        if (names.kind == kind) {
            return names;
        }
    }
    return {kind, "wait", "wait", "wait"};
}

}  // namespace headway::trace
