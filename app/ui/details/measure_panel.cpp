#include "app/ui/details/measure_panel.h"

#include <algorithm>
#include <cmath>

#include "app/model/run/devices.h"
#include "app/render/format.h"
#include "app/timeline/op_words.h"
#include "app/ui/widgets/widgets.h"
#include "engine/trace/wait_names.h"

namespace headway::ui {
namespace {

constexpr float kMeasureRow = 19, kTitle = 30, kCellWidth = 292, kMeasureText = 12.5f;
constexpr float kNumbers = 132;     // from the right end of the counts to that of the shares
constexpr float kLeastWidth = 230;  // of a run's lines: below, runs stand below each other

// How many runs stand beside each other: all of them, or one.
int beside(const Ui& ui, float width, int runs) {
    return (width - ui.px(28)) / static_cast<float>(std::max(1, runs)) < ui.px(kLeastWidth) ? 1 : std::max(1, runs);
}

std::string more_of(std::size_t n, const char* one, const char* many) {
    return std::to_string(n) + " more " + (n == 1 ? one : many);
}

}  // namespace

std::vector<MeasureCell> measure_cells(const model::Run& run, const model::TimeRangeSummary& summary,
                                       const figure::Theme& theme, std::size_t room) {
    std::vector<MeasureCell> cells;
    // One line per cause; several kinds of waits may share one.
    std::vector<MeasureCell> causes;
    for (const auto& cause : summary.causes) {
        const std::string label = std::string("wait: ") + trace::names_of(cause.kind).cause;
        auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& c) { return c.label == label; });
        if (found == causes.end()) {
            const bool mine = cause.kind == trace::WaitKind::paused;
            causes.push_back({label, 0, 0, mine ? theme.dim : theme.wait_text});
            found = causes.end() - 1;
        }
        found->count += cause.sum.count;
        found->ns += cause.sum.ns;
    }
    const auto ops = summary.ops();
    cells.push_back({run.capabilities().backend ? "executed" : figure::ops_word(run.capabilities(), ops.count),
                     ops.count, ops.ns, theme.text, true, true});
    if (run.capabilities().issues) {
        cells.push_back({"issues", summary.issues.count, summary.issues.ns, theme.issue, true});
    }
    cells.insert(cells.end(), causes.begin(), causes.end());
    if (summary.works.count > 0) {
        cells.push_back({"own work", summary.works.count, summary.works.ns, theme.dim});
    }
    const std::size_t left = room > cells.size() ? room - cells.size() : 0;
    const std::size_t lanes = summary.lanes.size(), kinds = summary.kinds.size();
    std::size_t for_lanes = std::min(lanes, left / 2), for_kinds = std::min(kinds, left - for_lanes);
    for_lanes = std::min(lanes, left - for_kinds);
    const auto name = [&run](std::size_t lane) { return stream_name(run, lane); };
    for (std::size_t i = 0; i < for_lanes; ++i) {
        if (i + 1 == for_lanes && lanes > for_lanes) {
            MeasureCell rest{more_of(lanes - i, "lane", "lanes"), 0, 0, theme.dim, false, true};
            for (std::size_t k = i; k < lanes; ++k) {
                rest.count += summary.lanes[k].count;
                rest.ns += summary.lanes[k].ns;
            }
            cells.push_back(std::move(rest));
        } else {
            cells.push_back({name(i), summary.lanes[i].count, summary.lanes[i].ns, theme.text, true});
        }
    }
    for (std::size_t i = 0; i < for_kinds; ++i) {
        const auto& kind = summary.kinds[i];
        if (i + 1 == for_kinds && kinds > for_kinds) {
            MeasureCell rest{more_of(kinds - i, "kind", "kinds"), 0, 0, theme.dim, false, true};
            for (std::size_t k = i; k < kinds; ++k) {
                rest.count += summary.kinds[k].sum.count;
                rest.ns += summary.kinds[k].sum.ns;
            }
            cells.push_back(std::move(rest));
        } else {
            cells.push_back({kind.name, kind.sum.count, kind.sum.ns, theme.family(kind.family), false, true});
        }
    }
    return cells;
}

int MeasurePanel::columns(float width) const {
    const float each = (width - ui_.px(28)) / static_cast<float>(beside(ui_, width, timeline_.run_count()));
    return std::max(1, static_cast<int>(each / ui_.px(kCellWidth)));
}

const model::TimeRangeSummary* MeasurePanel::summary(int run) const {
    const bool there = run >= 0 && run < static_cast<int>(summaries_.size());
    return there ? &summaries_[static_cast<std::size_t>(run)] : nullptr;
}

