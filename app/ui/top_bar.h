// The bar at the top: the lesson, the run, the barrier, the device, the look, the export.
#pragma once

#include "app/ui/app_state.h"
#include "app/ui/ui_context.h"

namespace headway::ui {

class TopBar {
public:
    TopBar(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 56;
    void draw(ImVec2 min, ImVec2 max);

private:
    float draw_title(float x, float room);
    void draw_run_buttons(float& x, float y, bool steps);
    void draw_barrier(float& x, float y, bool labelled, float padding);
    void draw_device(float x, float y, float width);
    void draw_export(float x, float y, float width);
    void draw_theme(float x, float y);
    void lessons_popup();
    void device_popup();
    void export_popup();

    AppState& state_;
    Ui& ui_;
    float top_ = 0;
};

}  // namespace headway::ui
