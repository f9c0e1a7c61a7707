// The frontend's row: issues, its own work, waits.
#include <algorithm>

#include "app/model/run/queries.h"
#include "app/render/format.h"
#include "app/timeline/timeline_pieces.h"

namespace headway::figure {

namespace {

// What an open wait is still waiting for: "for matmul #12", "for 3 ops"; empty when everything is done.
std::string still_needed(const model::Run& run, model::Wait wait) {
    wait.begin_ns = run.now_ns();
    constexpr std::size_t kCounted = 10'000;  // limit, since this runs every frame
    std::size_t count = 0;
    const auto needed = caused_by(run, wait, 1, &count, kCounted + 1);
    if (needed.empty()) {
        return {};
    }
    return (wait.target != 0 || wait.device >= 0) && count > kCounted ? "for more than " + count_text(kCounted) + " ops"
           : count > 1
               ? "for " + count_text(count) + " ops"
               : "for " + run.signature(run.op(needed.front()).signature).name + " #" + count_text(needed.front());
}

}  // namespace

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
    const auto hatch = [&](Box box, bool paused, bool border) {
        const Rgba ground = paused ? mixed(theme.background, theme.faint, 0.2) : theme.wait_ground;
        const Rgba stripe = paused ? theme.faint : theme.wait;
        if (border && box.width() < pen.px(4)) {
            pen.list().add(Rect{box, stripe});
        } else {
            pen.list().add(Hatch{box, ground, stripe, stripe, pen.px(9), pen.px(3),
                                 border ? std::min(radius, box.width() / 4) : 0, border ? pen.px(0.8F) : 0});
        }
    };
    const float annotation_size = pen.px(pen.style().annotation_px);
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
            // In virtual time a wait for held lanes lasts without any time.
            const std::string named = ns > 0 || cause.empty() ? wait.name + " " + time : wait.name;
            const bool whole = !cause.empty() && pen.tag(named + ", " + cause, room, colour, ground, annotation_size,
                                                         FontRole::ui_semibold);
            if (!whole && !pen.tag(named, room, colour, ground, annotation_size, FontRole::ui_semibold) &&
                !pen.tag(wait.name, room, colour, ground, annotation_size, FontRole::ui_semibold)) {
                pen.tag(time, room, colour, ground, annotation_size, FontRole::ui_semibold);
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
        const float x0 = std::max(c.x0, pen.x_px_from_run_ns(open->begin_ns));
        const float x1 = std::min(c.x1, pen.x_px_from_run_ns(open->end_ns));
        const std::string needed = still_needed(pen.run, *open);
        if (x1 > x0) {
            draw_wait(*open, x0, x1, pen.run.stopped_by_learner() ? std::string() : needed);
        }
        if (pen.run.stopped_by_learner() && open->kind != trace::WaitKind::paused) {
            // The learner's time is not on the axis, so the wait has no room there: its label is drawn next to it, as
            // the queued ops are.
            const float left = std::max(x0, x1) + pen.px(6);
            const float room = c.height() < size ? 0 : c.x1 - left - 2 * pen.px(8);
            std::string label = open->name + (needed.empty() ? "" : ", " + needed);
            label = pen.width(FontRole::ui_semibold, size, label) > room ? open->name : label;
            const float text = pen.width(FontRole::ui_semibold, size, label);
            const float right = std::min(c.x1, left + 2 * pen.px(8) + (text > room ? 0 : text));
            if (left < right) {
                pen.list().add(
                    Rect{{left, c.y0, right, c.y1}, theme.background, pen.px(3), theme.wait, pen.line_px(1)});
            }
            if (left < right && text <= room) {
                pen.text((left + right) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, label, theme.wait_text, size,
                         FontRole::ui_semibold, Anchor::middle);
            }
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
        const auto is_covered = [&](const Piece& p) {
            return p.count == 1 && p.x1 - p.x0 > pen.px(4) && p.x0 < group.box.x1 && p.x1 > group.box.x0;
        };
        return std::any_of(waits.begin(), waits.end(), is_covered) ||
               std::any_of(works.begin(), works.end(), is_covered);
    });
    // "1,039 issues" says nothing where the row's label says "1,040 issues".
    std::erase_if(issue_groups, [&, all = issues_of(pen)](const Group& group) {
        return group.count < all && group.count > all - all / 20;
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

}  // namespace headway::figure
