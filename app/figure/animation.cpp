#include "app/figure/animation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "app/process/tool.h"
#include "app/render/fonts.h"
#include "app/render/writers.h"
#include "engine/core/system/unique_fd.h"

namespace headway::figure {
namespace {

using core::Error;
using core::ErrorKind;
using core::Result;

std::string extension_of(const std::string& path) {
    const auto dot = path.find_last_of("./");
    if (dot == std::string::npos || path[dot] == '/' || dot == 0 || path[dot - 1] == '/') {
        return {};
    }
    std::string extension = path.substr(dot + 1);
    for (char& c : extension) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return extension;
}

// A file name pattern with one "%d" or "%04d".
struct Series {
    std::string before, after;
    int digits = 0;
    [[nodiscard]] std::string name(std::size_t number) const {
        std::string text = std::to_string(number);
        if (text.size() < static_cast<std::size_t>(digits)) {
            text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
        }
        return before + text + after;
    }
};
std::optional<Series> series_of(const std::string& path) {
    const auto percent = path.rfind('%');
    if (percent == std::string::npos || path.find('/', percent) != std::string::npos || path.find('%') != percent) {
        return std::nullopt;
    }
    std::size_t at = percent + 1;
    int digits = 0;
    while (at < path.size() && path[at] >= '0' && path[at] <= '9' && digits < 10) {
        digits = digits * 10 + (path[at++] - '0');
    }
    if (at >= path.size() || path[at] != 'd' || digits > 9) {
        return std::nullopt;
    }
    return Series{path.substr(0, percent), path.substr(at + 1), digits};
}

std::string folder_of(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

Error cancelled() {
    return {ErrorKind::failed, "Cancelled; nothing was written."};
}

// The share of the run that has passed in frame `i` of `count`. The last sixth of the frames all show the end.
double share_at(std::size_t i, std::size_t count) {
    const double moving = std::max(1.0, std::floor(static_cast<double>(count) * 5 / 6) - 1);
    return std::min(1.0, static_cast<double>(i) / moving);
}

Result<void> write_series(const Series& series, std::size_t count, Replay& replay, float scale, const FontSet& fonts,
                          const std::function<bool(double)>& go_on) {
    const auto slash = series.before.find_last_of('/');
    const std::string folder = slash == std::string::npos ? std::string() : series.before.substr(0, slash);
    const bool made = !folder.empty() && mkdir(folder.c_str(), 0777) == 0;
    std::vector<std::string> written;
    const auto give_up = [&](const Error& error) {
        for (const std::string& name : written) {
            unlink(name.c_str());
        }
        if (made) {
            rmdir(folder.c_str());
        }
        return error;
    };
    Result<std::string> last = std::string();
    for (std::size_t i = 0; i < count; ++i) {
        if (go_on && !go_on(static_cast<double>(i) / static_cast<double>(count))) {
            return give_up(cancelled());
        }
        const bool unchanged = i > 0 && share_at(i - 1, count) >= 1;  // same as the previous frame
        if (!unchanged) {
            last = png_bytes(replay.at(share_at(i, count)), scale, fonts);
        }
        if (!last) {
            return give_up(last.error());
        }
        const std::string name = series.name(i + 1);
        if (auto done = core::write_whole(name, *last); !done) {
            return give_up(done.error());
        }
        written.push_back(name);
    }
    return {};
}

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::vector<std::string> encoder_words(const Pixels& first, double fps, bool gif, const std::string& to) {
    std::vector<std::string> words{"-v",
                                   "error",
                                   "-y",
                                   "-f",
                                   "rawvideo",
                                   "-pix_fmt",
                                   "bgr0",
                                   "-s",
                                   std::to_string(first.width) + "x" + std::to_string(first.height),
                                   "-r",
                                   number_text(fps),
                                   "-i",
                                   "pipe:0"};
    const auto add = [&words](std::initializer_list<const char*> more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    if (gif) {
        // A palette per frame: a common one would make ffmpeg keep all frames in memory until the last.
        add({"-filter_complex",
             "[0:v]split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none:new=1", "-f", "gif"});
    } else {
        add({"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-preset", "medium", "-crf", "18",
             "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"});
    }
    add({"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"});
    words.push_back(to);
    return words;
}

Result<void> encode(const std::string& path, double fps, std::size_t count, Replay& replay, float scale,
                    const FontSet& fonts, const std::function<bool(double)>& go_on) {
    // Create the temporary file first, so that a path that cannot be written fails before frames are drawn.
    const auto slash = path.find_last_of('/');
    std::string temporary = (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + ".headway-XXXXXX";
    struct stat existing {};
    if (stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode)) {
        return core::cannot_write(path, EISDIR);
    }
    core::UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file) {
        return core::cannot_write(path, errno);
    }
    if (fchmod(file.get(), core::permissions_of_new_files()) != 0) {
        // Not an error: the file stays readable by its owner only.
    }
    file.reset();
    const auto give_up = [&](const Error& error) {
        unlink(temporary.c_str());
        return error;
    };
    auto pixels = pixels_of(replay.at(0), scale, fonts);
    if (!pixels) {
        return give_up(pixels.error());
    }
    auto encoder = process::Tool::start("ffmpeg", encoder_words(*pixels, fps, extension_of(path) == "gif", temporary));
    if (!encoder) {
        return give_up(encoder.error());
    }
    bool taken = true;
    for (std::size_t i = 0; i < count && taken; ++i) {
        if (go_on && !go_on(static_cast<double>(i) / static_cast<double>(count))) {
            return give_up(cancelled());
        }
        if (i > 0 && share_at(i - 1, count) < 1) {
            pixels = pixels_of(replay.at(share_at(i, count)), scale, fonts);
            if (!pixels) {
                return give_up(pixels.error());
            }
        }
        taken = encoder->write({reinterpret_cast<const char*>(pixels->bgrx.data()), pixels->bgrx.size()});
    }
    if (auto done = encoder->finish(); !done) {
        return give_up(done.error());
    }
    if (!taken) {
        return give_up({ErrorKind::failed, "ffmpeg ended before it had all frames."});
    }
    if (rename(temporary.c_str(), path.c_str()) != 0) {
        return give_up(core::cannot_write(path, errno));
    }
    return {};
}

}  // namespace

bool is_animation_path(const std::string& path) {
    const std::string extension = extension_of(path);
    return extension == "gif" || extension == "mp4" ||
           (extension == "png" && path.find('%', path.find_last_of('/') + 1) != std::string::npos);
}

Result<void> check_animation_path(const std::string& path) {
    if (extension_of(path) == "png") {
        const auto series = series_of(path);
        if (!series) {
            return Error{
                ErrorKind::usage,
                "A series of pictures is named like frame-%04d.png, with one number in the file's name, not '" + path +
                    "'."};
        }
        // The frames' folder if it exists, else the folder that it will be created in.
        const std::string folder = folder_of(series->before);
        const bool there = access(folder.c_str(), F_OK) == 0;
        if (access((there ? folder : folder_of(folder)).c_str(), W_OK | X_OK) != 0) {
            return core::cannot_write(path, errno);
        }
        return {};
    }
    if (!is_animation_path(path)) {
        return Error{ErrorKind::usage,
                     "An animation's file ends in .gif or .mp4, or is named frame-%04d.png, not '" + path + "'."};
    }
    if (!process::find_tool("ffmpeg")) {
        return Error{ErrorKind::unavailable,
                     "A GIF or MP4 needs the program ffmpeg, which is not installed. Without it, the frames can be "
                     "written as pictures: choose Frames, or name the file frame-%04d.png."};
    }
    return {};
}

std::string first_frame(const std::string& path) {
    const auto series = series_of(path);
    return series ? series->name(1) : path;
}

Result<void> write_animation(const std::string& path, const model::Run& a, const model::Run* b,
                             const FigureOptions& options, const AnimationOptions& animation,
                             const std::function<bool(double)>& go_on) {
    if (auto possible = check_animation_path(path); !possible) {
        return possible;
    }
    const bool gif = extension_of(path) == "gif";
    const double fps = std::clamp(animation.fps > 0 ? animation.fps : gif ? 12.0 : 25.0, kLeastFps, kMostFps);
    const double seconds = std::clamp(animation.seconds, kLeastSeconds, kMostSeconds);
    const auto count = static_cast<std::size_t>(std::max(2.0, std::round(seconds * fps)));
    const FontSet fonts;
    Replay replay(a, b, options, fonts);
    if (const auto series = series_of(path)) {
        return write_series(*series, count, replay, options.scale, fonts, go_on);
    }
    return encode(path, fps, count, replay, options.scale, fonts, go_on);
}

}  // namespace headway::figure
