#include "app/ui/shell/map_panel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

using Step = Progress::Step;

constexpr float kMapEdge = 28, kMapGap = 14, kCardLeast = 250, kCard = 148, kPicture = 62, kSide = 300, kExercise = 54;

bool done(const AppState& state, const lesson::Lesson& lesson) {
    return state.progress.has(lesson.id, Step::ran);
}

}  // namespace

void MapPanel::load_pictures() {
    if (loaded_ == state_.programs.revision() && pictures_.size() == state_.programs.lessons().size()) {
        return;
    }
    loaded_ = state_.programs.revision();
    pictures_.clear();
    for (const lesson::Lesson& lesson : state_.programs.lessons()) {
        pictures_.push_back(lesson.part > 0 ? lesson::load_picture(std::filesystem::path(lesson.file).parent_path())
                                            : std::nullopt);
        ui_.fonts.cover(lesson.title);
        ui_.fonts.cover(lesson.shows);
    }
}

int MapPanel::next_lesson() const {
    const auto& lessons = state_.programs.lessons();
    for (int part = 1; part <= static_cast<int>(lesson::kParts.size()); ++part) {
        for (std::size_t i = 0; i < lessons.size(); ++i) {
            if (lessons[i].part == part && !done(state_, lessons[i])) {
                return static_cast<int>(i);
            }
        }
    }
    return -1;
}

void MapPanel::open_lesson(int index) {
    state_.look.map = false;
    state_.look.mode = Mode::learn;
    state_.programs.go_to(index);
}

bool MapPanel::card(const std::string& id, ImVec2 min, ImVec2 max, bool chosen) {
    const figure::Theme& t = *ui_.theme;
    ImGui::SetCursorScreenPos(min);
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("card", {max.x - min.x, max.y - min.y});
    ImGui::PopID();
    register_item(ui_, id);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_card(ui_, list, min, max, hovered ? figure::mixed(t.raised, t.text, 0.08) : t.raised, 8);
    if (chosen) {
        list->AddRect(min, max, colour(t.issue), ui_.exact_px(8), 0, std::max(1.0f, ui_.exact_px(1.5f)));
    }
    return clicked;
}

// Frontend, lanes and memory, from the top: equal letters in a row are one bar.
void MapPanel::draw_picture(const lesson::Picture& picture, ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, colour(sunken(t)), ui_.exact_px(4));
    const float pad = ui_.px(6), x0 = min.x + pad, width = max.x - min.x - 2 * pad;
    const auto columns = static_cast<float>(picture.columns());
    const std::size_t rows = 1 + picture.lanes.size();
    const float memory = ui_.px(14), gap = ui_.px(3);
    const float row =
        std::floor((max.y - min.y - 2 * pad - memory - gap * static_cast<float>(rows)) / static_cast<float>(rows));
    float y = min.y + pad;
    const auto draw_row = [&](const std::string& letters, const auto& draw) {
        for (std::size_t i = 0; i < letters.size();) {
            std::size_t end = i + 1;
            while (end < letters.size() && letters[end] == letters[i]) {
                ++end;
            }
            if (letters[i] != '.') {
                draw(letters[i], ImVec2{x0 + width * static_cast<float>(i) / columns, y},
                     ImVec2{x0 + width * static_cast<float>(end) / columns, y + row});
            }
            i = end;
        }
        y += row + gap;
    };
    draw_row(picture.frontend, [&](char letter, ImVec2 a, ImVec2 b) {
        if (letter == 'i' || letter == 'p') {
            list->AddRectFilled(a, b, colour(letter == 'i' ? t.issue : t.work), ui_.exact_px(1.5f));
            return;
        }
        list->AddRectFilled(a, b, colour(t.wait_ground));
        list->PushClipRect(a, b, true);
        for (float x = a.x - row; x < b.x; x += ui_.px(5)) {
            list->AddLine({x, b.y}, {x + row, a.y}, colour(t.wait), ui_.exact_px(1.6f));
        }
        list->PopClipRect();
    });
    for (const std::string& lane : picture.lanes) {
        draw_row(lane, [&](char letter, ImVec2 a, ImVec2 b) {
            const auto family = static_cast<devices::Family>(lesson::kFamilyLetters.find(letter));
            list->AddRectFilled(a, b, colour(t.family(family)), ui_.exact_px(1.5f));
        });
    }
    const float bottom = max.y - pad;
    for (std::size_t i = 0; i < picture.memory.size(); ++i) {
        const float height = memory * static_cast<float>(picture.memory[i] - '0') / 9;
        const float a = x0 + width * static_cast<float>(i) / columns,
                    b = x0 + width * static_cast<float>(i + 1) / columns;
        list->AddRectFilled({a, bottom - height}, {b, bottom}, colour(figure::faded(t.memory, 0.55)));
    }
}

