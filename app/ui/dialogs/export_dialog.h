// The export dialog: what the picture shows, its format, size, theme and file.
//
// Threads: the UI's.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class ExportDialog {
public:
    ExportDialog(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void open() { wanted_ = true; }
    // `enter_exports`: Enter is not used by anything else.
    void draw(bool enter_exports);
    // Whether the dialog was open when this frame began: then keys belong to it.
    [[nodiscard]] bool shown() const { return shown_; }

private:
    // Both return the y below what they draw.
    float draw_choices(float y);
    float draw_file(float y);
    template <class Choices, class Value, class Label>
    bool choose(float& y, const char* words, const char* id, const Choices& choices, Value& chosen, Label label,
                float pad = 14);
    void name(float y, const char* words);
    void renew_path();
    // Starts to write the file. False: not yet, and problem_ says why.
    bool write();

    AppState& state_;
    Ui& ui_;
    std::string path_, problem_;  // problem_: why the path cannot be written to; "" if nothing is known
    std::string replaces_;        // an existing file: the next export to this path replaces it
    bool own_path_ = false;       // typed by the user: only its extension still changes
    bool wanted_ = false, shown_ = false, entered_ = false;
    float left_ = 0, right_ = 0;
};

}  // namespace headway::ui
