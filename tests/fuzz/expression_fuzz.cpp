// Expressions: any text gives an expression or a one-sentence error; evaluating ends, with a value or one sentence.
#include <cstdint>
#include <map>
#include <string>

#include "tests/fuzz/require.h"
#include "tests/unit/expression/facts.h"

namespace {

void require_sentence(const headway::core::Error& error) {
    require(error.message.starts_with("column ") && error.line >= 1 && error.message.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace headway::expression;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const TestRecord known = facts();
    if (const auto expression = Expression::parse(text)) {
        const auto value = expression->evaluate(known);
        if (value) {
            require(!value->type_words().empty());
            static_cast<void>(value->words());
        } else {
            require_sentence(value.error());
        }
        const auto names = expression->names();
        require(expression->check_names(names).has_value());
    } else {
        require_sentence(expression.error());
    }
    if (const auto sentence = Sentence::parse(text)) {
        static_cast<void>(sentence->evaluate(known));
    } else {
        require_sentence(sentence.error());
    }
    return 0;
}
