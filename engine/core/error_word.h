// Stable names of error kinds, used in files: recordings, reports, traces. Never change a name once files contain it.
#pragma once

#include <optional>
#include <string_view>

#include "engine/core/result.h"

namespace headway::core {

constexpr const char* word_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return "usage";
        case ErrorKind::unreadable:
            return "unreadable";
        case ErrorKind::unavailable:
            return "unavailable";
        case ErrorKind::shape:
            return "shape";
        case ErrorKind::out_of_memory:
            return "out_of_memory";
        case ErrorKind::stopped:
            return "stopped";
        case ErrorKind::failed:
            break;
    }
    return "failed";
}

constexpr std::optional<ErrorKind> error_kind_called(std::string_view word) {
    for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::unreadable, ErrorKind::unavailable, ErrorKind::shape,
                                 ErrorKind::out_of_memory, ErrorKind::failed, ErrorKind::stopped}) {
        if (word == word_of(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

}  // namespace headway::core
