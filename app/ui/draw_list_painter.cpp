#include "app/ui/draw_list_painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "app/gfx/imgui_compat.h"
#include "app/ui/text_measure.h"

namespace headway::ui {
namespace {

using figure::Rgba;

// A convex polygon of few corners, cut by half planes.
struct Polygon {
    std::array<ImVec2, 8> points;
    int count = 0;
    void add(ImVec2 p) {
        if (count < static_cast<int>(points.size())) {
            points[static_cast<std::size_t>(count++)] = p;
        }
    }
};

// Keeps where sign * (x + y) >= sign * level.
Polygon cut(const Polygon& in, float level, float sign) {
    Polygon out;
    const auto inside = [&](ImVec2 p) { return sign * (p.x + p.y - level); };
    for (int i = 0; i < in.count; ++i) {
        const ImVec2 p = in.points[static_cast<std::size_t>(i)];
        const ImVec2 q = in.points[static_cast<std::size_t>((i + 1) % in.count)];
        const float dp = inside(p), dq = inside(q);
        if (dp >= 0) {
            out.add(p);
        }
        if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
            const float share = dp / (dp - dq);
            out.add({p.x + (q.x - p.x) * share, p.y + (q.y - p.y) * share});
        }
    }
    return out;
}

class Painter {
public:
    Painter(const figure::DisplayList& list, ImDrawList* to, gfx::Fonts& fonts, ImVec2 offset)
        : list_(list), to_(to), fonts_(fonts), offset_(offset) {}

    void operator()(const figure::Rect& r) {
        const ImVec2 a = at(r.box.x0, r.box.y0), b = at(r.box.x1, r.box.y1);
        const float width = b.x - a.x;
        // Corners of a bar of few pixels do not show, and cost four times the bar.
        const float radius = width < 5 ? 0 : std::min(r.radius_px, width / 2);
        if (r.fill.a != 0) {
            to_->AddRectFilled(a, b, colour(r.fill), radius);
        }
        if (r.stroke.a != 0 && r.stroke_px > 0) {
            const float h = r.stroke_px / 2;
            to_->AddRect({a.x + h - 0.5f, a.y + h - 0.5f}, {b.x - h + 0.5f, b.y - h + 0.5f}, colour(r.stroke), radius,
                         0, r.stroke_px);
        }
    }

    void operator()(const figure::Hatch& h) {
        const ImVec2 a = at(h.box.x0, h.box.y0), b = at(h.box.x1, h.box.y1);
        to_->AddRectFilled(a, b, colour(h.ground), b.x - a.x < 5 ? 0 : h.radius_px);
        // A stripe is where x + y lies in [level, level + thickness): it is cut to the box by hand, because a clip
        // rectangle for each would be a draw call for each.
        constexpr float kRoot2 = 1.41421356f;
        const float step = std::max(2.0f, h.period_px * kRoot2), thickness = h.stripe_px * kRoot2;
        const float visible0 = std::max(a.x, to_->GetClipRectMin().x),
                    visible1 = std::min(b.x, to_->GetClipRectMax().x);
        const float phase = offset_.x + offset_.y;
        float level = std::floor((visible0 + a.y - phase - thickness) / step) * step + phase;
        Polygon box;
        for (const ImVec2 corner : {a, ImVec2(b.x, a.y), b, ImVec2(a.x, b.y)}) {
            box.add(corner);
        }
        const ImU32 c = colour(h.stripe);
        for (; level < visible1 + b.y; level += step) {
            const Polygon stripe = cut(cut(box, level, 1), level + thickness, -1);
            if (stripe.count >= 3) {
                to_->AddConvexPolyFilled(stripe.points.data(), stripe.count, c);
            }
        }
        if (h.border_px > 0 && h.border.a != 0) {
            to_->AddRect(a, b, colour(h.border), b.x - a.x < 5 ? 0 : h.radius_px, 0, h.border_px);
        }
    }

    void operator()(const figure::Polyline& p) {
        if (p.count < 2) {
            return;
        }
        // Whole widths are drawn by a texture, others by three times the triangles.
        const float width = std::max(1.0f, std::round(p.width_px));
        columns(p.first, p.count, 0.5f, [&](ImVec2 q) {
            if (to_->_Path.Size > 0 && to_->_Path.back().x == q.x && to_->_Path.back().y == q.y) {
                return;
            }
            to_->_Path.push_back(q);
        });
        to_->PathStroke(colour(p.colour), 0, width);
    }

    void operator()(const figure::Area& area) {
        if (area.count < 2) {
            return;
        }
        const float base = area.base_y + offset_.y;
        const auto shade = [&](float y) {
            const float reach = base - (area.gradient_y0 + offset_.y);
            const float share = reach > 0 ? 1 - std::clamp((base - y) / reach, 0.0f, 1.0f) : 0.0f;
            return colour(figure::mixed(area.top, area.bottom, static_cast<double>(share)));
        };
        const ImVec2 uv = ImGui::GetFontTexUvWhitePixel();
        const ImU32 bottom = colour(area.bottom);
        const bool gradient = !(area.top == area.bottom);
        // One box or slope after another; steps have no width and need none.
        ImVec2 from{};
        bool first = true;
        const auto slope = [&](ImVec2 a, ImVec2 b) {
            to_->PrimReserve(6, 4);
            const unsigned at = to_->_VtxCurrentIdx;
            for (const unsigned k : {0u, 1u, 2u, 0u, 2u, 3u}) {
                to_->PrimWriteIdx(static_cast<ImDrawIdx>(at + k));
            }
            to_->PrimWriteVtx(a, uv, gradient ? shade(a.y) : bottom);
            to_->PrimWriteVtx(b, uv, gradient ? shade(b.y) : bottom);
            to_->PrimWriteVtx({b.x, base}, uv, bottom);
            to_->PrimWriteVtx({a.x, base}, uv, bottom);
        };
        columns(area.first, area.count, 1.0f, [&](ImVec2 q) {
            if (!first && q.x > from.x) {
                slope(from, q);
            }
            from = q;
            first = false;
        });
    }

