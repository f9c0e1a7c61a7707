// The verdict in words, with a button that compares; below it A and B as rows of numbers, with why their lanes were
// idle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/model/analysis/idle.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class ComparisonPanel {
public:
    ComparisonPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    [[nodiscard]] float height(float width);  // 0 when there is nothing to show
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const;  // the causes of idle times are still being computed

private:
    // The causes of a run's idle times, computed in small steps, one per frame, after the run has ended.
    struct Idle {
        const model::Run* run = nullptr;
        std::uint64_t revision = 0, started = 0;
        std::optional<model::IdleWalk> walk;
        bool busy = false;
    };
    [[nodiscard]] int rows() const;
    // Null while it is not known.
    const model::IdleCauses* idle_of(const session::Execution& execution);
    struct Strip {
        std::string words, evidence, button, help;
        figure::Rgba tone;
        double share = -1;  // progress of the comparison's runs; -1: no comparison is running
    };
    [[nodiscard]] Strip strip();
    [[nodiscard]] float strip_height(float width);
    [[nodiscard]] float strip_room(const Strip& strip, float width) const;
    void draw_strip(ImVec2 min, ImVec2 max);
    [[nodiscard]] const comparison::Verdict* verdict_of_many();
    [[nodiscard]] std::string total_text(const session::Execution& run, bool a);
    AppState& state_;
    Ui& ui_;
    std::array<Idle, 2> idle_;  // of A, of B
};

}  // namespace headway::ui
