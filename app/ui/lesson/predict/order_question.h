// A question about the order of events: cards that the learner puts in order, by dragging them, with their buttons, or
// with the arrow keys. After the run each card says whether it is in place.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class OrderQuestion {
public:
    OrderQuestion(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    // Returns the height. The question must be one about an order.
    float draw(std::size_t question, ImVec2 at, float width);

private:
    struct Drag {
        std::size_t question = 0, event = 0;
        float grab_y = 0;  // where the card was taken, below its top
        float from_y = 0;  // of the pointer when it was taken
        bool moved = false;
    };
    struct Card {
        std::size_t event = 0;
        float top = 0, height = 0;
    };
    enum class Sign { none, in_place, out_of_place };

    // Where the cards stand, one below the other.
    [[nodiscard]] std::vector<Card> place(std::size_t question, const std::vector<std::size_t>& events, float top,
                                          float width);
    // The card's input; the place to which it is moved.
    std::optional<std::size_t> take_input(std::size_t question, const std::vector<Card>& cards, std::size_t place,
                                          ImVec2 at, float width);
    bool draw_button(std::size_t question, std::size_t event, bool up, bool enabled, ImVec2 at);
    void draw_item(std::size_t question, const Card& card, ImVec2 at, float width, bool lifted);
    float draw_right_order(std::size_t question, ImVec2 at, float width);

    AppState& state_;
    Ui& ui_;
    std::optional<Drag> drag_;
};

}  // namespace headway::ui
