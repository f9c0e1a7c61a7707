// The strip below the timeline: the verdict about A and B in words, or the progress of a comparison, or which earlier
// run the numbers belong to; with a button that compares.
#pragma once

#include <string>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class VerdictStrip {
public:
    VerdictStrip(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // In pixels; 0: there is nothing to say. Three lines at most: clauses that have no room are in the tooltip.
    [[nodiscard]] float height(float width);
    void draw(ImVec2 min, ImVec2 max);

private:
    struct Contents {
        std::string words, whole, evidence, button, help;  // `whole`: the words with all clauses
        figure::Rgba tone;
        double share = -1;  // progress of the comparison's runs; -1: no comparison is running
    };
    [[nodiscard]] Contents contents(float width);
    [[nodiscard]] float room_for_words(const Contents& contents, float width) const;
    [[nodiscard]] float words_height(const Contents& contents, float width) const;

    AppState& state_;
    Ui& ui_;
};

}  // namespace headway::ui
