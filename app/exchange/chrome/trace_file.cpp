#include "app/exchange/chrome/trace_file.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "app/exchange/chrome/chrome_writer.h"
#include "app/exchange/files/gzip_sink.h"
#include "engine/core/system/output_file.h"

namespace headway::exchange {
namespace {

bool ends_in_gz(std::string_view path) {
    constexpr std::string_view kEnd = ".gz";
    return path.size() >= kEnd.size() &&
           std::equal(kEnd.begin(), kEnd.end(), path.end() - kEnd.size(),
                      [](char lower, char c) { return c == lower || (lower != '.' && c == lower - 'a' + 'A'); });
}

}  // namespace

core::Result<void> write_trace_file(const model::Run& run, const std::string& path,
                                    const std::function<bool()>& go_on) {
    auto file = core::OutputFile::create(path);
    if (!file) {
        return file.error();
    }
    bool given_up = false;
    const Sink to_file = [&](std::string_view bytes) {
        given_up = given_up || (go_on && !go_on());
        return !given_up && file->write(bytes);
    };
    bool whole = false;
    if (ends_in_gz(path)) {
        GzipSink gzip(to_file);
        whole = write_chrome_trace(run, [&](std::string_view bytes) { return gzip.write(bytes); }) && gzip.finish();
    } else {
        whole = write_chrome_trace(run, to_file);
    }
    if (given_up) {
        return core::Error{core::ErrorKind::failed, "Cancelled; nothing was written."};
    }
    if (!whole && file->write({})) {  // the file took everything: compressing failed
        return core::Error{core::ErrorKind::out_of_memory, "There is not enough memory to compress " + path + "."};
    }
    return file->commit();
}

}  // namespace headway::exchange
