// TimelinePanel: bookmarks with notes.
#include "app/ui/timeline/timeline_panel.h"

#include <imgui_stdlib.h>

#include <cmath>

#include "app/gfx/imgui_compat.h"
#include "app/model/user_data/user_data.h"
#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void TimelinePanel::say(const std::string& problem) {
    if (!problem.empty()) {
        state_.notices.add(Notice::Kind::file, Notice::Tone::bad, problem);
    }
}

void TimelinePanel::add_bookmark() {
    const int index = moment().run;
    const model::Run* run = run_at(index);
    if (run == nullptr) {
        return;
    }
    model::Bookmark bookmark;
    if (state_.timeline.measured) {
        bookmark.begin_ns = std::llround(state_.timeline.measured->begin());
        bookmark.end_ns = std::llround(state_.timeline.measured->end());
    } else {
        const auto view = state_.timeline.view.view();
        const double at = hover_                   ? hover_->ns
                          : state_.timeline.cursor ? state_.timeline.cursor->ns
                                                   : (view.begin_ns + view.end_ns) / 2;
        // The view may reach beyond the run.
        const std::int64_t last =
            std::max<std::int64_t>(std::llround(run->program_time().program_ns(run->now_ns())), 0);
        bookmark.begin_ns = bookmark.end_ns = std::min<std::int64_t>(std::llround(at), last);
    }
    const auto place = state_.bookmarks.add(run, bookmark);
    if (!place) {
        say("A recording can have " + std::to_string(model::kMostBookmarks) + " bookmarks. Delete one to add another.");
        return;
    }
    edit_bookmark(index, *place);
    editing_->fresh = true;
}

void TimelinePanel::edit_bookmark(int run, std::size_t index) {
    finish_note(true);
    const model::Run* r = run_at(run);
    const auto& bookmarks = state_.bookmarks.of(r);
    if (index < bookmarks.size()) {
        editing_ = Editing{r, index, bookmarks[index].text, false, true};
    }
}

void TimelinePanel::remove_bookmark(int run, std::size_t index) {
    finish_note(true);
    say(state_.bookmarks.remove(run_at(run), index));
}

void TimelinePanel::finish_note(bool keep) {
    if (!editing_) {
        return;
    }
    const Editing done = *editing_;
    editing_.reset();
    if (keep) {
        say(state_.bookmarks.set_note(done.run, done.index, done.text));
    } else if (done.fresh) {
        say(state_.bookmarks.remove(done.run, done.index));
    }
}

void TimelinePanel::go_to_bookmark(int run, std::size_t index) {
    const auto& bookmarks = state_.bookmarks.of(run_at(run));
    if (index >= bookmarks.size()) {
        return;
    }
    const auto begin = static_cast<double>(bookmarks[index].begin_ns),
               end = static_cast<double>(bookmarks[index].end_ns);
    const auto row = std::find_if(layout_.rows.begin(), layout_.rows.end(), [run](const figure::RowBox& r) {
        return r.run == run && r.kind == figure::RowKind::bookmarks;
    });
    state_.timeline.cursor =
        Cursor{begin, row != layout_.rows.end() ? static_cast<std::size_t>(row - layout_.rows.begin()) : 0, begin};
    const auto view = state_.timeline.view.target();
    if (end - begin > view.span_ns()) {
        state_.timeline.view.show({begin, end});
    } else if (begin < view.begin_ns || end > view.end_ns) {
        state_.timeline.view.pan((begin + end) / 2 - (view.begin_ns + view.end_ns) / 2, true);
    }
    if (end > begin) {
        measure(begin, end);
    } else {
        end_measure();
    }
}

