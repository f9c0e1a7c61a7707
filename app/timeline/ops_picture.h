// A picture with the boxes of its ops, for hit testing.
//
// Threads: as a display list.
#pragma once

#include <optional>
#include <vector>

#include "app/render/display_list.h"
#include "engine/core/ids.h"

namespace headway::figure {

struct OpsPicture {
    struct OpBox {
        core::OpId op = 0;
        Box box;
    };
    DisplayList list;
    std::vector<OpBox> boxes;  // in drawing order; an op may have several

    // The topmost op at this point; 0: none.
    [[nodiscard]] core::OpId hit(float x, float y) const {
        for (std::size_t i = boxes.size(); i-- > 0;) {
            if (boxes[i].box.contains(x, y)) {
                return boxes[i].op;
            }
        }
        return 0;
    }
    [[nodiscard]] std::optional<Box> box_of(core::OpId op) const {
        for (const OpBox& shown : boxes) {
            if (shown.op == op) {
                return shown.box;
            }
        }
        return std::nullopt;
    }
};

}  // namespace headway::figure
