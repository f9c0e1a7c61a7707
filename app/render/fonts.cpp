#include "app/render/fonts.h"

#include <cairo/cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <string>
#include <unordered_map>

#include "app/render/utf8.h"

namespace headway::figure {
namespace {

struct PatternCloser {
    void operator()(FcPattern* p) const noexcept { FcPatternDestroy(p); }
};
using Pattern = std::unique_ptr<FcPattern, PatternCloser>;

// The best fontconfig match for this family and weight. Selects by weight because style names differ between families.
Pattern match(const char* family, int weight, bool mono, const char* language) {
    Pattern wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(mono ? "monospace" : "sans-serif"));
    FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
    FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
    FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
    if (language != nullptr) {
        FcPatternAddString(wanted.get(), FC_LANG, reinterpret_cast<const FcChar8*>(language));
    }
    FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultMatch;
    return Pattern(FcFontMatch(nullptr, wanted.get(), &result));
}

}  // namespace

struct FontSet::Face {
    struct CharSetCloser {
        void operator()(FcCharSet* set) const noexcept { FcCharSetDestroy(set); }
    };
    cairo_font_face_t* face = nullptr;
    cairo_scaled_font_t* unit = nullptr;  // at 1000 px, unhinted: advances in thousandths of an em
    std::unique_ptr<FcCharSet, CharSetCloser> characters;
    mutable std::unordered_map<char32_t, float> advances_em;

    explicit Face(const Pattern& pattern) {
        if (pattern == nullptr) {
            return;
        }
        FcCharSet* set = nullptr;
        if (FcPatternGetCharSet(pattern.get(), FC_CHARSET, 0, &set) == FcResultMatch) {
            characters.reset(FcCharSetCopy(set));
        }
        face = cairo_ft_font_face_create_for_pattern(pattern.get());
        cairo_matrix_t size;
        cairo_matrix_t identity;
        cairo_matrix_init_scale(&size, 1000, 1000);
        cairo_matrix_init_identity(&identity);
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        unit = cairo_scaled_font_create(face, &size, &identity, options);
        cairo_font_options_destroy(options);
    }
    ~Face() {
        if (unit != nullptr) {
            cairo_scaled_font_destroy(unit);
        }
        if (face != nullptr) {
            cairo_font_face_destroy(face);
        }
    }
    Face(const Face&) = delete;
    Face& operator=(const Face&) = delete;

    [[nodiscard]] bool has(char32_t code) const {
        return face != nullptr && characters != nullptr && FcCharSetHasChar(characters.get(), code) != FcFalse;
    }
    [[nodiscard]] float advance_em(char32_t code, std::string_view bytes) const {
        const auto known = advances_em.find(code);
        if (known != advances_em.end()) {
            return known->second;
        }
        cairo_text_extents_t extents{};
        if (unit != nullptr) {
            cairo_scaled_font_text_extents(unit, std::string(bytes).c_str(), &extents);
        }
        const auto advance = static_cast<float>(extents.x_advance / 1000);
        advances_em.emplace(code, advance);
        return advance;
    }
};

FontSet::FontSet() {
    const auto add = [this](const char* family, int weight, bool mono, const char* language = nullptr) {
        faces_.push_back(std::make_unique<Face>(match(family, weight, mono, language)));
        return faces_.back().get();
    };
    const Face* cjk = add("Noto Sans CJK SC", FC_WEIGHT_REGULAR, false, "zh-cn");
    const Face* cjk_bold = add("Noto Sans CJK SC", FC_WEIGHT_BOLD, false, "zh-cn");
    const Face* rest = add("DejaVu Sans", FC_WEIGHT_REGULAR, false);
    by_role_[static_cast<std::size_t>(FontRole::ui)] = {add("Inter", FC_WEIGHT_REGULAR, false), cjk, rest};
    by_role_[static_cast<std::size_t>(FontRole::ui_semibold)] = {add("Inter", FC_WEIGHT_DEMIBOLD, false), cjk_bold,
                                                                 rest};
    by_role_[static_cast<std::size_t>(FontRole::ui_bold)] = {add("Inter", FC_WEIGHT_BOLD, false), cjk_bold, rest};
    by_role_[static_cast<std::size_t>(FontRole::mono)] = {add("JetBrains Mono", FC_WEIGHT_REGULAR, true), cjk, rest};
    by_role_[static_cast<std::size_t>(FontRole::mono_bold)] = {add("JetBrains Mono", FC_WEIGHT_BOLD, true), cjk_bold,
                                                               rest};
}

FontSet::~FontSet() = default;

const FontSet::Face& FontSet::face_for(FontRole role, char32_t code) const {
    const auto& choice = by_role_[static_cast<std::size_t>(role)];
    for (const Face* face : choice) {
        if (face->has(code)) {
            return *face;
        }
    }
    return *choice.front();
}

float FontSet::width(FontRole role, float size_px, std::string_view text) const {
    float width_em = 0;
    each_char(text, [&](char32_t code, std::string_view bytes) {
        width_em += face_for(role, code).advance_em(code, code == 0xfffd ? "\uFFFD" : bytes);
    });
    return width_em * size_px;
}

std::vector<FontSet::Run> FontSet::runs(FontRole role, std::string_view text) const {
    std::vector<Run> runs;
    each_char(text, [&](char32_t code, std::string_view bytes) {
        const Face& face = face_for(role, code);
        if (runs.empty() || runs.back().face != face.face) {
            runs.push_back({face.face, std::string_view(bytes.data(), 0), 0});
        }
        Run& run = runs.back();
        run.text = {run.text.data(), run.text.size() + bytes.size()};
        run.width_em += face.advance_em(code, bytes);
    });
    return runs;
}

}  // namespace headway::figure
