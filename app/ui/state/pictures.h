// Exports pictures of the runs and of the window, and recordings, to files or the clipboard. Runs in the background,
// with a notice at the end.
//
// Threads: the UI's. Drawing and writing have a thread of their own.
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

// The runs that a picture shows, kept alive while it is drawn on the background thread.
struct PictureOf {
    std::shared_ptr<const model::Run> a, b;  // b: null when there is one run only
    std::vector<model::Bookmark> bookmarks_a, bookmarks_b;
    model::Arrangement arrangement;              // of the window's rows
    std::optional<comparison::Verdict> verdict;  // of all runs that a and b stand for; none: of these two only
    std::string program;
    figure::TimelineView view;          // of the window
    float width_px = 0, height_px = 0;  // of the window
    // Still recording, or not completely read: the picture is drawn from a separate copy of the recording, read up to
    // the moment of the request.
    bool a_grows = false, b_grows = false;
    bool live = false;  // the last of the two is recording
};

class Pictures {
public:
    explicit Pictures(std::function<void()> wake) : job_(std::move(wake)) {}

    // The file that remembers the choice; read once. Call before anything else.
    void remember_in(std::filesystem::path file);
    [[nodiscard]] ExportChoice& choice() { return choice_; }

    // Each starts a background job; an error says why it could not start. Only one at a time.
    core::Result<void> write(const PictureOf& of, const std::string& path);
    core::Result<void> copy(const PictureOf& of);
    // Saves the last of the runs by calling `recorder`.
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

// "1920 × 1080 pixels", "85 mm wide": the picture's size, known before it is drawn.
std::string size_text(const ExportChoice& choice, float window_width_px, float window_height_px);

}  // namespace headway::ui
