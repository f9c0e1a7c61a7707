#include "app/exchange/files/json_text.h"

#include <charconv>

namespace headway::exchange {

namespace {

template <class Number>
void append(std::string& to, Number number) {
    char text[40];
    to.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

}  // namespace

void JsonText::put(std::int64_t number) {
    append(buffer_, number);
}

void JsonText::put(std::uint64_t number) {
    append(buffer_, number);
}

void JsonText::put_double(double number) {
    append(buffer_, number);
}

void JsonText::put_us(std::int64_t ns) {
    if (ns < 0) {
        buffer_ += '-';
        ns = -ns;
    }
    put(ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    const char digits[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                            static_cast<char>('0' + rest % 10)};
    buffer_.append(digits, 4);
}

bool JsonText::flush() {
    good_ = good_ && sink_(buffer_);
    buffer_.clear();
    return good_;
}

}  // namespace headway::exchange
