// The status bar at the bottom: key hints at the left, the run's state at the right.
#pragma once

#include <string>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class StatusBar {
public:
    StatusBar(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 30;
    void draw(ImVec2 min, ImVec2 max);

private:
    AppState& state_;
    Ui& ui_;
};

// "recording", "finished" …
std::string phase_text(const AppState& state);
// The parts at the right: "SIMULATED", "1,204 ops", "recording".
std::vector<std::string> status_parts(const AppState& state);

}  // namespace headway::ui