void MeasurePanel::draw(ImVec2 min, ImVec2 max) {
    const auto& span = state_.timeline.measured;
    summaries_.clear();
    if (!span) {
        return;
    }
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_card(ui_, list, min, max, t.raised, 8);
    ui_.rects.insert_or_assign("measured", WidgetRect{min.x, min.y, max.x, max.y});
    const double length = span->end() - span->begin(), ns_per_px = timeline_.layout().map.ns_per_px();
    const float pad = ui_.px(14), baseline = min.y + ui_.px(20);
    float x = min.x + pad;
    x += draw_text(ui_, list, x, baseline, Face::mono_bold, 13.5f, t.text, figure::duration_text(length)) + ui_.px(12);
    x += draw_text(ui_, list, x, baseline, Face::regular, 12.5f, t.dim,
                   "from " + figure::place_text(span->begin(), ns_per_px) + " to " +
                       figure::place_text(span->end(), ns_per_px),
                   std::max(1.0f, max.x - pad - x)) +
         ui_.px(12);
    std::string how =
        std::string("ends: ") + (span->from_edge ? "edge" : "free") + ", " + (span->to_edge ? "edge" : "free");
    how += " · ops across an edge count with their part inside · shares of kinds: of all lanes' time";
    if (x + text_width(ui_, Face::regular, 12.5f, "ends: edge, edge") <= max.x - pad) {
        draw_text(ui_, list, x, baseline, Face::regular, 12.5f, t.faint, how, max.x - pad - x);
    }

    const int across = columns(max.x - min.x), runs = timeline_.run_count(), side = beside(ui_, max.x - min.x, runs);
    const int below = side < runs ? runs : 1;  // runs that stand below each other and share the height
    const auto rows = static_cast<std::size_t>(
        std::max(1.0f, (max.y - min.y - ui_.px(kTitle + 6)) / ui_.px(kMeasureRow) / static_cast<float>(below)));
    const float each = (max.x - min.x - 2 * pad) / static_cast<float>(side * across);
    for (int r = 0; r < runs; ++r) {
        const model::Run* run = timeline_.run_at(r);
        const model::ProgramTime& time = run->program_time();
        summaries_.push_back(model::time_range_summary(*run, std::llround(time.run_ns(span->begin())),
                                                       std::llround(time.run_ns(span->end()))));
        const auto& summary = summaries_.back();
        const auto cells = measure_cells(*run, summary, t, rows * static_cast<std::size_t>(across));
        // The names come first: where one would be cut, there are no shares.
        const float cell_width = std::min(each - ui_.px(22), ui_.px(kCellWidth + 40));
        const bool shares = std::all_of(cells.begin(), cells.end(), [&](const MeasureCell& cell) {
            return text_width(ui_, cell.head ? Face::semibold : Face::regular, kMeasureText, cell.label) +
                       text_width(ui_, Face::mono, kMeasureText, figure::count_text(cell.count)) +
                       ui_.px(kNumbers + 30) <=
                   cell_width;
        });
        for (std::size_t i = 0; i < std::min(cells.size(), rows * static_cast<std::size_t>(across)); ++i) {
            const MeasureCell& cell = cells[i];
            const int column = (below > 1 ? 0 : r * across) + static_cast<int>(i / rows);
            const std::size_t row = (below > 1 ? static_cast<std::size_t>(r) * rows : 0) + i % rows;
            const float left = min.x + pad + each * static_cast<float>(column);
            const float right = left + cell_width;
            const float y = min.y + ui_.px(kTitle) + ui_.px(kMeasureRow) * static_cast<float>(row) + ui_.px(14);
            const float time_x = right - (shares ? ui_.px(60) : 0), count_x = time_x - ui_.px(kNumbers - 60);
            const std::string count = figure::count_text(cell.count);
            const float count_width = text_width(ui_, Face::mono, kMeasureText, count);
            float label_x = left;
            if (runs > 1 && i == 0) {
                const char letter = timeline_.letter_of(r);
                label_x += draw_text(ui_, list, left, y, Face::bold, kMeasureText, letter == 'A' ? t.run_a : t.run_b,
                                     std::string(1, letter)) +
                           ui_.px(7);
            }
            list->AddRectFilled({label_x, y - ui_.px(8)}, {label_x + ui_.px(3), y + ui_.px(1)}, colour(cell.colour));
            label_x += ui_.px(8);
            draw_text(ui_, list, label_x, y, cell.head ? Face::semibold : Face::regular, kMeasureText, t.text,
                      cell.label, std::max(1.0f, count_x - count_width - ui_.px(6) - label_x));
            draw_text_right(ui_, list, count_x, y, Face::mono, kMeasureText, t.dim, count);
            draw_text_right(ui_, list, time_x, y, Face::mono_medium, kMeasureText, t.text,
                            figure::duration_text(static_cast<double>(cell.ns)));
            const double of = length * (cell.all_lanes ? static_cast<double>(run->lanes().size()) : 1);
            if (shares && of > 0) {
                draw_text_right(ui_, list, right, y, Face::mono, kMeasureText, t.dim,
                                figure::percent_text(static_cast<double>(cell.ns) / of));
            }
            ui_.rects.insert_or_assign("measured/" + std::to_string(r) + "/" + std::to_string(i),
                                       WidgetRect{left, y - ui_.px(14), right, y + ui_.px(5)});
        }
    }
}

}  // namespace headway::ui
