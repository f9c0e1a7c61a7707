#include "app/timeline/highlights/highlights.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/model/analysis/races.h"
#include "app/model/analysis/wait_details.h"
#include "app/model/run/devices.h"

namespace headway::figure {
namespace {

void outline(const Box& box, float radius, Rgba colour, float width, DisplayList& to) {
    to.add(Rect{{box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1}, Rgba{0, 0, 0, 0}, radius, colour, width});
}

// Draws arrows between ops. Skips arrows within a row that are too short to see, and merges arrows that begin and end
// at the same places: between slivers they would be a blob of heads.
class Arrows {
public:
    Arrows(const TimelineLayout& layout, int run, float scale, DisplayList& to)
        : layout_(layout), run_(run), scale_(scale), to_(to) {}

    void add(core::OpId from_op, core::OpId to_op, Rgba colour, float width) {
        const auto before = layout_.box_of_op(run_, from_op);
        const auto after = layout_.box_of_op(run_, to_op);
        if (!before || !after || drawn_.size() >= kMost) {
            return;
        }
        const float least = 18 * scale_, apart = 5 * scale_;
        const bool same_row = before->y0 == after->y0;
        Point from{before->x1, (before->y0 + before->y1) / 2};
        Point end{after->x0, (after->y0 + after->y1) / 2};
        const bool back = end.x < from.x && !same_row;
        if (back) {  // to an op that did not wait: straight, between the edges that face each other
            const float left = std::max(before->x0, after->x0), right = std::min(before->x1, after->x1);
            const bool above = before->y0 < after->y0, both = left <= right;
            from = {both ? (left + right) / 2 : before->x0, above ? before->y1 : before->y0};
            end = {both ? from.x : after->x1, above ? after->y0 : after->y1};
        }
        const bool out = std::max(from.x, end.x) < layout_.axis.x0 || std::min(from.x, end.x) > layout_.axis.x1;
        const auto near = [apart](Point a, Point b) { return a.y == b.y && std::abs(a.x - b.x) < apart; };
        const bool drawn = std::any_of(drawn_.begin(), drawn_.end(), [&](const auto& arrow) {
            return near(arrow.first, from) && near(arrow.second, end);
        });
        if (out || drawn || (same_row && std::abs(end.x - from.x) < least)) {
            return;
        }
        drawn_.emplace_back(from, end);
        const float dx = end.x - from.x;
        // A longer reach would make a loop.
        const float reach = back ? dx / 3 : std::max(2 * scale_, std::abs(dx) * 0.4F);
        const float rise = back ? (end.y - from.y) / 3 : 0;
        const float lift = same_row ? -(after->height() / 2 + 8 * scale_) : 0;  // arch over the ops in between
        to_.add(
            Arrow{{from, Point{from.x + reach, from.y + rise + lift}, Point{end.x - reach, end.y - rise + lift}, end},
                  colour,
                  width * scale_,
                  4 * scale_,
                  3 * scale_,
                  (4 + width) * scale_});
    }

private:
    static constexpr std::size_t kMost = 80;
    const TimelineLayout& layout_;
    int run_;
    float scale_;
    DisplayList& to_;
    std::vector<std::pair<Point, Point>> drawn_;
};

const RowBox* memory_row(const TimelineLayout& layout, int run, std::size_t device) {
    for (const RowBox& row : layout.rows) {
        if (row.run == run && row.kind == RowKind::memory && (row.lane < 0 || row.lane == static_cast<int>(device))) {
            return &row;
        }
    }
    return nullptr;
}

}  // namespace

void add_op_highlight(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                      DisplayList& to) {
    if (!layout.has_op(run, op)) {
        return;
    }
    const auto box = layout.box_of_op(run, op);
    const auto issue = layout.box_of_issue(run, op);
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    if (issue && box) {
        const Point from{(issue->x0 + issue->x1) / 2, issue->y1};
        const Point end{(box->x0 + box->x1) / 2, box->y0};
        const float bend = (end.y - from.y) * 0.45F;
        to.add(Arrow{{from, Point{from.x, from.y + bend}, Point{end.x, end.y - bend}, end},
                     theme.issue,
                     1.6F * scale,
                     0,
                     0,
                     6 * scale});
    }
    if (box) {
        // Arrows for a whole long chain would be unreadable; draw the nearest dependencies only.
        constexpr std::size_t kNearest = 128;
        std::vector<std::pair<core::OpId, core::OpId>> indirect;
        Arrows arrows(layout, run, scale, to);
        model::walk_needs(*layout.runs[static_cast<std::size_t>(run)].run, op, kNearest,
                          [&](core::OpId needed, core::OpId by) {
                              if (by != op) {
                                  indirect.emplace_back(needed, by);
                              } else {
                                  arrows.add(needed, by, theme.text, 2.2F);
                              }
                          });
        for (const auto& [needed, by] : indirect) {
            arrows.add(needed, by, faded(theme.text, 0.6), 1);
        }
        for (const model::Race& race : model::races_of(*layout.runs[static_cast<std::size_t>(run)].run, op)) {
            arrows.add(race.other, race.op, theme.warning, 2.2F);
            if (const auto racing = layout.box_of_op(run, race.op == op ? race.other : race.op)) {
                outline(*racing, 3 * scale, theme.warning, 2 * scale, to);
            }
        }
        outline(*box, 3 * scale, theme.text, 2 * scale, to);
    }
    if (issue) {
        outline(*issue, 2 * scale, theme.text, 1.5F * scale, to);
    }
    to.add(ClipPop{});
}

namespace {

void add_races_of(const TimelineLayout& layout, int run, const Theme& theme, float scale, DisplayList& to) {
    constexpr std::size_t kLookedAt = 100'000;  // orders: less than a millisecond
    constexpr std::size_t kMost = 24;           // more would hide the ops
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    if (!model.has_races()) {
        return;
    }
    const auto& orders = model.orders();
    const auto seen = [&](const std::optional<Box>& box) {
        return box && box->x1 >= layout.axis.x0 && box->x0 <= layout.axis.x1;
    };
    Arrows arrows(layout, run, scale, to);
    std::size_t drawn = 0;
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    for (std::size_t i = 0; i < std::min(orders.size(), kLookedAt) && drawn < kMost; ++i) {
        if (!trace::is_race(orders[i].kind)) {
            continue;
        }
        const auto before = layout.box_of_op(run, orders[i].other), after = layout.box_of_op(run, orders[i].op);
        if (seen(before) || seen(after)) {
            for (const auto& box : {before, after}) {
                if (box) {
                    outline(*box, 3 * scale, theme.warning, 1.5F * scale, to);
                }
            }
            arrows.add(orders[i].other, orders[i].op, theme.warning, 1.5F);
            ++drawn;
        }
    }
    to.add(ClipPop{});
}

}  // namespace

void add_races(const TimelineLayout& layout, const Theme& theme, float scale, DisplayList& to) {
    for (std::size_t run = 0; run < layout.runs.size(); ++run) {
        add_races_of(layout, static_cast<int>(run), theme, scale, to);
    }
}

void add_retained_highlights(const TimelineLayout& layout, int run, core::OpId op,
                             std::span<const model::RetainedBuffer> retained, const Theme& theme, float scale,
                             DisplayList& to) {
    if (!layout.has_op(run, op)) {
        return;
    }
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    const model::Op& own = model.op(op);
    const auto x = [&](std::int64_t ns) { return layout.x_px_from_run_ns(run, std::min(ns, model.now_ns())); };
    constexpr std::size_t kMost = 5;
    const float step = 6 * scale;
    std::size_t place = 0;
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    for (const model::RetainedBuffer& retained_buffer : retained) {
        if (retained_buffer.maker == 0 || retained_buffer.maker > model.op_count() ||
            retained_buffer.taken_ns == model::kPending || place == kMost) {
            continue;
        }
        const RowBox* row = memory_row(layout, run, memory_device(model, model.op(retained_buffer.maker)));
        if (row == nullptr) {
            continue;
        }
        const float y = row->content.y1 - 5 * scale - static_cast<float>(place++) * step;
        const float from = x(retained_buffer.taken_ns), end = std::max(x(retained_buffer.freed_ns), from + 1);
        const auto bar = [&](float x0, float x1, float width, Rgba colour) {
            to.add(Rect{{x0, y - width / 2, std::max(x1, x0 + 1), y + width / 2}, colour, 0, Rgba{0, 0, 0, 0}, 0});
        };
        bar(from - scale, end + scale, 3 * scale, faded(theme.background, 0.8));
        bar(from, end, 1 * scale, theme.text);
        const float held = std::max(x(std::max(own.issue_begin_ns, retained_buffer.taken_ns)), from);
        bar(held - scale, x(own.end_ns) + scale, 5 * scale, faded(theme.background, 0.8));
        bar(held, x(own.end_ns), 3 * scale, theme.text);
    }
    to.add(ClipPop{});
}

void add_match_highlight(const TimelineLayout& layout, int run, core::OpId op, const Theme& theme, float scale,
                         DisplayList& to) {
    const auto box = layout.has_op(run, op) ? layout.box_of_op(run, op) : std::nullopt;
    if (!box) {
        return;
    }
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    const Box b{box->x0 - 2 * scale, box->y0 - 2 * scale, box->x1 + 2 * scale, box->y1 + 2 * scale};
    const auto side = [&](Point from, Point end) {
        to.add(Line{from, end, theme.text, 2 * scale, 4 * scale, 3 * scale});
    };
    side({b.x0, b.y0}, {b.x1, b.y0});
    side({b.x1, b.y0}, {b.x1, b.y1});
    side({b.x1, b.y1}, {b.x0, b.y1});
    side({b.x0, b.y1}, {b.x0, b.y0});
    to.add(ClipPop{});
}

void add_wait_highlight(const TimelineLayout& layout, int run, int wait, std::span<const core::OpId> causes,
                        const Theme& theme, float scale, DisplayList& to) {
    const auto box = layout.box_of_wait(run, wait);
    if (!box) {
        return;
    }
    const model::Run& model = *layout.runs[static_cast<std::size_t>(run)].run;
    const model::Wait& found = *model.wait_at(static_cast<std::size_t>(wait));
    to.add(ClipPush{{layout.axis.x0, layout.axis.y0, layout.axis.x1, layout.axis.y1}});
    const auto under = [&](const Box& b, float x0, float x1, float width, Rgba colour) {
        const float y = b.y1 + 1 * scale;
        to.add(Rect{{x0, y, std::max(x1, x0 + 1), y + width}, colour, 0, Rgba{0, 0, 0, 0}, 0});
    };
    // Ops that touch on the screen share one line.
    std::vector<Box> lines;  // one open line per row
    const auto close = [&](const Box& b) { under(b, b.x0, b.x1, 1.5F * scale, theme.wait); };
    const bool recorded = model.capabilities().issues;  // the trace contains what the wait waited for
    for (const core::OpId op : causes) {
        const auto at = layout.box_of_op(run, op);
        if (!at || at->x1 < layout.axis.x0 || at->x0 > layout.axis.x1) {
            continue;
        }
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const Box& l) { return l.y0 == at->y0; });
        if (line == lines.end()) {
            lines.push_back(*at);
        } else if (at->x0 <= line->x1 + 2 * scale) {
            line->x1 = std::max(line->x1, at->x1);
        } else {
            close(*line);
            *line = *at;
        }
    }
    std::for_each(lines.begin(), lines.end(), close);
    if (recorded && static_cast<std::size_t>(wait) < model.waits().size()) {
        std::size_t left = model::kWaitCauses;
        model::walk_wait(model, static_cast<std::size_t>(wait),
                         [&](core::OpId op, std::int64_t, std::int64_t from, std::int64_t end) {
                             if (const auto at = layout.box_of_op(run, op)) {
                                 under(*at, layout.x_px_from_run_ns(run, from), layout.x_px_from_run_ns(run, end),
                                       4 * scale, theme.wait);
                             }
                             return --left > 0;
                         });
        const core::OpId last = model::ended_by(model, found);
        if (const auto at = last != 0 ? layout.box_of_op(run, last) : std::nullopt) {
            const Point from{at->x1, at->y0}, end{box->x1, box->y1};
            const float bend = (end.y - from.y) * 0.45F;
            to.add(Arrow{{from, Point{from.x, from.y + bend}, Point{end.x, end.y - bend}, end},
                         theme.wait,
                         2 * scale,
                         0,
                         0,
                         6 * scale});
        }
    }
    outline(*box, 3 * scale, theme.text, 2 * scale, to);
    to.add(ClipPop{});
}

