// The window's fonts, in the sizes requested: found with fontconfig and baked into an atlas for ImGui. Each font
// includes the glyphs of the fallbacks (DejaVu Sans, Noto Sans CJK SC).
//
// Sizes are em sizes before scaling, as in the design and in display lists; ImGui's own sizes are from ascent to
// descent. A size that is not baked yet is drawn with the nearest one and baked before the next frame.
//
// Threads: the UI's. Before an ImGui context exists: any single thread, so that fonts can be found and baked while a
// window opens.
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

    // Pixels per design pixel. Everything is baked again before the next frame.
    void set_scale(float scale);
    [[nodiscard]] float scale() const { return scale_; }

    // `close`: a baked size that differs by less than a seventh is used instead of baking. For text in zoomed pictures,
    // which has any size: baking takes longer than a frame.
    enum class Fit : std::uint8_t { exact, close };
    // Never null after the first bake(). `size_px` is before scaling.
    [[nodiscard]] ImFont* get(Face face, float size_px, Fit fit = Fit::exact);
    // The size passed to get(), in pixels: draw with it even if the font is baked at another size.
    [[nodiscard]] float imgui_size(Face face, float size_px) const;
    // The width of the text in pixels.
    [[nodiscard]] float width(Face face, float size_px, std::string_view text, Fit fit = Fit::exact);

    // Call for text before it is shown: bakes its missing characters.
    void cover(std::string_view text);

    // Counts the atlases: text must be measured again after this changes.
    [[nodiscard]] std::uint64_t generation() const { return generation_; }

    // Call between frames: bakes what was requested since the last call, and installs the atlas in ImGui's context if
    // there is one. True if the context has a new atlas.
    bool bake();

    // Which fonts were not found and are replaced, in one sentence; empty if none.
    [[nodiscard]] const std::string& missing() const { return missing_; }

private:
    struct File {
        std::string path;
        int index = 0;
        float height_per_em = 1.2f;  // (ascent - descent) / em
        bool found = false;          // the requested family, not a replacement
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
    ImFontAtlas* before_ = nullptr;  // the context's atlas before ours
    float scale_ = 1;
    bool dirty_ = true;
    std::uint64_t generation_ = 0;
    // Sizes in quarters of a design pixel, so that equal sizes share a font.
    std::set<std::pair<Face, int>> wanted_;
    std::map<std::pair<Face, int>, ImFont*> baked_;
    std::set<char32_t> characters_;
    std::vector<unsigned short> ranges_;  // of the current atlas, which keeps pointers into it
    bool cjk_needed_ = false;
};

}  // namespace headway::gfx
