// Exports pictures and recordings: which runs, which file, and the notices. Each call starts background work; a notice
// says how it ended, or why it cannot start.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/state/comparing.h"
#include "app/ui/state/pictures.h"
#include "app/ui/state/view/bookmarks.h"
#include "app/ui/state/view/look.h"
#include "app/ui/state/view/notices.h"
#include "app/ui/state/view/progress_notice.h"
#include "app/ui/state/view/row_arrangement.h"
#include "app/ui/state/view/timeline_state.h"

namespace headway::ui {

class Exports {
public:
    // What a picture shows.
    struct Shown {
        const session::Session& session;
        Comparing& comparing;  // gives the verdict on the runs, which may have to be computed
        const RowArrangement& arrangement;
        const Bookmarks& bookmarks;
        const TimelineState& timeline;
        const Look& look;
    };
    // `wake` is called on another thread when a job has ended.
    Exports(const Shown& shown, Notices& notices, std::function<void()> wake);

    Pictures pictures;
    Pictures::Recorder write_recording;                   // saves a run to a file
    std::filesystem::path folder;                         // for new files, unless one is chosen
    bool closing = false;                                 // the window closes when the work is done
    ExportChoice& choice() { return pictures.choice(); }  // remembered from the last export
    // The runs for a picture; none before a run has issued anything.
    [[nodiscard]] std::optional<PictureOf> picture_of() const;
    [[nodiscard]] std::string new_path();  // a new file, named according to the choice
    void write(const std::string& path);   // in the chosen format
    void write_again() { write(new_path()); }
    void write_as(const std::string& extension);  // "png", "svg", "pdf"; other values: the chosen format
    void copy();                                  // the view, to the clipboard
    void save_recording();                        // the last run, also without ops, next to the pictures
    void write_window(std::vector<std::uint8_t> rgba, int width, int height);
    // Once a frame. True when something that is shown has changed.
    bool poll();

private:
    void began(const core::Result<void>& begun);

    const Shown shown_;
    Notices& notices_;
    ProgressNotice progress_{notices_, Notice::Kind::exporting};
};

// The picture's file name: "headway-train-20261121-015635.png".
std::string picture_name(const std::string& program, const std::string& extension);

}  // namespace headway::ui
