// Rows made of bars: scopes, frontend, lanes.
#include "app/figure/timeline_rows.h"

#include <algorithm>
#include <cmath>

#include "app/figure/format.h"
#include "app/figure/words.h"

namespace headway::figure {

using devices::Family;

float RowPen::x(std::int64_t run_ns) const {
    const float x = map().x_px_from_ns(static_cast<double>(run_ns - origin_ns));
    return std::clamp(x, map().x0() - 8, map().x1() + 8);
}

FoldOptions RowPen::fold_options() const {
    FoldOptions fold;
    fold.map = map();
    fold.origin_ns = origin_ns;
    fold.least_px = px(1.5F);
    fold.column_px = std::max(2.0F, std::round(px(2)));
    return fold;
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

// Neighbouring slivers, gathered: they get one mark and one count.
struct Group {
    Box box;
    std::uint64_t count = 0;
};

// Calls draw(piece) for pieces that stand for one, and sliver(piece, merged x1) for folded ones, neighbours that look
// alike merged into one; returns the groups of neighbouring slivers.
template <class DrawOne, class DrawSliver>
std::vector<Group> each_piece(std::span<const Piece> pieces, Box content, DrawOne one, DrawSliver sliver) {
    std::vector<Group> groups;
    const auto level = [](float share) { return std::lround(share * 24); };
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
                next.failed != merged.failed || level(next.share) != level(merged.share)) {
                break;
            }
            merged.x1 = next.x1;
            count += next.count;
        }
        sliver(merged);
        constexpr float kNear = 3;
        if (groups.empty() || merged.x0 > groups.back().box.x1 + kNear) {
            groups.push_back({{merged.x0, content.y0, merged.x1, content.y1}, count});
        } else {
            groups.back().box.x1 = merged.x1;
            groups.back().count += count;
        }
    }
    return groups;
}

// The mark of slivers (a rail under them) and how many they stand for.
void draw_groups(const RowPen& pen, const std::vector<Group>& groups, Rgba rail, const char* what) {
    const float size = pen.px(pen.style().inside_px);
    for (const Group& group : groups) {
        const float y = group.box.y1 + pen.px(2);
        pen.list().add(Rect{{group.box.x0, y, group.box.x1, y + std::max(1.0F, pen.px(1.5F))}, rail});
        const std::string count = count_text(group.count);
        if (!pen.tag(count + " " + what, group.box, pen.theme().text, pen.theme().background, size,
                     FontRole::ui_semibold)) {
            pen.tag(count, group.box, pen.theme().text, pen.theme().background, size, FontRole::ui_semibold);
        }
    }
}

void count_pieces(std::span<const Piece> pieces, std::uint64_t& drawn, std::uint64_t& folded) {
    for (const Piece& piece : pieces) {
        (piece.count == 1 ? drawn : folded) += piece.count;
    }
}

// Bars that touch are told apart by a gap at their right, where they are wide enough to spare it.
float gap_px(const RowPen& pen, float width) {
    return width >= pen.px(2.5F) ? std::min(pen.px(1), width * 0.25F) : 0;
}

}  // namespace

namespace {

bool is_shown(const model::Run& run, const model::Scope& scope, const TimelineStyle& style) {
    const auto span = static_cast<double>(std::min(scope.end_ns, run.now_ns()) - scope.begin_ns);
    return style.whole_scopes || span < 0.97 * static_cast<double>(run.end_ns() - run.measure_begin_ns());
}

}  // namespace

int scope_lines(const model::Run& run, const TimelineStyle& style) {
    int depths = 0;
    for (const model::Scope& scope : run.scopes()) {
        if (!is_shown(run, scope, style)) {
            continue;
        }
        depths = std::max(depths, scope.depth + 1);
        if (depths >= 2) {
            break;
        }
    }
    return (run.minibatches().empty() ? 0 : 1) + std::min(depths, 2);
}

