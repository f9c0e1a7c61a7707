// The source panel: file name, dialects and file commands; step controls; the editor.
#pragma once

#include <string>
#include <vector>

#include "app/ui/source/source_editor.h"
#include "app/ui/source/step_controls.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class SourcePanel {
public:
    SourcePanel(AppState& state, Ui& ui) : state_(state), ui_(ui), editor_(state, ui), steps_(state, ui) {}
    // Whether the selected lesson or file has a source to show.
    [[nodiscard]] bool available() const { return state_.source.document() != nullptr; }
    // `covered`: height at the lower end that something else is drawn over, in pixels.
    void draw(ImVec2 min, ImVec2 max, float covered);

    void focus() { editor_.focus(); }
    void find() { wants_find_ = true; }
    void find_next(bool forward);
    void toggle_breakpoint();
    void run_to_caret() { state_.run_to_line(editor_.caret_line()); }

private:
    float draw_title(ImVec2 at, float width);
    void draw_tabs(ImVec2 at, float& right);
    float draw_disk(ImVec2 at, float width);
    float draw_find(ImVec2 at, float width);
    bool small_button(const char* id, const char* label, float& right, float y, const char* help,
                      const char* command = "", bool enabled = true, bool selected = false);

    AppState& state_;
    Ui& ui_;
    SourceEditor editor_;
    StepControls steps_;
    bool finding_ = false, wants_find_ = false, not_found_ = false;
    std::string needle_;
};

}  // namespace headway::ui
