// Reading YAML with errors that have a line. A wrong entry throws YamlError, which the reader of a file catches.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headway::lesson {

struct YamlError {
    std::string message;
    std::uint32_t line;  // of the YAML text, from 0
};

// `name`, `what`: how messages call the entry. All of these throw YamlError.
[[noreturn]] void refuse(const std::string& message, const YAML::Node& at);
std::uint32_t line_of(const YAML::Node& node);

std::string text_of(const YAML::Node& node, const std::string& name);
// The value of `key`, or `otherwise` if the map does not have it.
std::string text_of(const YAML::Node& map, const char* key, const std::string& otherwise);
// Not empty.
std::string required_text(const YAML::Node& map, const char* key, const std::string& what);
// From -1e15 to 1e15.
double number(const YAML::Node& node, const std::string& name);
bool flag(const YAML::Node& map, const char* key);  // false if the map does not have it
// A list of single values; a single value is a list of one.
std::vector<std::string> list_of_texts(const YAML::Node& node, const std::string& name);
// Refuses unknown and repeated keys.
void allow_only(const YAML::Node& map, std::initializer_list<std::string_view> known, const std::string& what);

// The front matter and the text after it.
struct FrontMatter {
    YAML::Node front;
    std::string yaml, text;
    std::uint32_t first_line = 0;  // of the YAML text in the file, from 1
};
FrontMatter split_front_matter(const std::string& content);

}  // namespace headway::lesson
