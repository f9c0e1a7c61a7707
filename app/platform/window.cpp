// Include epoxy first: it replaces the GL headers that other headers include.
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/key_layout.h"
#include "app/platform/key_queue.h"
#include "app/platform/platform.h"
#include "app/platform/settle_frames.h"

namespace headway::platform {
namespace {

std::string name_of_key(int key) {
    const char* name = glfwGetKeyName(key, 0);
    return name != nullptr ? name : "";
}

constexpr double kFrameSeconds = 1.0 / 60.0;

class Window final : public Platform {
    [[nodiscard]] auto deliver_key() const {
        return [window = window_](const KeyQueue::Event& e) {
            if (e.character != 0) {
                ImGui_ImplGlfw_CharCallback(window, e.character);
            } else {
                ImGui_ImplGlfw_KeyCallback(window, e.key, e.scancode, e.action, e.mods);
            }
        };
    }

public:
    Window() = default;
    ~Window() override {
        if (backend_) {
            ImGui_ImplGlfw_Shutdown();
        }
        if (window_ != nullptr) {
            glfwDestroyWindow(window_);
        }
        glfwTerminate();
    }

    core::Result<void> open(const WindowOptions& options) {
        if (glfwInit() != GLFW_TRUE) {
            return failure("there is no display to open a window on");
        }
        // No depth test is used, and software OpenGL is faster without a depth buffer.
        glfwWindowHint(GLFW_DEPTH_BITS, 0);
        glfwWindowHint(GLFW_STENCIL_BITS, 0);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
        const Size size = fitting_size(options.size);
        window_ = glfwCreateWindow(size.width, size.height, options.title.c_str(), nullptr, nullptr);
        if (window_ == nullptr) {
            return failure("the display offers no OpenGL 3.3, which the window needs");
        }
        glfwMakeContextCurrent(window_);
        const int version = epoxy_gl_version();
        if (version < 33) {
            return core::Error{core::ErrorKind::unavailable,
                               "the display offers OpenGL " + std::to_string(version / 10) + "." +
                                   std::to_string(version % 10) + ", and the window needs 3.3"};
        }
        glfwSetWindowSizeLimits(window_, 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
        glfwSwapInterval(1);
        glfwSetWindowUserPointer(window_, this);
        glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
            auto& dropped = static_cast<Window*>(glfwGetWindowUserPointer(window))->dropped_;
            dropped.insert(dropped.end(), paths, paths + count);
        });
        return {};
    }

    void begin_frame(Pace pace, double follow_s) override {
        if (!backend_) {
            start_backend();
        }
        keys_.begin_frame(ImGui::GetIO().WantTextInput, deliver_key());
        const bool settling = settle_.next_frame();
        if (pace == Pace::animate || pace == Pace::follow || settling || !keys_.empty()) {
            glfwPollEvents();
            wait_for_next_frame();
            if (const double left = last_frame_ + follow_s - glfwGetTime();
                pace == Pace::follow && keys_.empty() && left > 0) {
                glfwWaitEventsTimeout(left);  // returns early at an event
            }
        } else {
            // Returns early at the first event, to keep latency low.
            if (pace == Pace::watch) {
                glfwWaitEventsTimeout(0.05);
            } else if (ImGui::GetIO().WantTextInput) {
                glfwWaitEventsTimeout(0.4);  // for the blinking text cursor
                settle_.at_least(1);
            } else {
                glfwWaitEvents();
                settle_.event();  // also after wake()
            }
        }
        last_frame_ = glfwGetTime();
        ImGui_ImplGlfw_NewFrame();
    }
    void end_frame() override { glfwSwapBuffers(window_); }

