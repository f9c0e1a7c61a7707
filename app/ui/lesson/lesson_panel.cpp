#include "app/ui/lesson/lesson_panel.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/ui/lesson/named_controls.h"
#include "app/ui/lesson/show_places.h"
#include "app/ui/state/learning/run_data.h"
#include "app/ui/widgets/widgets.h"

namespace headway::ui {

void LessonPanel::parse() {
    if (parsed_ == state_.programs.index() && parsed_revision_ == state_.programs.revision()) {
        return;
    }
    parsed_ = state_.programs.index();
    parsed_revision_ = state_.programs.revision();
    intro_ = claim_ = try_ = {};
    claim_asked_for_ = false;
    links_.clear();
    controls_.clear();
    found_.reset();
    state_.timeline.look = -1;
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson == nullptr) {
        return;
    }
    intro_ = parse_part(lesson->text);
    claim_ = parse_part(lesson->claim_text);
    try_ = parse_part(lesson->try_text);
    ui_.fonts.cover(lesson->title);
    for (const auto& p : lesson->parameters) {
        ui_.fonts.cover(p.label);
        ui_.fonts.cover(p.help);
    }
    if (auto& blocks = intro_.blocks; blocks.empty() || blocks.front().kind != MarkdownBlock::Kind::heading) {
        blocks.insert(blocks.begin(), {MarkdownBlock::Kind::heading, 1, {{MarkdownSpan::Style::plain, lesson->title}}});
    }
}

std::vector<std::string> LessonPanel::controls_of(const MarkdownSpan& span) const {
    const lesson::Lesson* lesson = state_.programs.lesson();
    return lesson != nullptr && span.style == MarkdownSpan::Style::emphasis && span.look.empty()
               ? controls_named(*lesson, span.text)
               : std::vector<std::string>();
}

LessonPanel::Part LessonPanel::parse_part(const std::string& markdown) {
    ui_.fonts.cover(markdown);
    Part part{parse_markdown(markdown), static_cast<int>(links_.size()), static_cast<int>(controls_.size())};
    for (const MarkdownBlock& block : part.blocks) {
        for (const MarkdownSpan& span : block.spans) {
            if (auto controls = controls_of(span); !controls.empty()) {
                controls_.push_back(std::move(controls));
            }
            if (span.look.empty()) {
                continue;
            }
            auto look = questions::parse_look(span.look);
            if (!look) {
                state_.notices.add(Notice::Kind::file, Notice::Tone::bad,
                                   state_.programs.lesson()->file + ": the link \"" + span.text +
                                       "\" cannot be read: " + look.error().message);
            }
            links_.push_back(look ? std::optional(std::move(*look)) : std::nullopt);
        }
    }
    return part;
}

core::Result<std::vector<model::Place>> LessonPanel::places_of(int link) {
    const session::Execution* b = state_.session.b();
    if (b != nullptr && (b->live() || b->grows() || b->lags())) {
        return expression::sentence("This link shows where to look in the run when the run has ended.");
    }
    if (b == nullptr || b->run() == nullptr) {
        return expression::sentence("Run the program first; then this link shows where to look in the run.");
    }
    const auto run = b->shared_run();
    if (facts_ == nullptr || facts_run_ != run) {
        facts_run_ = run;
        facts_ = check::make_run_facts(data_of(*b));
        found_.reset();
    }
    if (!found_ || found_->link != link) {
        auto places = questions::places_of(*links_[static_cast<std::size_t>(link)], *facts_, *run);
        if (!places) {
            places = expression::sentence(
                "The last run has nothing that this link could show: " + places.error().message + ".");
        }
        found_ = Found{link, std::move(places)};
    }
    return found_->places;
}

void LessonPanel::follow(int link) {
    const questions::LookTarget& look = *links_[static_cast<std::size_t>(link)];
    if (!look.tab.empty()) {
        state_.details.show(look.tab);
        return;
    }
    TimelineState& timeline = state_.timeline;
    if (timeline.look == link) {  // a second click shows everything again
        timeline.look = -1;
        timeline.view.fit();
        return;
    }
    auto places = places_of(link);
    if (!places) {
        state_.notices.add(Notice::Kind::file, Notice::Tone::info, places.error().message);
        return;
    }
    timeline.selection = {};
    timeline.sentence = -1;
    timeline.look = link;
    timeline.look_places = *places;
    show_places(timeline.view, *facts_run_, *places);
}

