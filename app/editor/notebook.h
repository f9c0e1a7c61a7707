// A notebook (.ipynb) as one text: its code cells in order, each behind a line "# %%".
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::editor {

inline constexpr std::string_view kCellMark = "# %%";

// Line for line what the runner makes of the notebook. Errors are of kind unreadable.
core::Result<std::string> text_of_notebook(std::string_view notebook);

// The notebook with its code cells as `text` has them: what stands behind the n-th mark is the n-th code cell. Marks
// that were added are cells at the end; cells whose mark is gone are gone. Everything else stays.
core::Result<std::string> notebook_with(std::string_view notebook, std::string_view text);

}  // namespace headway::editor
