#include "app/ui/widgets/draw_list_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "app/gfx/imgui_compat.h"
#include "app/ui/widgets/text_measure.h"

namespace headway::ui {
namespace {

using figure::Rgba;

// Bars narrower than this, in pixels, are drawn by columns; their corners and borders would not be visible.
constexpr float kNarrow_px = 5;

// Collects adjacent narrow bars, until something else is drawn where the next one would be.
class BarRow {
public:
    [[nodiscard]] bool takes(const gfx::Bar& bar) const {
        return bars_.empty() || (bar.box.x0 >= reached_ - 0.01f && bar.box.y0 < bottom_ && bar.box.y1 > top_);
    }
    void add(const gfx::Bar& bar) {
        top_ = bars_.empty() ? bar.box.y0 : std::min(top_, bar.box.y0);
        bottom_ = bars_.empty() ? bar.box.y1 : std::max(bottom_, bar.box.y1);
        bars_.push_back(bar);
        reached_ = bar.box.x1;
    }
    // Whether something else may be drawn here before the collected bars are.
    [[nodiscard]] bool allows(const gfx::PixelBox& box) const {
        return bars_.empty() || box.x0 >= reached_ - 0.01f || box.y1 <= top_ || box.y0 >= bottom_;
    }
    void pass(const gfx::PixelBox& box) {
        if (!bars_.empty() && box.y1 > top_ && box.y0 < bottom_) {
            reached_ = std::max(reached_, box.x1);
        }
    }
    void draw(gfx::Layer& to) {
        constexpr std::size_t kFew = 3;  // fewer are cheaper as boxes
        if (bars_.size() > kFew) {
            to.shapes().bars(bars_);
        } else {
            for (const gfx::Bar& bar : bars_) {
                to.shapes().box(bar.box, bar.colour);
            }
        }
        bars_.clear();
    }

private:
    std::vector<gfx::Bar> bars_;
    float reached_ = 0, top_ = 0, bottom_ = 0;
};

class Painter {
public:
    Painter(const figure::DisplayList& list, gfx::Layer& to, gfx::Fonts& fonts, ImVec2 offset)
        : list_(list), layer_(to), to_(&to.ink()), fonts_(fonts), offset_(offset), clips_{to.bounds()} {}

    void operator()(const figure::Rect& r) {
        const gfx::PixelBox box = at(r.box);
        const float width = box.x1 - box.x0;
        const bool border = r.stroke.a != 0 && r.stroke_px > 0;
        if (box.empty()) {
            return;
        }
        // Corners of a narrow bar would not be visible; a dot stays round.
        const bool dot = r.radius_px >= 1 && std::abs(width - (box.y1 - box.y0)) < 1;
        const float radius = width >= kNarrow_px || dot ? r.radius_px : 0;
        if (border || radius > 0) {
            gfx::SpanLook look;
            look.fill = colour(r.fill);
            look.radius_px = radius;
            look.border = border ? colour(r.stroke) : 0;
            look.border_px = border ? r.stroke_px : 0;
            shapes(box).span(box, look);
        } else if (width < kNarrow_px && r.fill.a == 255) {
            add_bar({box, colour(r.fill)});
        } else if (r.fill.a != 0) {
            shapes(box).box(box, colour(r.fill));
        }
    }

    void operator()(const figure::Hatch& h) {
        constexpr float kRoot2 = 1.41421356f;
        const gfx::PixelBox box = at(h.box);
        gfx::SpanLook look;
        look.fill = colour(h.ground);
        look.stripe = colour(h.stripe);
        look.stripe_from = offset_.x + offset_.y;
        look.stripe_step = std::max(2.0f, h.period_px * kRoot2);
        look.stripe_width = h.stripe_px * kRoot2;
        look.radius_px = box.x1 - box.x0 < kNarrow_px ? 0 : h.radius_px;
        look.border = h.border_px > 0 ? colour(h.border) : 0;
        look.border_px = h.border.a != 0 ? h.border_px : 0;
        shapes(box).span(box, look);
    }

    void operator()(const figure::Polyline& p) {
        if (p.count < 2) {
            return;
        }
        const auto points = shifted(p.first, p.count);
        if (std::is_sorted(points.begin(), points.end(), [](auto& a, auto& b) { return a.x < b.x; })) {
            shapes(box_of(points)).curve(points, colour(p.colour), std::max(1.0f, p.width_px));
            return;
        }
        draw_bars();
        for (const auto& point : points) {
            to_->PathLineTo({point.x, point.y});
        }
        to_->PathStroke(colour(p.colour), 0, p.width_px);
    }

    void operator()(const figure::Area& area) {
        if (area.count < 2) {
            return;
        }
        const auto points = shifted(area.first, area.count);
        const float base = area.base_y + offset_.y;
        gfx::PixelBox box = box_of(points);
        box.y1 = std::max(box.y1, base);
        shapes(box).area(points, base, {colour(area.top), colour(area.bottom), area.gradient_y0 + offset_.y, base});
    }

