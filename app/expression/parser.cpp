#include <algorithm>
#include <optional>

#include "app/expression/lexer.h"
#include "app/expression/node.h"

namespace headway::expression {

namespace {

constexpr int kDeepestCall = 400;  // of the parser's functions
constexpr int kMostTerms = 100;

using NodePtr = std::shared_ptr<const Node>;

struct Binary {
    std::string_view sign;
    NodeKind kind;
    int level;  // higher binds more tightly
};
constexpr int kComparison = 3;
constexpr Binary kBinaries[] = {{"or", NodeKind::or_, 1},
                                {"and", NodeKind::and_, 2},
                                {"==", NodeKind::equal, kComparison},
                                {"!=", NodeKind::unequal, kComparison},
                                {"<", NodeKind::less, kComparison},
                                {"<=", NodeKind::less_equal, kComparison},
                                {">", NodeKind::greater, kComparison},
                                {">=", NodeKind::greater_equal, kComparison},
                                {"+", NodeKind::add, 4},
                                {"-", NodeKind::subtract, 4},
                                {"*", NodeKind::multiply, 5},
                                {"/", NodeKind::divide, 5}};
constexpr int kTightest = 5;

constexpr std::string_view kWords[] = {"and", "or", "not", "in", "where", "if", "true", "false"};

bool is_word(const std::string& name) {
    return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// Recursive descent. Errors are thrown, since they may occur at any depth, and caught in Expression::parse().
class Parser {
public:
    Parser(std::string_view text, std::vector<Token> tokens, std::span<const Function> functions)
        : text_(text), tokens_(std::move(tokens)), functions_(functions) {}

    NodePtr whole() {
        if (now().kind == TokenKind::end) {
            fail("the expression is empty");
        }
        NodePtr root = expression();
        if (now().kind != TokenKind::end) {
            fail("the expression should end here");
        }
        return root;
    }

private:
    // Counts the nesting, so that the stack is never exhausted.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > kDeepestCall) {
                parser_.fail("the expression is nested too deeply");
            }
        }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    [[nodiscard]] const Token& now() const { return tokens_[at_]; }
    [[noreturn]] void fail(const std::string& message) const { throw error_at(text_, now().at, message); }
    [[nodiscard]] bool is(std::string_view sign) const {
        return (now().kind == TokenKind::sign || now().kind == TokenKind::name) && now().text == sign;
    }
    bool take(std::string_view sign) {
        const bool there = is(sign);
        at_ += there ? 1 : 0;
        return there;
    }
    void expect(std::string_view sign) {
        if (!take(sign)) {
            fail("here " + std::string(sign) + " is missing");
        }
    }

    NodePtr make(NodeKind kind, std::size_t at, std::vector<NodePtr> parts = {}, std::string name = {}) const {
        Node node;
        node.kind = kind;
        node.at = static_cast<std::uint32_t>(at);
        node.name = std::move(name);
        node.parts = std::move(parts);
        return std::make_shared<const Node>(std::move(node));
    }
    static NodePtr literal(const Token& token, Value value) {
        Node node;
        node.at = token.at;
        node.value = std::move(value);
        return std::make_shared<const Node>(std::move(node));
    }

    NodePtr expression(int level = 1) {
        const Level nesting(*this);
        if (level > kTightest) {
            return unary();
        }
        if (level == kComparison && is("not")) {
            const std::size_t at = now().at;
            take("not");
            return make(NodeKind::not_, at, {expression(kComparison)});
        }
        NodePtr left = expression(level + 1);
        for (int count = 0;; ++count) {
            const auto* found = std::find_if(std::begin(kBinaries), std::end(kBinaries), [&](const Binary& binary) {
                return binary.level == level && is(binary.sign);
            });
            if (found == std::end(kBinaries)) {
                return left;
            }
            if (level == kComparison && count > 0) {
                fail("comparisons cannot be chained; join two of them with and");
            }
            if (count == kMostTerms) {
                fail("too many terms stand side by side; use brackets or a list");
            }
            const std::size_t at = now().at;
            ++at_;
            left = make(found->kind, at, {left, expression(level + 1)});
        }
    }

    NodePtr unary() {
        const Level nesting(*this);
        if (is("-")) {
            const std::size_t at = now().at;
            take("-");
            return make(NodeKind::negate, at, {unary()});
        }
        NodePtr value = primary();
        for (int count = 0;; ++count) {
            if (count == kMostTerms) {
                fail("the expression is nested too deeply");
            }
            if (take(".")) {
                if (now().kind != TokenKind::name) {
                    fail("after a dot the name of a field is missing");
                }
                value = make(NodeKind::field, now().at, {value}, now().text);
                ++at_;
            } else if (is("[")) {
                const std::size_t at = now().at;
                take("[");
                NodePtr index = expression();
                expect("]");
                value = make(NodeKind::element, at, {value, index});
            } else {
                return value;
            }
        }
    }

