#include "app/lesson/yaml.h"

#include <algorithm>
#include <set>

namespace headway::lesson {

void refuse(const std::string& message, const YAML::Node& at) {
    throw YamlError{message, line_of(at)};
}

std::uint32_t line_of(const YAML::Node& node) {
    return static_cast<std::uint32_t>(std::max(node.Mark().line, 0));
}

std::string text_of(const YAML::Node& node, const std::string& name) {
    if (!node.IsScalar()) {
        refuse(name + " must be a single value", node);
    }
    return node.Scalar();
}

std::string text_of(const YAML::Node& map, const char* key, const std::string& otherwise) {
    return map[key] ? text_of(map[key], key) : otherwise;
}

std::string required_text(const YAML::Node& map, const char* key, const std::string& what) {
    if (!map[key]) {
        refuse(what + " has no " + key, map);
    }
    std::string text = text_of(map[key], key);
    if (text.empty()) {
        refuse(std::string(key) + " is empty", map[key]);
    }
    return text;
}

double number(const YAML::Node& node, const std::string& name) {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !(value >= -1e15 && value <= 1e15)) {
        refuse(name + " must be a number", node);
    }
    return value;
}

bool flag(const YAML::Node& map, const char* key) {
    bool value = false;
    if (map[key] && !(map[key].IsScalar() && YAML::convert<bool>::decode(map[key], value))) {
        refuse(std::string(key) + " must be true or false", map[key]);
    }
    return value;
}

std::vector<std::string> list_of_texts(const YAML::Node& node, const std::string& name) {
    std::vector<std::string> list;
    if (!node || node.IsNull()) {
        return list;
    }
    if (node.IsScalar()) {
        return {node.Scalar()};
    }
    if (!node.IsSequence()) {
        refuse(name + " must be a list", node);
    }
    for (const auto& entry : node) {
        list.push_back(text_of(entry, name));
    }
    return list;
}

void allow_only(const YAML::Node& map, std::initializer_list<std::string_view> known, const std::string& what) {
    if (!map.IsMap()) {
        refuse(what + " must be a list of names with values", map);
    }
    std::set<std::string> seen;
    for (const auto& entry : map) {
        const std::string key = text_of(entry.first, "a key of " + what);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            std::string list;
            for (const auto& name : known) {
                list += (list.empty() ? "" : ", ") + std::string(name);
            }
            refuse("\"" + key.substr(0, 60) + "\" is not known in " + what + " (known: " + list + ")", entry.first);
        }
        if (!seen.insert(key).second) {
            refuse("\"" + key + "\" is given twice in " + what, entry.first);
        }
    }
}

FrontMatter split_front_matter(const std::string& content) {
    const auto fail = [](const char* message, std::uint32_t line) { throw YamlError{message, line}; };
    std::size_t at = content.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0;
    const auto next_line = [&] {
        const auto end = std::min(content.find('\n', at), content.size());
        std::string line = content.substr(at, end - at);
        at = std::min(end + 1, content.size());
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        return line;
    };
    FrontMatter matter;
    if (next_line() != "---") {
        fail("the first line must be --- and begin the front matter", 0);
    }
    matter.first_line = 2;
    const std::size_t begin = at;
    std::size_t end = at;
    for (;;) {
        end = at;
        if (at >= content.size()) {
            fail("the front matter is not closed by a line ---", 0);
        }
        if (next_line() == "---") {
            break;
        }
    }
    matter.yaml = content.substr(begin, end - begin);
    matter.text = content.substr(at);
    // A block of flow collections nested very deeply would exhaust the stack.
    constexpr std::ptrdiff_t kMostBrackets = 2000;
    if (std::count(matter.yaml.begin(), matter.yaml.end(), '[') +
            std::count(matter.yaml.begin(), matter.yaml.end(), '{') >
        kMostBrackets) {
        fail("the front matter has too many brackets", 0);
    }
    matter.front = YAML::Load(matter.yaml);
    if (!matter.front.IsMap()) {
        fail("the front matter must be a list of names with values", 0);
    }
    return matter;
}

}  // namespace headway::lesson
