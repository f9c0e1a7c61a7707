// The program's output.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class OutputPanel {
public:
    OutputPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw(ImVec2 min, ImVec2 max);

private:
    AppState& state_;
    Ui& ui_;
    std::uint64_t seen_ = 0, seen_run_ = 0;
    bool at_end_ = true;
    // What the program had written at the replayed moment.
    const session::OutputLines& lines_so_far();
    session::OutputLines so_far_;
    std::size_t so_far_writes_ = 0;
    std::uint64_t so_far_run_ = 0, so_far_revision_ = 0;
    // Rows of the box: parts of lines, because long lines are wrapped.
    struct Row {
        std::uint32_t line = 0, from = 0, length = 0;
    };
    void wrap(const std::deque<session::OutputLine>& lines, std::uint64_t revision, float width);
    std::vector<Row> rows_;
    std::uint64_t wrapped_ = 0, wrapped_run_ = 0, wrapped_fonts_ = 0;
    float wrapped_width_ = 0;
};

}  // namespace headway::ui