float MapPanel::draw_head(ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(ui_, list, at.x, at.y + ui_.px(26), Face::bold, 19, t.text, "What does your program wait for?");
    const int next = next_lesson();
    const float room = next >= 0 ? width - ui_.px(250) : width;
    draw_text(
        ui_, list, at.x, at.y + ui_.px(48), Face::regular, 14, t.dim,
        elided(ui_, Face::regular, 14,
               "Each lesson takes a few minutes: predict, run, see why, change it. Everything runs on this computer.",
               room));
    if (next >= 0) {
        const lesson::Lesson& lesson = state_.programs.lessons()[static_cast<std::size_t>(next)];
        bool begun = false;
        for (const lesson::Lesson& any : state_.programs.lessons()) {
            begun = begun || done(state_, any);
        }
        const ButtonLook look{.kind = ButtonKind::primary, .accent = t.good};
        const std::string label = begun ? "Continue" : "Start here";
        const float wide = button_width(ui_, label, look);
        if (button(ui_, "map/start", label, {at.x + width - wide, at.y + ui_.px(14)}, look)) {
            open_lesson(next);
        }
        tooltip(ui_, lesson.title + (lesson.shows.empty() ? "" : ": " + lesson.shows));
        const ButtonLook quiet{.kind = ButtonKind::plain};
        const float tour = button_width(ui_, "Tour", quiet);
        if (button(ui_, "map/tour", "Tour", {at.x + width - wide - tour - ui_.px(8), at.y + ui_.px(14)}, quiet)) {
            ui_.run_command("window.tour");
        }
        tooltip(ui_, "What is where in the window; less than a minute");
    }
    return ui_.px(66);
}

float MapPanel::draw_part(int part, ImVec2 at, const Grid& grid) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& lessons = state_.programs.lessons();
    int all = 0, ran = 0;
    for (const lesson::Lesson& lesson : lessons) {
        all += lesson.part == part ? 1 : 0;
        ran += lesson.part == part && done(state_, lesson) ? 1 : 0;
    }
    if (all == 0) {
        return 0;
    }
    const float gap = ui_.px(kMapGap),
                width = grid.card_width * static_cast<float>(grid.columns) + gap * static_cast<float>(grid.columns - 1);
    const std::string title = std::to_string(part) + "  " + lesson::kParts[static_cast<std::size_t>(part - 1)];
    draw_text(ui_, list, at.x, at.y + ui_.px(18), Face::semibold, 15, t.text, title);
    draw_text_right(ui_, list, at.x + width, at.y + ui_.px(18), Face::mono, 12, t.faint,
                    std::to_string(ran) + " of " + std::to_string(all));
    const float top = at.y + ui_.px(30);
    int index = 0;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        const lesson::Lesson& lesson = lessons[i];
        if (lesson.part != part) {
            continue;
        }
        const float x = at.x + static_cast<float>(index % grid.columns) * (grid.card_width + gap);
        const float y = top + static_cast<float>(index / grid.columns) * (ui_.px(kCard) + gap);
        const ImVec2 min{x, y}, max{x + grid.card_width, y + ui_.px(kCard)};
        ++index;
        if (card("map/" + lesson.id, min, max, state_.programs.index() == static_cast<int>(i))) {
            open_lesson(static_cast<int>(i));
            return 0;  // the list may have changed
        }
        const float pad = ui_.px(10), room = grid.card_width - 2 * pad;
        if (pictures_[i]) {
            draw_picture(*pictures_[i], {x + pad, y + pad}, {x + pad + room, y + pad + ui_.px(kPicture)});
        }
        float baseline = y + pad + ui_.px(kPicture + 21);
        draw_text(ui_, list, x + pad, baseline, Face::semibold, 14, t.text,
                  elided(ui_, Face::semibold, 14, lesson.title, room));
        baseline += ui_.px(20);
        draw_text(ui_, list, x + pad, baseline, Face::regular, 13, t.dim,
                  elided(ui_, Face::regular, 13, lesson.shows, room));
        baseline += ui_.px(20);
        if (lesson.minutes > 0) {
            draw_text(ui_, list, x + pad, baseline, Face::mono, 12, t.faint, std::to_string(lesson.minutes) + " min");
        }
        if (done(state_, lesson)) {
            const float used = draw_text_right(ui_, list, max.x - pad, baseline, Face::medium, 12.5f, t.good, "run");
            draw_round(ui_, list, {max.x - pad - used - ui_.px(12), baseline - ui_.px(4)}, RoundSign::done, t.good);
        } else if (state_.progress.has(lesson.id, Step::opened)) {
            draw_text_right(ui_, list, max.x - pad, baseline, Face::medium, 12.5f, t.issue, "opened");
        }
    }
    const int rows = (all + grid.columns - 1) / grid.columns;
    return ui_.px(30) + static_cast<float>(rows) * (ui_.px(kCard) + gap) + ui_.px(8);
}

