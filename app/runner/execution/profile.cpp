#include "app/runner/execution/profile.h"

#include <fstream>
#include <iterator>

#include "app/editor/notebook.h"
#include "app/lesson/document_tabs.h"

namespace headway::runner {

Profile profile_of(const std::string& dialect) {
    using memory::FreePolicy;
    if (dialect == "pytorch") {
        return {"PyTorch", 1, 1, FreePolicy::stream, true, false};
    }
    if (dialect == "tensorflow") {
        return {"TensorFlow", 1, 1, FreePolicy::stream, true, false};
    }
    if (dialect == "mxnet") {
        return {"MXNet", 2, 1, FreePolicy::lazy, false, false};
    }
    return {};
}

Profile profile_of_file(const std::string& file, const std::string& text_file, const std::string& tab) {
    constexpr std::uint32_t kStreams = 4;  // of a program that makes streams: the default one, and three more
    const bool python = file.ends_with(".py");
    const bool is_tab = tab == "mxnet" || tab == "pytorch" || tab == "tensorflow";
    std::ifstream in(text_file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::string dialect;
    if (file.ends_with(".ipynb")) {
        const auto cells = editor::text_of_notebook(text);
        text = cells ? *cells : "";
    } else if (!python) {
        if (const auto tabs = lesson::document_tabs(text); !tabs.empty()) {
            dialect = tabs.front();
        }
    }
    if (!python && is_tab) {
        dialect = tab;
    }
    Profile profile = profile_of(dialect.empty() ? lesson::dialect_of(text) : dialect);
    if (profile.name == "PyTorch" && text.find("cuda.Stream(") != std::string::npos) {
        profile.program_streams = true;
        profile.streams = kStreams;
    }
    return profile;
}

}  // namespace headway::runner
