// A sink that compresses its input and passes it to another sink.
//
// Threads: one.
#pragma once

#include <memory>

#include "app/exchange/files/sink.h"

namespace headway::exchange {

class GzipSink {
public:
    explicit GzipSink(Sink to);
    ~GzipSink();
    GzipSink(const GzipSink&) = delete;
    GzipSink& operator=(const GzipSink&) = delete;

    // False if the sink failed, or there is no memory to compress.
    [[nodiscard]] bool write(std::string_view bytes);
    [[nodiscard]] bool finish();  // writes the rest; call nothing afterwards

private:
    struct State;
    bool deflate_all(std::string_view bytes, bool last);
    std::unique_ptr<State> state_;
    Sink to_;
};

}  // namespace headway::exchange