float MapPanel::draw_exercises(ImVec2 at, const Grid& grid) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto& exercises = state_.included.exercises();
    if (exercises.empty()) {
        return 0;
    }
    const float gap = ui_.px(kMapGap),
                width = grid.card_width * static_cast<float>(grid.columns) + gap * static_cast<float>(grid.columns - 1);
    int solved = 0;
    for (const check::Exercise& exercise : exercises) {
        solved += state_.progress.solved(exercise.id) ? 1 : 0;
    }
    draw_text(ui_, list, at.x, at.y + ui_.px(18), Face::semibold, 15, t.text,
              std::to_string(lesson::kParts.size() + 1) + "  Show what you know");
    draw_text_right(ui_, list, at.x + width, at.y + ui_.px(18), Face::mono, 12, t.faint,
                    std::to_string(solved) + " of " + std::to_string(exercises.size()));
    const float top = at.y + ui_.px(30), height = ui_.px(kExercise);
    for (std::size_t i = 0; i < exercises.size(); ++i) {
        const check::Exercise& exercise = exercises[i];
        ui_.fonts.cover(exercise.title);
        const auto column = static_cast<float>(i % static_cast<std::size_t>(grid.columns));
        const auto row = static_cast<float>(i / static_cast<std::size_t>(grid.columns));
        const float x = at.x + column * (grid.card_width + gap), y = top + row * (height + gap);
        if (card("map/exercise/" + exercise.id, {x, y}, {x + grid.card_width, y + height}, false)) {
            state_.look.map = false;
            state_.look.mode = Mode::learn;
            if (auto opened = state_.programs.open_exercise(exercise); !opened) {
                state_.notices.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
            }
            return 0;
        }
        const float pad = ui_.px(12), room = grid.card_width - 2 * pad;
        draw_text(ui_, list, x + pad, y + ui_.px(22), Face::semibold, 14, t.text,
                  elided(ui_, Face::semibold, 14, exercise.title, room));
        const bool is_solved = state_.progress.solved(exercise.id);
        draw_text(ui_, list, x + pad, y + ui_.px(42), Face::regular, 12.5f, is_solved ? t.good : t.faint,
                  is_solved ? "solved" : "an exercise, checked");
    }
    const auto rows = static_cast<float>((exercises.size() + static_cast<std::size_t>(grid.columns) - 1) /
                                         static_cast<std::size_t>(grid.columns));
    return ui_.px(30) + rows * (height + gap) + ui_.px(8);
}

float MapPanel::side_heading(ImVec2 at, const char* text) {
    draw_text(ui_, ImGui::GetWindowDrawList(), at.x, at.y + ui_.px(18), Face::semibold, 14, ui_.theme->text, text);
    return ui_.px(28);
}

bool MapPanel::side_row(const std::string& id, ImVec2& at, float width, const std::string& title,
                        const std::string& detail) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = ui_.px(46);
    const bool clicked = card(id, at, {at.x + width, at.y + height}, false);
    draw_text(ui_, list, at.x + ui_.px(12), at.y + ui_.px(19), Face::medium, 14, t.text,
              elided(ui_, Face::medium, 14, title, width - ui_.px(24)));
    draw_text(ui_, list, at.x + ui_.px(12), at.y + ui_.px(37), Face::regular, 12.5f, t.faint,
              elided(ui_, Face::regular, 12.5f, detail, width - ui_.px(24)));
    at.y += height + ui_.px(8);
    return clicked;
}