namespace {

void draw_minibatches(const RowPen& pen, Box line) {
    const auto& all = pen.run.minibatches();
    const Theme& theme = pen.theme();
    const float size = std::min(pen.px(pen.style().inside_px), line.height() * 0.85F);
    const std::int64_t end_ns = pen.run.now_ns();
    // Those in view: begins ascend.
    const double left_ns = pen.map().ns_from_x_px(pen.map().x0()) + static_cast<double>(pen.origin_ns);
    auto it = std::lower_bound(all.begin(), all.end(), left_ns, [&](const model::Minibatch& m, double ns) {
        return static_cast<double>(std::min(m.issue_end_ns, end_ns)) < ns;
    });
    const auto first = it;
    while (it != all.end() && pen.x(it->issue_begin_ns) < pen.map().x1()) {
        ++it;
    }
    const auto count = static_cast<std::size_t>(it - first);
    if (count == 0) {
        return;
    }
    const Box whole{std::max(pen.x(first->issue_begin_ns), pen.map().x0()), line.y0,
                    std::min(pen.x(std::min((it - 1)->issue_end_ns, end_ns)), pen.map().x1()), line.y1};
    const Rgba even = mixed(theme.background, theme.dim, 0.16);
    const Rgba odd = mixed(theme.background, theme.dim, 0.30);
    if (whole.width() < pen.px(4) * static_cast<float>(count)) {  // too many to tell apart
        pen.list().add(Rect{whole, even, pen.px(2)});
        pen.tag(count_text(count) + " minibatches", whole, theme.dim, even, size, FontRole::ui);
        return;
    }
    // In words where there is room for all, as numbers where there is room for numbers.
    float least = whole.width();
    for (auto m = first; m != it; ++m) {
        if (m != first && m + 1 != it) {  // those may be cut by the view
            least = std::min(least, pen.x(std::min(m->issue_end_ns, end_ns)) - pen.x(m->issue_begin_ns));
        }
    }
    const std::string longest = "minibatch " + std::to_string((it - 1)->index);
    const bool in_words = pen.width(FontRole::ui, size, longest) <= least - pen.px(6);
    for (auto m = first; m != it; ++m) {
        const float x0 = std::max(pen.x(m->issue_begin_ns), pen.map().x0());
        const float x1 = std::max(x0 + 1, std::min(pen.x(std::min(m->issue_end_ns, end_ns)), pen.map().x1()));
        pen.list().add(
            Rect{{x0, line.y0, x1 - gap_px(pen, x1 - x0), line.y1}, m->index % 2 == 0 ? even : odd, pen.px(2)});
        const std::string label = in_words ? "minibatch " + std::to_string(m->index) : std::to_string(m->index);
        if (pen.width(FontRole::ui, size, label) <= x1 - x0 - pen.px(6)) {
            pen.text((x0 + x1) / 2, (line.y0 + line.y1) / 2 + size * kCapHeightEm / 2, label, theme.dim, size,
                     FontRole::ui, Anchor::middle);
        }
    }
}

void draw_scope_line(const RowPen& pen, Box line, int depth) {
    const Theme& theme = pen.theme();
    const float size = std::min(pen.px(pen.style().inside_px), line.height() * 0.85F);
    const float stroke = pen.line_px(1);
    float free_from = pen.map().x0();  // labels and brackets never run into each other
    std::uint64_t folded = 0;
    for (const model::Scope& scope : pen.run.scopes()) {
        if (scope.depth != depth || !is_shown(pen.run, scope, pen.style())) {
            continue;
        }
        const std::int64_t end_ns = std::min(scope.end_ns, pen.run.now_ns());
        const float x0 = std::max(pen.x(scope.begin_ns), pen.map().x0());
        const float x1 = std::min(pen.x(end_ns), pen.map().x1());
        if (x1 < pen.map().x0() || x0 >= pen.map().x1()) {
            continue;
        }
        if (x0 < free_from || x1 - x0 < pen.px(3)) {
            ++folded;
            continue;
        }
        free_from = x1;
        // A bracket, open downwards, its name in the middle of its line.
        const float y = (line.y0 + line.y1) / 2;
        const std::string words = scope.name + "  " + duration_text(static_cast<double>(end_ns - scope.begin_ns));
        const std::string label = shortened(words, x1 - x0 - pen.px(24), FontRole::ui, size, *pen.options.measure);
        const float half = label.empty() ? 0 : pen.width(FontRole::ui, size, label) / 2 + pen.px(5);
        const float middle = (x0 + x1) / 2;
        pen.list().add(Line{{x0, y}, {middle - half, y}, theme.faint, stroke});
        pen.list().add(Line{{middle + half, y}, {x1, y}, theme.faint, stroke});
        pen.list().add(Line{{x0 + stroke / 2, y}, {x0 + stroke / 2, line.y1}, theme.faint, stroke});
        pen.list().add(Line{{x1 - stroke / 2, y}, {x1 - stroke / 2, line.y1}, theme.faint, stroke});
        pen.text(middle, y + size * kCapHeightEm / 2, label, theme.dim, size, FontRole::ui, Anchor::middle);
    }
    if (folded > 0) {  // nothing shown is hidden silently
        const std::string more = "+ " + count_text(folded) + (folded == 1 ? " scope" : " scopes");
        const float room = pen.map().x1() - free_from;
        if (pen.width(FontRole::ui, size, more) + pen.px(8) < room) {
            pen.text(pen.map().x1() - pen.px(2), (line.y0 + line.y1) / 2 + size * kCapHeightEm / 2, more, theme.faint,
                     size, FontRole::ui, Anchor::end);
        }
    }
}

}  // namespace

