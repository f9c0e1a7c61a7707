#include "app/ui/timeline/minimap.h"

#include <algorithm>
#include <cmath>

#include "app/figure/legend.h"
#include "app/gfx/imgui_compat.h"
#include "app/model/analysis/time_range_summary.h"
#include "app/ui/widgets/draw_list_painter.h"
#include "app/ui/widgets/text_measure.h"

namespace headway::ui {

std::vector<float> minimap_heights(const model::Run& run, figure::TimelineView whole, int columns) {
    std::vector<float> heights(static_cast<std::size_t>(std::max(0, columns)));
    const double step = whole.span_ns() / std::max(1, columns);
    const model::Curve& curve = run.headway();
    const bool by_headway = run.capabilities().issues && curve.most() > 0;
    for (int i = 0; i < columns; ++i) {
        const double at = whole.begin_ns + step * i;
        const auto begin = static_cast<std::int64_t>(run.program_time().run_ns(at));
        const auto end = std::max(begin + 1, static_cast<std::int64_t>(run.program_time().run_ns(at + step)));
        double height = 0;
        if (begin > run.end_ns() || end < 0) {
            // nothing in this column
        } else if (by_headway) {
            height = static_cast<double>(curve.extremes(begin, end).most) / static_cast<double>(curve.most());
        } else if (!run.lanes().empty()) {
            const std::size_t lanes = run.lanes().size();
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                height += static_cast<double>(model::lane_sum(run, lane, begin, end).ns) /
                          static_cast<double>(end - begin) / static_cast<double>(lanes);
            }
        }
        heights[static_cast<std::size_t>(i)] = static_cast<float>(std::clamp(height, 0.0, 1.0));
    }
    return heights;
}

void Minimap::draw_legend(figure::Box box, const std::vector<figure::TimelineRun>& runs, figure::TimelineView view) {
    if (runs.empty() || box.width() < ui_.px(60)) {
        return;
    }
    const TextMeasure measure(ui_.fonts);
    const figure::DisplayList legend =
        figure::legend_line(runs, view, *ui_.theme, measure, ui_.fonts.scale(), box.width());
    if (legend.items.empty()) {
        return;
    }
    legend_.begin({box.x0, box.y0, box.x1, box.y1}, colour(ui_.theme->background));
    paint(legend, legend_, ui_.fonts, {box.x0, std::floor((box.y0 + box.y1 - legend.height_px) / 2)});
    legend_.end();
    legend_.show(ImGui::GetWindowDrawList());
    ui_.rects.insert_or_assign("timeline/legend", WidgetRect{box.x0, box.y0, box.x1, box.y1});
}

void Minimap::draw(figure::Box box, const std::vector<figure::TimelineRun>& runs, session::RunsVersion version,
                   ViewControl& view) {
    const figure::TimelineView whole = view.whole(), now = view.view(), target = view.target();
    const double slack = whole.span_ns() * 1e-6;
    const bool all = now.begin_ns <= whole.begin_ns + slack && now.end_ns >= whole.end_ns - slack;
    if (runs.empty() || (all && !held_) || box.width() < 8) {
        held_ = false;
        draw_legend(box, runs, now);
        return;
    }
    const int columns = static_cast<int>(box.width());
    if (!(version == version_) || !(whole == whole_) || columns != columns_ || heights_.size() != runs.size()) {
        heights_.clear();
        for (const auto& run : runs) {
            heights_.push_back(minimap_heights(*run.run, whole, columns));
        }
        version_ = version;
        whole_ = whole;
        columns_ = columns;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, colour(t.panel), ui_.exact_px(3));
    const float each = (box.height() - ui_.px(2)) / static_cast<float>(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const float base = box.y0 + ui_.px(1) + each * static_cast<float>(r + 1);
        const ImU32 c = colour(runs[r].letter == 'A' ? t.run_a : runs.size() > 1 ? t.run_b : t.headway);
        // Neighbouring columns of the same height are drawn as one rectangle.
        for (int i = 0; i < columns;) {
            int end = i + 1;
            const float height = std::round(heights_[r][static_cast<std::size_t>(i)] * (each - 1));
            while (end < columns && std::round(heights_[r][static_cast<std::size_t>(end)] * (each - 1)) == height) {
                ++end;
            }
            if (height >= 1) {
                list->AddRectFilled({box.x0 + static_cast<float>(i), base - height},
                                    {box.x0 + static_cast<float>(end), base}, c);
            }
            i = end;
        }
    }
    const auto x_of = [&](double ns) {
        return box.x0 + static_cast<float>(std::clamp((ns - whole.begin_ns) / whole.span_ns(), 0.0, 1.0)) * box.width();
    };
    const auto ns_of = [&](float x) {
        return whole.begin_ns + static_cast<double>((x - box.x0) / box.width()) * whole.span_ns();
    };
    float x0 = std::floor(x_of(now.begin_ns)), x1 = std::ceil(x_of(now.end_ns));
    if (const float least = ui_.px(5); x1 - x0 < least) {  // wide enough to see and grab
        const float middle = std::clamp((x0 + x1) / 2, box.x0 + least / 2, box.x1 - least / 2);
        x0 = middle - least / 2;
        x1 = middle + least / 2;
    }
    const ImU32 veil = colour(figure::faded(t.background, 0.55));
    list->AddRectFilled({box.x0, box.y0}, {x0, box.y1}, veil);
    list->AddRectFilled({x1, box.y0}, {box.x1, box.y1}, veil);
    list->AddRect({x0, box.y0}, {x1, box.y1}, colour(t.text), ui_.exact_px(2), 0,
                  std::max(1.0f, std::floor(ui_.fonts.scale())));

    ImGui::SetCursorScreenPos({box.x0, box.y0});
    ImGui::InvisibleButton("minimap", {box.width(), box.height()});
    ui_.rects.insert_or_assign("minimap", WidgetRect{box.x0, box.y0, box.x1, box.y1});
    ui_.rects.insert_or_assign("minimap/view", WidgetRect{x0, box.y0, x1, box.y1});
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
        view.zoom((target.begin_ns + target.end_ns) / 2, std::pow(0.75, static_cast<double>(io.MouseWheel)));
    }
    if (ImGui::IsItemActivated()) {
        const double middle = (target.begin_ns + target.end_ns) / 2;
        const bool inside = io.MousePos.x >= x0 && io.MousePos.x < x1;
        view.begin_pan();
        held_ = true;
        grip_ns_ = inside ? ns_of(io.MousePos.x) - middle : 0;
    }
    if (held_ && ImGui::IsItemActive()) {
        const double middle = (target.begin_ns + target.end_ns) / 2;
        const double by = ns_of(std::clamp(io.MousePos.x, box.x0, box.x1)) - grip_ns_ - middle;
        if (std::abs(by) > 0) {
            view.pan(by, false);
        }
    } else {
        held_ = false;
    }
}

}  // namespace headway::ui