void MapPanel::draw_side(ImVec2 at, float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    at.y += side_heading(at, "Your own");
    if (side_row("map/new", at, width, "New program", "a Python file of your own")) {
        ui_.run_command("source.new");
    }
    if (side_row("map/open", at, width, "Open…", "a program, a notebook, a lesson, a recording")) {
        ui_.run_command("source.open");
    }
    const auto& recordings = state_.included.recordings();
    for (std::size_t i = 0; i < recordings.size() && i < 4; ++i) {
        if (side_row("map/recording/" + std::to_string(i), at, width, recordings[i].stem().stem().string(),
                     "a recorded run") &&
            state_.programs.open_recording) {
            state_.look.map = false;
            if (auto opened = state_.programs.open_recording(recordings[i].string()); !opened) {
                state_.notices.add(Notice::Kind::file, Notice::Tone::bad, opened.error().message);
            }
        }
    }
    at.y += ui_.px(10);
    at.y += side_heading(at, "This computer");
    for (const auto& device : state_.session.devices()) {
        const std::string name = device.kind == "cpu" ? "CPU" : device.kind == "cuda" ? "CUDA" : "Simulated GPU";
        list->AddCircleFilled({at.x + ui_.px(6), at.y + ui_.px(9)}, ui_.exact_px(4),
                              colour(device.available ? t.good : t.faint));
        draw_text(ui_, list, at.x + ui_.px(20), at.y + ui_.px(14), Face::medium, 13, t.text, name);
        const std::string detail = device.kind == "simulated" ? "real values; its times come from a cost model"
                                   : device.available         ? device.name
                                                              : device.reason;
        at.y += ui_.px(19);
        at.y += draw_wrapped(ui_, list, {at.x + ui_.px(20), at.y}, width - ui_.px(20), Face::regular, 12.5f, 17, t.dim,
                             detail) +
                ui_.px(8);
    }
    at.y += ui_.px(10);
    at.y += side_heading(at, "Progress");
    int lessons = 0, ran = 0, solved = 0;
    for (const lesson::Lesson& lesson : state_.programs.lessons()) {
        lessons += lesson.part > 0 ? 1 : 0;
        ran += lesson.part > 0 && done(state_, lesson) ? 1 : 0;
    }
    const auto exercises = static_cast<int>(state_.included.exercises().size());
    for (const check::Exercise& exercise : state_.included.exercises()) {
        solved += state_.progress.solved(exercise.id) ? 1 : 0;
    }
    draw_text(ui_, list, at.x, at.y + ui_.px(14), Face::regular, 13, t.dim,
              std::to_string(ran) + " of " + std::to_string(lessons) + " lessons, " + std::to_string(solved) + " of " +
                  std::to_string(exercises) + " exercises");
    const float bar = at.y + ui_.px(24), half = ui_.exact_px(3);
    const float share = static_cast<float>(ran + solved) / static_cast<float>(std::max(1, lessons + exercises));
    list->AddRectFilled({at.x, bar}, {at.x + width, bar + 2 * half}, colour(figure::mixed(t.background, t.text, 0.15)),
                        half);
    if (share > 0) {
        list->AddRectFilled({at.x, bar}, {at.x + width * share, bar + 2 * half}, colour(t.good), half);
    }
    at.y = bar + ui_.px(16);
    if (ran + solved == 0) {
        return;
    }
    const ButtonLook look{.height = ui_.px(26), .text_px = 12.5f};
    if (button(ui_, "map/begin-again", asks_to_begin_again_ ? "Forget all of it?" : "Begin again", at, look)) {
        if (asks_to_begin_again_) {
            state_.progress.begin_again();
        }
        asks_to_begin_again_ = !asks_to_begin_again_;
    }
    tooltip(ui_, "Forget which lessons were run. The file: " + state_.progress.file().string());
}

void MapPanel::draw(ImVec2 min, ImVec2 max) {
    load_pictures();
    ImGui::SetCursorScreenPos(min);
    ImGui::BeginChild("map", {max.x - min.x, max.y - min.y}, false, 0);
    ui_.rects.insert_or_assign("map", WidgetRect{min.x, min.y, max.x, max.y});
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float edge = ui_.px(kMapEdge), gap = ui_.px(kMapGap), all = max.x - min.x - 2 * edge - ui_.px(10);
    const bool side = all >= ui_.px(kSide + 2 * kCardLeast);
    const float side_width = side ? ui_.px(kSide) : 0;
    const float room = all - (side ? side_width + ui_.px(28) : 0);
    Grid grid;
    grid.columns = std::clamp(static_cast<int>((room + gap) / (ui_.px(kCardLeast) + gap)), 1, 6);
    grid.card_width =
        std::floor((room - gap * static_cast<float>(grid.columns - 1)) / static_cast<float>(grid.columns));
    ImVec2 at{start.x + edge, start.y + ui_.px(14)};
    at.y += draw_head(at, all);
    const float top = at.y;
    const std::uint64_t revision = state_.programs.revision();
    for (int part = 1; part <= static_cast<int>(lesson::kParts.size()) && state_.look.map; ++part) {
        at.y += draw_part(part, at, grid);
    }
    if (state_.look.map) {
        at.y += draw_exercises(at, grid);
    }
    if (state_.look.map && revision == state_.programs.revision()) {
        if (side) {
            draw_side({start.x + edge + room + ui_.px(28), top}, side_width);
        } else {
            draw_side(at, room);
            at.y += ui_.px(420);
        }
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({1, at.y - start.y + ui_.px(20)});
    ImGui::EndChild();
}

}  // namespace headway::ui
