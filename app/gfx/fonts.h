// The window's fonts, in the sizes that are asked for: found by fontconfig, baked into an atlas that becomes ImGui's,
// each with its fallbacks (DejaVu Sans, Noto Sans CJK SC) merged in.
//
// Sizes are em sizes before scaling, as in the design and in display lists; ImGui's own sizes are ascent to descent.
// What is not baked yet is drawn with the nearest size and baked before the next frame.
//
// Threads: the UI's; before there is an ImGui context, any one, so that they can be found and baked while a window
// opens.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct ImFont;
struct ImFontAtlas;

namespace headway::gfx {

enum class Face : std::uint8_t { regular, medium, semibold, bold, mono, mono_medium, mono_bold };
inline constexpr std::size_t kFaces = 7;

class Fonts {
public:
    Fonts();
    ~Fonts();
    Fonts(const Fonts&) = delete;
    Fonts& operator=(const Fonts&) = delete;

    // Pixels per design pixel. Everything is baked anew before the next frame.
    void set_scale(float scale);
    [[nodiscard]] float scale() const { return scale_; }

    // Whether a size that is asked for must be baked, or one that is baked and differs by less than a seventh will do:
    // pictures that are zoomed have text of any size, and baking takes longer than a frame.
    enum class Fit : std::uint8_t { exact, close };
    // Never null after the first bake(). `size_px` before scaling.
    [[nodiscard]] ImFont* get(Face face, float size_px, Fit fit = Fit::exact);
    // The size that get() was asked for, in pixels: what to draw with even when the font is baked at another size.
    [[nodiscard]] float imgui_size(Face face, float size_px) const;
    // em width of text in pixels.
    [[nodiscard]] float width(Face face, float size_px, std::string_view text, Fit fit = Fit::exact);

    // Text that will be shown: characters that are not baked yet will be.
    void cover(std::string_view text);

    // Counts the atlases: whatever was measured before this changed is to be measured again.
    [[nodiscard]] std::uint64_t generation() const { return generation_; }

    // Between frames: bakes what was asked for since, and makes the atlas that of ImGui's context where there is one.
    // True when that has another atlas than before.
    bool bake();

    // What was not found and is replaced, as a sentence; empty when all is there.
    [[nodiscard]] const std::string& missing() const { return missing_; }

private:
    struct File {
        std::string path;
        int index = 0;
        float height_per_em = 1.2f;  // ascent - descent over the em
        bool found = false;          // the family asked for, not a replacement
    };
    static File find(const char* family, int weight, bool mono, const char* language);
    bool attach();
    void keep_contents();
    ImFont* add(Face face, int quarter_px, const std::vector<unsigned short>& ranges);

    [[nodiscard]] const std::vector<char>& contents(const std::string& path);

    std::array<File, kFaces> files_;
    std::map<std::string, std::vector<char>> contents_;  // of the files in use; the atlas points into them
    File cjk_, rest_;
    std::string missing_;
    std::unique_ptr<ImFontAtlas> atlas_;
    ImFontAtlas* before_ = nullptr;  // what the context had
    float scale_ = 1;
    bool dirty_ = true;
    std::uint64_t generation_ = 0;
    // Sizes in quarters of a design pixel, so that equal sizes are one font.
    std::set<std::pair<Face, int>> wanted_;
    std::map<std::pair<Face, int>, ImFont*> baked_;
    std::set<char32_t> characters_;
    std::vector<unsigned short> ranges_;  // of the present atlas, which keeps pointers into it
    bool cjk_needed_ = false;
};

}  // namespace headway::gfx
