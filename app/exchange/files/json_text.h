// Formats JSON text and writes it to a sink through a buffer. Does not check that the text is valid JSON. Private to
// app/exchange.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/exchange/files/sink.h"

namespace headway::exchange {

class JsonText {
public:
    explicit JsonText(const Sink& sink) : sink_(sink) { buffer_.reserve(kFlushBytes + 4096); }

    void put(std::string_view text) { buffer_ += text; }
    void put(std::int64_t number);
    void put(std::uint64_t number);
    void put(std::uint32_t number) { put(static_cast<std::int64_t>(number)); }
    void put(int number) { put(static_cast<std::int64_t>(number)); }
    void put_double(double number);
    // Nanoseconds as microseconds with three decimals.
    void put_us(std::int64_t ns);
    template <class... Parts>
    void put_all(Parts... parts) {
        (put(parts), ...);
    }
    // [call(0),call(1),…]
    template <class Call>
    void list(std::size_t count, Call call) {
        put("[");
        for (std::size_t i = 0; i < count; ++i) {
            put(i == 0 ? "" : ",");
            call(i);
        }
        put("]");
    }

    // False, permanently, after the sink has failed.
    [[nodiscard]] bool good() const { return good_; }
    bool flush();
    bool flush_when_full() { return buffer_.size() >= kFlushBytes ? flush() : good_; }

private:
    static constexpr std::size_t kFlushBytes = 1 << 18;

    const Sink& sink_;
    std::string buffer_;
    bool good_ = true;
};

}  // namespace headway::exchange