void draw_scopes(const RowPen& pen, const RowBox& row) {
    const int lines = scope_lines(pen.run, pen.style());
    const float height = row.content.height() / static_cast<float>(lines);
    Box line = row.content;
    line.y1 = line.y0 + height - pen.px(2);
    if (!pen.run.minibatches().empty()) {
        // Scopes enclose minibatches, so their brackets come first.
        const float y0 = row.content.y1 - height;
        draw_minibatches(pen, {line.x0, y0 + pen.px(1), line.x1, row.content.y1 - pen.px(1)});
    }
    const int depths = lines - (pen.run.minibatches().empty() ? 0 : 1);
    for (int depth = 0; depth < depths; ++depth) {
        draw_scope_line(pen, line, depth);
        line.y0 += height;
        line.y1 += height;
    }
}

// What a wait that goes on still needs: "for matmul #12", "for 3 ops"; empty when all is done.
static std::string still_needed(const model::Run& run, model::Wait wait) {
    wait.begin_ns = run.now_ns();
    std::size_t count = 0;
    const auto needed = run.caused_by(wait, 1, &count);
    if (needed.empty()) {
        return {};
    }
    return count > 1
               ? "for " + count_text(count) + " ops"
               : "for " + run.signature(run.op(needed.front()).signature).name + " #" + count_text(needed.front());
}

