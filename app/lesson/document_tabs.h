// The framework tabs of a document that contains the same code for several frameworks, like d2l's documents.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::lesson {

// mxnet, pytorch, tensorflow: those for which Python blocks are marked ("#@tab pytorch", "# For PyTorch users"), in
// the order of the document, except that the runner's default comes first. Empty: nothing is marked.
std::vector<std::string> document_tabs(std::string_view markdown);

// The framework that a Python program imports first: mxnet, pytorch, tensorflow; empty if none.
std::string dialect_of(std::string_view python);

// The display name: "MXNet", "PyTorch", "TensorFlow"; "Headway" for none.
std::string dialect_label(std::string_view tab);

}  // namespace headway::lesson
