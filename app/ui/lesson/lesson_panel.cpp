#include "app/ui/lesson/lesson_panel.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/ui/widgets/paragraph.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void LessonPanel::parse() {
    if (parsed_ == state_.programs.index() && parsed_revision_ == state_.programs.revision()) {
        return;
    }
    parsed_ = state_.programs.index();
    parsed_revision_ = state_.programs.revision();
    blocks_.clear();
    try_blocks_.clear();
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson == nullptr) {
        return;
    }
    blocks_ = parse_markdown(lesson->text);
    try_blocks_ = parse_markdown(lesson->try_text);
    ui_.fonts.cover(lesson->title);
    ui_.fonts.cover(lesson->text);
    ui_.fonts.cover(lesson->try_text);
    for (const auto& p : lesson->parameters) {
        ui_.fonts.cover(p.label);
        ui_.fonts.cover(p.help);
    }
    if (blocks_.empty() || blocks_.front().kind != MarkdownBlock::Kind::heading) {
        blocks_.insert(blocks_.begin(),
                       {MarkdownBlock::Kind::heading, 1, {{MarkdownSpan::Style::plain, lesson->title}}});
    }
}

void LessonPanel::draw(float width) {
    parse();
    draw_blocks(blocks_, width);
}

void LessonPanel::draw_try(float width) {
    parse();
    if (!try_blocks_.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw_blocks(try_blocks_, width);
        ui_.rects.insert_or_assign("try", WidgetRect{at.x, at.y, at.x + width, ImGui::GetCursorScreenPos().y});
    }
}

void LessonPanel::draw_blocks(const std::vector<MarkdownBlock>& blocks, float width) {
    const ImVec2 start = ImGui::GetCursorScreenPos();
    ImVec2 at = start;
    for (const auto& block : blocks) {
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
    if (!block.number.empty()) {
        draw_text(ui_, list, at.x, at.y + line * 0.5f + ui_.exact_px(5.4f), Face::regular, 15, t.dim, block.number);
    } else if (block.kind == Kind::item) {
        list->AddCircleFilled({at.x + ui_.px(6), at.y + line * 0.5f}, ui_.exact_px(2.2f), colour(t.dim));
    }
    std::vector<TextPiece> pieces;
    for (const auto& span : block.spans) {
        TextPiece piece{span.text, Face::regular, 15, t.dim};
        if (span.style == MarkdownSpan::Style::strong) {
            piece.face = Face::semibold;
            piece.colour = t.text;
        } else if (span.style == MarkdownSpan::Style::emphasis) {
            piece.face = Face::medium;
            piece.colour = t.text;
        } else if (span.style == MarkdownSpan::Style::code) {
            piece.face = Face::mono;
            piece.size_px = 13.5f;
            piece.colour = t.text;
        }
        pieces.push_back(piece);
    }
    return draw_paragraph(ui_, list, {at.x + indent, at.y}, width - indent, 23, pieces) +
           ui_.px(block.kind == Kind::item ? 2 : 10);
}

}  // namespace headway::ui