    [[nodiscard]] bool should_close() const override { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
    void stay_open() override { glfwSetWindowShouldClose(window_, GLFW_FALSE); }
    std::vector<std::string> take_dropped() override { return std::exchange(dropped_, {}); }
    [[nodiscard]] Size size() const override {
        Size s;
        glfwGetFramebufferSize(window_, &s.width, &s.height);
        return s;
    }
    [[nodiscard]] float content_scale() const override {
        float x = 1, y = 1;
        glfwGetWindowContentScale(window_, &x, &y);
        return std::clamp(std::max(x, y), 0.5f, 4.0f);
    }
    [[nodiscard]] unsigned framebuffer() const override { return 0; }
    [[nodiscard]] std::string description() const override {
        return std::string("glfw, ") + reinterpret_cast<const char*>(glGetString(GL_VERSION)) + ", " +
               reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    }
    [[nodiscard]] std::string key_label(char sign) const override { return label_of(sign, name_of_key); }
    void set_title(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
    void wake() override { glfwPostEmptyEvent(); }

private:
    static void event_of(GLFWwindow* window) {
        static_cast<Window*>(glfwGetWindowUserPointer(window))->settle_.event();
    }
    // ImGui's backend calls these, too.
    void watch_events() {
        glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { event_of(w); });
        glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { event_of(w); });
        glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { event_of(w); });
        glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { event_of(w); });
        glfwSetKeyCallback(window_, [](GLFWwindow* w, int, int, int, int) { event_of(w); });
        glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { event_of(w); });
        glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { event_of(w); });
        glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { event_of(w); });
        glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { event_of(w); });
    }
    void start_backend() {
        watch_events();
        backend_ = ImGui_ImplGlfw_InitForOpenGL(window_, true);
#if IMGUI_VERSION_NUM < 18700
        // Installed after the ImGui backend's callbacks, to replace them and forward to them.
        glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int mods) {
            // Later versions of ImGui do the same.
            auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
            self.settle_.event();
            self.keys_.event({acting_key(key, name_of_key), scancode, action, mods}, ImGui::GetIO().WantTextInput,
                             self.deliver_key());
        });
        glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned character) {
            auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
            self.settle_.event();
            self.keys_.event({.character = character}, ImGui::GetIO().WantTextInput, self.deliver_key());
        });
#endif
    }
    static core::Error failure(const std::string& what) {
        const char* reason = nullptr;
        glfwGetError(&reason);
        std::string message = what;
        if (reason != nullptr) {
            message += std::string(" (") + reason + ")";
        }
        return {core::ErrorKind::unavailable, message};
    }
    static Size fitting_size(Size wanted) {
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        if (monitor == nullptr) {
            return wanted;
        }
        float sx = 1, sy = 1;
        int x = 0, y = 0, w = 0, h = 0;
        glfwGetMonitorContentScale(monitor, &sx, &sy);
        glfwGetMonitorWorkarea(monitor, &x, &y, &w, &h);
        const auto scaled = [](int length, float scale) {
            return static_cast<int>(static_cast<float>(length) * scale);
        };
        return {w > 0 ? std::min(w, scaled(wanted.width, sx)) : wanted.width,
                h > 0 ? std::min(h, scaled(wanted.height, sy)) : wanted.height};
    }
    // Limits the frame rate where vertical sync does not (Xvfb, for example).
    void wait_for_next_frame() const {
        const double left = last_frame_ + kFrameSeconds - glfwGetTime();
        if (left > 0.0005) {
            std::this_thread::sleep_for(std::chrono::duration<double>(left - 0.0003));
        }
    }

    GLFWwindow* window_ = nullptr;
    bool backend_ = false;
    KeyQueue keys_;
    std::vector<std::string> dropped_;
    SettleFrames settle_;
    double last_frame_ = 0;
};

}  // namespace

core::Result<std::unique_ptr<Platform>> open_window(const WindowOptions& options) {
    auto window = std::make_unique<Window>();
    if (auto opened = window->open(options); !opened) {
        return opened.error();
    }
    return std::unique_ptr<Platform>(std::move(window));
}

}  // namespace headway::platform
