// Include epoxy first: it replaces the GL headers that other headers include.
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <array>
#include <cstring>

#include "app/platform/key_map.h"
#include "app/platform/platform.h"

namespace headway::platform {
namespace {

bool offers(const char* extensions, const char* name) {
    return extensions != nullptr && std::strstr(extensions, name) != nullptr;
}

class Offscreen final : public Platform {
public:
    Offscreen(Size size, float content_scale) : size_(size), content_scale_(content_scale) {}
    ~Offscreen() override {
        if (context_ != EGL_NO_CONTEXT) {
            glDeleteTextures(1, &colour_);
            glDeleteFramebuffers(1, &framebuffer_);
            eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglDestroyContext(display_, context_);
        }
        if (surface_ != EGL_NO_SURFACE) {
            eglDestroySurface(display_, surface_);
        }
        if (display_ != EGL_NO_DISPLAY) {
            eglTerminate(display_);
        }
    }

    core::Result<void> open() {
        if (!open_display()) {
            return error("EGL offers no display to draw without a window");
        }
        if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) {
            return error("EGL offers no desktop OpenGL");
        }
        const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                           EGL_NONE};
        EGLConfig config{};
        EGLint found = 0;
        eglChooseConfig(display_, wanted.data(), &config, 1, &found);
        const std::array<EGLint, 7> attributes{
            EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        context_ = eglCreateContext(display_, found > 0 ? config : EGLConfig{}, EGL_NO_CONTEXT, attributes.data());
        if (context_ == EGL_NO_CONTEXT) {
            return error("EGL offers no OpenGL 3.3");
        }
        if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) != EGL_TRUE) {
            // Without EGL_KHR_surfaceless_context a surface must be current: use the smallest possible one.
            const std::array<EGLint, 5> tiny{EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
            surface_ = eglCreatePbufferSurface(display_, config, tiny.data());
            if (eglMakeCurrent(display_, surface_, surface_, context_) != EGL_TRUE) {
                return error("the offscreen OpenGL context cannot be made current");
            }
        }
        GLint limit = 0;
        glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
        if (size_.width < 1 || size_.height < 1 || size_.width > limit || size_.height > limit) {
            return error("the size of an offscreen picture must be 1 to " + std::to_string(limit) + " pixels per side");
        }
        glGenFramebuffers(1, &framebuffer_);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        glGenTextures(1, &colour_);  // a texture, as renderbuffers do not have the byte order of windows
        glBindTexture(GL_TEXTURE_2D, colour_);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size_.width, size_.height, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_, 0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            return error("the offscreen buffer cannot be drawn to");
        }
        return {};
    }

    void begin_frame(Pace, double) override {
        map_keys();
        ImGuiIO& io = ImGui::GetIO();
        io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
        io.DisplayFramebufferScale = ImVec2(1, 1);
        io.DeltaTime = 1.0f / 60.0f;
    }
    void end_frame() override { glFinish(); }
    [[nodiscard]] bool should_close() const override { return false; }
    [[nodiscard]] Size size() const override { return size_; }
    [[nodiscard]] float content_scale() const override { return content_scale_; }
    [[nodiscard]] unsigned framebuffer() const override { return framebuffer_; }
    [[nodiscard]] std::string description() const override {
        return "egl " + how_ + ", " + reinterpret_cast<const char*>(glGetString(GL_VERSION)) + ", " +
               reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    }
    void set_title(const std::string&) override {}
    void wake() override {}

private:
    static core::Error error(std::string message) { return {core::ErrorKind::unavailable, std::move(message)}; }
    bool initialise(EGLDisplay display, const char* how) {
        EGLint major = 0, minor = 0;
        if (display == EGL_NO_DISPLAY || eglInitialize(display, &major, &minor) != EGL_TRUE) {
            return false;
        }
        display_ = display;
        how_ = how;
        return true;
    }
    bool open_display() {
        const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
        if (offers(extensions, "EGL_EXT_platform_base")) {
            if (offers(extensions, "EGL_MESA_platform_surfaceless") &&
                initialise(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr), "surfaceless")) {
                return true;
            }
            if (offers(extensions, "EGL_EXT_device_enumeration") && offers(extensions, "EGL_EXT_platform_device")) {
                std::array<EGLDeviceEXT, 8> devices{};
                EGLint count = 0;
                eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count);
                for (EGLint i = 0; i < count; ++i) {
                    if (initialise(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT,
                                                            devices[static_cast<std::size_t>(i)], nullptr),
                                   "device")) {
                        return true;
                    }
                }
            }
        }
        return initialise(eglGetDisplay(EGL_DEFAULT_DISPLAY), "default display");
    }

    Size size_;
    float content_scale_;
    std::string how_;
    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
    EGLSurface surface_ = EGL_NO_SURFACE;
    GLuint framebuffer_ = 0, colour_ = 0;
};

}  // namespace

core::Result<std::unique_ptr<Platform>> open_offscreen(Size size, float content_scale) {
    auto offscreen = std::make_unique<Offscreen>(size, content_scale);
    if (auto opened = offscreen->open(); !opened) {
        return opened.error();
    }
    return std::unique_ptr<Platform>(std::move(offscreen));
}

}  // namespace headway::platform
