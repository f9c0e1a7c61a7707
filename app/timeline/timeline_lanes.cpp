// The rows of launches, lanes and links.
#include <algorithm>

#include "app/render/format.h"
#include "app/timeline/op_words.h"
#include "app/timeline/timeline_pieces.h"

namespace headway::figure {

using devices::Family;

// A bar with its text inside, if the bar is wider than `least` and leaves `margin` beside the text (both scaled pixels).
void draw_labelled(const RowPen& pen, const Box& c, const Piece& p, Rgba fill, const std::string& text, Rgba ink,
                   float least, float margin) {
    const float radius = std::min(pen.px(3), c.height() / 6);
    const float size = std::min(pen.px(pen.style().inside_px), c.height() * 0.8F);
    const float width = p.x1 - p.x0;
    pen.list().add(Rect{{p.x0, c.y0, std::max(p.x0 + 1, p.x1 - pen.gap_px(width)), c.y1},
                        fill,
                        width > 3 * radius ? radius : 0});
    if (width > pen.px(least) && pen.width(FontRole::ui_semibold, size, text) <= width - pen.px(margin)) {
        pen.text((p.x0 + p.x1) / 2, (c.y0 + c.y1) / 2 + size * kCapHeightEm / 2, text, ink, size,
                 FontRole::ui_semibold, Anchor::middle);
    }
}

// Launches lie between issue and execution. They use the issue colour, paler, because they may run on another thread.
void draw_launches(const RowPen& pen, const RowBox& row) {
    const Theme& theme = pen.theme();
    const Box& c = row.content;
    const Rgba fill = mixed(theme.issue, theme.background, 0.4);
    const auto pieces = fold_launches(pen.run, pen.fold_options());
    const auto groups = each_piece(
        pieces, c,
        [&](const Piece& p) {
            const auto& name = pen.run.signature(pen.run.op(pen.run.launches()[p.first].op).signature).name;
            draw_labelled(pen, c, p, fill, name, theme.dark ? rgb(0xFFFFFF) : rgb(0x06202F), 28, 8);
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

void draw_link(const RowPen& pen, const RowBox& row) {
    const Theme& theme = pen.theme();
    const Box& c = row.content;
    const model::Link& link = pen.run.links()[static_cast<std::size_t>(row.lane)];
    const Rgba fill = theme.family(Family::copy);
    const auto pieces = fold_link(pen.run, link, pen.fold_options());
    const auto groups = each_piece(
        pieces, c,
        [&](const Piece& p) {
            const model::Signature& copy = pen.run.signature(pen.run.op(link.ops[p.first]).signature);
            const std::string bytes = bytes_text(devices::copied_bytes(copy.out_bytes, copy.moved_bytes));
            draw_labelled(pen, c, p, fill, bytes, theme.on(Family::copy), 14, 6);
        },
        [&](const Piece& p) {  // the height is the share of busy time
            const float height = std::max(c.height() * 0.2F, c.height() * p.share);
            pen.list().add(Rect{{p.x0, c.y1 - height, p.x1, c.y1}, fill});
        });
    draw_groups(pen, groups, "copies");
}

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

}  // namespace headway::figure
