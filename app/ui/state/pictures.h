// Pictures of the runs and of the window, and recordings: written or copied beside the frames, with a notice at the
// end.
//
// Threads: the UI's; drawing and writing have one of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/ui/state/export_choice.h"
#include "app/ui/widgets/background_job.h"

namespace headway::ui {

// The runs that a picture is of. They stay while it is drawn, which is never the UI thread's work.
struct PictureOf {
    std::shared_ptr<const model::Run> a, b;  // b: null when there is one run only
    std::vector<model::Bookmark> marks_a, marks_b;
    model::Arrangement arrangement;              // of the window's rows
    std::optional<comparison::Verdict> verdict;  // of all runs that a and b stand for; none: of these two
    std::string program;
    figure::TimelineView view;          // that the window shows
    float width_px = 0, height_px = 0;  // of the window
    // Goes on, or is not yet read to its end: the picture is made of a reading of its own, up to that moment.
    bool a_grows = false, b_grows = false;
    bool live = false;  // the last of the two goes on
};

class Pictures {
public:
    explicit Pictures(std::function<void()> wake) : job_(std::move(wake)) {}

    // Where the choice is kept; read once. Set before anything else is asked.
    void remember_in(std::filesystem::path file);
    [[nodiscard]] ExportChoice& choice() { return choice_; }

    // Each begins the work; an error says why there is none to begin. Only one at a time.
    core::Result<void> write(const PictureOf& of, const std::string& path);
    core::Result<void> copy(const PictureOf& of);
    // The last of the runs, as `recorder` writes it.
    using Recorder = std::function<core::Result<void>(const model::Run& run, const std::string& path,
                                                      const std::function<bool()>& go_on)>;
    core::Result<void> write_recording(const PictureOf& of, const std::string& path, Recorder recorder);
    core::Result<void> write_pixels(const std::string& path, std::vector<std::uint8_t> rgba, int width, int height);

    [[nodiscard]] const BackgroundJob& job() const { return job_; }
    void cancel() { job_.cancel(); }
    std::optional<core::Result<std::string>> take() { return job_.take(); }

private:
    struct Sources;
    static Sources sources_of(const PictureOf& of, bool alone);
    static void keep(const std::filesystem::path& file, const std::string& choice);
    core::Result<void> begin(std::string what, BackgroundJob::Work work);
    [[nodiscard]] figure::FigureOptions options_for(const PictureOf& of) const;

    BackgroundJob job_;
    ExportChoice choice_;
    std::filesystem::path file_;
};

// "1920 × 1080 pixels", "85 mm wide": how large the picture comes out, before it is drawn.
std::string size_text(const ExportChoice& choice, float window_width_px, float window_height_px);

}  // namespace headway::ui
