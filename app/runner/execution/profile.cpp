#include "app/runner/execution/profile.h"

#include <fstream>
#include <iterator>

#include "app/editor/notebook.h"
#include "app/lesson/document_tabs.h"

namespace headway::runner {

Profile profile_of(const std::string& dialect) {
    using memory::FreePolicy;
    if (dialect == "pytorch") {
        return {"PyTorch", 1, 1, FreePolicy::stream, true};
    }
    if (dialect == "tensorflow") {
        return {"TensorFlow", 1, 1, FreePolicy::stream, true};
    }
    if (dialect == "mxnet") {
        return {"MXNet", 2, 1, FreePolicy::lazy, false};
    }
    return {};
}

std::string dialect_of_file(const std::string& file, const std::string& text_file, const std::string& tab) {
    const bool python = file.ends_with(".py");
    if (!python && (tab == "mxnet" || tab == "pytorch" || tab == "tensorflow")) {
        return tab;
    }
    std::ifstream in(text_file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (file.ends_with(".ipynb")) {
        const auto cells = editor::text_of_notebook(text);
        text = cells ? *cells : "";
    } else if (!python) {
        if (const auto tabs = lesson::document_tabs(text); !tabs.empty()) {
            return tabs.front();
        }
    }
    return lesson::dialect_of(text);
}

}  // namespace headway::runner
