// A tour of the window: a few cards, each beside what it is about; the rest is dimmed. Can be left at any time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class Tour {
public:
    Tour(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Opens the lesson that the tour is about, and shows the first card.
    void start();
    // Resets the run that the tour itself has started.
    void leave();
    [[nodiscard]] bool on() const { return on_; }
    // Call after all else of the window has been drawn in this frame. Handles its own keys.
    void draw();

private:
    void next();
    void handle_keys();

    AppState& state_;
    Ui& ui_;
    bool on_ = false;
    std::size_t card_ = 0;
    std::uint64_t ran_ = 0;  // the number of the run that the tour has started; 0: none
};

}  // namespace headway::ui
