#include "app/ui/widgets/markdown.h"

#include <md4c.h>

#include <array>
#include <utility>

namespace headway::ui {
namespace {

using Kind = MarkdownBlock::Kind;
using Style = MarkdownSpan::Style;

// Md4c does not know what entities stand for. Others are shown as written.
std::string_view character_of(std::string_view entity) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKnown{
        {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}}};
    for (const auto& [name, character] : kKnown) {
        if (entity == name) {
            return character;
        }
    }
    return entity;
}

// Collects blocks from the parser's calls.
class Blocks {
public:
    void enter_block(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_H:
                begin({Kind::heading, static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level), {}});
                break;
            case MD_BLOCK_CODE:
                begin({Kind::code, 1, {{Style::code, {}}}});
                break;
            case MD_BLOCK_UL:
                lists_.push_back({});
                break;
            case MD_BLOCK_OL: {
                const auto& list = *static_cast<MD_BLOCK_OL_DETAIL*>(detail);
                lists_.push_back({true, list.start, list.mark_delimiter});
                break;
            }
            case MD_BLOCK_LI: {
                List& list = lists_.back();
                begin({Kind::item, 1, {}, list.numbered ? std::to_string(list.next++) + list.delimiter : ""});
                break;
            }
            case MD_BLOCK_P:
                if (!open_ || blocks.back().kind != Kind::item || !blocks.back().spans.empty()) {
                    begin({});
                }
                break;
            default:
                break;
        }
    }
    void leave_block(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
            lists_.pop_back();
        } else if (type == MD_BLOCK_CODE && blocks.back().spans.front().text.ends_with('\n')) {
            blocks.back().spans.front().text.pop_back();
        }
        open_ = false;
    }
    void enter_span(MD_SPANTYPE type, void* detail) {
        change(type, 1);
        if (type == MD_SPAN_A) {
            const std::string address = address_of(*static_cast<MD_SPAN_A_DETAIL*>(detail));
            look_ = address.starts_with(kLook) ? address.substr(kLook.size()) : "";
        }
    }
    void leave_span(MD_SPANTYPE type, void* detail) {
        change(type, -1);
        if (type == MD_SPAN_A && look_.empty()) {
            const std::string address = address_of(*static_cast<MD_SPAN_A_DETAIL*>(detail));
            const auto& spans = blocks.back().spans;
            if (spans.empty() || !spans.back().text.ends_with(address)) {
                text(" (" + address + ")");
            }
        }
        if (type == MD_SPAN_A) {
            look_.clear();
        }
    }
    void text(std::string_view text) {
        if (!open_) {
            begin({});
        }
        const Style style = code_ > 0 || blocks.back().kind == Kind::code ? Style::code
                            : strong_ > 0                                 ? Style::strong
                            : emphasis_ > 0                               ? Style::emphasis
                                                                          : Style::plain;
        auto& spans = blocks.back().spans;
        if (spans.empty() || spans.back().style != style || spans.back().look != look_) {
            spans.push_back({style, {}, look_});
        }
        spans.back().text += text;
    }

    std::vector<MarkdownBlock> blocks;

private:
    static constexpr std::string_view kLook = "look:";
    static std::string address_of(const MD_SPAN_A_DETAIL& link) {
        const MD_ATTRIBUTE& href = link.href;
        std::string address;
        for (int i = 0; href.substr_offsets[i] < href.size; ++i) {
            const std::string_view part(href.text + href.substr_offsets[i],
                                        href.substr_offsets[i + 1] - href.substr_offsets[i]);
            address += href.substr_types[i] == MD_TEXT_ENTITY ? character_of(part) : part;
        }
        return address;
    }
    struct List {
        bool numbered = false;
        unsigned next = 0;
        char delimiter = '.';
    };
    void begin(MarkdownBlock block) {
        blocks.push_back(std::move(block));
        open_ = true;
    }
    void change(MD_SPANTYPE type, int by) {
        strong_ += type == MD_SPAN_STRONG ? by : 0;
        emphasis_ += type == MD_SPAN_EM ? by : 0;
        code_ += type == MD_SPAN_CODE ? by : 0;
    }

    std::vector<List> lists_;  // the innermost last
    bool open_ = false;        // text belongs to the last block
    int strong_ = 0, emphasis_ = 0, code_ = 0;
    std::string look_;  // of the link that is open
};

Blocks& blocks_in(void* data) {
    return *static_cast<Blocks*>(data);
}

}  // namespace

std::vector<MarkdownBlock> parse_markdown(std::string_view text) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
        blocks_in(data).enter_block(type, detail);
        return 0;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* data) {
        blocks_in(data).leave_block(type);
        return 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
        blocks_in(data).enter_span(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* data) {
        blocks_in(data).leave_span(type, detail);
        return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
        const std::string_view written(text, size);
        blocks_in(data).text(type == MD_TEXT_BR || type == MD_TEXT_SOFTBR ? " "
                             : type == MD_TEXT_NULLCHAR                   ? "\ufffd"
                             : type == MD_TEXT_ENTITY                     ? character_of(written)
                                                                          : written);
        return 0;
    };
    Blocks blocks;
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &blocks);
    return std::move(blocks.blocks);
}

}  // namespace headway::ui
