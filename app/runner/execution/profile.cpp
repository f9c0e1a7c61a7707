#include "app/runner/execution/profile.h"

#include <fstream>
#include <iterator>
#include <string_view>

#include "app/editor/characters.h"
#include "app/editor/notebook.h"
#include "app/lesson/document_tabs.h"

namespace headway::runner {

namespace {

// Whether the program calls torch.cuda.Stream, by whatever name it knows the module.
bool makes_stream(std::string_view text) {
    constexpr std::string_view kCall = "Stream(";
    for (std::size_t at = text.find(kCall); at != text.npos; at = text.find(kCall, at + 1)) {
        if (at == 0 || !editor::is_word(text[at - 1])) {
            return true;
        }
    }
    return false;
}

}  // namespace

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
    if (profile.name == "PyTorch" && makes_stream(text)) {
        profile.program_streams = true;
        profile.streams = kStreams;
    }
    return profile;
}

}  // namespace headway::runner
