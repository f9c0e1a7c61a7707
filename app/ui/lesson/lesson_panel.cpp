#include "app/ui/lesson/lesson_panel.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void LessonPanel::draw(float width) {
    if (parsed_ != state_.programs.index() || parsed_revision_ != state_.programs.revision()) {
        parsed_ = state_.programs.index();
        parsed_revision_ = state_.programs.revision();
        blocks_.clear();
        if (const lesson::Lesson* lesson = state_.programs.lesson()) {
            blocks_ = parse_markdown(lesson->text);
            ui_.fonts.cover(lesson->title);
            ui_.fonts.cover(lesson->text);
            for (const auto& p : lesson->parameters) {
                ui_.fonts.cover(p.label);
                ui_.fonts.cover(p.help);
            }
            if (blocks_.empty() || blocks_.front().kind != MarkdownBlock::Kind::heading) {
                blocks_.insert(blocks_.begin(),
                               {MarkdownBlock::Kind::heading, 1, {{MarkdownSpan::Style::plain, lesson->title}}});
            }
        }
    }
    const ImVec2 start = ImGui::GetCursorScreenPos();
    ImVec2 at = start;
    for (const auto& block : blocks_) {
        at.y += draw_block(block, at, width);
    }
    ImGui::SetCursorScreenPos(start);
    ImGui::Dummy({width, at.y - start.y});
}

float LessonPanel::draw_block(const MarkdownBlock& block, ImVec2 at, float width) {
    using Kind = MarkdownBlock::Kind;
    const figure::Theme& t = *ui_.theme;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (block.kind == Kind::heading) {
        std::string text;
        for (const auto& span : block.spans) {
            text += span.text;
        }
        const float size = block.level <= 1 ? 18.0f : 15.0f;
        const float height = draw_wrapped(ui_, list, at, width, block.level <= 1 ? Face::bold : Face::semibold, size,
                                          size + 6, t.text, text);
        return height + ui_.px(8);
    }
    if (block.kind == Kind::code) {
        const float line = ui_.px(20);
        const std::string& code = block.spans.front().text;
        const auto lines = static_cast<float>(std::count(code.begin(), code.end(), '\n') + 1);
        const ImVec2 end{at.x + width, at.y + lines * line + ui_.px(12)};
        draw_card(ui_, list, at, end, figure::mixed(t.background, t.panel, 0.4));
        list->PushClipRect(at, end, true);
        float y = at.y + ui_.px(6);
        std::size_t from = 0;
        while (from <= code.size()) {
            const std::size_t newline = std::min(code.find('\n', from), code.size());
            draw_text(ui_, list, at.x + ui_.px(12), y + ui_.px(15), Face::mono, 13, t.text,
                      std::string_view(code).substr(from, newline - from));
            y += line;
            from = newline + 1;
        }
        list->PopClipRect();
        return end.y - at.y + ui_.px(10);
    }
    // A paragraph: words in several fonts, wrapped into lines.
    const float number_width = text_width(ui_, Face::regular, 15, block.number);
    const float indent = block.kind == Kind::item ? std::max(ui_.px(16), number_width + ui_.px(6)) : 0;
    const float line = ui_.px(23);
    float x = 0, y = at.y;
    const float room = width - indent;
    if (!block.number.empty()) {
        draw_text(ui_, list, at.x, y + line * 0.5f + ui_.exact_px(5.4f), Face::regular, 15, t.dim, block.number);
    } else if (block.kind == Kind::item) {
        list->AddCircleFilled({at.x + ui_.px(6), y + line * 0.5f}, ui_.exact_px(2.2f), colour(t.dim));
    }
    // Words of different styles without a space between them, as in "(**so**)", stay together.
    struct Word {
        std::string_view text;
        Face face;
        float size, width;
        figure::Rgba colour;
        bool space_before;
    };
    std::vector<Word> words;
    bool space_before = false;
    for (const auto& span : block.spans) {
        Word word{{}, Face::regular, 15, 0, t.dim, false};
        if (span.style == MarkdownSpan::Style::strong) {
            word.face = Face::semibold;
            word.colour = t.text;
        } else if (span.style == MarkdownSpan::Style::emphasis) {
            word.face = Face::medium;
            word.colour = t.text;
        } else if (span.style == MarkdownSpan::Style::code) {
            word.face = Face::mono;
            word.size = 13.5f;
            word.colour = t.text;
        }
        std::string_view rest = span.text;
        while (!rest.empty()) {
            if (rest.front() == ' ') {
                space_before = true;
                rest.remove_prefix(1);
                continue;
            }
            word.text = rest.substr(0, std::min(rest.find(' '), rest.size()));
            word.width = text_width(ui_, word.face, word.size, word.text);
            word.space_before = space_before;
            words.push_back(word);
            rest.remove_prefix(word.text.size());
            space_before = false;
        }
    }
    const float space = text_width(ui_, Face::regular, 15, " ");
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Word& word = words[i];
        if (word.space_before && i > 0) {
            float together = space + word.width;
            for (std::size_t next = i + 1; next < words.size() && !words[next].space_before; ++next) {
                together += words[next].width;
            }
            if (x > 0 && x + together > room) {
                x = 0;
                y += line;
            } else {
                x += space;
            }
        }
        draw_text(ui_, list, at.x + indent + x, y + line * 0.5f + ui_.exact_px(5.4f), word.face, word.size, word.colour,
                  word.text);
        x += word.width;
    }
    return y + line - at.y + ui_.px(block.kind == Kind::item ? 2 : 10);
}

}  // namespace headway::ui
