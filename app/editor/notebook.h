// A notebook (.ipynb) as a single text: its code cells in order, each after a line "# %%" (marker). A line of a cell
// that begins like a marker is written "# \%%" in the text.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headway::editor {

inline constexpr std::string_view kCellMark = "# %%";

// The same lines as in the runner's conversion. Errors are of kind unreadable.
core::Result<std::string> text_of_notebook(std::string_view notebook);

// The notebook with its code cells replaced by those of `text`: the text after the n-th marker is the n-th code
// cell. Additional markers append cells; cells without a marker are removed. All other contents are preserved.
core::Result<std::string> notebook_with(std::string_view notebook, std::string_view text);

}  // namespace headway::editor
