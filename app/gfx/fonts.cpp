#include "app/gfx/fonts.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include <imgui.h>
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "app/gfx/imgui_compat.h"

namespace headway::gfx {
namespace {

struct Wanted {
    const char* family;
    int weight;
    bool mono;
};
constexpr std::array<Wanted, kFaces> kWanted{{{"Inter", FC_WEIGHT_REGULAR, false},
                                              {"Inter", FC_WEIGHT_MEDIUM, false},
                                              {"Inter", FC_WEIGHT_DEMIBOLD, false},
                                              {"Inter", FC_WEIGHT_BOLD, false},
                                              {"JetBrains Mono", FC_WEIGHT_REGULAR, true},
                                              {"JetBrains Mono", FC_WEIGHT_MEDIUM, true},
                                              {"JetBrains Mono", FC_WEIGHT_BOLD, true}}};

// The sizes that a window uses before a run has been opened, in quarters of a pixel. They are baked together at the
// start; baking each at its first use would delay that many frames. Other sizes are baked when first used.
constexpr std::pair<Face, int> kUsual[] = {
    {Face::regular, 42},   {Face::regular, 44},     {Face::regular, 46},     {Face::regular, 48},
    {Face::regular, 50},   {Face::regular, 52},     {Face::regular, 56},     {Face::regular, 60},
    {Face::medium, 48},    {Face::medium, 50},      {Face::medium, 52},      {Face::medium, 56},
    {Face::medium, 60},    {Face::semibold, 42},    {Face::semibold, 46},    {Face::semibold, 48},
    {Face::semibold, 50},  {Face::semibold, 52},    {Face::semibold, 54},    {Face::semibold, 56},
    {Face::semibold, 60},  {Face::semibold, 64},    {Face::semibold, 72},    {Face::semibold, 80},
    {Face::bold, 44},      {Face::bold, 46},        {Face::bold, 48},        {Face::bold, 52},
    {Face::bold, 72},      {Face::bold, 76},        {Face::mono, 38},        {Face::mono, 40},
    {Face::mono, 46},      {Face::mono, 48},        {Face::mono, 50},        {Face::mono, 52},
    {Face::mono, 54},      {Face::mono_medium, 48}, {Face::mono_medium, 52}, {Face::mono_medium, 56},
    {Face::mono_bold, 54}, {Face::mono_bold, 60},
};

// ImGui sizes a face by ascent and descent, the design by its em.
float height_per_em(const std::string& path, int index) {
    float ratio = 1.2f;
    FT_Library library = nullptr;
    FT_Face face = nullptr;
    if (FT_Init_FreeType(&library) != 0) {
        return ratio;
    }
    if (FT_New_Face(library, path.c_str(), index, &face) == 0) {
        if (face->units_per_EM > 0) {
            ratio = static_cast<float>(face->ascender - face->descender) / static_cast<float>(face->units_per_EM);
        }
        FT_Done_Face(face);
    }
    FT_Done_FreeType(library);
    return ratio;
}

int quarters(float size_px) {
    return std::max(static_cast<int>(std::lround(size_px * 4)), 4);  // at least one pixel
}

char32_t next_code(std::string_view& text) {
    unsigned int code = 0;
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    length = std::min(length, text.size());
    code = length == 1 ? byte : byte & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    text.remove_prefix(length);
    return code;
}

bool is_cjk(char32_t code) {
    return code >= 0x2e80 && code < 0xfb00;
}

}  // namespace

Fonts::File Fonts::find(const char* family, int weight, bool mono, const char* language) {
    File file;
    FcPattern* wanted = FcPatternCreate();
    FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddString(wanted, FC_FAMILY, reinterpret_cast<const FcChar8*>(mono ? "monospace" : "sans-serif"));
    FcPatternAddInteger(wanted, FC_WEIGHT, weight);
    FcPatternAddInteger(wanted, FC_SLANT, FC_SLANT_ROMAN);
    FcPatternAddBool(wanted, FC_SCALABLE, FcTrue);
    if (language != nullptr) {
        FcPatternAddString(wanted, FC_LANG, reinterpret_cast<const FcChar8*>(language));
    }
    FcConfigSubstitute(nullptr, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcResult result = FcResultMatch;
    FcPattern* match = FcFontMatch(nullptr, wanted, &result);
    if (match != nullptr) {
        FcChar8* text = nullptr;
        int index = 0;
        if (FcPatternGetString(match, FC_FILE, 0, &text) == FcResultMatch) {
            file.path = reinterpret_cast<const char*>(text);
        }
        if (FcPatternGetInteger(match, FC_INDEX, 0, &index) == FcResultMatch) {
            file.index = index & 0xffff;
        }
        // Fontconfig always returns a match; only its family name says whether it is the requested one.
        for (int i = 0; FcPatternGetString(match, FC_FAMILY, i, &text) == FcResultMatch; ++i) {
            file.found = file.found || strcasecmp(reinterpret_cast<const char*>(text), family) == 0;
        }
        FcPatternDestroy(match);
    }
    FcPatternDestroy(wanted);
    std::error_code ignored;
    if (!file.path.empty() && std::filesystem::exists(file.path, ignored)) {
        file.height_per_em = height_per_em(file.path, file.index);
    } else {
        file.path.clear();
        file.found = false;
    }
    return file;
}

Fonts::Fonts() : atlas_(std::make_unique<ImFontAtlas>()), wanted_(std::begin(kUsual), std::end(kUsual)) {
    for (std::size_t i = 0; i < kFaces; ++i) {
        files_[i] = find(kWanted[i].family, kWanted[i].weight, kWanted[i].mono, nullptr);
    }
    cjk_ = find("Noto Sans CJK SC", FC_WEIGHT_REGULAR, false, "zh-cn");
    rest_ = find("DejaVu Sans", FC_WEIGHT_REGULAR, false, nullptr);
    if (!files_[0].found) {
        missing_ = "The font Inter (package fonts-inter) is not installed; another font is used instead.";
    } else if (!files_[static_cast<std::size_t>(Face::mono)].found) {
        missing_ =
            "The font JetBrains Mono (package fonts-jetbrains-mono) is not installed; another font is used instead.";
    }
    for (char32_t c = 0x20; c < 0x7f; ++c) {
        characters_.insert(c);
    }
    for (const char* usual :
         {"–—−‘’“”…•·×÷±≈≤≥≠∞", "→←↑↓⇧⌃▶▾▸■❙⏸✓✗○●", "₀₁₂₃₄₅₆₇₈₉ₙ", "⁻¹²½³µΔΣ"}) {
        cover(usual);
    }
}

Fonts::~Fonts() {
    keep_contents();
    if (ImGui::GetCurrentContext() != nullptr && ImGui::GetIO().Fonts == atlas_.get()) {
        ImGui::GetIO().Fonts = before_;
    }
}

void Fonts::set_scale(float scale) {
    if (scale != scale_) {
        scale_ = scale;
        dirty_ = true;
    }
}

float Fonts::imgui_size(Face face, float size_px) const {
    return size_px * scale_ * files_[static_cast<std::size_t>(face)].height_per_em;
}

ImFont* Fonts::get(Face face, float size_px, Fit fit) {
    const auto key = std::pair{face, quarters(size_px)};
    if (const auto found = baked_.find(key); found != baked_.end()) {
        return found->second;
    }
    ImFont* nearest = nullptr;
    int distance = INT32_MAX;
    for (const auto& [other, font] : baked_) {
        const int d = std::abs(other.second - key.second) + (other.first == face ? 0 : 10000);
        if (d < distance) {
            distance = d;
            nearest = font;
        }
    }
    const bool will_do = fit == Fit::close && distance * 7 <= key.second;
    if (!will_do && wanted_.insert(key).second) {
        dirty_ = true;
    }
    return nearest;
}

float Fonts::width(Face face, float size_px, std::string_view text, Fit fit) {
    cover(text);
    ImFont* font = get(face, size_px, fit);
    return font->CalcTextSizeA(imgui_size(face, size_px), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

void Fonts::cover(std::string_view text) {
    while (!text.empty()) {
        if (static_cast<unsigned char>(text.front()) < 0x80) {
            text.remove_prefix(1);
            continue;
        }
        const char32_t code = next_code(text);
        if (code >= 0xa0 && code < 0x10000 && characters_.insert(code).second) {
            dirty_ = true;
            cjk_needed_ = cjk_needed_ || is_cjk(code);
        }
    }
}

ImFont* Fonts::add(Face face, int quarter_px, const std::vector<unsigned short>& ranges) {
    const File& file = files_[static_cast<std::size_t>(face)];
    const float em_px = static_cast<float>(quarter_px) / 4 * scale_;
    if (file.path.empty()) {
        ImFontConfig config;
        config.SizePixels = std::max(8.0f, std::round(em_px));
        return atlas_->AddFontDefault(&config);
    }
    // Fractional advances, with oversampled bitmaps: text is as wide as in figures.
    ImFontConfig config;
    config.OversampleH = em_px < 24 ? 3 : 2;
    config.OversampleV = 1;
    config.FontNo = file.index;
    config.RasterizerMultiply = 1.0f;
    const auto load = [&](const File& from, ImFontConfig& how) {
        const std::vector<char>& bytes = contents(from.path);
        return atlas_->AddFontFromMemoryTTF(const_cast<char*>(bytes.data()), static_cast<int>(bytes.size()),
                                            em_px * from.height_per_em, &how, ranges.data());
    };
    ImFont* font = load(file, config);
    const auto merge = [&](const File& other) {
        if (!other.path.empty() && other.path != file.path) {
            ImFontConfig merged;
            merged.MergeMode = true;
            merged.FontNo = other.index;
            merged.OversampleH = 1;
            merged.OversampleV = 1;
            load(other, merged);
        }
    };
    merge(rest_);
    if (cjk_needed_) {
        merge(cjk_);
    }
    return font;
}

const std::vector<char>& Fonts::contents(const std::string& path) {
    std::vector<char>& bytes = contents_[path];
    if (bytes.empty()) {
        std::error_code unreadable;
        const auto size = std::filesystem::file_size(path, unreadable);
        bytes.resize(unreadable ? 0 : static_cast<std::size_t>(size));
        std::ifstream in(path, std::ios::binary);
        in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        bytes.resize(static_cast<std::size_t>(in.gcount()));
    }
    return bytes;
}

// Makes the atlas refer to our copies of the font files. Otherwise it would copy each file once per size.
void Fonts::keep_contents() {
    for (int i = 0; i < atlas_->ConfigData.Size; ++i) {
        atlas_->ConfigData[i].FontDataOwnedByAtlas = false;
    }
}

bool Fonts::attach() {
    if (ImGui::GetCurrentContext() == nullptr || ImGui::GetIO().Fonts == atlas_.get()) {
        return false;
    }
    before_ = std::exchange(ImGui::GetIO().Fonts, atlas_.get());
    return true;
}

bool Fonts::bake() {
    const bool attached = attach();
    if (!dirty_) {
        return attached;
    }
    dirty_ = false;
    ++generation_;
    keep_contents();
    atlas_->Clear();
    baked_.clear();
    atlas_->Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
    atlas_->TexDesiredWidth = scale_ > 1.5f ? 4096 : 2048;
    ranges_.clear();
    for (const char32_t c : characters_) {  // sorted
        if (!ranges_.empty() && ranges_.back() + 1u == c) {
            ranges_.back() = static_cast<unsigned short>(c);
        } else {
            ranges_.push_back(static_cast<unsigned short>(c));
            ranges_.push_back(static_cast<unsigned short>(c));
        }
    }
    ranges_.push_back(0);
    for (const auto& key : wanted_) {
        baked_[key] = add(key.first, key.second, ranges_);
    }
    atlas_->Build();
    return true;
}

}  // namespace headway::gfx
