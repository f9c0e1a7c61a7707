// The map: all lessons by part, each with a small true timeline, what it shows and how far the learner is; the
// exercises; files; this computer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson/picture.h"
#include "app/ui/state/app_state.h"
#include "app/ui/widgets/ui_context.h"

namespace headway::ui {

class MapPanel {
public:
    MapPanel(AppState& state, Ui& ui) : state_(state), ui_(ui) {}
    void draw(ImVec2 min, ImVec2 max);

private:
    struct Grid {
        float left = 0, card_width = 0;
        int columns = 1;
    };
    void load_pictures();
    float draw_head(ImVec2 at, float width);
    float draw_part(int part, ImVec2 at, const Grid& grid);
    float draw_exercises(ImVec2 at, const Grid& grid);
    void draw_side(ImVec2 at, float width);
    // A card that can be clicked; draws its background.
    bool card(const std::string& id, ImVec2 min, ImVec2 max, bool chosen);
    void draw_picture(const lesson::Picture& picture, ImVec2 min, ImVec2 max);
    void open_lesson(int index);
    // A heading of the side column, and a row of it that can be clicked. Return the height.
    float side_heading(ImVec2 at, const char* text);
    bool side_row(const std::string& id, ImVec2& at, float width, const std::string& title, const std::string& detail);
    // Index of the lesson to continue with: the first that was not run; -1: none.
    [[nodiscard]] int next_lesson() const;

    AppState& state_;
    Ui& ui_;
    std::vector<std::optional<lesson::Picture>> pictures_;  // by lesson
    std::uint64_t loaded_ = ~std::uint64_t{0};              // revision of the list of lessons
    bool asks_to_begin_again_ = false;
};

}  // namespace headway::ui
