// A run, or two runs on one axis, as a picture for a slide or a paper: title with the finding, settings, legend,
// timeline, numbers, caption. Uses recorded runs only; needs no window.
//
// Threads: any; one figure at a time per run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/comparison/verdict.h"
#include "app/figure/figure_look.h"
#include "app/model/run/run.h"
#include "app/model/user_data/arrangement.h"
#include "app/model/user_data/bookmark.h"
#include "app/render/display_list.h"
#include "app/render/theme.h"
#include "engine/core/result.h"

namespace headway::figure {

struct FigureOptions {
    FigureSize size = FigureSize::page;
    // sizes page and window only, at 96 dpi; a page grows in height when its rows need it
    float width_px = 1600, height_px = 900;
    bool fit_height = false;  // a page whose rows do not fill its height is lower
    float scale = 1;          // PNG pixels per px; PDF and SVG keep their size
    ThemeName theme = ThemeName::light;
    std::string title, subtitle;  // empty: computed from the runs
    // The verdict of several runs of each side, of which `a` and `b` are one each; none: the verdict of these two.
    std::optional<comparison::Verdict> verdict{};
    bool with_warmup = false;
    std::vector<model::Bookmark> bookmarks_a{}, bookmarks_b{};  // bookmarks of each run
    std::optional<TimelineView> view;                           // the time range to show; none: all that was measured
    model::Arrangement arrangement{};                           // of the rows; empty: the default order
};

// Draws A, and B if given. Equal runs and options give an equal list.
DisplayList figure(const model::Run& a, const model::Run* b, const FigureOptions& options, const TextMeasure& measure);

// The same figure at any moment of the run: later events are not drawn, and the table shows the numbers at that moment.
// At the last moment it equals figure(). All have the same size.
//
// Threads: as figure(). The runs must outlive this object and must not be updated meanwhile.
class Replay {
public:
    Replay(const model::Run& a, const model::Run* b, const FigureOptions& options, const TextMeasure& measure);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    // The figure after `share` (0 to 1) of the time that it shows.
    [[nodiscard]] DisplayList at(double share);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

// The default title: the result of one run, or the verdict of two.
std::string finding(const model::Run& a, const model::Run* b);

// Writes the figure in the format of the path's extension: .png, .svg or .pdf. The file is written completely or not at
// all, and the same runs give the same bytes. Errors, as one sentence: usage (another extension), unreadable (cannot be
// written).
core::Result<void> write_figure(const std::string& path, const model::Run& a, const model::Run* b,
                                const FigureOptions& options);

// The same in two steps: layout on the thread that may read the runs, writing on any other.
struct DrawnFigure {
    DisplayList list;
    std::string title, author, date;
};
class FontSet;
DrawnFigure draw_figure(const model::Run& a, const model::Run* b, const FigureOptions& options, const FontSet& fonts);
core::Result<void> write_drawn(const std::string& path, const DrawnFigure& drawn, float scale, const FontSet& fonts);

// Checks that write_figure supports the extension; call before a long run.
core::Result<void> check_figure_path(const std::string& path);

}  // namespace headway::figure
