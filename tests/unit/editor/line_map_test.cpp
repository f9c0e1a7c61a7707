#include "app/editor/line_map.h"

#include <gtest/gtest.h>

namespace headway::editor {
namespace {

TEST(LineMap, FindsUnchangedLines) {
    using Lines = std::vector<std::string>;
    using Map = std::vector<std::uint32_t>;
    EXPECT_EQ(line_map(Lines{"a", "b", "c"}, Lines{"a", "b", "c"}), (Map{1, 2, 3}));
    EXPECT_EQ(line_map(Lines{"a", "b", "c"}, Lines{"new", "a", "b", "c"}), (Map{0, 1, 2, 3}));
    EXPECT_EQ(line_map(Lines{"a", "b", "c"}, Lines{"a", "B", "c"}), (Map{1, 0, 3}));
    EXPECT_EQ(line_map(Lines{"a", "b", "c", "d", "e"}, Lines{"x", "b", "y", "d", "z"}), (Map{0, 2, 0, 4, 0}));
    EXPECT_EQ(line_map(Lines{"a"}, Lines{}), Map{});
    EXPECT_EQ(line_map(Lines{}, Lines{"a"}), Map{0});
}

}  // namespace
}  // namespace headway::editor
