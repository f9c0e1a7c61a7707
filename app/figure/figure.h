// A run, or two on one axis, as a picture to put on a slide or into a paper: title with the finding, settings, legend,
// timeline, numbers, caption. Made from the recordings alone; needs no window.
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
    float width_px = 1600, height_px = 900;  // of a page or window, at 96 dpi; a page grows in height when rows need it
    float scale = 1;                         // pixels of a PNG per px; PDF and SVG keep their size
    ThemeName theme = ThemeName::light;
    std::string title, subtitle;  // empty: computed from the runs
    // What several runs of each side say, of which the two that are drawn are one each; none: what these two say.
    std::optional<comparison::Verdict> verdict{};
    bool with_warmup = false;
    std::vector<model::Bookmark> bookmarks_a{}, bookmarks_b{};  // drawn in their runs
    std::optional<TimelineView> view;  // only this stretch of time; none: all that was measured
    model::Arrangement arrangement{};  // of the rows; empty: in the order of the run
};

// A, and B when it is given. The same runs and options give the same list.
DisplayList figure(const model::Run& a, const model::Run* b, const FigureOptions& options, const TextMeasure& measure);

// The same figure at moments of the run: what had not happened then is not there yet, and the table tells how things
// stood. The last moment is the whole figure. All have one size.
//
// Threads: as figure(). The runs stay, and are not updated, as long as this lives.
class Replay {
public:
    Replay(const model::Run& a, const model::Run* b, const FigureOptions& options, const TextMeasure& measure);
    ~Replay();
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    // `share` of the time that the figure shows has passed, 0 to 1.
    [[nodiscard]] DisplayList at(double share);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

// The title: of one run what it came to, of two the verdict of one run each.
std::string finding(const model::Run& a, const model::Run* b);

// Writes the figure as the path's extension says: .png, .svg or .pdf. The file appears whole or not at all, and the
// same runs give the same bytes. Errors: usage (another extension), unreadable (cannot be written), in one sentence.
core::Result<void> write_figure(const std::string& path, const model::Run& a, const model::Run* b,
                                const FigureOptions& options);

// The same in two steps: laid out on the thread that may read the runs, and written by any other.
struct DrawnFigure {
    DisplayList list;
    std::string title, author, date;
};
class FontSet;
DrawnFigure draw_figure(const model::Run& a, const model::Run* b, const FigureOptions& options, const FontSet& fonts);
core::Result<void> write_drawn(const std::string& path, const DrawnFigure& drawn, float scale, const FontSet& fonts);

// Whether write_figure knows the extension; to be asked before a long run.
core::Result<void> check_figure_path(const std::string& path);

}  // namespace headway::figure
