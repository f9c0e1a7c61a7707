#include "app/ui/timeline/search_bar.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gfx/imgui_compat.h"
#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

using gfx::Key;

namespace {

constexpr float kWidth = 478, kNoteText = 12.5f;  // design px

}  // namespace

void SearchBar::open() {
    open_ = focus_ = true;
}

void SearchBar::close() {
    open_ = false;
    asked_ = 0;
    walks_.clear();
}

void SearchBar::forget() {
    find_in({}, {}, false);
}

void SearchBar::find_in(const Runs& runs, session::RunsVersion version, bool grows) {
    if (!open_) {
        return;
    }
    fresh_ = false;
    grows_ = grows;
    const auto same = [](const auto& shown, const auto& known) { return shown == known.lock(); };
    if (text_ != searched_ || !std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(), same)) {
        searched_ = text_;
        runs_.assign(runs.begin(), runs.end());
        places_.clear();
        count_ = not_searched_ = 0;
        at_ = ~std::size_t{0};
        asked_ = 0;
        complete_ = false;
        problem_.clear();
        walks_.clear();
        auto query = model::parse_query(text_);
        query_ = query ? std::optional(*query) : std::nullopt;
        if (!query_) {
            problem_ = query.error().message;
        }
    }
    // While a run is recording, a search finishes before it starts again.
    if (query_ && walks_.empty() && (!complete_ || !(version == version_))) {
        version_ = version;
        begin(runs);
    }
    if (walks_.empty()) {
        return;
    }
    // One run after the other. Less time per frame while a run is recording.
    constexpr double kBudgetMs = 6, kRecordingBudgetMs = 2;
    const auto unfinished = std::find_if(walks_.begin(), walks_.end(), [](const Walk& w) { return !w.walk.done(); });
    if (unfinished != walks_.end()) {
        unfinished->walk.step(grows ? kRecordingBudgetMs : kBudgetMs);
    }
    if (std::all_of(walks_.begin(), walks_.end(), [](const Walk& w) { return w.walk.done(); })) {
        end();
    }
}

void SearchBar::begin(const Runs& runs) {
    for (const auto& run : runs) {
        walks_.push_back({run, model::SearchWalk(*run, *query_, kMost)});
    }
}

void SearchBar::end() {
    const Place chosen = complete_ && at() != nullptr ? *at() : Place{-1, {}, 0};
    places_.clear();
    count_ = not_searched_ = 0;
    at_ = ~std::size_t{0};
    for (std::size_t i = 0; i < walks_.size(); ++i) {
        std::size_t number = count_;
        for (const model::Found& found : walks_[i].walk.found()) {
            places_.push_back({static_cast<int>(i), found, ++number});
            if (chosen.run == static_cast<int>(i) && chosen.found.op == found.op && chosen.found.wait == found.wait) {
                at_ = places_.size() - 1;
            }
        }
        count_ += walks_[i].walk.count();
        not_searched_ += walks_[i].walk.not_searched();
    }
    complete_ = fresh_ = true;
    walks_.clear();
}

const SearchBar::Place* SearchBar::step(int direction) {
    if (places_.empty()) {
        return nullptr;
    }
    const std::size_t n = places_.size();
    at_ = at_ >= n ? (direction > 0 ? 0 : n - 1) : (at_ + (direction > 0 ? 1 : n - 1)) % n;
    return &places_[at_];
}

std::string SearchBar::note() const {
    return complete_ && not_searched_ > 0 ? figure::count_text(not_searched_) + " not searched: only sums are kept"
                                          : std::string();
}

float SearchBar::width() const {
    const std::string words = note();
    return ui_.px(kWidth) + (words.empty() ? 0 : text_width(ui_, Face::regular, kNoteText, words) + ui_.px(14));
}

int SearchBar::draw(float right, float top) {
    if (!open_) {
        return 0;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = ui_.px(kHeight);
    const ImVec2 a{right - width(), top}, b{right, top + height};
    draw_card(ui_, list, a, b, t.raised, 8);
    ui_.rects.insert_or_assign("search", WidgetRect{a.x, a.y, b.x, b.y});

    int asked = 0;
    ImGui::SetCursorScreenPos({a.x + ui_.px(7), a.y + ui_.px(6)});
    {
        const FontScope font(ui_, Face::mono, 13);
        ImGui::SetNextItemWidth(ui_.px(222));
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                            {ui_.px(8), std::floor((ui_.px(28) - ImGui::GetFontSize()) / 2)});
        if (focus_) {
            ImGui::SetKeyboardFocusHere();
            focus_ = false;
        }
        const bool entered =
            ImGui::InputTextWithHint("##search", "matmul line:25 >100us", &text_,
                                     ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue);
        const bool left = ImGui::IsItemDeactivated();
        ImGui::PopStyleVar();
        register_item(ui_, "search/text");
        tooltip(ui_,
                "A part of a name, and any of\nkind:matmul  line:25  lane:0  batch:3  #1042\n"
                "is:op  is:wait  >100us  <=2ms");
        if (entered) {
            asked = ImGui::GetIO().KeyShift ? -1 : 1;
            focus_ = true;  // so that Enter steps to the next result
        } else if (left && gfx::key_pressed(Key::escape)) {
            close();
        }
    }
    std::string said;
    if (text_.empty()) {
        said = "";
    } else if (!problem_.empty()) {
        said = "not understood";
    } else if (!complete_) {
        said = "searching…";
    } else if (count_ == 0) {
        said = "nothing";
    } else {
        said = at() != nullptr ? figure::count_text(at()->number) + " of " + figure::count_text(count_)
                               : figure::count_text(count_) + " found";
    }
    const float y = a.y + ui_.px(25);
    constexpr float kResultRoom = 146;  // "100,000 of 2,606,784"
    draw_text(ui_, list, a.x + ui_.px(238), y, Face::regular, kNoteText, problem_.empty() ? t.dim : t.warning, said,
              ui_.px(kResultRoom));
    if (const std::string words = note(); !words.empty()) {
        draw_text(ui_, list, a.x + ui_.px(238 + kResultRoom), y, Face::regular, kNoteText, t.dim, words);
    }
    if (!problem_.empty()) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (mouse.x >= a.x + ui_.px(232) && mouse.x < a.x + ui_.px(238 + kResultRoom) && mouse.y >= a.y &&
            mouse.y < b.y) {
            ImGui::SetTooltip("%s", problem_.c_str());
        }
    }
    const ButtonLook look{.kind = ButtonKind::quiet,
                          .enabled = !places_.empty(),
                          .width = ui_.px(26),
                          .height = ui_.px(26),
                          .text_px = 14};
    if (button(ui_, "search/before", "←", {b.x - ui_.px(90), a.y + ui_.px(7)}, look)) {
        asked = -1;
    }
    if (button(ui_, "search/next", "→", {b.x - ui_.px(62), a.y + ui_.px(7)}, look)) {
        asked = 1;
    }
    ButtonLook shut = look;
    shut.enabled = true;
    if (button(ui_, "search/close", "×", {b.x - ui_.px(34), a.y + ui_.px(7)}, shut)) {
        close();
    }
    if (asked != 0) {
        asked_ = asked;
    }
    return complete_ ? std::exchange(asked_, 0) : 0;
}

}  // namespace headway::ui
