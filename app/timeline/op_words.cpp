#include "app/timeline/op_words.h"

#include "app/render/format.h"

namespace headway::figure {

const char* ops_word(const model::TraceCapabilities& capabilities, std::uint64_t count) {
    return capabilities.backend ? (count == 1 ? "op" : "ops") : count == 1 ? "span" : "spans";
}

std::string ops_text(const model::TraceCapabilities& capabilities, std::uint64_t count) {
    return count_text(count) + " " + ops_word(capabilities, count);
}

std::string copies_text(const model::CopySum& sum) {
    return bytes_text(sum.bytes) + " in " + count_text(sum.copies) + (sum.copies == 1 ? " copy" : " copies");
}

}  // namespace headway::figure
