// Reads the bytes of a trace file in pieces, decompressed if necessary, so that large files need little memory.
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

    // Reads up to `bytes` bytes into `to`; 0 at the end. Fails with one sentence if the file cannot be read. A
    // truncated or damaged gzip stream is not an error: it ends there, and cut_off() is true.
    virtual core::Result<std::size_t> read(char* to, std::size_t bytes) = 0;
    [[nodiscard]] virtual bool cut_off() const { return false; }
    // The compressed data are wrong somewhere, and nothing after that can be read.
    [[nodiscard]] virtual bool damaged() const { return false; }
    // Reads the rest, and says whether the compressed data are cut off or damaged: only their checksum, at the end,
    // shows all damage. Plain files have none: false, and nothing is read.
    virtual bool turns_out_damaged() { return false; }
    // The share of the file's own bytes read so far, 0 to 1.
    [[nodiscard]] virtual double share_read() const = 0;
};

// Opens a file; gzip is detected by its first bytes, not by its name.
core::Result<std::unique_ptr<TraceSource>> open_trace_file(const std::string& path);

// Reads bytes in memory, which must outlive the source.
std::unique_ptr<TraceSource> trace_in_memory(std::string_view bytes);

}  // namespace headway::exchange