bool LessonPanel::draw_link(const LinkBox& box, const std::string& id, bool enabled, bool chosen, bool& hovered) {
    ImGui::SetCursorScreenPos(box.min);
    ImGui::PushID(id.c_str());
    const bool clicked = ImGui::InvisibleButton("look", {box.max.x - box.min.x, box.max.y - box.min.y});
    ImGui::PopID();
    register_item(ui_, id, enabled);
    hovered = enabled && ImGui::IsItemHovered() && !state_.look.palette_open;
    const float line = std::max(1.0f, ui_.exact_px(hovered || chosen ? 2 : 1)), y = box.max.y - ui_.px(3);
    ImGui::GetWindowDrawList()->AddRectFilled({box.min.x, y - line}, {box.max.x, y}, colour(ui_.theme->issue));
    if (hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    return clicked && hovered;
}

void LessonPanel::draw_links(const std::vector<LinkBox>& boxes) {
    constexpr std::size_t kMostOpsForPreview = 20'000;
    int last = -1, part = 0;
    for (const LinkBox& box : boxes) {
        part = box.link == last ? part + 1 : 0;
        last = box.link;
        const bool of_control = box.link >= kFirstControl;
        const int number = of_control ? box.link - kFirstControl : box.link;
        const std::string id = (of_control ? "control/" : "look/") + std::to_string(number + 1) +
                               (part > 0 ? "/" + std::to_string(part + 1) : std::string());
        bool hovered = false;
        if (of_control) {
            const auto& controls = controls_[static_cast<std::size_t>(number)];
            if (draw_link(box, id, true, false, hovered)) {
                parameters_wanted_ = controls.front() == "engine" || controls.front().starts_with("parameter/");
                ui_.point_at(controls);
            }
            if (hovered) {
                tooltip(ui_, "Show this control");
            }
            continue;
        }
        const auto& look = links_[static_cast<std::size_t>(number)];
        const bool clicked = draw_link(box, id, look.has_value(), state_.timeline.look == number, hovered);
        const session::Execution* b = state_.session.b();
        if (hovered && look->tab.empty() && b != nullptr && b->run() != nullptr &&
            b->run()->op_count() <= kMostOpsForPreview) {
            if (auto places = places_of(number)) {
                state_.timeline.places = std::move(*places);
            }
        }
        if (clicked) {
            follow(number);
        }
    }
}

void LessonPanel::update() {
    parse();
    // The facts keep their run in memory: free both when another run is shown.
    if (const session::Execution* b = state_.session.b();
        facts_run_ != nullptr && (b == nullptr || b->run() != facts_run_.get())) {
        facts_.reset();
        facts_run_.reset();
        found_.reset();
    }
}

bool LessonPanel::draw_claim_button(float width) {
    const lesson::Lesson* lesson = state_.programs.lesson();
    if (lesson == nullptr || lesson->claim_text.empty()) {
        return false;
    }
    const bool claims = lesson->claim_text.starts_with("**Claim.**");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool clicked = button(ui_, "lesson/claim", claims ? "Show the claim" : "Show where to look", at);
    claim_asked_for_ = claim_asked_for_ || clicked;
    tooltip(ui_, "It is here after the first run, too. Predict first: the claim may tell the answer");
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, ui_.px(46)});
    return clicked;
}

void LessonPanel::draw_try(float width) {
    if (!try_.blocks.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        draw(try_, width);
        ui_.rects.insert_or_assign("try", WidgetRect{at.x, at.y, at.x + width, ImGui::GetCursorScreenPos().y});
    }
}

void LessonPanel::draw(const Part& part, float width) {
    next_link_ = part.first_link;
    next_control_ = part.first_control;
    const ImVec2 start = ImGui::GetCursorScreenPos();
    ImVec2 at = start;
    for (const auto& block : part.blocks) {
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
        if (!span.look.empty()) {
            piece.link = next_link_++;
            piece.colour = t.issue;
        } else if (!controls_of(span).empty()) {
            piece.link = kFirstControl + next_control_++;
        }
        pieces.push_back(piece);
    }
    std::vector<LinkBox> links;
    const float height = draw_paragraph(ui_, list, {at.x + indent, at.y}, width - indent, 23, pieces, &links);
    draw_links(links);
    return height + ui_.px(block.kind == Kind::item ? 2 : 10);
}

}  // namespace headway::ui
