// The controls that a lesson's text names: "set *Products* to 3", "with *once*", "the barrier on *None*".
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/lesson.h"

namespace headway::ui {

// The ids of the controls that an emphasised name refers to (widget_rect.h), the best first: which of them is shown
// depends on the window. Empty if it is not a control's name.
std::vector<std::string> controls_named(const lesson::Lesson& lesson, std::string_view name);

}  // namespace headway::ui
