// Rows made of bars: frontend, launches, lanes.
#include "app/timeline/timeline_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/model/analysis/time_range_summary.h"
#include "app/render/format.h"
#include "app/timeline/op_words.h"

namespace headway::figure {

using devices::Family;

float RowPen::right() const {
    const double ns = std::min(options.until_ns, layout.view.end_ns);
    return std::clamp(map().x_px_from_ns(ns), map().x0(), map().x1());
}

std::int64_t RowPen::now_ns() const {
    const double until = options.until_ns + static_cast<double>(origin_ns);
    const std::int64_t now = run.now_ns();
    return until < static_cast<double>(now) ? std::max<std::int64_t>(0, static_cast<std::int64_t>(until)) : now;
}

float RowPen::x(std::int64_t run_ns) const {
    const float x = map().x_px_from_ns(static_cast<double>(run_ns - origin_ns));
    const float end = right();
    return std::clamp(x, map().x0() - 8, end < map().x1() ? end : end + 8);
}

FoldOptions RowPen::fold_options() const {
    FoldOptions fold;
    fold.map = map();
    if (options.until_ns < layout.view.end_ns) {  // the axis ends there, but is at least one pixel long
        const double end = std::max(options.until_ns, layout.view.begin_ns + map().ns_per_px());
        fold.map = TimeMap({layout.view.begin_ns, end}, map().x0(), map().x_px_from_ns(end));
    }
    fold.origin_ns = origin_ns;
    fold.least_px = px(1.5F);
    fold.column_px = std::max(2.0F, std::round(px(2)));
    return fold;
}

float RowPen::gap_px(float width) const {
    return width >= px(2.5F) ? std::min(px(1), width * 0.25F) : 0;
}

void RowPen::text(float x, float y, std::string text, Rgba colour, float size_px, FontRole role, Anchor anchor) const {
    if (!text.empty()) {
        list().add(Text{{x, y}, std::move(text), colour, size_px, role, anchor});
    }
}

bool RowPen::tag(const std::string& text, Box room, Rgba colour, Rgba ground, float size_px, FontRole role) const {
    const float half_width = width(role, size_px, text) / 2 + px(6);
    const float half_height = size_px * 0.5F + px(4);
    if (room.width() < 2 * half_width + px(4) || room.height() < size_px * 1.2F) {
        return false;
    }
    const Point middle{(room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2};
    const float y0 = std::max(room.y0, middle.y - half_height);
    const float y1 = std::min(room.y1, middle.y + half_height);
    list().add(Rect{{middle.x - half_width, y0, middle.x + half_width, y1}, ground, px(4)});
    this->text(middle.x, middle.y + size_px * kCapHeightEm / 2, text, colour, size_px, role, Anchor::middle);
    return true;
}

namespace {

// Neighbouring slivers, which share one rail and one count.
struct Group {
    Box box;
    std::uint64_t count = 0;
};

// Calls one(piece) for pieces that stand for a single item, and sliver(piece) for folded ones after merging neighbours
// that look the same. Returns the groups of neighbouring slivers. No group contains items on both sides of a cut (the
// index of the first item behind it), so that counts do not mix what is measured with what is not.
template <class DrawOne, class DrawSliver>
std::vector<Group> each_piece(std::span<const Piece> pieces, Box content, DrawOne one, DrawSliver sliver,
                              std::array<std::size_t, 2> cuts = {}) {
    std::vector<Group> groups;
    const auto part_of = [cuts](std::size_t item) { return (item >= cuts[0] ? 1 : 0) + (item >= cuts[1] ? 1 : 0); };
    int part = 0;  // of the last group
    const auto level = [](float share) { return static_cast<int>(share * 24 + 0.5F); };
    for (std::size_t i = 0; i < pieces.size();) {
        const Piece& piece = pieces[i];
        if (piece.count == 1) {
            one(piece);
            ++i;
            continue;
        }
        Piece merged = piece;
        std::uint64_t count = piece.count;
        for (++i; i < pieces.size(); ++i) {
            const Piece& next = pieces[i];
            if (next.count == 1 || next.x0 > merged.x1 + 0.75F || next.family != merged.family ||
                next.failed != merged.failed || level(next.share) != level(merged.share) ||
                part_of(next.first + next.count - 1) != part_of(merged.first)) {
                break;
            }
            merged.x1 = next.x1;
            count += next.count;
        }
        sliver(merged);
        constexpr float kNear = 3;
        if (groups.empty() || merged.x0 > groups.back().box.x1 + kNear || part_of(merged.first) != part) {
            groups.push_back({{merged.x0, content.y0, merged.x1, content.y1}, 0});
        }
        groups.back().box.x1 = merged.x1;
        part = part_of(merged.first);
        // A piece may begin before a cut and end behind it.
        std::size_t first = merged.first;
        for (const std::size_t cut : cuts) {
            if (first < cut && cut < merged.first + count) {
                groups.back().count += cut - first;
                groups.push_back({{merged.x1, content.y0, merged.x1, content.y1}, 0});
                first = cut;
                part = part_of(cut);
            }
        }
        groups.back().count += merged.first + count - first;
    }
    return groups;
}

// Writes the count of a group in its middle. False if it does not fit.
bool tag_group(const RowPen& pen, const Group& group, const char* what) {
    const float size = pen.px(pen.style().inside_px);
    const std::string count = count_text(group.count);
    return pen.tag(count + " " + what, group.box, pen.theme().text, pen.theme().background, size,
                   FontRole::ui_semibold) ||
           pen.tag(count, group.box, pen.theme().text, pen.theme().background, size, FontRole::ui_semibold);
}

// Draws the rail under slivers at `y`. If the group has a count, end marks show the range that the count covers.
void draw_rail(const RowPen& pen, const Group& group, float y, bool counted) {
    const float thick = std::max(1.0F, pen.px(1.5F));
    const float y0 = y + pen.px(2);
    pen.list().add(Rect{{group.box.x0, y0, group.box.x1, y0 + thick}, counted ? pen.theme().dim : pen.theme().faint});
    if (counted) {
        for (const float x : {group.box.x0, group.box.x1 - thick}) {
            pen.list().add(Rect{{x, y - pen.px(2.5F), x + thick, y0 + thick}, pen.theme().dim});
        }
    }
}

void draw_groups(const RowPen& pen, const std::vector<Group>& groups, const char* what) {
    for (const Group& group : groups) {
        draw_rail(pen, group, group.box.y1, tag_group(pen, group, what));
    }
}

void count_pieces(std::span<const Piece> pieces, std::uint64_t& drawn, std::uint64_t& folded) {
    for (const Piece& piece : pieces) {
        (piece.count == 1 ? drawn : folded) += piece.count;
    }
}

}  // namespace

// What an open wait is still waiting for: "for matmul #12", "for 3 ops"; empty when everything is done.
static std::string still_needed(const model::Run& run, model::Wait wait) {
    wait.begin_ns = run.now_ns();
    constexpr std::size_t kCounted = 10'000;  // limit, since this runs every frame
    std::size_t count = 0;
    const auto needed = run.caused_by(wait, 1, &count, kCounted + 1);
    if (needed.empty()) {
        return {};
    }
    return (wait.target != 0 || wait.device >= 0) && count > kCounted ? "for more than " + count_text(kCounted) + " ops"
           : count > 1
               ? "for " + count_text(count) + " ops"
               : "for " + run.signature(run.op(needed.front()).signature).name + " #" + count_text(needed.front());
}

// Folded issues grow down from the top and folded waits up from the bottom; their height is their share of the time.
void draw_frontend(const RowPen& pen, const RowBox& row) {
    const Theme& theme = pen.theme();
    const Box& c = row.content;
    const float radius = pen.px(3);
    DrawnCounts& counts = pen.layout.counts[static_cast<std::size_t>(pen.index)];
    const float least = std::max(2.0F, c.height() * 0.12F);

    const auto issues = fold_issues(pen.run, pen.fold_options());
    count_pieces(issues, counts.issues_drawn, counts.issues_folded);
    const float size = pen.px(pen.style().inside_px);
    const Rgba on_issue = theme.dark ? rgb(0x06202F) : rgb(0xFFFFFF);
    float named_to = c.x0 - 1;  // if one launch issued several ops, only the first is named
    const model::Run::Measured measured = pen.run.measured();
    const auto groups = each_piece(
        issues, c,
        [&](const Piece& p) {
            const float width = p.x1 - p.x0;
            pen.list().add(
                Rect{{p.x0, c.y0, p.x1 - pen.gap_px(width), c.y1}, theme.issue, width > 4 * radius ? radius : 0});
            if (width > pen.px(28)) {
                const auto& name = pen.run.signature(pen.run.op(p.first + 1).signature).name;
                if (p.x0 >= named_to && pen.width(FontRole::ui_semibold, size, name) <= width - pen.px(8)) {
                    named_to = p.x1;
                    pen.text((p.x0 + p.x1) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, name, on_issue, size,
                             FontRole::ui_semibold, Anchor::middle);
                }
            }
        },
        [&](const Piece& p) {
            pen.list().add(Rect{{p.x0, c.y0, p.x1, c.y0 + std::max(least, c.height() * p.share)}, theme.issue});
        },
        {static_cast<std::size_t>(measured.first - 1), static_cast<std::size_t>(measured.last)});

    // The frontend's own work is drawn between issues and waits, as narrower bars so that the shape distinguishes it.
    const auto works = fold_works(pen.run, pen.fold_options());
    count_pieces(works, counts.works_drawn, counts.works_folded);
    const Box inner{c.x0, c.y0 + c.height() * 0.2F, c.x1, c.y1 - c.height() * 0.2F};
    const auto work_groups = each_piece(
        works, c,
        [&](const Piece& p) {
            const model::Work& work = pen.run.works()[p.first];
            const float width = p.x1 - p.x0;
            const Box box{p.x0, inner.y0, std::max(p.x0 + 1, p.x1 - pen.gap_px(width)), inner.y1};
            pen.list().add(Rect{box, theme.work, width > 4 * radius ? radius : 0});
            const float room = width - pen.px(10);
            const std::string longer =
                work.name + " " +
                duration_text(static_cast<double>(std::min(work.end_ns, pen.now_ns()) - work.begin_ns));
            const bool fits = pen.width(FontRole::ui_semibold, size, longer) <= room;
            if (fits || pen.width(FontRole::ui_semibold, size, work.name) <= room) {
                pen.text((box.x0 + box.x1) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, fits ? longer : work.name,
                         theme.on_work, size, FontRole::ui_semibold, Anchor::middle);
            }
        },
        [&](const Piece& p) {
            const float half = std::max(least, inner.height() * p.share) / 2;
            const float middle = (c.y0 + c.y1) / 2;
            pen.list().add(Rect{{p.x0, middle - half, p.x1, middle + half}, theme.work});
        });

    const auto waits = fold_waits(pen.run, pen.fold_options());
    count_pieces(waits, counts.waits_drawn, counts.waits_folded);
    // All stripes have the same phase, so neighbouring slivers look like one hatched area.
    const auto hatch = [&](Box box, bool mine, bool border) {
        const Rgba ground = mine ? mixed(theme.background, theme.faint, 0.2) : theme.wait_ground;
        const Rgba stripe = mine ? theme.faint : theme.wait;
        if (border && box.width() < pen.px(4)) {
            pen.list().add(Rect{box, stripe});
        } else {
            pen.list().add(Hatch{box, ground, stripe, stripe, pen.px(9), pen.px(3),
                                 border ? std::min(radius, box.width() / 4) : 0, border ? pen.px(0.8F) : 0});
        }
    };
    const float mark = pen.px(pen.style().mark_px);
    const auto draw_wait = [&](const model::Wait& wait, float x0, float x1, const std::string& cause = {}) {
        const bool paused = wait.kind == trace::WaitKind::paused;  // the learner's time, not the program's
        const float width = x1 - x0;
        const Box box{x0, c.y0, std::max(x0 + 1, x1 - pen.gap_px(width)), c.y1};
        hatch(box, paused, true);
        if (width > pen.px(30)) {
            const std::int64_t ns = std::min(wait.end_ns, pen.now_ns()) - wait.begin_ns - wait.held_ns;
            const std::string time = duration_text(static_cast<double>(ns));
            const Rgba colour = paused ? theme.dim : theme.wait_text;
            const Rgba ground = paused ? theme.background : theme.wait_label_ground;
            const Box room{box.x0 + pen.px(4), box.y0 + pen.px(2), box.x1 - pen.px(4), box.y1 - pen.px(2)};
            const bool whole = !cause.empty() && pen.tag(wait.name + " " + time + ", " + cause, room, colour, ground,
                                                         mark, FontRole::ui_semibold);
            if (!whole && !pen.tag(wait.name + " " + time, room, colour, ground, mark, FontRole::ui_semibold) &&
                !pen.tag(wait.name, room, colour, ground, mark, FontRole::ui_semibold)) {
                pen.tag(time, room, colour, ground, mark, FontRole::ui_semibold);
            }
        }
    };
    const auto wait_groups = each_piece(
        waits, c, [&](const Piece& p) { draw_wait(pen.run.waits()[p.first], p.x0, p.x1); },
        [&](const Piece& p) {
            hatch({p.x0, c.y1 - std::max(least, c.height() * p.share), p.x1, c.y1}, false, false);
        },
        {measured.first_wait, measured.waits_end});

    if (const auto& open = pen.run.open_wait()) {
        const auto origin = static_cast<double>(pen.run.measure_begin_ns());
        const float x0 = std::max(c.x0, pen.layout.map.x_px_from_ns(static_cast<double>(open->begin_ns) - origin));
        const float x1 = std::min(c.x1, pen.layout.map.x_px_from_ns(static_cast<double>(open->end_ns) - origin));
        if (x1 > x0) {
            draw_wait(*open, x0, x1, still_needed(pen.run, *open));
        }
    }

    // Counts: "1,204 issues" in the upper half and "60 waits" in the lower where both are folded.
    const auto in_half = [&](std::vector<Group> all, bool upper, const std::vector<Group>& others) {
        for (Group& group : all) {
            for (const Group& other : others) {
                if (group.box.overlaps(other.box)) {
                    const float middle = (c.y0 + c.y1) / 2;
                    (upper ? group.box.y1 : group.box.y0) = middle;
                    break;
                }
            }
        }
        return all;
    };
    auto issue_groups = in_half(groups, true, wait_groups);
    // Waits that are drawn individually keep their labels; a count must not cover them.
    std::erase_if(issue_groups, [&](const Group& group) {
        for (const Piece& p : waits) {
            if (p.count == 1 && p.x1 - p.x0 > pen.px(4) && p.x0 < group.box.x1 && p.x1 > group.box.x0) {
                return true;
            }
        }
        for (const Piece& p : works) {
            if (p.count == 1 && p.x1 - p.x0 > pen.px(4) && p.x0 < group.box.x1 && p.x1 > group.box.x0) {
                return true;
            }
        }
        return false;
    });
    std::vector<Group> counted;
    for (const auto& [all, what] :
         {std::pair{issue_groups, "issues"}, std::pair{in_half(wait_groups, false, groups), "waits"}}) {
        for (const Group& group : all) {
            if (tag_group(pen, group, what)) {
                counted.push_back(group);
            }
        }
    }
    for (const auto* all : {&groups, &work_groups, &wait_groups}) {
        for (const Group& group : *all) {
            draw_rail(pen, group, c.y1, false);
        }
    }
    for (const Group& group : counted) {
        draw_rail(pen, group, c.y1, true);
    }
}

// Launches lie between issue and execution. They use the issue colour, paler, because they may run on another thread.
void draw_launches(const RowPen& pen, const RowBox& row) {
    const Theme& theme = pen.theme();
    const Box& c = row.content;
    const Rgba fill = mixed(theme.issue, theme.background, 0.4);
    const auto pieces = fold_launches(pen.run, pen.fold_options());
    const float radius = std::min(pen.px(3), c.height() / 6);
    const float size = std::min(pen.px(pen.style().inside_px), c.height() * 0.8F);
    const auto groups = each_piece(
        pieces, c,
        [&](const Piece& p) {
            const float width = p.x1 - p.x0;
            pen.list().add(Rect{{p.x0, c.y0, std::max(p.x0 + 1, p.x1 - pen.gap_px(width)), c.y1},
                                fill,
                                width > 3 * radius ? radius : 0});
            const auto& name = pen.run.signature(pen.run.op(pen.run.launches()[p.first].op).signature).name;
            if (width > pen.px(28) && pen.width(FontRole::ui_semibold, size, name) <= width - pen.px(8)) {
                pen.text((p.x0 + p.x1) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, name,
                         theme.dark ? rgb(0xFFFFFF) : rgb(0x06202F), size, FontRole::ui_semibold, Anchor::middle);
            }
        },
        [&](const Piece& p) {
            const float height = std::max(c.height() * 0.2F, c.height() * p.share);
            pen.list().add(Rect{{p.x0, c.y1 - height, p.x1, c.y1}, fill});
        });
    draw_groups(pen, groups, "launches");
}

namespace {

// Draws the parts of a composite op inside its outline, each in its family's colour. False if they are too small to
// distinguish.
bool draw_parts(const RowPen& pen, const Box& box, core::OpId op) {
    const auto parts = pen.run.parts(op);
    if (parts.empty() || box.width() < pen.px(3) * static_cast<float>(parts.size())) {
        return false;
    }
    const Theme& theme = pen.theme();
    pen.list().add(Rect{box, mixed(theme.background, theme.family(Family::other), 0.35), pen.px(3)});
    const float inset = std::min(pen.px(3), box.height() * 0.12F);
    const float size = std::min(pen.px(pen.style().inside_px), (box.height() - 2 * inset) * 0.8F);
    for (const model::Part& part : parts) {
        const auto& signature = pen.run.signature(part.signature);
        const float x0 = std::clamp(pen.x(part.begin_ns), box.x0, box.x1);
        const float x1 = std::max(std::min(x0 + 1, box.x1), std::clamp(pen.x(part.end_ns), box.x0, box.x1));
        if (x1 <= x0) {
            continue;
        }
        const float width = x1 - x0;
        pen.list().add(
            Rect{{x0, box.y0 + inset, x1 - pen.gap_px(width), box.y1 - inset}, theme.family(signature.family)});
        if (pen.width(FontRole::ui_semibold, size, signature.name) <= width - pen.px(6)) {
            pen.text((x0 + x1) / 2, (box.y0 + box.y1) / 2 + size * kCapHeightEm / 2, signature.name,
                     theme.on(signature.family), size, FontRole::ui_semibold, Anchor::middle);
        }
    }
    return true;
}

// Draws the op that a lane is executing, or was executing when the run was cut off: paler than finished ops, and
// without an edge at its end.
void draw_running(const RowPen& pen, const Box& content, const model::Running& running) {
    const Theme& theme = pen.theme();
    const model::Signature& signature = pen.run.signature(pen.run.op(running.op).signature);
    const float x0 = std::clamp(pen.x(running.begin_ns), content.x0, content.x1);
    const float x1 = std::clamp(pen.x(pen.run.now_ns()), content.x0, content.x1);
    if (x1 <= x0) {
        return;
    }
    const Box box{x0, content.y0, std::max(x0 + 1, x1), content.y1};
    const Rgba family = theme.family(signature.family);
    pen.list().add(Rect{box, mixed(theme.background, family, 0.4)});
    const float edge = std::min(pen.line_px(2), box.width());
    pen.list().add(Rect{{box.x0, box.y0, box.x0 + edge, box.y1}, family});
    pen.list().add(Rect{{box.x0, box.y0, box.x1, box.y0 + edge}, family});
    pen.list().add(Rect{{box.x0, box.y1 - edge, box.x1, box.y1}, family});
    const float size = std::min(pen.px(pen.style().inside_px), content.height() * 0.8F);
    const std::string time = duration_text(static_cast<double>(pen.run.now_ns() - running.begin_ns));
    const bool cut_off = pen.run.cut_off();
    const std::string words = (cut_off ? "cut off after " : "running for ") + time;
    for (const std::string& label : {signature.name + ", " + words, words,
                                     cut_off ? "cut off" : signature.name + " " + time, cut_off ? "" : time}) {
        if (pen.width(FontRole::ui_semibold, size, label) <= box.width() - pen.px(12)) {
            pen.text((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2 + size * kCapHeightEm / 2, label, theme.text, size,
                     FontRole::ui_semibold, Anchor::middle);
            return;
        }
    }
}

}  // namespace

void draw_lane(const RowPen& pen, const RowBox& row, std::span<const Piece> pieces) {
    const Theme& theme = pen.theme();
    const Box& c = row.content;
    const float radius = std::min(pen.px(3), c.height() / 6);
    const model::Lane& lane = pen.run.lanes()[static_cast<std::size_t>(row.lane)];
    DrawnCounts& counts = pen.layout.counts[static_cast<std::size_t>(pen.index)];
    count_pieces(pieces, counts.ops_drawn, counts.ops_folded);

    const float size = std::min(pen.px(pen.style().inside_px), c.height() * 0.8F);
    const float baseline = (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2;
    const auto& measure = *pen.options.measure;
    const model::Run::Measured part = pen.run.measured();
    const auto index_of = [&lane](auto at) { return static_cast<std::size_t>(at - lane.ops.begin()); };
    const std::size_t first_measured = index_of(std::lower_bound(lane.ops.begin(), lane.ops.end(), part.first));
    const std::size_t last_measured = index_of(std::upper_bound(lane.ops.begin(), lane.ops.end(), part.last));
    if (const model::Running* running = pen.run.running(static_cast<std::size_t>(row.lane))) {
        draw_running(pen, c, *running);
    }
    const auto groups = each_piece(
        pieces, c,
        [&](const Piece& p) {
            const float width = p.x1 - p.x0;
            const Box box{p.x0, c.y0, std::max(p.x0 + 1, p.x1 - pen.gap_px(width)), c.y1};
            if (!p.failed && draw_parts(pen, box, lane.ops[p.first])) {
                return;
            }
            const Rgba fill = p.failed ? theme.warning : theme.family(p.family);
            pen.list().add(Rect{box, fill, width > 3 * radius ? radius : 0});
            // a cross, so that failure is not shown by colour alone
            if (p.failed && width > pen.px(8) && width <= pen.px(40)) {
                const float in = pen.px(2);
                const float arm = std::min(box.width() / 2 - in, pen.px(6));
                const Point m{(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2};
                const Rgba white = rgb(0xFFFFFF);
                pen.list().add(Line{{m.x - arm, m.y - arm}, {m.x + arm, m.y + arm}, white, pen.line_px(1.6F)});
                pen.list().add(Line{{m.x - arm, m.y + arm}, {m.x + arm, m.y - arm}, white, pen.line_px(1.6F)});
            }
            const float room = box.width() - pen.px(6);
            if (room < pen.px(14)) {
                return;
            }
            const model::Signature& signature = pen.run.signature(pen.run.op(lane.ops[p.first]).signature);
            std::string label = p.failed ? "failed: " + signature.name : signature.name;
            if (measure.width(FontRole::ui_semibold, size, label) > room) {
                return;
            }
            if (!p.failed && !signature.shapes.empty()) {
                const std::string longer = label + "  " + signature.shapes;
                if (measure.width(FontRole::ui_semibold, size, longer) <= room) {
                    label = longer;
                }
            }
            pen.text((box.x0 + box.x1) / 2, baseline, label, p.failed ? rgb(0xFFFFFF) : theme.on(p.family), size,
                     FontRole::ui_semibold, Anchor::middle);
        },
        [&](const Piece& p) {  // the height is the share of busy time
            const float height = std::max(c.height() * 0.2F, c.height() * p.share);
            pen.list().add(Rect{{p.x0, c.y1 - height, p.x1, c.y1}, p.failed ? theme.warning : theme.family(p.family)});
        },
        {first_measured, last_measured});
    draw_groups(pen, groups, ops_word(pen.run.capabilities(), 2));
}

std::size_t ops_of(const RowPen& pen, int lane) {
    const auto& ops = pen.run.lanes()[static_cast<std::size_t>(lane)].ops;
    IndexRange range =
        lane_range(pen.run, pen.run.lanes()[static_cast<std::size_t>(lane)], pen.origin_ns, pen.now_ns());
    const core::OpId first = pen.run.measured().first;
    // ops issued before measuring but running when it began
    while (range.first < range.last && ops[range.first] < first) {
        ++range.first;
    }
    const auto begin = ops.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto end = ops.begin() + static_cast<std::ptrdiff_t>(std::max(range.first, range.last));
    range.last = static_cast<std::size_t>(std::upper_bound(begin, end, pen.run.measured().last) - ops.begin());
    const model::Running* running = pen.run.running(static_cast<std::size_t>(lane));
    const bool counts = running != nullptr && running->op >= first && running->begin_ns < pen.now_ns();
    return range.last - range.first + (counts ? 1 : 0);
}

std::size_t issues_of(const RowPen& pen) {
    const IndexRange range = issue_range(pen.run, pen.origin_ns, pen.now_ns());
    const auto first = std::max(static_cast<core::OpId>(range.first + 1), pen.run.measured().first);
    const auto last = std::min(static_cast<core::OpId>(range.last), pen.run.measured().last);
    return model::issued_ops(pen.run, first, last);
}

std::size_t waits_of(const RowPen& pen) {
    const IndexRange range = wait_range(pen.run, pen.origin_ns, pen.now_ns());
    // A wait that ends where measuring begins belongs to the warm-up.
    const std::size_t first = std::max(range.first, pen.run.measured().first_wait);
    const std::size_t end = std::max(std::min(range.last, pen.run.measured().waits_end), first);
    std::size_t waits = 0;
    for (const auto& sum : pen.run.wait_kinds().between(first, end, [&](std::size_t i) {
             const model::Wait& wait = pen.run.waits()[i];
             return std::pair{static_cast<std::uint32_t>(wait.kind), wait.waited_ns()};
         })) {
        waits += sum.kind == static_cast<std::uint32_t>(trace::WaitKind::paused) ? 0 : sum.count;
    }
    return waits;
}

void draw_pauses(const RowPen& pen) {
    if (pen.run.paused_ns() == 0 && pen.run.holds().list().empty()) {
        return;
    }
    const float least = pen.px(8);  // slow motion pauses at every line, too short to draw
    const Box& axis = pen.layout.axis;
    const auto run_ns = [&](float x) { return static_cast<std::int64_t>(pen.map().ns_from_x_px(x)) + pen.origin_ns; };
    const IndexRange in_view = wait_range(pen.run, run_ns(axis.x0), run_ns(axis.x1));
    const Rgba none{0, 0, 0, 0};
    const Rgba stripe = faded(pen.theme().faint, 0.3);
    for (const model::Hold& hold : pen.run.holds().list()) {
        const float x0 = std::max(axis.x0, pen.x(hold.begin_ns)), x1 = std::min(axis.x1, pen.x(hold.end_ns));
        for (const RowBox& row : pen.layout.rows) {
            if (x1 - x0 >= least && row.run == pen.index && row.kind == RowKind::lane &&
                static_cast<std::uint32_t>(row.lane) == hold.lane) {
                pen.list().add(Hatch{{x0, row.box.y0, x1, row.box.y1}, none, stripe, none, pen.px(9), pen.px(2), 0, 0});
                pen.tag("held by you", {x0 + pen.px(4), row.box.y0, x1 - pen.px(4), row.box.y1}, pen.theme().dim,
                        pen.theme().background, pen.px(pen.style().mark_px), FontRole::ui_semibold);
            }
        }
    }
    for (std::size_t i = in_view.first; i < in_view.last; ++i) {
        const model::Wait& wait = pen.run.waits()[i];
        const float x0 = std::max(axis.x0, pen.x(wait.begin_ns));
        const float x1 = std::min(axis.x1, pen.x(wait.end_ns));
        if (wait.kind != trace::WaitKind::paused || x1 - x0 < least) {
            continue;
        }
        for (const RowBox& row : pen.layout.rows) {
            const bool crossed = row.kind == RowKind::headway || row.kind == RowKind::launch ||
                                 row.kind == RowKind::lane || row.kind == RowKind::memory;
            if (row.run == pen.index && crossed) {
                pen.list().add(Hatch{{x0, row.box.y0, x1, row.box.y1}, none, stripe, none, pen.px(9), pen.px(2), 0, 0});
            }
        }
    }
}

}  // namespace headway::figure
