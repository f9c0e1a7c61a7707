#include "app/runner/programs/program.h"

#include <charconv>
#include <cstdarg>
#include <cstdio>

#include "app/model/numbers/format.h"

namespace headway::runner {

double ProgramContext::number(const std::string& name) const {
    const std::string& text = word(name);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    HEADWAY_ASSERT(problem == std::errc() && end == text.data() + text.size(), "the parameter is a number");
    return value;
}

std::int64_t ProgramContext::whole(const std::string& name) const {
    return static_cast<std::int64_t>(number(name));
}

const std::string& ProgramContext::word(const std::string& name) const {
    const auto found = parameters_.find(name);
    HEADWAY_ASSERT(found != parameters_.end(), "a program asks for a parameter that it does not list");
    return found->second;
}

void ProgramContext::printf(const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    print(line);
}

std::string time_text(std::int64_t ns) {
    return model::duration_text(static_cast<double>(ns));
}

std::vector<std::unique_ptr<Program>> built_in_programs() {
    std::vector<std::unique_ptr<Program>> programs;
    programs.push_back(make_increment());
    programs.push_back(make_matmul());
    programs.push_back(make_train());
    return programs;
}

}  // namespace headway::runner