    NodePtr primary() {
        const Token token = now();
        switch (token.kind) {
            case TokenKind::number:
                ++at_;
                return literal(token, token.number);
            case TokenKind::text:
                ++at_;
                return literal(token, token.text);
            case TokenKind::end:
                fail("the expression ends too early");
            case TokenKind::name:
                return named(token);
            case TokenKind::sign:
                break;
        }
        if (take("(")) {
            NodePtr inner = expression();
            expect(")");
            return inner;
        }
        if (take("[")) {
            std::vector<NodePtr> parts;
            if (is_comprehension()) {
                NodePtr list = comprehension();
                expect("]");
                return list;
            }
            while (!is("]")) {
                parts.push_back(expression());
                if (!take(",")) {
                    break;
                }
            }
            expect("]");
            return make(NodeKind::list, token.at, std::move(parts));
        }
        fail("a value is missing here");
    }

    NodePtr named(const Token& token) {
        if (token.text == "true" || token.text == "false") {
            ++at_;
            return literal(token, token.text == "true");
        }
        if (token.text != "if" && is_word(token.text)) {
            fail("a value is missing here");
        }
        ++at_;
        if (!take("(")) {
            if (token.text == "if") {
                fail("if is written if(condition, value, other value)");
            }
            return make(NodeKind::name, token.at, {}, token.text);
        }
        std::vector<NodePtr> parts;
        if (is_comprehension()) {
            parts.push_back(comprehension());
            while (take(",")) {
                parts.push_back(expression());
            }
        } else {
            while (!is(")")) {
                parts.push_back(is_comprehension() ? comprehension() : expression());
                if (!take(",")) {
                    break;
                }
            }
        }
        expect(")");
        if (token.text == "if") {
            if (parts.size() != 3) {
                throw error_at(text_, token.at, "if is written if(condition, value, other value)");
            }
            return make(NodeKind::choice, token.at, std::move(parts));
        }
        return call(token, std::move(parts));
    }

    NodePtr call(const Token& token, std::vector<NodePtr> parts) const {
        const Function* function = find(token.text);
        if (function == nullptr) {
            throw error_at(text_, token.at, "there is no function called " + token.text.substr(0, 60));
        }
        if (parts.size() < function->least || parts.size() > function->most) {
            const std::string least = std::to_string(function->least), most = std::to_string(function->most);
            throw error_at(text_, token.at,
                           token.text + " takes " + (least == most ? least : least + " to " + most) +
                               (most == "1" ? " argument, not " : " arguments, not ") + std::to_string(parts.size()));
        }
        Node node;
        node.kind = NodeKind::call;
        node.at = token.at;
        node.name = token.text;
        node.function = function;
        node.parts = std::move(parts);
        return std::make_shared<const Node>(std::move(node));
    }

    [[nodiscard]] const Function* find(const std::string& name) const {
        for (const auto& all : {functions_, basic_functions()}) {
            for (const Function& function : all) {
                if (function.name == name) {
                    return &function;
                }
            }
        }
        return nullptr;
    }

    // "x in …"
    [[nodiscard]] bool is_comprehension() const {
        return now().kind == TokenKind::name && !is_word(now().text) && tokens_[at_ + 1].kind == TokenKind::name &&
               tokens_[at_ + 1].text == "in";
    }
    NodePtr comprehension() {
        const Token name = now();
        at_ += 2;
        std::vector<NodePtr> parts{expression(), nullptr, nullptr};
        if (take("where")) {
            parts[1] = expression();
        }
        if (take("->")) {
            parts[2] = expression();
        }
        return make(NodeKind::comprehension, name.at, std::move(parts), name.text);
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::span<const Function> functions_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

core::Error error_at(std::string_view text, std::size_t offset, const std::string& message) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    core::Error error = sentence("column " + std::to_string(before.size() - line_begin + 1) + ": " + message);
    error.line = 1 + static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
    return error;
}

std::string without_column(const std::string& message) {
    const auto colon = message.find(": ");
    return !message.starts_with("column ") || colon == std::string::npos ? message : message.substr(colon + 2);
}

core::Result<Expression> Expression::parse(std::string_view text, std::span<const Function> functions) {
    auto tokens = tokens_of(text);
    if (!tokens) {
        return tokens.error();
    }
    try {
        return Expression(std::string(text), Parser(text, std::move(*tokens), functions).whole());
    } catch (const core::Error& error) {
        return error;
    }
}

}  // namespace headway::expression
