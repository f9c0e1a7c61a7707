// A run as an animation: numbered PNGs, or a GIF or MP4 that ffmpeg makes from the same frames.
//
// Threads: any, except one that draws, because it takes seconds.
#pragma once

#include <functional>
#include <string>

#include "app/figure/figure.h"
#include "app/model/run/run.h"
#include "engine/core/result.h"

namespace headway::figure {

struct AnimationOptions {
    double seconds = 8;  // length; the run takes five sixths of it, then the end is held
    double fps = 0;      // frames per second; 0: 12 for a GIF, else 25
};
inline constexpr double kLeastSeconds = 0.1, kMostSeconds = 600, kLeastFps = 1, kMostFps = 60;

// Whether the path is FILE.gif, FILE.mp4 or FOLDER/frame-%04d.png.
bool is_animation_path(const std::string& path);
// Checks that the animation can be made: one number in the name, and ffmpeg installed if it is needed.
core::Result<void> check_animation_path(const std::string& path);

// The file of the first frame of FOLDER/frame-%04d.png; other paths as they are.
std::string first_frame(const std::string& path);

// Writes the whole animation, or leaves no file behind. `go_on` is called with the share that is done; returning false
// cancels (an error of kind failed). The same runs and options give the same PNGs.
core::Result<void> write_animation(const std::string& path, const model::Run& a, const model::Run* b,
                                   const FigureOptions& options, const AnimationOptions& animation,
                                   const std::function<bool(double)>& go_on = {});

}  // namespace headway::figure
