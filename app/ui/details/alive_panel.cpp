#include "app/ui/details/alive_panel.h"

#include <algorithm>

#include "app/model/run/devices.h"
#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr double kStepMs = 6;  // per frame
constexpr std::size_t kMostRows = 500;
constexpr float kLeastOneLine = 620;  // the width of a row with all its words

std::string tensors(std::uint64_t n) {
    return figure::count_text(n) + (n == 1 ? " tensor" : " tensors");
}

}  // namespace

void AlivePanel::follow_choice() {
    const auto& moment = state_.timeline.alive;
    const model::Run* run = moment ? timeline_.run_at(moment->run) : nullptr;
    if (run == nullptr) {
        walk_.reset();
        run_ = nullptr;
    } else if (run != run_ || started_ != state_.session.started() || !walk_ || walk_->ns() != moment->ns ||
               walk_->device() != moment->device) {
        walk_.emplace(*run, moment->ns, moment->device);
        run_ = run;
        started_ = state_.session.started();
        chosen_ = ~std::size_t{0};
    }
    walking_ = walk_ && walk_->step(kStepMs);
}

void AlivePanel::draw(ImVec2 min, ImVec2 max) {
    follow_choice();
    const figure::Theme& t = *ui_.theme;
    draw_card(ui_, ImGui::GetWindowDrawList(), min, max, t.raised, 8);
    ui_.rects.insert_or_assign("alive", WidgetRect{min.x, min.y, max.x, max.y});
    const float pad = ui_.px(14), base = min.y + ui_.px(20), room = max.x - min.x - 2 * pad;
    const auto say = [&](const std::string& words) {
        draw_wrapped(ui_, ImGui::GetWindowDrawList(), {min.x + pad, min.y + ui_.px(8)}, room, Face::regular, 13, 18,
                     t.dim, words);
    };
    if (!walk_) {
        say("Click a point of a memory curve, or press I there: the tensors that were alive then, by line.");
        return;
    }
    if (!walk_->known()) {
        say(!run_->folded_parts().empty() ? "The run is too long: which tensors were alive is not kept for each moment."
            : run_->capabilities().memory ? "This trace records how much memory was held, but not by which tensors."
                                          : "This trace has no memory data.");
        return;
    }
    const int run_index = state_.timeline.alive->run;
    const std::string at =
        figure::place_text(run_->program_time().program_ns(walk_->ns()), timeline_.layout().map.ns_per_px());
    if (walking_) {
        say("Looking for what was alive at " + at + ": " + figure::percent_text(walk_->share_done()));
        return;
    }
    const model::AliveGroup all = walk_->all();
    float x = min.x + pad;
    ImDrawList* head = ImGui::GetWindowDrawList();
    const std::string letter =
        timeline_.run_count() > 1 ? std::string(1, timeline_.letter_of(run_index)) + ", " : std::string();
    x += draw_text(ui_, head, x, base, Face::semibold, 13, t.memory_text, figure::bytes_text(all.bytes)) + ui_.px(8);
    draw_text(ui_, head, x, base, Face::regular, 13, t.dim,
              "in " + tensors(all.count) +
                  (walk_->device() >= 0 ? " on " + device_phrase(*run_, static_cast<std::size_t>(walk_->device()))
                                        : std::string()) +
                  " alive at " + letter + at,
              max.x - pad - x);
    ImGui::SetCursorScreenPos({min.x, min.y + ui_.px(28)});
    ImGui::BeginChild("alive", {max.x - min.x, max.y - min.y - ui_.px(32)}, false);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float right = max.x - pad - ImGui::GetStyle().ScrollbarSize;
    const bool narrow = right - min.x - pad < ui_.px(kLeastOneLine);  // then a row has two lines
    const float row = ui_.px(narrow ? 42 : 23);
    float y = ImGui::GetCursorScreenPos().y;
    y += draw_wrapped(ui_, list, {min.x + pad, y}, right - min.x - pad, Face::regular, 12.5f, 17, t.dim,
                      (all.pending_count > 0
                           ? figure::bytes_text(all.pending_bytes) + " of it, in " + tensors(all.pending_count) +
                                 ", was dropped by the program and held by ops that had not run (hatched). "
                           : std::string()) +
                          "Click a line to go to the op that created its tensors; click again for the next.") +
         ui_.px(4);
    const auto& groups = walk_->groups();
    const std::size_t shown = std::min(groups.size(), kMostRows);
    const float bar_room = std::max(ui_.px(40), (right - min.x) * (narrow ? 0.22f : 0.26f));
    for (std::size_t i = 0; i < shown; ++i, y += row) {
        const auto& group = groups[i];
        const std::string id = "alive/" + std::to_string(i);
        ImGui::SetCursorScreenPos({min.x + ui_.px(6), y});
        ImGui::PushID(id.c_str());
        const bool clicked = ImGui::InvisibleButton("row", {right - min.x, row});
        ImGui::PopID();
        register_item(ui_, id);
        if (clicked) {
            at_ = chosen_ == i ? (at_ + 1) % group.makers.size() : 0;
            chosen_ = i;
            timeline_.choose(run_index, group.makers[at_], false);
        }
        if (ImGui::IsItemHovered() || chosen_ == i) {
            list->AddRectFilled({min.x + ui_.px(6), y}, {right, y + row},
                                colour(figure::mixed(t.raised, t.text, chosen_ == i ? 0.1 : 0.06)), ui_.exact_px(4));
        }
        float baseline = y + ui_.px(16), left = min.x + pad, top = y + ui_.px(6);
        const std::string bytes = figure::bytes_text(group.bytes);
        const float line_room =
            narrow ? right - left - text_width(ui_, Face::mono_medium, 12.5f, bytes) - ui_.px(12) : ui_.px(150);
        const float line = draw_text(ui_, list, left, baseline, Face::mono_medium, 12.5f, t.text,
                                     group.line != 0 ? run_->line_text(group.line) : "no line", line_room);
        left += narrow ? line + ui_.px(10) : ui_.px(160);
        draw_text(ui_, list, left, baseline, Face::semibold, 12.5f, t.text, group.name,
                  narrow ? std::max(1.0f, line_room - line - ui_.px(10)) : ui_.px(130));
        left += ui_.px(140);
        if (narrow) {
            draw_text_right(ui_, list, right, baseline, Face::mono_medium, 12.5f, t.text, bytes);
            left = min.x + pad;
            baseline += ui_.px(19);
            top += ui_.px(19);
        }
        // The share of all bytes alive; hatched: pending.
        const auto share = [&](std::uint64_t bytes) {
            return all.bytes == 0
                       ? 0
                       : bar_room * static_cast<float>(static_cast<double>(bytes) / static_cast<double>(all.bytes));
        };
        const float settled = share(group.bytes - group.pending_bytes), pending = share(group.pending_bytes);
        const float bottom = top + ui_.px(11);
        list->AddRectFilled({left, top}, {left + std::max(1.0f, settled + pending), bottom},
                            colour(figure::faded(t.memory, 0.75)));
        if (pending >= 1) {
            list->PushClipRect({left + settled, top}, {left + settled + pending, bottom}, true);
            for (float s = left + settled - (bottom - top); s < left + settled + pending; s += ui_.px(6)) {
                list->AddLine({s, bottom}, {s + (bottom - top), top}, colour(t.background), ui_.exact_px(2));
            }
            list->PopClipRect();
        }
        left += bar_room + ui_.px(16);
        if (!narrow) {
            left += draw_text(ui_, list, left, baseline, Face::mono_medium, 12.5f, t.text, bytes) + ui_.px(12);
        }
        std::string words = tensors(group.count);
        if (group.pending_count > 0 && narrow) {
            words += ", " + figure::count_text(group.pending_count) + " pending";
        } else if (group.pending_count > 0) {
            words += ", pending " + figure::count_text(group.pending_count) + " with " +
                     figure::bytes_text(group.pending_bytes);
        }
        if (chosen_ == i) {
            words += " · op " + figure::count_text(group.makers[at_]) + ", " + figure::count_text(at_ + 1) + " of " +
                     figure::count_text(group.count) +
                     (group.count > group.makers.size()
                          ? " (the first " + std::to_string(group.makers.size()) + " are clickable)"
                          : "");
        }
        draw_text(ui_, list, left, baseline, Face::regular, 12.5f, t.dim, words, std::max(1.0f, right - left));
    }
    if (groups.size() > shown) {
        draw_text(ui_, list, min.x + pad, y + ui_.px(16), Face::regular, 12.5f, t.faint,
                  figure::count_text(groups.size() - shown) +
                      (groups.size() - shown == 1 ? " more line, with less" : " more lines, each with less"));
        ImGui::SetCursorScreenPos({min.x, y});
        ImGui::Dummy({1, row});
    }
    ImGui::EndChild();
}

}  // namespace headway::ui
