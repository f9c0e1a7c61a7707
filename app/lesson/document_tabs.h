// The dialects that a document holds the same code in, as d2l's documents do.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::lesson {

// mxnet, pytorch, tensorflow, as far as blocks of Python are marked for them ("#@tab pytorch", "# For PyTorch users"),
// in the order of the document; the first that the runner takes by itself stands first. Empty: nothing is marked.
std::vector<std::string> document_tabs(std::string_view markdown);

// The framework that a Python program imports first: mxnet, pytorch, tensorflow; empty for none of them.
std::string dialect_of(std::string_view python);

// As people write it: "MXNet", "PyTorch", "TensorFlow"; "Headway" for none.
std::string dialect_label(std::string_view tab);

}  // namespace headway::lesson
