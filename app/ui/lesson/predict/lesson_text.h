// The text of the lesson column's panels, in pixels at scale 1.
#pragma once

namespace headway::ui {

inline constexpr float kLessonText = 14, kLessonLine = 20;  // size, height of a line
inline constexpr float kLessonIndent = 26;                  // of what belongs to the line above

}  // namespace headway::ui
