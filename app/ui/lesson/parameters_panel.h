// What the next run is started with: the lesson's parameters, and how the engine is to run it.
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
    [[nodiscard]] bool editing() const;  // something is being typed that is not yet the setting
    [[nodiscard]] bool refused() const;  // something was typed that does not fit, and says so

private:
    struct Field {
        std::string text;     // as it is being typed
        std::string problem;  // why it does not fit
        bool editing = false;
    };
    void section(const char* title, float width, bool can_reset);
    void parameter_row(const lesson::Parameter& parameter, float width);
    void engine_rows(float width);
    // A text field that shows `value` until it is edited; true when a new text was entered.
    bool field(const std::string& id, const std::string& value, float width, Field& state);
    void row_label(const std::string& label, const std::string& help, float row_top);
    bool reset_button(const std::string& id, ImVec2 at);
    void problem_line(const Field& field, float width);

    AppState& state_;
    Ui& ui_;
    std::map<std::string, Field> fields_;
    bool engine_open_ = false;
    int lesson_ = -2;
};

}  // namespace headway::ui
