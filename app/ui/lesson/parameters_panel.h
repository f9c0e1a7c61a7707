// Settings of the next run: the lesson's parameters, and how the engine runs it.
#pragma once

#include <map>
#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class ParametersPanel {
public:
    ParametersPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw(float width);
    // Opens the settings under "Engine" and scrolls to them.
    void show_engine() { engine_open_ = scroll_to_engine_ = true; }
    [[nodiscard]] bool editing() const;  // a field contains text that is not applied yet
    [[nodiscard]] bool refused() const;  // a field contains text that was rejected, with the reason shown

private:
    struct Field {
        std::string text;     // while it is being edited
        std::string problem;  // why it is rejected
        bool editing = false;
    };
    void section(const char* title, float width, bool can_reset);
    void parameter_row(const lesson::Parameter& parameter, float width);
    void engine_rows(float width);
    // A text field that shows `value` until it is edited. True when new text was entered.
    bool field(const std::string& id, const std::string& value, float width, Field& state);
    void row_label(const std::string& label, const std::string& help, float room);
    bool reset_button(const std::string& id, ImVec2 at);
    void problem_line(const Field& field, float width);

    AppState& state_;
    Ui& ui_;
    std::map<std::string, Field> fields_;
    bool engine_open_ = false, scroll_to_engine_ = false;
    int lesson_ = kNoLessonYet;
};

}  // namespace headway::ui
