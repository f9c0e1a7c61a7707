#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "app/render/utf8.h"
#include "app/render/writers.h"

namespace headway::figure {
namespace {

using core::Error;
using core::ErrorKind;
using core::Result;

struct SurfaceCloser {
    void operator()(cairo_surface_t* s) const noexcept { cairo_surface_destroy(s); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceCloser>;
struct ContextCloser {
    void operator()(cairo_t* c) const noexcept { cairo_destroy(c); }
};
using Context = std::unique_ptr<cairo_t, ContextCloser>;

cairo_status_t append(void* to, const unsigned char* data, unsigned int length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

// Draws primitives with cairo, one after the other.
class Painter {
public:
    Painter(cairo_t* to, const DisplayList& list, const FontSet& fonts) : c_(to), list_(list), fonts_(fonts) {
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        cairo_set_font_options(c_, options);
        cairo_font_options_destroy(options);
        cairo_set_line_join(c_, CAIRO_LINE_JOIN_ROUND);
    }

    void operator()(const Rect& r) const {
        if (r.fill.a != 0) {
            path(r.box, r.radius_px);
            colour(r.fill);
            cairo_fill(c_);
        }
        border(r.box, r.radius_px, r.stroke, r.stroke_px);
    }

    void operator()(const Hatch& h) const {
        cairo_save(c_);
        path(h.box, h.radius_px);
        colour(h.ground);
        cairo_fill_preserve(c_);
        cairo_clip(c_);
        // Stripes are where x + y, modulo the period, is small.
        const double period = static_cast<double>(h.period_px) * std::numbers::sqrt2;
        const double stripe = static_cast<double>(h.stripe_px) * std::numbers::sqrt2;
        const double y0 = static_cast<double>(h.box.y0);
        const double y1 = static_cast<double>(h.box.y1);
        const double last = static_cast<double>(h.box.x1) + y1;
        for (double s = std::floor((static_cast<double>(h.box.x0) + y0) / period) * period; s < last; s += period) {
            cairo_move_to(c_, s - y0, y0);
            cairo_line_to(c_, s + stripe - y0, y0);
            cairo_line_to(c_, s + stripe - y1, y1);
            cairo_line_to(c_, s - y1, y1);
            cairo_close_path(c_);
        }
        colour(h.stripe);
        cairo_fill(c_);
        cairo_restore(c_);
        border(h.box, h.radius_px, h.border, h.border_px);
    }

    void operator()(const Polyline& p) const {
        curve(p.first, p.count);
        colour(p.colour);
        cairo_set_line_width(c_, static_cast<double>(p.width_px));
        cairo_stroke(c_);
    }

    void operator()(const Area& a) const {
        if (a.count == 0) {
            return;
        }
        const Point first = list_.points[a.first];
        const Point last = list_.points[a.first + a.count - 1];
        cairo_move_to(c_, static_cast<double>(first.x), static_cast<double>(a.base_y));
        for (std::uint32_t i = 0; i < a.count; ++i) {
            const Point p = list_.points[a.first + i];
            cairo_line_to(c_, static_cast<double>(p.x), static_cast<double>(p.y));
        }
        cairo_line_to(c_, static_cast<double>(last.x), static_cast<double>(a.base_y));
        cairo_close_path(c_);
        if (a.top == a.bottom) {
            colour(a.top);
            cairo_fill(c_);
            return;
        }
        cairo_pattern_t* fade =
            cairo_pattern_create_linear(0, static_cast<double>(a.gradient_y0), 0, static_cast<double>(a.base_y));
        for (const auto& [at, k] : {std::pair{0.0, a.top}, std::pair{1.0, a.bottom}}) {
            cairo_pattern_add_color_stop_rgba(fade, at, k.r / 255.0, k.g / 255.0, k.b / 255.0, k.a / 255.0);
        }
        cairo_set_source(c_, fade);
        cairo_fill(c_);
        cairo_pattern_destroy(fade);
    }

    void operator()(const Line& l) const {
        cairo_move_to(c_, static_cast<double>(l.from.x), static_cast<double>(l.from.y));
        cairo_line_to(c_, static_cast<double>(l.to.x), static_cast<double>(l.to.y));
        stroke(l.colour, l.width_px, l.dash_px, l.gap_px);
    }

    void operator()(const Arrow& a) const {
        const auto& p = a.points;
        const auto head = arrow_head(a);
        // The shaft ends inside the head, so that its blunt end does not show at the tip.
        const bool headed = a.head_px > 0;
        const Point end = headed ? Point{(head[1].x + head[2].x) / 2, (head[1].y + head[2].y) / 2} : p[3];
        cairo_move_to(c_, static_cast<double>(p[0].x), static_cast<double>(p[0].y));
        cairo_curve_to(c_, static_cast<double>(p[1].x), static_cast<double>(p[1].y), static_cast<double>(p[2].x),
                       static_cast<double>(p[2].y), static_cast<double>(end.x), static_cast<double>(end.y));
        stroke(a.colour, a.width_px, a.dash_px, a.gap_px);
        if (headed) {
            for (const Point& q : head) {
                cairo_line_to(c_, static_cast<double>(q.x), static_cast<double>(q.y));
            }
            cairo_close_path(c_);
            cairo_fill(c_);
        }
    }

    void operator()(const Text& t) const {
        const auto runs = fonts_.runs(t.role, t.text);
        double x = static_cast<double>(t.baseline.x);
        if (t.anchor != Anchor::start) {
            double width = 0;
            for (const auto& run : runs) {
                width += static_cast<double>(run.width_em * t.size_px);
            }
            x -= t.anchor == Anchor::end ? width : width / 2;
        }
        colour(t.colour);
        for (const auto& run : runs) {
            std::string clean;  // cairo rejects the whole text if one byte is not UTF-8, or one code no character
            each_char(run.text, [&](char32_t code, std::string_view bytes) {
                const bool no_character = (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
                clean += code == 0xfffd || no_character ? "\uFFFD" : bytes;
            });
            cairo_set_font_face(c_, run.face);
            cairo_set_font_size(c_, static_cast<double>(t.size_px));
            cairo_move_to(c_, x, static_cast<double>(t.baseline.y));
            cairo_show_text(c_, clean.c_str());
            x += static_cast<double>(run.width_em * t.size_px);
        }
        cairo_new_path(c_);
    }

    void operator()(const ClipPush& clip) const {
        cairo_save(c_);
        path(clip.box, 0);
        cairo_clip(c_);
    }
    void operator()(const ClipPop& /*pop*/) const { cairo_restore(c_); }

private:
    void colour(Rgba k) const { cairo_set_source_rgba(c_, k.r / 255.0, k.g / 255.0, k.b / 255.0, k.a / 255.0); }

    void path(const Box& box, float radius_px) const {
        const auto x = static_cast<double>(box.x0);
        const auto y = static_cast<double>(box.y0);
        const auto w = static_cast<double>(box.width());
        const auto h = static_cast<double>(box.height());
        const double r = std::min({static_cast<double>(radius_px), w / 2, h / 2});
        if (r <= 0.05) {
            cairo_rectangle(c_, x, y, w, h);
            return;
        }
        constexpr double kQuarter = std::numbers::pi / 2;
        cairo_new_sub_path(c_);
        cairo_arc(c_, x + w - r, y + r, r, -kQuarter, 0);
        cairo_arc(c_, x + w - r, y + h - r, r, 0, kQuarter);
        cairo_arc(c_, x + r, y + h - r, r, kQuarter, 2 * kQuarter);
        cairo_arc(c_, x + r, y + r, r, 2 * kQuarter, 3 * kQuarter);
        cairo_close_path(c_);
    }

    void border(const Box& box, float radius_px, Rgba k, float width_px) const {
        if (k.a == 0 || width_px <= 0) {
            return;
        }
        const float in = width_px / 2;
        if (box.width() <= width_px || box.height() <= width_px) {
            return;
        }
        path({box.x0 + in, box.y0 + in, box.x1 - in, box.y1 - in}, radius_px - in);
        colour(k);
        cairo_set_line_width(c_, static_cast<double>(width_px));
        cairo_stroke(c_);
    }

    void curve(std::uint32_t first, std::uint32_t count) const {
        for (std::uint32_t i = 0; i < count; ++i) {
            const Point p = list_.points[first + i];
            cairo_line_to(c_, static_cast<double>(p.x), static_cast<double>(p.y));
        }
    }

    void stroke(Rgba k, float width_px, float dash_px, float gap_px) const {
        colour(k);
        cairo_set_line_width(c_, static_cast<double>(width_px));
        const double dashes[] = {static_cast<double>(dash_px), static_cast<double>(gap_px)};
        cairo_set_dash(c_, dashes, dash_px > 0 ? 2 : 0, 0);
        cairo_stroke(c_);
        cairo_set_dash(c_, dashes, 0, 0);
    }

    cairo_t* c_;
    const DisplayList& list_;
    const FontSet& fonts_;
};

Result<void> paint(cairo_surface_t* surface, double scale, const DisplayList& list, const FontSet& fonts) {
    Context context(cairo_create(surface));
    cairo_scale(context.get(), scale, scale);
    const Painter painter(context.get(), list, fonts);
    for (const Item& item : list.items) {
        std::visit(painter, item);
    }
    cairo_surface_flush(surface);
    if (cairo_status(context.get()) != CAIRO_STATUS_SUCCESS) {
        return Error{ErrorKind::failed, std::string("The figure cannot be drawn: ") +
                                            cairo_status_to_string(cairo_status(context.get())) + "."};
    }
    return {};
}

Result<Surface> rasterized(const DisplayList& list, float scale, const FontSet& fonts) {
    const auto width = static_cast<int>(std::lround(list.width_px * scale));
    const auto height = static_cast<int>(std::lround(list.height_px * scale));
    constexpr int kMost = 32767;  // cairo's limit
    if (width < 1 || height < 1 || width > kMost || height > kMost) {
        return Error{ErrorKind::usage, "A PNG figure of " + std::to_string(width) + " × " + std::to_string(height) +
                                           " pixels is not possible; at most " + std::to_string(kMost) + " each way."};
    }
    Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
        return Error{ErrorKind::failed, "There is not enough memory for a figure of " + std::to_string(width) + " × " +
                                            std::to_string(height) + " pixels."};
    }
    if (auto painted = paint(surface.get(), static_cast<double>(scale), list, fonts); !painted) {
        return painted.error();
    }
    return surface;
}

bool is_iso_date(const std::string& date) {
    if (date.size() < 10) {
        return false;
    }
    for (std::size_t i = 0; i < 10; ++i) {
        const bool dash = i == 4 || i == 7;
        if (dash ? date[i] != '-' : (date[i] < '0' || date[i] > '9')) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<Pixels> pixels_of(const DisplayList& list, float scale, const FontSet& fonts) {
    auto surface = rasterized(list, scale, fonts);
    if (!surface) {
        return surface.error();
    }
    Pixels pixels;
    pixels.width = cairo_image_surface_get_width(surface->get());
    pixels.height = cairo_image_surface_get_height(surface->get());
    const auto row = static_cast<std::size_t>(pixels.width) * 4;
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface->get()));
    const unsigned char* from = cairo_image_surface_get_data(surface->get());
    pixels.bgrx.resize(row * static_cast<std::size_t>(pixels.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(pixels.height); ++y) {
        std::copy_n(from + y * stride, row, pixels.bgrx.data() + y * row);
    }
    return pixels;
}

Result<std::string> png_bytes(const DisplayList& list, float scale, const FontSet& fonts) {
    auto surface = rasterized(list, scale, fonts);
    if (!surface) {
        return surface.error();
    }
    std::string bytes;
    if (cairo_surface_write_to_png_stream(surface->get(), append, &bytes) != CAIRO_STATUS_SUCCESS) {
        return Error{ErrorKind::failed, "The figure cannot be encoded as PNG."};
    }
    return bytes;
}

Result<std::string> pdf_bytes(const DisplayList& list, const FileNotes& notes, const FontSet& fonts) {
    constexpr double kPoints = 0.75;  // points per px at 96 dpi
    std::string bytes;
    {
        Surface surface(cairo_pdf_surface_create_for_stream(append, &bytes,
                                                            static_cast<double>(list.width_px) * kPoints,
                                                            static_cast<double>(list.height_px) * kPoints));
        // Without a fixed date cairo writes the current time, and equal figures would give different files.
        const std::string date = is_iso_date(notes.date) ? notes.date.substr(0, 10) : "1970-01-01";
        cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, (date + "T00:00:00Z").c_str());
        if (!notes.title.empty()) {
            cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, notes.title.c_str());
        }
        if (!notes.author.empty()) {
            cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, notes.author.c_str());
        }
        if (auto painted = paint(surface.get(), kPoints, list, fonts); !painted) {
            return painted.error();
        }
        cairo_surface_finish(surface.get());
        if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
            return Error{ErrorKind::failed, "The figure cannot be encoded as PDF."};
        }
    }
    return bytes;
}

}  // namespace headway::figure
