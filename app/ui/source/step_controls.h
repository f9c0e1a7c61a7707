// The controls for stepping: steps of frontend and backend, slow motion.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class StepControls {
public:
    StepControls(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 24;  // design pixels
    // `line`: where "to cursor" runs to (from 1). Returns the height: in a narrow pane the controls take several rows,
    // and slow motion is left out where there is no room for it.
    float draw(ImVec2 at, float width, std::uint32_t line);

private:
    // Draws a button at `at` and advances it.
    bool put(ImVec2& at, const char* id, const char* label, bool enabled, const char* help, bool selected = false,
             char icon = 0);
    void make_room(ImVec2& at, float width) const;
    void frontend(ImVec2& at, std::uint32_t line);
    void backend(ImVec2& at);
    void slow_motion(float x, float y, float right);

    AppState& state_;
    Ui& ui_;
    float left_ = 0, right_ = 0;  // of the rows
};

// Converts between the slow-motion delay and its place on the slider, 0 to 1. 0 is off; above that logarithmic, from 1
// ms to 10 s.
std::uint64_t delay_ns_at(float share);
float share_of_delay(std::uint64_t delay_ns);

}  // namespace headway::ui
