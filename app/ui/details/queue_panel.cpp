#include "app/ui/details/queue_panel.h"

#include <algorithm>
#include <string>

#include "app/model/run/devices.h"
#include "app/render/format.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

constexpr float kOp = 28, kQueueGap = 5, kQueueText = 13, kLeastLane = 190;

}  // namespace

std::string needs_text(const model::Run& run, core::OpId op, std::int64_t ns) {
    constexpr std::size_t kNamed = 3;
    const auto needs = model::needs_at(run, op, ns);
    if (needs.empty()) {
        return "ready";
    }
    std::string text = "needs ";
    for (std::size_t i = 0; i < needs.size() && i < kNamed; ++i) {
        text += (i == 0 ? "#" : ", #") + figure::count_text(needs[i]);
    }
    return needs.size() > kNamed ? text + " and " + std::to_string(needs.size() - kNamed) + " more" : text;
}

void QueuePanel::draw_op(const model::Run& run, core::OpId op, const std::string& state, figure::Rgba tone, ImVec2 at,
                         float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float height = ui_.px(kOp), baseline = at.y + height / 2 + ui_.exact_px(4.6f);
    draw_card(ui_, list, at, {at.x + width, at.y + height}, figure::mixed(t.raised, t.text, 0.05));
    const auto family = t.family(run.signature(run.op(op).signature).family);
    list->AddRectFilled(at, {at.x + ui_.px(4), at.y + height}, colour(family), ui_.exact_px(2));
    float x = at.x + ui_.px(12);
    x += draw_text(ui_, list, x, baseline, Face::mono, 12, t.faint, "#" + figure::count_text(op)) + ui_.px(8);
    x += draw_text(ui_, list, x, baseline, Face::medium, kQueueText, t.text, run.signature(run.op(op).signature).name,
                   std::max(1.0f, at.x + width - x - ui_.px(8))) +
         ui_.px(10);
    const float room = at.x + width - ui_.px(10) - x;
    if (room > ui_.px(30)) {
        draw_text_right(ui_, list, at.x + width - ui_.px(10), baseline, Face::regular, 12, tone,
                        elided(ui_, Face::regular, 12, state, room));
    }
    ui_.rects.insert_or_assign("queue/" + std::to_string(op), WidgetRect{at.x, at.y, at.x + width, at.y + height});
}

float QueuePanel::draw_lane(const model::Run& run, const model::Moment& moment, std::size_t index, ImVec2 at,
                            float width) {
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const model::LaneMoment& lane = moment.lanes[index];
    const float room = width - ui_.px(70);
    std::string name = "Queue of " + stream_name(run, index);
    if (gpu_count(run) > 1 && text_width(ui_, Face::semibold, kQueueText, name) > room) {
        name = device_name(run, device_of_lane(run, index)) + ", " + run.lanes()[index].name;
    }
    draw_text(ui_, list, at.x, at.y + ui_.px(15), Face::semibold, kQueueText, t.text,
              elided(ui_, Face::semibold, kQueueText, name, room));
    draw_text_right(ui_, list, at.x + width, at.y + ui_.px(15), Face::regular, 12, t.dim,
                    figure::count_text(lane.done) + " done");
    float y = at.y + ui_.px(24);
    if (lane.running != 0) {
        draw_op(run, lane.running, "running", t.good, {at.x, y}, width);
        y += ui_.px(kOp + kQueueGap);
    }
    const bool held = state_.session.live() && state_.session.backend_held();
    for (std::size_t i = 0; i < lane.waiting.size(); ++i) {
        const bool next = i == 0 && lane.running == 0;
        const std::string needs = needs_text(run, lane.waiting[i], moment.ns);
        draw_op(run, lane.waiting[i], next && held && needs == "ready" ? "held by you" : needs,
                next && held ? t.run_b : t.dim, {at.x, y}, width);
        y += ui_.px(kOp + kQueueGap);
    }
    if (lane.queued > lane.waiting.size()) {
        draw_text(ui_, list, at.x + ui_.px(12), y + ui_.px(14), Face::regular, 12, t.dim,
                  "and " + figure::count_text(lane.queued - lane.waiting.size()) + " more");
        y += ui_.px(22);
    }
    if (lane.running == 0 && lane.queued == 0) {
        draw_text(ui_, list, at.x + ui_.px(2), y + ui_.px(14), Face::regular, 12.5f, t.faint, "empty");
        y += ui_.px(22);
    }
    return y - at.y + ui_.px(8);
}

void QueuePanel::draw(ImVec2 min, ImVec2 max) {
    const figure::Theme& t = *ui_.theme;
    draw_ground_card(ui_, ImGui::GetWindowDrawList(), min, max, t.raised, 8);
    ui_.rects.insert_or_assign("queue", WidgetRect{min.x, min.y, max.x, max.y});
    const session::Execution* b = state_.session.b();
    const bool any = b != nullptr && b->run() != nullptr && !b->run()->lanes().empty();
    const bool ended_without_ops = any && !b->live() && !b->lags() && b->run()->op_count() == 0;
    if (!any || !b->run()->capabilities().issues || ended_without_ops) {
        draw_wrapped(ui_, ImGui::GetWindowDrawList(), {min.x + ui_.px(16), min.y + ui_.px(12)},
                     max.x - min.x - ui_.px(32), Face::regular, kQueueText, 19, t.faint,
                     ended_without_ops ? "This run issued no ops, so its queues were always empty."
                     : any             ? "This trace has no issues, so its queues are not known."
                           : "The ops that each lane runs and those that wait for it appear here. Step a line, or hold "
                             "the backend and run.");
        return;
    }
    const model::Run& run = *b->run();
    const model::Moment moment =
        state_.replay.on() ? state_.replay.moment() : model::moment_at(run, std::max(run.now_ns(), run.end_ns()));
    ImGui::SetCursorScreenPos({min.x + ui_.px(2), min.y + ui_.px(4)});
    ImGui::BeginChild("queue", {max.x - min.x - ui_.px(4), max.y - min.y - ui_.px(8)}, false, 0);
    const ImVec2 start = ImGui::GetCursorScreenPos();
    const float pad = ui_.px(12), gap = ui_.px(14), width = ImGui::GetContentRegionAvail().x - 2 * pad;
    const std::size_t lanes = moment.lanes.size();
    const auto columns = static_cast<std::size_t>(
        std::clamp(static_cast<int>((width + gap) / (ui_.px(kLeastLane) + gap)), 1, static_cast<int>(lanes)));
    const float column = (width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    float y = start.y + ui_.px(4), tallest = 0;
    if (!state_.session.live() && !state_.replay.on()) {
        y += draw_wrapped(ui_, ImGui::GetWindowDrawList(), {start.x + pad, y}, width, Face::regular, 12.5f, 18, t.faint,
                          "The run has ended. Back, below the timeline, shows how the queues were.") +
             ui_.px(6);
    }
    for (std::size_t i = 0; i < lanes; ++i) {
        const std::size_t place = i % columns;
        if (place == 0 && i > 0) {
            y += tallest;
            tallest = 0;
        }
        const float x = start.x + pad + static_cast<float>(place) * (column + gap);
        tallest = std::max(tallest, draw_lane(run, moment, i, {x, y}, column));
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({1, y + tallest - start.y});
    ImGui::EndChild();
}

}  // namespace headway::ui
