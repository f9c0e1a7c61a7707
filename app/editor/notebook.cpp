#include "app/editor/notebook.h"

#include <simdjson.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "app/json/json.h"

namespace headway::editor {
namespace {

namespace ondemand = simdjson::ondemand;

core::Error no_notebook(const std::string& why) {
    return {core::ErrorKind::unreadable, "this is not a notebook: " + why};
}

// A cell, and where it stands in the file.
struct Cell {
    std::size_t begin = 0, end = 0;
    bool is_code = false;
    std::string source;
    std::size_t source_begin = 0, source_end = 0;  // of the value; equal if there is none
};

struct Notebook {
    simdjson::padded_string text;
    std::size_t begin = 0, end = 0;  // of the list of cells, with its brackets
    std::vector<Cell> cells;

    [[nodiscard]] std::string_view part(std::size_t from, std::size_t to) const {
        return std::string_view(text).substr(from, to - from);
    }
};

// The place in the text of a value's JSON, without the space after it.
std::pair<std::size_t, std::size_t> place_of(std::string_view json, const simdjson::padded_string& text) {
    const std::size_t length = json.find_last_not_of(" \n\r\t") + 1;
    const auto begin = static_cast<std::size_t>(json.data() - text.data());
    return {begin, begin + length};
}

void read_source(ondemand::value value, const simdjson::padded_string& text, Cell& cell) {
    ondemand::array lines;
    std::string_view json, line;
    if (value.get_array().get(lines)) {
        json = value.raw_json_token();
        if (!value.get_string().get(line)) {
            cell.source = line;
        }
    } else {
        for (auto element : lines) {
            if (!element.get_string().get(line)) {
                cell.source += line;
            }
        }
        if (lines.reset().error() != simdjson::SUCCESS || lines.raw_json().get(json)) {
            return;
        }
    }
    std::tie(cell.source_begin, cell.source_end) = place_of(json, text);
}

core::Result<Notebook> parse(std::string_view bytes) {
    if (const std::uint32_t line = json::line_of_error(bytes); line != 0) {
        return no_notebook("it is not JSON at line " + std::to_string(line));
    }
    Notebook notebook{
        simdjson::padded_string(bytes.substr(std::min(bytes.find_first_of("{["), bytes.size()))), 0, 0, {}};
    ondemand::parser parser;
    ondemand::document document;
    ondemand::array cells;
    std::string_view json;
    if (parser.iterate(notebook.text).get(document) || document["cells"].get_array().get(cells) ||
        cells.raw_json().get(json)) {
        return no_notebook("it has no list of cells");
    }
    std::tie(notebook.begin, notebook.end) = place_of(json, notebook.text);
    document.rewind();
    if (document["cells"].get_array().get(cells)) {
        return no_notebook("it has no list of cells");
    }
    for (auto element : cells) {
        ondemand::object object;
        Cell& cell = notebook.cells.emplace_back();
        ondemand::value value;
        if (element.get_object().get(object) || object.raw_json().get(json)) {
            return no_notebook("cell " + std::to_string(notebook.cells.size()) + " is not an object");
        }
        std::tie(cell.begin, cell.end) = place_of(json, notebook.text);
        std::string_view type;
        if (object.reset().error() == simdjson::SUCCESS && !object["cell_type"].get_string().get(type)) {
            cell.is_code = type == "code";
        }
        if (!object["source"].get(value)) {
            read_source(value, notebook.text, cell);
        }
    }
    return notebook;
}

// The notebook format: a list of lines, where each but the last includes its line end.
std::string source_from(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines += (lines.empty() ? "\n    " : ",\n    ") + json::quoted(text.substr(0, end));
        text.remove_prefix(end);
    }
    return "[" + lines + (lines.empty() ? "]" : "\n   ]");
}

bool is_mark(std::string_view line) {
    return line.starts_with(kCellMark);
}

// A line of a cell that reads like a marker gets a backslash before its percent signs, # \%%, and one more if it has
// some. `by`: how many more it gets.
std::string with_backslashes(std::string_view source, int by) {
    constexpr std::string_view kBegin = "# ", kEnd = "%%";
    std::string changed;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size() - 1) + 1;
        std::string line(source.substr(0, end));
        source.remove_prefix(end);
        const std::size_t signs = line.find_first_not_of('\\', kBegin.size());
        if (line.starts_with(kBegin) && signs != std::string::npos && line.compare(signs, kEnd.size(), kEnd) == 0) {
            if (by > 0) {
                line.insert(kBegin.size(), "\\");
            } else if (signs > kBegin.size()) {
                line.erase(kBegin.size(), 1);
            }
        }
        changed += line;
    }
    return changed;
}

// The cells of a text, without their markers.
std::vector<std::string> cells_of(std::string_view text) {
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
    for (std::string& cell : cells) {
        cell = with_backslashes(cell, -1);
    }
    return cells;
}

}  // namespace

core::Result<std::string> text_of_notebook(std::string_view bytes) {
    auto notebook = parse(bytes);
    if (!notebook) {
        return notebook.error();
    }
    std::string text;
    for (const Cell& cell : notebook->cells) {
        if (cell.is_code) {
            text += (text.empty() ? "" : "\n") + std::string(kCellMark) + "\n" + with_backslashes(cell.source, 1);
        }
    }
    return !text.empty() ? core::Result<std::string>(text) : no_notebook("it has no code cell");
}

// What does not change is copied as it is written in the file.
core::Result<std::string> notebook_with(std::string_view bytes, std::string_view text) {
    auto notebook = parse(bytes);
    if (!notebook) {
        return notebook.error();
    }
    const std::vector<std::string> sources = cells_of(text);
    std::vector<std::string> written;
    std::size_t next = 0;
    for (const Cell& cell : notebook->cells) {
        const std::string as_is(notebook->part(cell.begin, cell.end));
        if (!cell.is_code || (next < sources.size() && cell.source == sources[next])) {
            written.push_back(as_is);
        } else if (next < sources.size() && cell.source_begin == cell.source_end) {
            written.push_back("{\n   \"source\": " + source_from(sources[next]) + "," + as_is.substr(1));
        } else if (next < sources.size()) {
            written.emplace_back(notebook->part(cell.begin, cell.source_begin));
            written.back() += source_from(sources[next]);
            written.back() += notebook->part(cell.source_end, cell.end);
        }
        next += cell.is_code ? 1 : 0;
    }
    for (; next < sources.size(); ++next) {
        written.push_back(
            "{\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"metadata\": {},\n   \"outputs\": [],\n"
            "   \"source\": " +
            source_from(sources[next]) + "\n  }");
    }
    std::string all(notebook->part(0, notebook->begin));
    for (std::size_t i = 0; i < written.size(); ++i) {
        all += (i == 0 ? "[\n  " : ",\n  ") + written[i];
    }
    all += written.empty() ? "[]" : "\n ]";
    all += notebook->part(notebook->end, notebook->text.size());
    return all;
}

}  // namespace headway::editor
