#include "app/ui/widgets/paragraph.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {
namespace {

// The bytes of the longest begin of a word that fits, cut after a slash if there is one: a path is longer than a
// column. At least one character.
std::size_t fitting_bytes(Ui& ui, const TextPiece& piece, std::string_view word, float width) {
    std::size_t fits = 0, slash = 0;
    for (std::size_t at = 0; at < word.size();) {
        std::size_t next = at + 1;
        while (next < word.size() && (static_cast<unsigned char>(word[next]) & 0xC0) == 0x80) {
            ++next;
        }
        if (at > 0 && text_width(ui, piece.face, piece.size_px, word.substr(0, next)) > width) {
            break;
        }
        fits = next;
        slash = word[at] == '/' && at > 0 ? next : slash;
        at = next;
    }
    return fits < word.size() && slash > 0 ? slash : fits;
}

}  // namespace

float draw_paragraph(Ui& ui, ImDrawList* list, ImVec2 at, float width, float line_px, std::span<const TextPiece> pieces,
                     std::vector<LinkBox>* links) {
    struct Word {
        std::string_view text;
        const TextPiece* piece;
        float width;
        bool space_before;
        bool part = false;  // the rest of a word that is longer than a line
    };
    std::vector<Word> words;
    bool space_before = false;
    float size_px = 0;
    for (const TextPiece& piece : pieces) {
        size_px = std::max(size_px, piece.size_px);
        std::string_view rest = piece.text;
        while (!rest.empty()) {
            if (rest.front() == ' ') {
                space_before = true;
                rest.remove_prefix(1);
                continue;
            }
            const std::size_t end = piece.whole ? rest.size() : std::min(rest.find(' '), rest.size());
            std::string_view text = rest.substr(0, end);
            float text_px = text_width(ui, piece.face, piece.size_px, text);
            bool part = false;
            while (text_px > width && width > 0) {
                const std::size_t bytes = fitting_bytes(ui, piece, text, width);
                if (bytes >= text.size()) {
                    break;
                }
                const std::string_view begin = text.substr(0, bytes);
                words.push_back({begin, &piece, text_width(ui, piece.face, piece.size_px, begin),
                                 std::exchange(space_before, false), std::exchange(part, true)});
                text.remove_prefix(bytes);
                text_px = text_width(ui, piece.face, piece.size_px, text);
            }
            words.push_back({text, &piece, text_px, space_before, part});
            rest.remove_prefix(end);
            space_before = false;
        }
    }
    const float line = ui.px(line_px), space = text_width(ui, Face::regular, size_px, " ");
    float x = 0, y = at.y;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Word& word = words[i];
        if (word.part && x > 0) {
            x = 0;
            y += line;
        } else if (word.space_before && i > 0) {
            float together = space + word.width;
            for (std::size_t next = i + 1; next < words.size() && !words[next].part; ++next) {
                const bool joined = words[next].space_before && stay_together(words[next - 1].text, words[next].text);
                if (words[next].space_before && !joined) {
                    break;
                }
                together += words[next].width + (joined ? space : 0);
            }
            if (x > 0 && x + together > width) {
                x = 0;
                y += line;
            } else {
                x += space;
            }
        }
        if (word.piece->link >= 0 && links != nullptr) {
            const ImVec2 min{at.x + x, y}, max{at.x + x + word.width, y + line};
            if (!links->empty() && links->back().link == word.piece->link && links->back().min.y == y) {
                links->back().max.x = max.x;
            } else {
                links->push_back({word.piece->link, min, max});
            }
        }
        if (list != nullptr) {
            draw_text(ui, list, at.x + x, y + line * 0.5f + ui.exact_px(size_px * 0.36f), word.piece->face,
                      word.piece->size_px, word.piece->colour, word.text);
        }
        x += word.width;
    }
    return y + line - at.y;
}

bool stay_together(std::string_view word, std::string_view next) {
    constexpr std::array<std::string_view, 14> kUnits{"ns", "µs", "ms", "s",  "min", "%",  "×",
                                                      "B",  "KB", "MB", "GB", "TB",  "op", "ops"};
    constexpr std::array<std::string_view, 5> kNumbered{"Stream", "stream", "Worker", "GPU", "line"};
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (word.empty() || next.empty()) {
        return false;
    }
    if (digit(next.front())) {
        return std::find(kNumbered.begin(), kNumbered.end(), word) != kNumbered.end();
    }
    if (!digit(word.back())) {
        return false;
    }
    while (!next.empty() && std::string_view(".,;:)").find(next.back()) != std::string_view::npos) {
        next.remove_suffix(1);
    }
    return std::find(kUnits.begin(), kUnits.end(), next) != kUnits.end();
}

std::vector<TextPiece> text_with_code(std::string_view text, float size_px, figure::Rgba ink, figure::Rgba code) {
    std::vector<TextPiece> pieces;
    bool in_code = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('`'), text.size());
        if (end > 0) {
            pieces.push_back(in_code ? TextPiece{text.substr(0, end), Face::mono, size_px - 1, code, true}
                                     : TextPiece{text.substr(0, end), Face::regular, size_px, ink});
        }
        in_code = !in_code;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return pieces;
}

}  // namespace headway::ui
