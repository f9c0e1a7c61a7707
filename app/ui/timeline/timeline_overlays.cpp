// What is drawn over the timeline's layout: the pointer's line, the replayed moment, the docked card; and the card's
// text.
#include <algorithm>
#include <cmath>

#include "app/ui/timeline/hover_card.h"
#include "app/ui/timeline/timeline_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

// The resolution's order of magnitude: moments are printed with the same digits as long as it is the same.
int digits(double ns_per_px) {
    return static_cast<int>(std::floor(std::log10(std::max(ns_per_px, 1.0))));
}

}  // namespace

const Card& TimelinePanel::card_of(const model::Run& run, const figure::Hit& hit) {
    // The text is the same wherever the pointer is on an op, wait or work, and for resolutions of the same magnitude.
    CardKey key{key_.runs, key_.bookmarks, op_details_.found(), wait_details_.found(), hit};
    key.hit.ns = hit.op != 0 || hit.wait >= 0 || hit.work >= 0 ? 0 : hit.ns;
    key.hit.ns_per_px = digits(hit.ns_per_px);
    if (!(key == card_key_) || card_.empty()) {
        CardDetails found;
        if (hit.op != 0) {
            found.retained = op_details_.retained();
            found.match = op_details_.match();
            found.match_by_order = op_details_.match_by_order();
            found.other = run_at(op_details_.match_run());
            found.other_letter = found.other != nullptr ? letter_of(op_details_.match_run()) : '\0';
        }
        if (hit.op == 0 && hit.wait >= 0) {
            found.wait = wait_details_.details();
        }
        card_ = describe(run, hit, found);
        if (const auto& bookmarks = runs_[static_cast<std::size_t>(hit.run)].bookmarks;
            hit.bookmark >= 0 && hit.bookmark < static_cast<int>(bookmarks.size())) {
            card_ = describe(bookmarks[static_cast<std::size_t>(hit.bookmark)], hit.ns_per_px);
        }
        card_key_ = key;
    }
    return card_;
}

bool TimelinePanel::draw_docked_card(ImVec2 min, ImVec2 max) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_ground_card(ui_, list, min, max, ui_.theme->raised, 8);
    ui_.rects.insert_or_assign("card", WidgetRect{min.x, min.y, max.x, max.y});
    if (docked_card_.empty()) {
        return false;
    }
    list->PushClipRect(min, max, true);
    draw_hover_card_text(ui_, list, docked_card_, {min.x + ui_.px(16), min.y + ui_.px(12)}, max.x - min.x - ui_.px(32));
    list->PopClipRect();
    return true;
}

void TimelinePanel::draw_cursor(ImDrawList* list, ImVec2 at, float scroll) {
    const figure::Rgba c = figure::faded(ui_.theme->text, 0.45);
    const float top = layout_.axis.y0 - scroll, bottom = layout_.axis.y1 - scroll;
    const float x = std::round(at.x);
    for (float y = top; y < bottom; y += ui_.px(5)) {
        list->AddRectFilled({x, y}, {x + std::max(1.0f, std::floor(ui_.fonts.scale())), y + ui_.px(2)}, colour(c));
    }
}

// The replayed moment: a line over the rows of run B, and what came after it is dimmed.
void TimelinePanel::draw_playhead(ImDrawList* list, float scroll) {
    if (!state_.replay.on() || runs_.empty() || runs_.front().run != &state_.replay.run()) {
        return;
    }
    const model::Run& run = *runs_.front().run;
    const float x = layout_.map.x_px_from_ns(run.program_time().program_ns(state_.replay.ns()));
    float top = layout_.axis.y1, bottom = layout_.axis.y0;
    for (const auto& row : layout_.rows) {
        if (row.run == 0) {
            top = std::min(top, row.box.y0);
            bottom = std::max(bottom, row.box.y1);
        }
    }
    top -= scroll;
    bottom -= scroll;
    if (bottom <= top) {
        return;
    }
    const float from = std::clamp(x, layout_.axis.x0, layout_.axis.x1);
    list->AddRectFilled({from, top}, {layout_.axis.x1 + ui_.px(4), bottom},
                        colour(figure::faded(ui_.theme->background, 0.62)));
    if (x >= layout_.axis.x0 - 1 && x <= layout_.axis.x1 + 1) {
        const float half = std::max(0.5f, ui_.exact_px(1)), r = ui_.exact_px(5);
        list->AddRectFilled({x - half, top}, {x + half, bottom}, colour(ui_.theme->text));
        list->AddTriangleFilled({x - r, top - r}, {x + r, top - r}, {x, top + r * 0.4f}, colour(ui_.theme->text));
        ui_.rects.insert_or_assign("playhead", WidgetRect{x - half, top, x + half, bottom});
    }
}

}  // namespace headway::ui
