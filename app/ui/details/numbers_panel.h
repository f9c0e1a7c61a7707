// The numbers of the runs shown, A and B next to each other: a row for each number, with which run has more of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/model/analysis/idle.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class NumbersPanel {
public:
    NumbersPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool computing() const;  // the causes of idle times are still being computed

private:
    // The causes of a run's idle times, computed in small steps, one per frame, after the run has ended.
    struct Idle {
        const model::Run* run = nullptr;
        std::uint64_t revision = 0, started = 0;
        std::optional<model::IdleWalk> walk;
        bool busy = false;
    };
    struct Cell {
        std::string text;
        double value = -1;  // for the ratio; below 0: not comparable
        std::string id, help;
    };
    struct Row {
        const char* name;
        const char* help;
        std::array<Cell, 2> cells;  // of A, of B
        bool small = false;         // explains the row above
        bool wide = false;          // small words, on lines of their own
    };
    struct Column {
        const session::Execution* run = nullptr;
        std::string label;
        figure::Rgba tone;
    };
    // Null while it is not known.
    const model::IdleCauses* idle_of(const session::Execution& execution);
    [[nodiscard]] const comparison::Verdict* verdict_of_many();
    // Fills the cells of A (0) or B (1).
    void add_numbers(std::vector<Row>& rows, const session::Execution& run, std::size_t side);
    [[nodiscard]] std::string label_of(const session::Execution& run, const session::Execution* other) const;
    [[nodiscard]] std::string note();
    float draw_labels(const std::vector<Column>& columns, ImVec2 at, float width);
    float draw_wide(const Row& row, const std::vector<Column>& columns, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    std::array<Idle, 2> idle_;  // of A, of B
};

}  // namespace headway::ui
