#include "app/timeline/op_words.h"

#include "app/render/format.h"

namespace headway::figure {

const char* ops_word(const model::TraceCapabilities& capabilities, std::uint64_t count) {
    return capabilities.backend ? (count == 1 ? "op" : "ops") : count == 1 ? "span" : "spans";
}

std::string ops_text(const model::TraceCapabilities& capabilities, std::uint64_t count) {
    return count_text(count) + " " + ops_word(capabilities, count);
}

}  // namespace headway::figure
