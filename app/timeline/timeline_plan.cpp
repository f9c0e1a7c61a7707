#include "app/timeline/timeline_plan.h"

#include <algorithm>
#include <cmath>

#include "app/model/run/devices.h"
#include "app/timeline/timeline_rows.h"

namespace headway::figure {
namespace {

float natural_px(const TimelineStyle& style, RowKind kind) {
    switch (kind) {
        case RowKind::ruler:
            return style.ruler_px;
        case RowKind::header:
            return style.header_row_px;
        case RowKind::bookmarks:
            return style.bookmarks_row_px;
        case RowKind::scopes:
            return style.scopes_row_px;
        case RowKind::frontend:
            return style.frontend_row_px;
        case RowKind::headway:
            return style.headway_row_px;
        case RowKind::launch:
        case RowKind::link:
            return style.launch_row_px;
        case RowKind::lane:
            return style.lane_row_px;
        case RowKind::memory:
            return style.memory_row_px;
    }
    return 0;
}

// Applies the arrangement's order and heights to the rows from `first` on.
void arrange_rows(std::vector<RowPlan>& plan, std::size_t first, const TimelineOptions& o) {
    if (o.arrangement == nullptr || o.arrangement->empty()) {
        return;
    }
    constexpr float kCollapsed = 16, kLeast = 15, kMost = 1200;
    // In a figure, custom heights are proportions of the window's; rows still shrink and grow, and always fit their
    // names.
    const bool shares = o.style.heights_in_proportion;
    const float least_px = shares ? o.style.label_px * 1.3F : kLeast;
    std::vector<std::string> keys;
    for (std::size_t i = first; i < plan.size(); ++i) {
        keys.push_back(row_key(plan[i].kind, plan[i].lane));
        if (const auto* setting = model::setting_of(*o.arrangement, keys.back())) {
            RowPlan& row = plan[i];
            if (setting->collapsed) {
                row.natural = row.least = row.most = std::max(kCollapsed, least_px) * o.scale;
            } else if (setting->height_px > 0 && shares) {
                const float part = setting->height_px / std::max(1.0F, natural_px(window_style(), row.kind));
                const float grow = row.most / row.natural;
                row.natural = std::clamp(part * natural_px(o.style, row.kind), least_px, kMost) * o.scale;
                row.least = std::min(row.least, row.natural);
                row.most = row.natural * grow;
            } else if (setting->height_px > 0) {
                row.natural = row.least = row.most = std::clamp(setting->height_px, least_px, kMost) * o.scale;
            }
        }
    }
    std::vector<RowPlan> rows;
    for (const std::size_t i : model::arranged(*o.arrangement, keys)) {
        rows.push_back(plan[first + i]);
    }
    std::copy(rows.begin(), rows.end(), plan.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

std::vector<RowPlan> plan_rows(std::span<const TimelineRun> runs, const TimelineOptions& o) {
    const TimelineStyle& style = o.style;
    std::vector<RowPlan> plan;
    const auto add = [&](RowKind kind, int run, int lane, float natural, float least, float grow) {
        plan.push_back(
            {kind, run, lane, natural * o.scale, std::min(natural, least) * o.scale, natural * grow * o.scale});
    };
    if (!style.ruler_below) {
        add(RowKind::ruler, -1, -1, style.ruler_px, style.ruler_px, 1);
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const model::Run& run = *runs[r].run;
        const int index = static_cast<int>(r);
        const float gap = r == 0 ? 0 : style.run_gap_px;
        add(RowKind::header, index, -1, style.header_row_px + gap, style.header_px * 1.5F + gap, 1);
        if (!runs[r].bookmarks.empty()) {
            add(RowKind::bookmarks, index, -1, style.bookmarks_row_px, 15, 1);
        }
        const std::size_t first = plan.size();
        if (const int lines = scope_lines(run, style); lines > 0) {
            const float height = style.scopes_row_px * static_cast<float>(lines);
            add(RowKind::scopes, index, -1, height, 13.0F * static_cast<float>(lines), 1);
        }
        const model::TraceCapabilities capabilities =
            run.capabilities();  // an empty row for data that the trace lacks would look like a zero
        if (capabilities.issues || capabilities.waits) {
            add(RowKind::frontend, index, -1, style.frontend_row_px, 26, style.bars_grow);
        }
        if (capabilities.issues) {
            add(RowKind::headway, index, -1, style.headway_row_px, 26, style.curves_grow);
        }
        if (!run.launches().empty()) {
            add(RowKind::launch, index, -1, style.launch_row_px, 15, style.bars_grow);
        }
        const bool many = gpu_count(run) > 1;  // then the rows of each device are together
        const auto add_memory = [&](std::size_t device) {
            constexpr float kShare = 0.7F;  // each of several rows, relative to a single one
            add(RowKind::memory, index, static_cast<int>(device), style.memory_row_px * kShare, many ? 22 : 34,
                style.curves_grow);
        };
        for (std::size_t lane = 0; lane < run.lanes().size(); ++lane) {
            add(RowKind::lane, index, static_cast<int>(lane), style.lane_row_px, 15, style.bars_grow);
            const std::size_t device = device_of_lane(run, lane);
            if (many && (lane + 1 == run.lanes().size() || device_of_lane(run, lane + 1) != device)) {
                add_memory(device);
            }
        }
        if (run.devices().size() < 2 && capabilities.memory) {
            add(RowKind::memory, index, -1, style.memory_row_px, 34, style.curves_grow);
        }
        for (std::size_t device = 0; device < run.devices().size() && run.devices().size() > 1 && !many; ++device) {
            add_memory(device);
        }
        for (std::size_t link = 0; link < run.links().size(); ++link) {
            if (!run.links()[link].ops.empty()) {
                add(RowKind::link, index, static_cast<int>(link), style.launch_row_px, 15, style.bars_grow);
            }
        }
        arrange_rows(plan, first, o);
    }
    if (style.ruler_below) {
        add(RowKind::ruler, -1, -1, style.ruler_px, style.ruler_px, 1);
    }
    return plan;
}

float sum(const std::vector<RowPlan>& plan, float RowPlan::*height) {
    float total = 0;
    for (const RowPlan& row : plan) {
        total += row.*height;
    }
    return total;
}

void share_height(std::vector<RowPlan>& plan, float height) {
    const float natural = sum(plan, &RowPlan::natural);
    const bool grow = height >= natural;
    const float room = grow ? sum(plan, &RowPlan::most) - natural : natural - sum(plan, &RowPlan::least);
    const float part = room <= 0 ? 0 : std::clamp(std::abs(height - natural) / room, 0.0F, 1.0F);
    for (RowPlan& row : plan) {
        row.height = row.natural + part * ((grow ? row.most : row.least) - row.natural);
    }
}

}  // namespace headway::figure
