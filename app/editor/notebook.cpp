#include "app/editor/notebook.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace headway::editor {
namespace {

using Json = nlohmann::ordered_json;

core::Error no_notebook(const std::string& why) {
    return {core::ErrorKind::unreadable, "this is no notebook: " + why};
}

core::Result<Json> parse(std::string_view bytes) {
    Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (json.is_discarded()) {
        return no_notebook("it is not in JSON");
    }
    if (!json.is_object() || !json.contains("cells") || !json["cells"].is_array()) {
        return no_notebook("it has no list of cells");
    }
    return json;
}

bool is_code(const Json& cell) {
    return cell.is_object() && cell.contains("cell_type") && cell["cell_type"] == "code";
}

std::string source_of(const Json& cell) {
    if (!cell.contains("source")) {
        return {};
    }
    const Json& source = cell["source"];
    if (source.is_string()) {
        return source.get<std::string>();
    }
    std::string text;
    for (const auto& line : source) {
        text += line.is_string() ? line.get<std::string>() : std::string();
    }
    return text;
}

// The notebook format: a list of lines, where each but the last includes its line end.
Json source_from(std::string_view text) {
    Json lines = Json::array();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(std::string(text.substr(0, end)));
        text.remove_prefix(end);
    }
    return lines;
}

bool is_mark(std::string_view line) {
    return line.starts_with(kCellMark);
}

}  // namespace

core::Result<std::string> text_of_notebook(std::string_view notebook) {
    auto json = parse(notebook);
    if (!json) {
        return json.error();
    }
    std::string text;
    bool any = false;
    for (const auto& cell : (*json)["cells"]) {
        if (is_code(cell)) {
            text += (any ? "\n" : "") + std::string(kCellMark) + "\n" + source_of(cell);
            any = true;
        }
    }
    return any ? core::Result<std::string>(text) : no_notebook("it has no code cell");
}

core::Result<std::string> notebook_with(std::string_view notebook, std::string_view text) {
    auto json = parse(notebook);
    if (!json) {
        return json.error();
    }
    std::vector<std::string> cells;
    while (true) {
        const std::size_t newline = text.find('\n');
        const std::string_view line = text.substr(0, newline);
        if (is_mark(line)) {
            if (!cells.empty() && !cells.back().empty()) {
                cells.back().pop_back();  // the line end before the cell marker belongs to the marker
            }
            cells.emplace_back();
        } else if (cells.empty()) {
            cells.emplace_back(std::string(line) + "\n");  // text before the first marker is a cell, too
        } else {
            cells.back() += std::string(line) + "\n";
        }
        if (newline == std::string_view::npos) {
            break;
        }
        text.remove_prefix(newline + 1);
    }
    if (!cells.empty() && !cells.back().empty()) {
        cells.back().pop_back();
    }
    Json written = Json::array();
    std::size_t next = 0;
    for (auto& cell : (*json)["cells"]) {
        if (!is_code(cell)) {
            written.push_back(std::move(cell));
        } else if (next < cells.size()) {
            if (source_of(cell) != cells[next]) {
                cell["source"] = source_from(cells[next]);
            }
            ++next;
            written.push_back(std::move(cell));
        }
    }
    for (; next < cells.size(); ++next) {
        written.push_back({{"cell_type", "code"},
                           {"execution_count", nullptr},
                           {"metadata", Json::object()},
                           {"outputs", Json::array()},
                           {"source", source_from(cells[next])}});
    }
    (*json)["cells"] = std::move(written);
    return json->dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headway::editor
