// The time in waits by source line, for one run or for two beside each other.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

struct LineWaits {
    std::string line;                  // "train.py:31"
    std::uint32_t number = 0;          // 31
    std::array<std::int64_t, 2> ns{};  // of A, of B
};

// The lines in which a run waited, the longest wait first, as far as the runs have been summed up. Null: no such run.
std::vector<LineWaits> waits_by_line(const session::Execution* a, const session::Execution* b);

// Draws them with their source text. Lines of two runs stand beside each other only if both ran the same text.
void draw_line_waits(const AppState& state, Ui& ui, ImVec2 min, ImVec2 max);

}  // namespace headway::ui
