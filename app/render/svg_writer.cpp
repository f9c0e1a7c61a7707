// Not cairo's SVG backend, because that turns text into outlines.
#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <map>

#include "app/render/utf8.h"
#include "app/render/writers.h"

namespace headway::figure {
namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (std::string_view part : parts) {
        all += part;
    }
    return all;
}

std::string number(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(value));
    std::string s = text.data();
    s.erase(s.find_last_not_of('0') + 1);
    if (s.back() == '.') {
        s.pop_back();
    }
    return s == "-0" ? "0" : s;
}

std::string hex(Rgba k) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "#%02X%02X%02X", k.r, k.g, k.b);
    return text.data();
}

std::string opacity(Rgba k) {
    return number(static_cast<float>(k.a) / 255);
}

// ` fill="#…"`, with its opacity unless opaque.
std::string paint(std::string_view attribute, Rgba k) {
    const std::string colour = joined({" ", attribute, "=\"", hex(k), "\""});
    return k.a == 255 ? colour : joined({colour, " ", attribute, "-opacity=\"", opacity(k), "\""});
}

std::string escaped(std::string_view text) {
    std::string out;
    each_char(text, [&](char32_t code, std::string_view bytes) {
        if (code == '&') {
            out += "&amp;";
        } else if (code == '<') {
            out += "&lt;";
        } else if (code == '>') {
            out += "&gt;";
        } else if (code == '"') {
            out += "&quot;";
        } else if (code == 0xfffd || code == 0xfffe || code == 0xffff || (code < 0x20 && code != '\t')) {
            out += "\uFFFD";  // XML 1.0 does not allow control characters
        } else {
            out += bytes;
        }
    });
    return out;
}

class SvgWriter {
public:
    explicit SvgWriter(const DisplayList& list) : list_(list) {}

    std::string write(const FileNotes& notes) {
        for (const Item& item : list_.items) {
            std::visit(*this, item);
        }
        const std::string w = number(list_.width_px);
        const std::string h = number(list_.height_px);
        std::string head =
            joined({"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w,
                    "\" height=\"", h, "\" viewBox=\"0 0 ", w, " ", h, "\">\n"});
        if (!notes.title.empty()) {
            head += joined({"<title>", escaped(notes.title), "</title>\n"});
        }
        if (!defs_.empty()) {
            head += joined({"<defs>\n", defs_, "</defs>\n"});
        }
        return joined({head, body_, "</svg>\n"});
    }

    void operator()(const Rect& r) {
        const bool stroked = r.stroke.a != 0 && has_room(r.box, r.stroke_px);
        add({"<rect", place(r.box, r.radius_px, stroked ? r.stroke_px / 2 : 0),
             r.fill.a == 0 ? " fill=\"none\"" : paint("fill", r.fill),
             stroked ? stroke(r.stroke, r.stroke_px, 0, 0) : "", "/>\n"});
    }

    void operator()(const Hatch& h) {
        const bool stroked = h.border.a != 0 && has_room(h.box, h.border_px);
        add({"<rect", place(h.box, h.radius_px, stroked ? h.border_px / 2 : 0), " fill=\"url(#", pattern(h), ")\"",
             stroked ? stroke(h.border, h.border_px, 0, 0) : "", "/>\n"});
    }

    void operator()(const Polyline& p) {
        add({"<polyline points=\"", points(p.first, p.count), "\" fill=\"none\"", stroke(p.colour, p.width_px, 0, 0),
             " stroke-linejoin=\"round\"/>\n"});
    }

    void operator()(const Area& a) {
        if (a.count == 0) {
            return;
        }
        const Point first = list_.points[a.first];
        const Point last = list_.points[a.first + a.count - 1];
        add({"<polygon points=\"", pair({first.x, a.base_y}), " ", points(a.first, a.count), " ",
             pair({last.x, a.base_y}), "\"",
             a.top == a.bottom ? paint("fill", a.top) : joined({" fill=\"url(#", gradient(a), ")\""}), "/>\n"});
    }

    void operator()(const Line& l) {
        add({"<line x1=\"", number(l.from.x), "\" y1=\"", number(l.from.y), "\" x2=\"", number(l.to.x), "\" y2=\"",
             number(l.to.y), "\"", stroke(l.colour, l.width_px, l.dash_px, l.gap_px), "/>\n"});
    }

    void operator()(const Arrow& a) {
        const auto& p = a.points;
        const auto head = arrow_head(a);
        const Point end = a.head_px > 0 ? Point{(head[1].x + head[2].x) / 2, (head[1].y + head[2].y) / 2} : p[3];
        add({"<path d=\"M", pair(p[0]), " C", pair(p[1]), " ", pair(p[2]), " ", pair(end), "\" fill=\"none\"",
             stroke(a.colour, a.width_px, a.dash_px, a.gap_px), "/>\n"});
        if (a.head_px > 0) {
            add({"<polygon points=\"", pair(head[0]), " ", pair(head[1]), " ", pair(head[2]), "\"",
                 paint("fill", a.colour), "/>\n"});
        }
    }

