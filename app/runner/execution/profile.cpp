#include "app/runner/execution/profile.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/lesson/document_tabs.h"

namespace headway::runner {

namespace {

// The concatenated code cells of a notebook; empty if the text is not a notebook.
std::string notebook_code(const std::string& text) {
    std::string code;
    const auto notebook = nlohmann::json::parse(text, nullptr, false);
    const auto cells = notebook.is_object() ? notebook.find("cells") : notebook.end();
    if (!notebook.is_object() || cells == notebook.end() || !cells->is_array()) {
        return code;
    }
    for (const auto& cell : *cells) {
        if (!cell.is_object() || cell.value("cell_type", nlohmann::json()) != "code") {
            continue;
        }
        const auto source = cell.value("source", nlohmann::json());
        for (const auto& part : source.is_array() ? source : nlohmann::json::array({source})) {
            code += part.is_string() ? part.get<std::string>() : std::string();
        }
        code += '\n';
    }
    return code;
}

}  // namespace

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
        text = notebook_code(text);
    } else if (!python) {
        if (const auto tabs = lesson::document_tabs(text); !tabs.empty()) {
            return tabs.front();
        }
    }
    return lesson::dialect_of(text);
}

}  // namespace headway::runner
