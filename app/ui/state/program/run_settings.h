// The settings of the next run, as the panels change them.
//
// Threads: the UI's. No ImGui.
#pragma once

#include <string>
#include <string_view>

#include "app/lesson/lesson.h"
#include "app/session/session.h"

namespace headway::ui {

class RunSettings {
public:
    explicit RunSettings(session::Session& session) : session_(session) {}

    [[nodiscard]] std::string parameter(std::string_view name) const;
    // Returns the reason why the value is not accepted, or "".
    std::string set_parameter(const lesson::Parameter& parameter, std::string_view text);
    [[nodiscard]] bool at_default(const lesson::Parameter& parameter) const;
    void reset_parameters(const lesson::Lesson* lesson);  // to the lesson's; null: no parameters
    void set_barrier(trace::BarrierPolicy policy);
    // Ignored if the device is not available. While the devices are still being looked for: applied once it is known to
    // be.
    void set_device(std::string_view kind);
    // Returns the reason why the text is not accepted, or "".
    std::string set_budget(const std::string& text);
    // "1, 0.25": a speed for each GPU; empty or "default": all 1. Returns the reason why the text is not accepted, or "".
    std::string set_gpu_speeds(std::string_view text);
    void poll();  // once a frame

private:
    session::Session& session_;
    std::string wanted_device_;  // requested before the devices were known; empty: none
};

}  // namespace headway::ui
