// The target of frames: a window on a display, or an offscreen buffer for pictures and tests. Chosen at run time.
//
// Both provide an OpenGL 3.3 core context that is current on the calling thread, and both send events to Dear
// ImGui, whose context must exist at the first frame. All sizes are in framebuffer pixels.
//
// Threads: the one that created it, except wake().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headway::platform {

struct Size {
    int width = 0, height = 0;
    friend bool operator==(Size, Size) = default;
};

class Platform {
public:
    virtual ~Platform() = default;

    // How long begin_frame() may wait for events.
    enum class Pace {
        animate,  // an animation: at most 60 frames per second
        follow,   // a running program that needs the processor: one frame per `follow_s`, more during input
        watch,    // something outside may change: check about 20 times per second
        idle,     // nothing changes without user input
    };

    // Processes events and forwards them to ImGui. With `idle` it blocks until there is one. After an event it does
    // not block for a few frames, so that its effects are drawn completely.
    virtual void begin_frame(Pace pace, double follow_s) = 0;
    virtual void end_frame() = 0;  // presents framebuffer()

    [[nodiscard]] virtual bool should_close() const = 0;
    // Cancels a request to close the window.
    virtual void stay_open() {}
    // Paths of files dropped on the window since the last call.
    virtual std::vector<std::string> take_dropped() { return {}; }
    [[nodiscard]] virtual Size size() const = 0;
    [[nodiscard]] virtual float content_scale() const = 0;      // 2 on a 192 dpi screen
    [[nodiscard]] virtual unsigned framebuffer() const = 0;     // GL name; 0 for the window
    [[nodiscard]] virtual std::string description() const = 0;  // "glfw, 4.5 (Core Profile) Mesa 22.3.6, llvmpipe"
    // The label of the key that has this sign ('W', '[') on an American keyboard.
    [[nodiscard]] virtual std::string key_label(char sign) const { return {sign}; }
    virtual void set_title(const std::string& title) = 0;
    // Any thread: starts the next frame if begin_frame() is waiting.
    virtual void wake() = 0;
};

struct WindowOptions {
    std::string title = "Headway";
    Size size{1600, 900};  // at scale 1; limited to the screen's size
};

// Fails with one sentence if there is no display or its OpenGL is older than 3.3.
core::Result<std::unique_ptr<Platform>> open_window(const WindowOptions& options);

// Needs no display: EGL without a surface, or on the first device that works. Every frame lasts 1/60 s.
core::Result<std::unique_ptr<Platform>> open_offscreen(Size size, float content_scale = 1.0f);

}  // namespace headway::platform
