// The frontend's events other than ops and waits, and the order of those of scopes. Private to app/exchange.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "app/model/description/events.h"
#include "engine/trace/frontend_records.h"

namespace headway::exchange {

// A frontend event other than an op or a wait: the program's events and its own work.
struct ScopeEvent {
    core::OpId issued = 0;  // ops issued before it
    std::int64_t ns = 0;
    trace::FrontendKind kind = trace::FrontendKind::scope_begin;
    std::uint32_t index = 0;  // of a scope or work in the builder, or the minibatch's own
};

// Orders begins and ends of scopes so that the recorded depths are restored. Scopes that end at the same time as
// one begins are ended first if its depth requires it.
void add_scopes(const std::vector<model::Scope>& scopes, std::vector<ScopeEvent>& events);

}  // namespace headway::exchange
