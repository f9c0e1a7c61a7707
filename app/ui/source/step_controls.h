// Run, pause, the steps of frontend and backend, and slow motion: what the learner holds a program by.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class StepControls {
public:
    StepControls(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // `line`: where "to cursor" goes (from 1). Returns the height; one row where all fits, else two.
    float draw(ImVec2 at, float width, std::uint32_t line);
    [[nodiscard]] float height(float width) const;

private:
    // Draws a button at x and moves x behind it.
    bool put(float& x, float y, const char* id, const char* label, bool enabled, const char* help,
             bool selected = false, char icon = 0);
    void frontend(float& x, float y, std::uint32_t line);
    void backend(float& x, float y);
    void slow_motion(float x, float y, float right);

    AppState& state_;
    Ui& ui_;
};

// Slow motion as a place on its slider, 0 to 1, and back: 0 is off, then from 1 ms to 10 s in equal factors.
std::uint64_t delay_ns_at(float share);
float share_of_delay(std::uint64_t delay_ns);

}  // namespace headway::ui
