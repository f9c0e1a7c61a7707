// The front matter of a lesson's file: YAML with a key for each member of Lesson that lesson.h shows.
#pragma once

#include <string>

#include "app/lesson/lesson.h"
#include "engine/core/result.h"

namespace headway::lesson {

// `yaml` begins on the second line of the file. Errors have `file`, and the line in it.
core::Result<Lesson> parse_front_matter(const std::string& yaml, const std::string& file);

// True for the name of a Python file in the same folder.
[[nodiscard]] bool is_python_file(const std::string& name);

}  // namespace headway::lesson