    void operator()(const figure::Line& line) {
        stroke(at(line.from.x, line.from.y), at(line.to.x, line.to.y), line.colour, line.width_px, line.dash_px,
               line.gap_px);
    }

    void operator()(const figure::Arrow& arrow) {
        draw_bars();
        std::array<ImVec2, 4> p;
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = at(arrow.points[i].x, arrow.points[i].y);
        }
        if (arrow.dash_px > 0) {
            ImVec2 last = p[0];
            float along = 0;
            constexpr int kSteps = 48;
            for (int i = 1; i <= kSteps; ++i) {
                const float t = static_cast<float>(i) / kSteps, u = 1 - t;
                const float w0 = u * u * u, w1 = 3 * u * u * t, w2 = 3 * u * t * t, w3 = t * t * t;
                const ImVec2 next{w0 * p[0].x + w1 * p[1].x + w2 * p[2].x + w3 * p[3].x,
                                  w0 * p[0].y + w1 * p[1].y + w2 * p[2].y + w3 * p[3].y};
                along = dash(last, next, arrow.colour, arrow.width_px, arrow.dash_px, arrow.gap_px, along);
                last = next;
            }
        } else {
            to_->AddBezierCubic(p[0], p[1], p[2], p[3], colour(arrow.colour), arrow.width_px);
        }
        if (arrow.head_px > 0) {
            const auto head = figure::arrow_head(arrow);
            to_->AddTriangleFilled(at(head[0].x, head[0].y), at(head[1].x, head[1].y), at(head[2].x, head[2].y),
                                   colour(arrow.colour));
        }
    }

    // Text is collected and drawn after all shapes.
    void operator()(const figure::Text& text) {
        if (!text.text.empty()) {
            texts_.push_back({&text, clips_.back()});
        }
    }

    void operator()(const figure::ClipPush& clip) {
        draw_bars();
        push_clip(gfx::common_part(at(clip.box), clips_.back()));
    }
    void operator()(const figure::ClipPop&) {
        if (clips_.size() > 1) {
            draw_bars();
            pop_clip();
        }
    }
    void finish() {
        draw_bars();
        while (clips_.size() > 1) {
            pop_clip();
        }
        gfx::PixelBox clip = clips_.back();
        bool pushed = false;
        for (const auto& [text, box] : texts_) {
            if (box != clip) {
                if (pushed) {
                    to_->PopClipRect();
                }
                to_->PushClipRect({box.x0, box.y0}, {box.x1, box.y1});
                pushed = true;
                clip = box;
            }
            write(*text);
        }
        if (pushed) {
            to_->PopClipRect();
        }
    }

private:
    struct ClippedText {
        const figure::Text* text;
        gfx::PixelBox clip;
    };
    [[nodiscard]] ImVec2 at(float x, float y) const { return {x + offset_.x, y + offset_.y}; }
    [[nodiscard]] gfx::PixelBox at(const figure::Box& box) const {
        return {box.x0 + offset_.x, box.y0 + offset_.y, box.x1 + offset_.x, box.y1 + offset_.y};
    }
    std::span<const gfx::PixelPoint> shifted(std::uint32_t first, std::uint32_t count) {
        points_.clear();
        for (std::uint32_t i = first; i < first + count; ++i) {
            points_.push_back({list_.points[i].x + offset_.x, list_.points[i].y + offset_.y});
        }
        return points_;
    }
    static gfx::PixelBox box_of(std::span<const gfx::PixelPoint> points) {
        gfx::PixelBox box{points.front().x, points.front().y, points.back().x, points.front().y};
        for (const auto& point : points) {
            box.y0 = std::min(box.y0, point.y);
            box.y1 = std::max(box.y1, point.y);
        }
        return box;
    }

    void push_clip(const gfx::PixelBox& box) {
        clips_.push_back(box);
        to_->PushClipRect({box.x0, box.y0}, {box.x1, box.y1});
        layer_.clip(box);
    }
    void pop_clip() {
        clips_.pop_back();
        to_->PopClipRect();
        layer_.clip(clips_.back());
    }

    // The shapes, ready for a shape to be added in this box.
    gfx::Shapes& shapes(const gfx::PixelBox& box) {
        if (!bars_.allows(box)) {
            draw_bars();
        }
        bars_.pass(box);
        return layer_.shapes();
    }
    void add_bar(const gfx::Bar& bar) {
        if (!bars_.takes(bar)) {
            draw_bars();
        }
        bars_.add(bar);
    }
    void draw_bars() { bars_.draw(layer_); }

