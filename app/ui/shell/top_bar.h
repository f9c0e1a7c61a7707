// The top bar: lesson, modes, run buttons, barrier, device, theme, export.
#pragma once

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class TopBar {
public:
    TopBar(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    static constexpr float kHeight = 56;
    void draw(ImVec2 min, ImVec2 max);

private:
    // A menu's text, followed by the command's keys.
    [[nodiscard]] std::string command_label(const char* text, std::string_view id) const;
    // The barriers as buttons in a row, or as a menu if there is no room for all.
    struct BarrierForm {
        bool labelled = false;
        float padding = 0;  // of each button, in design pixels; 0: a menu
    };
    void draw_title(float x, float room);
    [[nodiscard]] float title_width(float most);
    void draw_modes(float& x, float y, bool roomy);
    [[nodiscard]] float modes_width(bool roomy);
    void draw_run_buttons(float& x, float y);
    void draw_barrier(float& x, float y, const BarrierForm& form);
    [[nodiscard]] float barrier_width(const BarrierForm& form);
    void draw_device(float x, float y, float width);
    [[nodiscard]] float device_width(const std::string& label);
    void draw_export(float x, float y, float width);
    void draw_theme(float x, float y);
    void lessons_popup();
    void device_popup();
    void export_popup();

    AppState& state_;
    Ui& ui_;
    float top_ = 0;
    bool narrow_ = false;
};

}  // namespace headway::ui