// Issues hang from the top and waits stand on the bottom where they are folded: the heights are their shares of the
// time.
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
    const auto groups = each_piece(
        issues, c,
        [&](const Piece& p) {
            const float width = p.x1 - p.x0;
            pen.list().add(
                Rect{{p.x0, c.y0, p.x1 - gap_px(pen, width), c.y1}, theme.issue, width > 4 * radius ? radius : 0});
            if (width > pen.px(28)) {
                const auto& name = pen.run.signature(pen.run.op(p.first + 1).signature).name;
                if (pen.width(FontRole::ui_semibold, size, name) <= width - pen.px(8)) {
                    pen.text((p.x0 + p.x1) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, name, on_issue, size,
                             FontRole::ui_semibold, Anchor::middle);
                }
            }
        },
        [&](const Piece& p) {
            pen.list().add(Rect{{p.x0, c.y0, p.x1, c.y0 + std::max(least, c.height() * p.share)}, theme.issue});
        });

    // The frontend's own work lies between issues and waits: narrower bars, so that the shape tells them apart.
    const auto works = fold_works(pen.run, pen.fold_options());
    count_pieces(works, counts.works_drawn, counts.works_folded);
    const Box inner{c.x0, c.y0 + c.height() * 0.2F, c.x1, c.y1 - c.height() * 0.2F};
    const auto work_groups = each_piece(
        works, c,
        [&](const Piece& p) {
            const model::Work& work = pen.run.works()[p.first];
            const float width = p.x1 - p.x0;
            const Box box{p.x0, inner.y0, std::max(p.x0 + 1, p.x1 - gap_px(pen, width)), inner.y1};
            pen.list().add(Rect{box, theme.work, width > 4 * radius ? radius : 0});
            const float room = width - pen.px(10);
            const std::string longer =
                work.name + " " + duration_text(static_cast<double>(work.end_ns - work.begin_ns));
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
    // Stripes are in phase everywhere, so that neighbouring slivers look like one hatched area.
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
        const Box box{x0, c.y0, std::max(x0 + 1, x1 - gap_px(pen, width)), c.y1};
        hatch(box, paused, true);
        if (width > pen.px(30)) {
            const std::int64_t ns = std::min(wait.end_ns, pen.run.now_ns()) - wait.begin_ns;
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
        });

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
    // Waits that were drawn one by one keep their labels; a count must not lie on them.
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
    for (const auto& [all, what] :
         {std::pair{issue_groups, "issues"}, std::pair{in_half(wait_groups, false, groups), "waits"}}) {
        for (const Group& group : all) {
            const std::string count = count_text(group.count);
            if (!pen.tag(count + " " + what, group.box, theme.text, theme.background, size, FontRole::ui_semibold)) {
                pen.tag(count, group.box, theme.text, theme.background, size, FontRole::ui_semibold);
            }
        }
    }
    for (const auto* all : {&groups, &work_groups, &wait_groups}) {
        for (const Group& group : *all) {
            const float y = c.y1 + pen.px(2);
            pen.list().add(Rect{{group.box.x0, y, group.box.x1, y + std::max(1.0F, pen.px(1.5F))}, theme.faint});
        }
    }
}

// Between issue and execution; the colour of issuing, paler, since it may be another thread's time.
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
            pen.list().add(Rect{{p.x0, c.y0, std::max(p.x0 + 1, p.x1 - gap_px(pen, width)), c.y1},
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
    draw_groups(pen, groups, theme.faint, "launches");
}

namespace {

// The ops that a composite one consists of, each in its family's colour, inside of the composite's outline. False
// where they are too small to be told apart.
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
            Rect{{x0, box.y0 + inset, x1 - gap_px(pen, width), box.y1 - inset}, theme.family(signature.family)});
        if (pen.width(FontRole::ui_semibold, size, signature.name) <= width - pen.px(6)) {
            pen.text((x0 + x1) / 2, (box.y0 + box.y1) / 2 + size * kCapHeightEm / 2, signature.name,
                     theme.on(signature.family), size, FontRole::ui_semibold, Anchor::middle);
        }
    }
    return true;
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
    const auto groups = each_piece(
        pieces, c,
        [&](const Piece& p) {
            const float width = p.x1 - p.x0;
            const Box box{p.x0, c.y0, std::max(p.x0 + 1, p.x1 - gap_px(pen, width)), c.y1};
            if (!p.failed && draw_parts(pen, box, lane.ops[p.first])) {
                return;
            }
            const Rgba fill = p.failed ? theme.warning : theme.family(p.family);
            pen.list().add(Rect{box, fill, width > 3 * radius ? radius : 0});
            if (p.failed && width > pen.px(8) && width <= pen.px(40)) {  // a cross: not by colour alone
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
        [&](const Piece& p) {  // the height is the share of the time
            const float height = std::max(c.height() * 0.2F, c.height() * p.share);
            pen.list().add(Rect{{p.x0, c.y1 - height, p.x1, c.y1}, p.failed ? theme.warning : theme.family(p.family)});
        });
    draw_groups(pen, groups, theme.faint, "ops");
}

void draw_pauses(const RowPen& pen) {
    if (paused_ns(pen.run) == 0) {
        return;
    }
    const float least = pen.px(8);  // slow motion is a pause at every line
    const Box& axis = pen.layout.axis;
    const auto run_ns = [&](float x) { return static_cast<std::int64_t>(pen.map().ns_from_x_px(x)) + pen.origin_ns; };
    const IndexRange in_view = wait_range(pen.run, run_ns(axis.x0), run_ns(axis.x1));
    const Rgba none{0, 0, 0, 0};
    const Rgba stripe = faded(pen.theme().faint, 0.3);
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
