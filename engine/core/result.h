// A value, or the error that explains why there is none. Shaped like std::expected so that std::expected can replace
// it.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "engine/core/assert.h"
#include "engine/core/ids.h"

namespace headway::core {

enum class ErrorKind {
    usage,        // invalid command line: exit status 2
    unreadable,   // a file that cannot be read or written: exit status 2
    unavailable,  // the device is not available: exit status 3
    shape,        // an op that does not fit its tensors: exit status 1
    out_of_memory,
    failed,   // an op or program failed
    stopped,  // stopped by the user
};

struct Error {
    ErrorKind kind = ErrorKind::failed;
    std::string message{};  // one sentence: what and where
    std::string file{};     // source position, empty when there is none
    std::uint32_t line = 0;
    OpId op = 0;  // the op that failed, 0 when none did
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    [[nodiscard]] T& value() & {
        HEADWAY_ASSERT(has_value(), "value() of a failed Result");
        return std::get<0>(state_);
    }
    [[nodiscard]] const T& value() const& {
        HEADWAY_ASSERT(has_value(), "value() of a failed Result");
        return std::get<0>(state_);
    }
    [[nodiscard]] T&& value() && {
        HEADWAY_ASSERT(has_value(), "value() of a failed Result");
        return std::get<0>(std::move(state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const {
        HEADWAY_ASSERT(!has_value(), "error() of a Result that has a value");
        return std::get<1>(state_);
    }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), failed_(true) {}

    [[nodiscard]] bool has_value() const { return !failed_; }
    explicit operator bool() const { return !failed_; }
    [[nodiscard]] const Error& error() const {
        HEADWAY_ASSERT(failed_, "error() of a Result that has a value");
        return error_;
    }

private:
    Error error_;
    bool failed_ = false;
};

}  // namespace headway::core
