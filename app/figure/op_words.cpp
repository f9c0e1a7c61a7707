#include "app/figure/op_words.h"

#include "app/figure/format.h"

namespace headway::figure {

const char* ops_word(const model::Told& told, std::uint64_t count) {
    return told.backend ? (count == 1 ? "op" : "ops") : count == 1 ? "span" : "spans";
}

std::string ops_text(const model::Told& told, std::uint64_t count) {
    return count_text(count) + " " + ops_word(told, count);
}

}  // namespace headway::figure
