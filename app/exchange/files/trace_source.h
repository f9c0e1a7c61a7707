// The bytes of a trace file, packed or not, one piece after another, so that a file of any size needs little memory.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::exchange {

class TraceSource {
public:
    virtual ~TraceSource() = default;

    // Up to `bytes` bytes into `to`; 0 at the end. Fails when the file cannot be read, in one sentence. A gzip stream
    // that is cut off just ends; cut_off() then says so.
    virtual core::Result<std::size_t> read(char* to, std::size_t bytes) = 0;
    [[nodiscard]] virtual bool cut_off() const { return false; }
    // From 0 to 1, of the file's own bytes.
    [[nodiscard]] virtual double share_read() const = 0;
};

// Opens a file; gzip is known by its first bytes, whatever the name.
core::Result<std::unique_ptr<TraceSource>> open_trace_file(const std::string& path);

// Over bytes in memory, which must stay.
std::unique_ptr<TraceSource> trace_in_memory(std::string_view bytes);

}  // namespace headway::exchange