    void operator()(const Text& t) {
        if (t.text.empty()) {
            return;
        }
        constexpr const char* kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
        constexpr const char* kFamilies[] = {"Inter, 'Noto Sans CJK SC', sans-serif",
                                             "'JetBrains Mono', 'Noto Sans CJK SC', monospace"};
        constexpr const char* kWeights[] = {"", " font-weight=\"600\"", " font-weight=\"700\"", "",
                                            " font-weight=\"700\""};
        const bool mono = t.role == FontRole::mono || t.role == FontRole::mono_bold;
        add({"<text x=\"", number(t.baseline.x), "\" y=\"", number(t.baseline.y), "\" font-family=\"",
             kFamilies[mono ? 1 : 0], "\" font-size=\"", number(t.size_px), "\"",
             kWeights[static_cast<std::size_t>(t.role)], paint("fill", t.colour),
             kAnchors[static_cast<std::size_t>(t.anchor)], " xml:space=\"preserve\">", escaped(t.text), "</text>\n"});
    }

    void operator()(const ClipPush& clip) {
        const std::string id = define(joined({"<clipPath id=\"ID\"><rect", place(clip.box, 0, 0), "/></clipPath>"}));
        add({"<g clip-path=\"url(#", id, ")\">\n"});
    }
    void operator()(const ClipPop& /*pop*/) { body_ += "</g>\n"; }

private:
    void add(std::initializer_list<std::string_view> parts) {
        for (std::string_view part : parts) {
            body_ += part;
        }
    }

    static bool has_room(const Box& box, float border_px) {
        return border_px > 0 && box.width() > border_px && box.height() > border_px;
    }

    static std::string pair(Point p) { return joined({number(p.x), ",", number(p.y)}); }

    static std::string place(const Box& b, float radius_px, float in) {
        const std::string s = joined({" x=\"", number(b.x0 + in), "\" y=\"", number(b.y0 + in), "\" width=\"",
                                      number(std::max(0.0F, b.width() - 2 * in)), "\" height=\"",
                                      number(std::max(0.0F, b.height() - 2 * in)), "\""});
        const float r = std::min({radius_px - in, b.width() / 2 - in, b.height() / 2 - in});
        return r > 0.05F ? joined({s, " rx=\"", number(r), "\""}) : s;
    }

    static std::string stroke(Rgba k, float width_px, float dash_px, float gap_px) {
        const std::string s = joined({paint("stroke", k), " stroke-width=\"", number(width_px), "\""});
        return dash_px > 0 ? joined({s, " stroke-dasharray=\"", number(dash_px), " ", number(gap_px), "\""}) : s;
    }

    [[nodiscard]] std::string points(std::uint32_t first, std::uint32_t count) const {
        std::string s;
        for (std::uint32_t i = 0; i < count; ++i) {
            s += i == 0 ? "" : " ";
            s += pair(list_.points[first + i]);
        }
        return s;
    }

    // Returns the id of a definition; equal definitions share one. "ID" in `text` is replaced by the id.
    std::string define(const std::string& text) {
        const auto [it, fresh] = ids_.try_emplace(text, ids_.size());
        const std::string id = joined({"d", std::to_string(it->second)});
        if (fresh) {
            const std::string_view all = text;
            const auto at = all.find("ID");
            defs_ += joined({all.substr(0, at), id, all.substr(at + 2), "\n"});
        }
        return id;
    }

    std::string pattern(const Hatch& h) {
        const std::string size = number(h.period_px);
        return define(
            joined({"<pattern id=\"ID\" width=\"", size, "\" height=\"", size,
                    "\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"", size,
                    "\" height=\"", size, "\"", paint("fill", h.ground), "/><rect width=\"", number(h.stripe_px),
                    "\" height=\"", size, "\"", paint("fill", h.stripe), "/></pattern>"}));
    }

    std::string gradient(const Area& a) {
        const auto stop = [](std::string_view at, Rgba k) {
            return joined(
                {"<stop offset=\"", at, "\" stop-color=\"", hex(k), "\" stop-opacity=\"", opacity(k), "\"/>"});
        };
        return define(joined({"<linearGradient id=\"ID\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" x2=\"0\" y1=\"",
                              number(a.gradient_y0), "\" y2=\"", number(a.base_y), "\">", stop("0", a.top),
                              stop("1", a.bottom), "</linearGradient>"}));
    }

    const DisplayList& list_;
    std::string defs_, body_;
    std::map<std::string, std::size_t> ids_;
};

}  // namespace

std::string svg_text(const DisplayList& list, const FileNotes& notes) {
    return SvgWriter(list).write(notes);
}

}  // namespace headway::figure