    void operator()(const figure::Line& line) {
        stroke(at(line.from.x, line.from.y), at(line.to.x, line.to.y), line.colour, line.width_px, line.dash_px,
               line.gap_px);
    }

    void operator()(const figure::Arrow& arrow) {
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

    void operator()(const figure::Text& text) {
        if (text.text.empty()) {
            return;
        }
        const gfx::Face face = face_of(text.role);
        const float design_px = text.size_px / fonts_.scale();
        ImFont* font = fonts_.get(face, design_px);
        const float size = fonts_.imgui_size(face, design_px);
        ImVec2 p = at(text.baseline.x, text.baseline.y);
        if (text.anchor != figure::Anchor::start) {
            const float width = fonts_.width(face, design_px, text.text);
            p.x -= text.anchor == figure::Anchor::middle ? width / 2 : width;
        }
        p.x = std::round(p.x);
        p.y = std::round(p.y) - std::round(gfx::ascent_of(font) * size / gfx::size_of(font));
        to_->AddText(font, size, p, colour(text.colour), text.text.data(), text.text.data() + text.text.size());
    }

    void operator()(const figure::ClipPush& clip) {
        to_->PushClipRect(at(clip.box.x0, clip.box.y0), at(clip.box.x1, clip.box.y1), true);
        ++clips_;
    }
    void operator()(const figure::ClipPop&) {
        if (clips_ > 0) {
            to_->PopClipRect();
            --clips_;
        }
    }
    void finish() {
        for (; clips_ > 0; --clips_) {
            to_->PopClipRect();
        }
    }

private:
    [[nodiscard]] ImVec2 at(float x, float y) const { return {x + offset_.x, y + offset_.y}; }

    void stroke(ImVec2 a, ImVec2 b, Rgba c, float width, float dash_px, float gap_px) {
        if (dash_px > 0 && gap_px > 0) {
            // Only the dashes that can be seen: a line may run far out of the picture.
            const bool flat = a.y == b.y;
            if (flat) {
                const float step = dash_px + gap_px;
                const float left = to_->GetClipRectMin().x, right = to_->GetClipRectMax().x;
                if (a.x < left - step) {
                    a.x += std::floor((left - a.x) / step) * step;
                }
                b.x = std::min(b.x, right + step);
            }
            dash(a, b, c, width, dash_px, gap_px, 0);
        } else if (a.x == b.x || a.y == b.y) {
            // Axis-parallel lines stay crisp as boxes.
            const float h = width / 2;
            if (a.x == b.x) {
                to_->AddRectFilled({std::round(a.x - h), a.y},
                                   {std::round(a.x - h) + std::max(1.0f, std::round(width)), b.y}, colour(c));
            } else {
                to_->AddRectFilled({a.x, std::round(a.y - h)},
                                   {b.x, std::round(a.y - h) + std::max(1.0f, std::round(width))}, colour(c));
            }
        } else {
            to_->AddLine(a, b, colour(c), width);
        }
    }

    // The points of a curve, thinned out to what can be seen: points on a level line between two others are left out,
    // and of the points within `least_px` of each other the first, the highest, the lowest and the last are kept.
    template <class Call>
    void columns(std::uint32_t first, std::uint32_t count, float least_px, Call call) {
        const figure::Point* p = &list_.points[first];
        std::uint32_t i = 0;
        while (i < count) {
            std::uint32_t end = i + 1, high = i, low = i;
            while (end < count && p[end].x - p[i].x < least_px) {
                high = p[end].y < p[high].y ? end : high;
                low = p[end].y > p[low].y ? end : low;
                ++end;
            }
            const std::uint32_t last = end - 1;
            if (end - i > 4) {
                call(at(p[i].x, p[i].y));
                call(at(p[std::min(high, low)].x, p[std::min(high, low)].y));
                call(at(p[std::max(high, low)].x, p[std::max(high, low)].y));
                call(at(p[last].x, p[last].y));
            } else {
                for (std::uint32_t k = i; k < end; ++k) {
                    const bool level = k > 0 && k + 1 < count && p[k - 1].y == p[k].y && p[k + 1].y == p[k].y;
                    if (!level) {
                        call(at(p[k].x, p[k].y));
                    }
                }
            }
            i = end;
        }
    }

    // Dashes from `a` to `b`, `along` into the pattern; returns how far into it the end is.
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
    ImDrawList* to_;
    gfx::Fonts& fonts_;
    ImVec2 offset_;
    int clips_ = 0;
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
    return fonts_.width(face_of(role), size_px / fonts_.scale(), text);
}

void paint(const figure::DisplayList& list, ImDrawList* to, gfx::Fonts& fonts, ImVec2 offset) {
    Painter painter(list, to, fonts, offset);
    for (const auto& item : list.items) {
        std::visit(painter, item);
    }
    painter.finish();
}

}  // namespace headway::ui
