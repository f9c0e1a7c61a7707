// Where the time of lanes and frontend went, in words.
//
// Threads: any. No ImGui.
#pragma once

#include <string>

#include "app/model/analysis/idle.h"
#include "app/model/description/frontend_time.h"

namespace headway::ui {

// "mostly: the frontend was in a barrier"; empty if nothing was idle.
std::string short_idle(const model::IdleCauses& causes);
// "Lanes were idle for 93.2 ms in all:" and a line for each cause, the longest first.
std::string long_idle(const model::IdleCauses& causes);
// "The frontend's 12.3 ms:" and a line for each part, the longest first; the unnamed rest last.
std::string long_frontend(const model::FrontendTime& time);

}  // namespace headway::ui
