// A run as a moving picture: numbered PNGs, or a GIF or MP4 that ffmpeg makes of the same frames.
//
// Threads: any; it takes seconds, so never one that draws.
#pragma once

#include <functional>
#include <string>

#include "app/figure/figure.h"
#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::figure {

struct MovieOptions {
    double seconds = 8;  // until the last frame; the whole run passes in five sixths of them, then the end stands
    double fps = 0;      // frames a second; 0: 12 of a GIF, else 25
};
inline constexpr double kLeastSeconds = 0.1, kMostSeconds = 600, kLeastFps = 1, kMostFps = 60;

// Whether the path is one of these: FILE.gif, FILE.mp4, or FOLDER/frame-%04d.png.
bool is_movie_path(const std::string& path);
// Whether it can be made: one number in a name, and ffmpeg where that is needed.
core::Result<void> check_movie_path(const std::string& path);

// Writes all of it, or leaves nothing behind. `go_on` is told the share that is done, and ends it by returning false
// (an error of kind failed). The same runs and options give the same PNGs.
core::Result<void> write_movie(const std::string& path, const model::Run& a, const model::Run* b,
                               const FigureOptions& options, const MovieOptions& movie,
                               const std::function<bool(double)>& go_on = {});

}  // namespace headway::figure
