// How a call fails.
#pragma once

#include <string>

#include "engine/runtime/runtime.h"

namespace headway::runtime {

// The message of the ProgramError that call() throws; "" if it throws none.
template <class Call>
std::string failure_of(Call call) {
    try {
        call();
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

// Whether this part is in the text.
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace headway::runtime
