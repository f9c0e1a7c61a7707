// A and B as rows of numbers, with why their lanes stood idle, and the verdict in words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/model/why.h"
#include "app/ui/app_state.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

class ComparisonPanel {
public:
    ComparisonPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    [[nodiscard]] float height() const;  // 0 when there is nothing to show
    void draw(ImVec2 min, ImVec2 max);
    [[nodiscard]] bool moving() const;  // it is still being found out why lanes stood idle

private:
    // Why a run's lanes stood idle, found out a little in each frame once the run is over.
    struct Idle {
        const model::Run* run = nullptr;
        std::uint64_t revision = 0;
        std::optional<model::IdleWalk> walk;
        bool busy = false;
    };
    [[nodiscard]] int rows() const;
    // Null while it is not known.
    const model::IdleCauses* idle_of(const session::Execution& execution);
    AppState& state_;
    Ui& ui_;
    std::array<Idle, 2> idle_;  // of A, of B
};

}  // namespace headway::ui
