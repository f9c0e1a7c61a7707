// Lesson files: any input gives a lesson or a one-sentence error with a line of the file.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/lesson/lesson.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto lesson = headway::lesson::parse_lesson(text, "lesson.md");
    if (!lesson) {
        const auto& error = lesson.error();
        if (error.message.empty() || error.file != "lesson.md" || error.line == 0) {
            std::abort();
        }
        return 0;
    }
    for (const auto& parameter : lesson->parameters) {
        if (!headway::lesson::accept_value(parameter, parameter.value)) {
            std::abort();  // a parameter rejects its own default value
        }
    }
    return 0;
}