void TimelinePanel::step_bookmark(int direction) {
    const auto view = state_.timeline.view.target();
    // Starts at the bookmark under the cursor, else at the cursor, else in the middle of the view.
    std::pair<double, int> from{state_.timeline.cursor ? state_.timeline.cursor->ns : (view.begin_ns + view.end_ns) / 2,
                                -1};
    std::size_t from_index = 0;
    if (const auto at = bookmark_at_cursor()) {
        from = {state_.timeline.cursor->ns, at->first};
        from_index = at->second;
    }
    std::optional<std::pair<int, std::size_t>> best;
    using Place = std::tuple<double, int, std::size_t>;
    const Place here{from.first, from.second, from_index};
    std::optional<Place> best_place;
    for (int r = 0; r < run_count(); ++r) {
        const auto& bookmarks = state_.bookmarks.of(run_at(r));
        for (std::size_t i = 0; i < bookmarks.size(); ++i) {
            const Place place{static_cast<double>(bookmarks[i].begin_ns), r, i};
            const bool on = direction > 0 ? place > here : place < here;
            if (on && (!best_place || (direction > 0 ? place < *best_place : place > *best_place))) {
                best_place = place;
                best = {r, i};
            }
        }
    }
    if (best) {
        go_to_bookmark(best->first, best->second);
    }
}

std::optional<std::pair<int, std::size_t>> TimelinePanel::bookmark_at_cursor() const {
    const auto hit = hit_at_cursor();
    if (!hit || hit->bookmark < 0) {
        return std::nullopt;
    }
    return std::pair{hit->run, static_cast<std::size_t>(hit->bookmark)};
}

void TimelinePanel::remove_bookmark_at_cursor() {
    if (const auto at = bookmark_at_cursor()) {
        remove_bookmark(at->first, at->second);
    }
}

void TimelinePanel::draw_note(ImVec2 min, ImVec2 max) {
    if (!editing_) {
        return;
    }
    const auto& bookmarks = state_.bookmarks.of(editing_->run);
    if (editing_->index >= bookmarks.size()) {
        editing_.reset();  // the run is no longer shown
        return;
    }
    const figure::Theme& t = *ui_.theme;
    const model::Bookmark& bookmark = bookmarks[editing_->index];
    const float width = std::min(ui_.px(470), max.x - min.x - ui_.px(30)), height = ui_.px(66);
    // Below the bookmark, inside the timeline.
    const float x = std::clamp(layout_.map.x_px_from_ns(static_cast<double>(bookmark.begin_ns)) - ui_.px(20),
                               min.x + ui_.px(11), max.x - ui_.px(24) - width);
    const float y = min.y + ui_.px(64);
    ImGui::SetCursorScreenPos({x, y});
    ImGui::BeginChild(
        "note", {width, height}, false,
        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_card(ui_, list, {x, y}, {x + width, y + height}, t.raised, 8);
    ui_.rects.insert_or_assign("note", WidgetRect{x, y, x + width, y + height});
    std::string words =
        "Note at " + figure::place_text(static_cast<double>(bookmark.begin_ns), layout_.map.ns_per_px());
    if (bookmark.end_ns > bookmark.begin_ns) {
        words += ", " + figure::duration_text(static_cast<double>(bookmark.end_ns - bookmark.begin_ns)) + " long";
    }
    draw_text(ui_, list, x + ui_.px(12), y + ui_.px(19), Face::semibold, 12.5f, t.text, words, width - ui_.px(180));
    draw_text_right(ui_, list, x + width - ui_.px(12), y + ui_.px(19), Face::regular, 12, t.faint,
                    editing_->fresh ? "Enter: save. Esc: no bookmark." : "Enter: save. Esc: cancel.");
    ImGui::SetCursorScreenPos({x + ui_.px(10), y + ui_.px(28)});
    bool entered = false, left = false;
    {
        const FontScope font(ui_, Face::regular, 14);
        ImGui::SetNextItemWidth(width - ui_.px(20));
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                            {ui_.px(8), std::floor((ui_.px(28) - ImGui::GetFontSize()) / 2)});
        const bool focus = editing_->focus;
        if (focus) {
            ImGui::SetKeyboardFocusHere();
            editing_->focus = false;
        }
        entered = ImGui::InputTextWithHint("##note", "what is here", &editing_->text,
                                           ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
        left = ImGui::IsItemDeactivated();
        ImGui::PopStyleVar();
        register_item(ui_, "note/text");
    }
    ImGui::EndChild();
    if (entered || left) {
        finish_note(!gfx::key_pressed(gfx::Key::escape));
    }
}

}  // namespace headway::ui