namespace {

bool shows(const model::Place& place, const RowBox& row) {
    using Row = model::Place::Row;
    switch (place.row) {
        case Row::run:
            return row.kind == RowKind::frontend || row.kind == RowKind::headway || row.kind == RowKind::lane ||
                   row.kind == RowKind::memory;
        case Row::frontend:
            return row.kind == RowKind::frontend;
        case Row::headway:
            return row.kind == RowKind::headway;
        case Row::lane:
            return row.kind == RowKind::lane && (place.lane < 0 || place.lane == row.lane);
        case Row::memory:
            return row.kind == RowKind::memory;
    }
    return false;
}

}  // namespace

void add_place_highlight(const TimelineLayout& layout, int run, const model::Place& place, const Theme& theme,
                         float scale, DisplayList& to) {
    if (run < 0 || static_cast<std::size_t>(run) >= layout.runs.size()) {
        return;
    }
    const auto x = [&](std::int64_t ns) { return layout.x_px_from_run_ns(run, ns); };
    // Neighbouring rows share one outline.
    std::vector<Box> boxes;
    for (const RowBox& row : layout.rows) {
        if (row.run != run || !shows(place, row)) {
            continue;
        }
        const Box box{x(place.begin_ns), row.content.y0, x(place.end_ns), row.content.y1};
        if (!boxes.empty() && row.box.y0 - boxes.back().y1 < 30 * scale) {
            boxes.back().y1 = box.y1;
        } else {
            boxes.push_back(box);
        }
    }
    to.add(ClipPush{{layout.axis.x0 - 2 * scale, layout.axis.y0, layout.axis.x1 + 2 * scale, layout.axis.y1}});
    for (const Box& box : boxes) {
        if (place.begin_ns == place.end_ns) {
            to.add(Line{{box.x0, box.y0}, {box.x0, box.y1}, faded(theme.background, 0.8), 5 * scale});
            to.add(Line{{box.x0, box.y0}, {box.x0, box.y1}, theme.text, 2 * scale});
        } else {
            to.add(Rect{box, faded(theme.text, 0.07), 3 * scale, theme.text, 2 * scale});
        }
    }
    to.add(ClipPop{});
}

}  // namespace headway::figure
