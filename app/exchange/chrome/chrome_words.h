// The categories and names in Headway's own traces. They are part of the file format, so they are independent of the
// names shown in the window. Private to app/exchange.
#pragma once

#include "engine/devices/op.h"
#include "engine/trace/format.h"

namespace headway::exchange {

inline const char* group_of(trace::WaitKind kind) {
    if (trace::is_barrier(kind)) {
        return "barrier";
    }
    if (trace::is_blocker(kind)) {
        return "blocker";
    }
    return kind == trace::WaitKind::paused ? "paused" : "limit";
}

inline const char* word_for(devices::Family family) {
    switch (family) {
        case devices::Family::create:
            return "create";
        case devices::Family::elementwise:
            return "elementwise";
        case devices::Family::matmul:
            return "matmul";
        case devices::Family::reduce:
            return "reduce";
        case devices::Family::update:
            return "update";
        case devices::Family::copy:
            return "copy";
        case devices::Family::random:
            return "random";
        case devices::Family::other:
            break;
    }
    return "other";
}

inline const char* word_for(trace::DriverKind kind) {
    switch (kind) {
        case trace::DriverKind::bounded_ops:
            return "ops with bounds as their times";
        case trace::DriverKind::event_wait:
            return "wait for an event";
        case trace::DriverKind::stream_waits_for_event:
            return "stream waits for an event";
        case trace::DriverKind::stream_wait:
            return "wait for a stream";
        case trace::DriverKind::device_wait:
            return "wait for the device";
        case trace::DriverKind::device_taken:
            return "device memory taken";
        case trace::DriverKind::device_given_back:
            return "device memory given back";
        case trace::DriverKind::pinned_taken:
            return "pinned memory taken";
        case trace::DriverKind::pinned_given_back:
            return "pinned memory given back";
        case trace::DriverKind::other_wait:
            break;
    }
    return "wait";
}

inline const char* word_for(trace::CostKind kind) {
    switch (kind) {
        case trace::CostKind::recording:
            return "recording";
        case trace::CostKind::drop:
            return "drop";
        case trace::CostKind::not_scheduled:
        case trace::CostKind::not_scheduled_issue:
            return "not scheduled";
        case trace::CostKind::totals:
            break;
    }
    return "totals";
}

}  // namespace headway::exchange
