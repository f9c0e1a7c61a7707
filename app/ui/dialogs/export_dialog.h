// "Export…": what the picture shows, its kind, its size, its look and its file.
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
    // `enter_exports`: Enter has nothing else to do.
    void draw(bool enter_exports);
    // It was there when this frame began: keys are its own.
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

    AppState& state_;
    Ui& ui_;
    std::string path_;
    bool own_path_ = false;  // was typed, so that it stays as it is but for its end
    bool shown_ = false, entered_ = false;
    float left_ = 0, right_ = 0;
};

}  // namespace headway::ui
