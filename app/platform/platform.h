// Where frames go: a window on a display, or an offscreen buffer for pictures and tests. One program chooses at run
// time.
//
// Both give an OpenGL 3.3 core context that is current on the calling thread, and both feed Dear ImGui, whose context
// must exist at the first frame. All sizes are in pixels of the framebuffer.
//
// Threads: the one that made it, except wake().
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

    // How long the next frame may wait for something to happen.
    enum class Pace {
        animate,  // the picture moves by itself: at most 60 frames a second
        follow,   // so it does, as a run goes on that needs the processor: some 30 a second, more while hands act
        watch,    // something outside may change: look about 20 times a second
        idle,     // nothing changes before the user does something
    };

    // Takes in events and tells ImGui about them. Under `idle` it blocks until there is one (and for some frames after
    // it returns at once, so that what the event set off can settle).
    virtual void begin_frame(Pace pace) = 0;
    virtual void end_frame() = 0;  // shows what was drawn into framebuffer()

    [[nodiscard]] virtual bool should_close() const = 0;
    // The learner wants to stay after all.
    virtual void stay_open() {}
    // Paths of files that were dropped on the window since the last call.
    virtual std::vector<std::string> take_dropped() { return {}; }
    [[nodiscard]] virtual Size size() const = 0;
    [[nodiscard]] virtual float content_scale() const = 0;      // 2 on a 192 dpi screen
    [[nodiscard]] virtual unsigned framebuffer() const = 0;     // GL name, 0 for the window
    [[nodiscard]] virtual std::string description() const = 0;  // "glfw, 4.5 (Core Profile) Mesa 22.3.6, llvmpipe"
    // What is printed on the key that has this sign ('W', '[') on an American keyboard.
    [[nodiscard]] virtual std::string key_label(char sign) const { return {sign}; }
    virtual void set_title(const std::string& title) = 0;
    // Any thread: the next idle frame begins now.
    virtual void wake() = 0;
};

struct WindowOptions {
    std::string title = "Headway";
    Size size{1600, 900};  // at scale 1; never larger than the screen
};

// Fails in one sentence where there is no display or its OpenGL is older than 3.3.
core::Result<std::unique_ptr<Platform>> open_window(const WindowOptions& options);

// Needs no display: EGL without a surface, else on the first device that works. Every frame lasts 1/60 s.
core::Result<std::unique_ptr<Platform>> open_offscreen(Size size, float content_scale = 1.0f);

}  // namespace headway::platform
