// Sizes that the panels of the lesson column share, in pixels at scale 1.
#pragma once

namespace headway::ui {

inline constexpr float kLessonText = 14, kLessonLine = 20;  // size of text, height of its lines
inline constexpr float kLessonIndent = 26;                  // of what belongs to the line above
inline constexpr float kClick = 3;                          // the pointer may move this far in a click

}  // namespace headway::ui