    void write(const figure::Text& text) {
        const gfx::Face face = face_of(text.role);
        const float design_px = text.size_px / fonts_.scale();
        fonts_.cover(text.text);
        ImFont* font = fonts_.get(face, design_px, gfx::Fonts::Fit::close);
        const float size = fonts_.imgui_size(face, design_px);
        ImVec2 p = at(text.baseline.x, text.baseline.y);
        if (text.anchor != figure::Anchor::start) {
            const float width = fonts_.width(face, design_px, text.text, gfx::Fonts::Fit::close);
            p.x -= text.anchor == figure::Anchor::middle ? width / 2 : width;
        }
        p.x = std::round(p.x);
        p.y = std::round(p.y) - std::round(gfx::ascent_of(font) * size / gfx::size_of(font));
        to_->AddText(font, size, p, colour(text.colour), text.text.data(), text.text.data() + text.text.size());
    }

    void box(ImVec2 a, ImVec2 b, Rgba c) {
        const gfx::PixelBox box{a.x, a.y, b.x, b.y};
        shapes(box).box(box, colour(c));
    }

    // Horizontal and vertical lines are drawn as boxes, so that they stay crisp.
    void stroke(ImVec2 a, ImVec2 b, Rgba c, float width, float dash_px, float gap_px) {
        const bool dashed = dash_px > 0 && gap_px > 0;
        if (a.x != b.x && a.y != b.y) {
            draw_bars();
            if (dashed) {
                dash(a, b, c, width, dash_px, gap_px, 0);
            } else {
                to_->AddLine(a, b, colour(c), width);
            }
            return;
        }
        const bool upright = a.x == b.x;
        const float half = width / 2, thick = std::max(1.0f, std::round(width));
        const float across = std::round((upright ? a.x : a.y) - half);
        float from = upright ? std::min(a.y, b.y) : std::min(a.x, b.x);
        float to = upright ? std::max(a.y, b.y) : std::max(a.x, b.x);
        const auto piece = [&](float begin, float end) {
            upright ? box({across, begin}, {across + thick, end}, c) : box({begin, across}, {end, across + thick}, c);
        };
        if (!dashed) {
            piece(from, to);
            return;
        }
        // Only the visible dashes: a line may extend far beyond the picture.
        const gfx::PixelBox& clip = clips_.back();
        const float step = dash_px + gap_px, least = upright ? clip.y0 : clip.x0;
        if (from < least - step) {
            from += std::floor((least - from) / step) * step;
        }
        to = std::min(to, (upright ? clip.y1 : clip.x1) + step);
        for (; from < to; from += step) {
            piece(std::round(from), std::round(std::min(from + dash_px, to)));
        }
    }

    // Draws dashes from `a` to `b`, starting `along` px into the pattern; returns the position in the pattern at the
    // end.
    float dash(ImVec2 a, ImVec2 b, Rgba c, float width, float dash_px, float gap_px, float along) {
        const float dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy), period = dash_px + gap_px;
        if (length <= 0) {
            return along;
        }
        float s = 0;
        while (s < length) {
            const float in_pattern = std::fmod(along + s, period);
            const bool on = in_pattern < dash_px;
            const float next = std::min(length, s + std::max(0.01f, (on ? dash_px : period) - in_pattern));
            if (on) {
                to_->AddLine({a.x + dx * s / length, a.y + dy * s / length},
                             {a.x + dx * next / length, a.y + dy * next / length}, colour(c), width);
            }
            s = next;
        }
        return std::fmod(along + length, period);
    }

    const figure::DisplayList& list_;
    gfx::Layer& layer_;
    ImDrawList* to_;
    gfx::Fonts& fonts_;
    ImVec2 offset_;
    std::vector<gfx::PixelBox> clips_;  // each inside the one before
    BarRow bars_;
    std::vector<ClippedText> texts_;
    std::vector<gfx::PixelPoint> points_;
};

}  // namespace

gfx::Face face_of(figure::FontRole role) {
    switch (role) {
        case figure::FontRole::ui:
            return gfx::Face::regular;
        case figure::FontRole::ui_semibold:
            return gfx::Face::semibold;
        case figure::FontRole::ui_bold:
            return gfx::Face::bold;
        case figure::FontRole::mono:
            return gfx::Face::mono;
        case figure::FontRole::mono_bold:
            return gfx::Face::mono_bold;
    }
    return gfx::Face::regular;
}

float TextMeasure::width(figure::FontRole role, float size_px, std::string_view text) const {
    return fonts_.width(face_of(role), size_px / fonts_.scale(), text, gfx::Fonts::Fit::close);
}

void paint(const figure::DisplayList& list, gfx::Layer& to, gfx::Fonts& fonts, ImVec2 offset) {
    Painter painter(list, to, fonts, offset);
    for (const auto& item : list.items) {
        std::visit(painter, item);
    }
    painter.finish();
}

}  // namespace headway::ui
