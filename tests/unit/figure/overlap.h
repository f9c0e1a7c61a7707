// Helpers that inspect display lists.
#pragma once

#include <string>
#include <vector>

#include "app/render/display_list.h"

namespace headway::figure::test {

// Describes two overlapping texts; empty if there are none. Compares the ink: the capitals' height and a little below
// the baseline.
inline std::string overlapping_text(const DisplayList& list, const TextMeasure& measure) {
    struct Placed {
        Box box;
        const Text* text;
    };
    std::vector<Placed> all;
    for (const Item& item : list.items) {
        if (const auto* text = std::get_if<Text>(&item)) {
            Box box = box_of(*text, measure);
            box.y0 = text->baseline.y - kCapHeightEm * text->size_px;
            box.y1 = text->baseline.y + 0.12F * text->size_px;
            for (const Placed& other : all) {
                if (box.overlaps(other.box)) {
                    return "'" + text->text + "' on '" + other.text->text + "'";
                }
            }
            all.push_back({box, text});
        }
    }
    return "";
}

// The first text that contains `words`.
inline const Text* find_text(const DisplayList& list, const std::string& words) {
    for (const Item& item : list.items) {
        const auto* text = std::get_if<Text>(&item);
        if (text != nullptr && text->text.find(words) != std::string::npos) {
            return text;
        }
    }
    return nullptr;
}

}  // namespace headway::figure::test
