#include "app/ui/lesson/named_controls.h"

#include <algorithm>

#include "engine/trace/barrier_names.h"

namespace headway::ui {

std::vector<std::string> controls_named(const lesson::Lesson& lesson, std::string_view name) {
    for (const lesson::Parameter& parameter : lesson.parameters) {
        const std::string id = "parameter/" + parameter.name;
        if (name == parameter.label || name == parameter.name) {
            return {id, parameter.choices.empty() ? id : id + "/" + parameter.choices.front()};
        }
        if (std::find(parameter.choices.begin(), parameter.choices.end(), name) != parameter.choices.end()) {
            return {id + "/" + std::string(name)};
        }
    }
    if (name == "Engine") {
        return {"engine"};
    }
    if (name == "CPU" || name == "GPU" || name == "SIMULATED") {
        return {"device"};
    }
    for (const trace::BarrierPolicy policy : trace::kOfferedBarriers) {
        if (name == trace::name_of(policy, &trace::BarrierNames::button)) {
            return {"barrier/" + std::string(name), "barrier"};  // in a narrow window they are a menu
        }
    }
    return {};
}

}  // namespace headway::ui
