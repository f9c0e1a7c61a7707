#include "app/lesson/front_matter.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/lesson/detail_tab_names.h"
#include "app/lesson/yaml.h"
#include "engine/core/device_kinds.h"
#include "engine/core/ids.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/barrier_names.h"

namespace headway::lesson {

namespace {

constexpr std::uint32_t kFirstLine = 2;  // of the YAML text, in the file

std::uint32_t file_line(const YAML::Mark& mark) {
    return static_cast<std::uint32_t>(std::max(mark.line, 0)) + kFirstLine;
}

// Counts the characters of UTF-8 text.
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// A whole number from 1 to `most`.
int whole(const YAML::Node& node, const std::string& name, std::size_t most) {
    const double value = number(node, name);
    if (value != std::floor(value) || value < 1 || value > static_cast<double>(most)) {
        refuse(name + " must be a whole number from 1 to " + std::to_string(most), node);
    }
    return static_cast<int>(value);
}

Parameter parse_parameter(const std::string& name, const YAML::Node& node) {
    if (!node.IsMap()) {
        refuse("parameter " + name + " must be a map with value, and least and most or choices", node);
    }
    allow_only(node, {"choices", "fractions", "help", "label", "least", "most", "value"}, "parameter " + name);
    Parameter parameter;
    parameter.name = name;
    parameter.label = node["label"] ? text_of(node["label"], name + ".label") : name;
    parameter.help = node["help"] ? text_of(node["help"], name + ".help") : "";
    if (!node["value"]) {
        refuse("parameter " + name + " has no value", node);
    }
    parameter.value = text_of(node["value"], name + ".value");
    if (node["choices"]) {
        if (!node["choices"].IsSequence() || node["choices"].size() == 0) {
            refuse(name + ".choices must be a list of words", node["choices"]);
        }
        for (const auto& choice : node["choices"]) {
            parameter.choices.push_back(text_of(choice, name + ".choices"));
        }
    } else {
        if (!node["least"] || !node["most"]) {
            refuse("parameter " + name + " needs least and most, or choices", node);
        }
        parameter.least = number(node["least"], name + ".least");
        parameter.most = number(node["most"], name + ".most");
        if (parameter.least > parameter.most) {
            refuse("parameter " + name + " has a least that is larger than its most", node["least"]);
        }
        if (node["fractions"] && !YAML::convert<bool>::decode(node["fractions"], parameter.whole)) {
            refuse(name + ".fractions must be true or false", node["fractions"]);
        }
        parameter.whole = !(node["fractions"] && parameter.whole);
    }
    auto value = accept_value(parameter, parameter.value);
    if (!value) {
        refuse(value.error().message, node["value"]);
    }
    parameter.value = *value;
    return parameter;
}

void parse_names(const YAML::Node& front, Lesson& lesson) {
    lesson.id = text_of(front["id"], "id");
    if (lesson.id.empty() ||
        lesson.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
        refuse("id must be made of the letters a to z, digits and dashes", front["id"]);
    }
    lesson.id_line = file_line(front["id"].Mark());
    lesson.program_line = file_line(front["program"].Mark());
    lesson.title = text_of(front["title"], "title");
    lesson.program = text_of(front["program"], "program");
    if (lesson.title.empty() || lesson.program.empty()) {
        refuse("title and program must not be empty", front);
    }
}

void parse_tabs(const YAML::Node& tabs, Lesson& lesson) {
    if (!tabs.IsMap()) {
        refuse("tabs must be a list of dialects with Python files", tabs);
    }
    allow_only(tabs, {"mxnet", "python", "pytorch", "tensorflow"}, "tabs");
    for (const auto& entry : tabs) {
        const std::string file = text_of(entry.second, "the file of a tab");
        if (!is_python_file(file)) {
            refuse("a tab names a Python file in the lesson's folder, not \"" + file + "\"", entry.second);
        }
        lesson.tabs.emplace_back(entry.first.Scalar(), file);
        lesson.tab_lines.push_back(file_line(entry.first.Mark()));
    }
}

// Device, barrier, costs, and the numbers of streams and GPUs.
void parse_run_settings(const YAML::Node& front, Lesson& lesson) {
    if (front["device"]) {
        lesson.device = text_of(front["device"], "device");
        if (!core::is_device_kind(lesson.device)) {
            refuse(std::string("device must be ") + core::kDeviceKinds, front["device"]);
        }
    }
    if (front["barrier"]) {
        lesson.barrier = text_of(front["barrier"], "barrier");
        if (const auto barrier = trace::barrier_called(lesson.barrier); !barrier) {
            refuse(barrier.error().message, front["barrier"]);
        }
    }
    if (front["costs"]) {
        lesson.costs = text_of(front["costs"], "costs");
        if (lesson.costs.find('=') == std::string::npos) {
            refuse("costs must be like t1=1us,t2=0.95us,t3=1us", front["costs"]);
        }
    }
    const auto count = [&front](const char* key, std::uint32_t most, std::uint32_t& value) {
        if (front[key]) {
            const double said = number(front[key], key);
            if (said != std::floor(said) || said < 1 || said > most) {
                refuse(std::string(key) + " must be a whole number from 1 to " + std::to_string(most), front[key]);
            }
            value = static_cast<std::uint32_t>(said);
        }
    };
    count("streams", core::kMaxLanesOfDevice, lesson.streams);
    count("gpus", core::kMaxGpus, lesson.gpus);
    if (front["links"]) {
        lesson.links = text_of(front["links"], "links");
        if (lesson.links != "pcie" && lesson.links != "pairs" && lesson.links != "ring") {
            refuse("links must be pcie, pairs or ring", front["links"]);
        }
    }
    if (const auto speeds = front["gpu_speeds"]) {
        if (!speeds.IsSequence() || lesson.gpus < 2 || speeds.size() != lesson.gpus) {
            refuse("gpu_speeds must have a number for each of several gpus, such as [1, 0.5]", speeds);
        }
        for (const auto& speed : speeds) {
            const double said = number(speed, "a speed");
            if (said < devices::kLeastSpeed || said > devices::kMostSpeed) {
                refuse("a speed is a number from 0.01 to 100", speed);
            }
            lesson.gpu_speeds.push_back(said);
        }
    }
}

void parse_view(const YAML::Node& view, Lesson& lesson) {
    lesson.view = text_of(view, "view");
    if (!is_detail_tab(lesson.view) && lesson.view != "formula") {
        std::string all;
        for (const DetailTabName& tab : kDetailTabs) {
            all += std::string(tab.id) + (&tab == &kDetailTabs.back() ? " or formula" : ", ");
        }
        refuse("view must be " + all, view);
    }
}

// The lesson's part of the map, and the texts of its card there.
void parse_map_entry(const YAML::Node& front, Lesson& lesson) {
    if (front["part"]) {
        lesson.part = whole(front["part"], "part", kParts.size());
    }
    if (front["minutes"]) {
        lesson.minutes = whole(front["minutes"], "minutes", 120);
    }
    if (front["shows"]) {
        constexpr std::size_t kMost = 48;  // of a card on the map
        lesson.shows = text_of(front["shows"], "shows");
        if (lesson.shows.empty() || characters(lesson.shows) > kMost) {
            refuse("shows must have 1 to " + std::to_string(kMost) + " characters", front["shows"]);
        }
    }
}

void parse_parameters(const YAML::Node& parameters, Lesson& lesson) {
    if (!parameters.IsMap()) {
        refuse("parameters must be a list of names with maps", parameters);
    }
    std::set<std::string> seen;
    for (const auto& entry : parameters) {
        const std::string name = text_of(entry.first, "a parameter's name");
        if (!seen.insert(name).second) {
            refuse("parameter " + name + " is given twice", entry.first);
        }
        lesson.parameters.push_back(parse_parameter(name, entry.second));
        lesson.lines.push_back(file_line(entry.first.Mark()));
    }
}

Lesson parse_lesson_keys(const YAML::Node& front) {
    if (!front.IsMap()) {
        refuse("the front matter must be a list of names with values", front);
    }
    allow_only(front,
               {"barrier", "costs", "device", "gpu_speeds", "gpus", "id", "links", "minutes", "parameters", "part",
                "picture", "program", "shows", "streams", "tabs", "title", "view"},
               "a lesson");
    for (const char* needed : {"id", "title", "program"}) {
        if (!front[needed]) {
            refuse(std::string("the lesson has no ") + needed, front);
        }
    }
    Lesson lesson;
    parse_names(front, lesson);
    if (const auto tabs = front["tabs"]; tabs && !tabs.IsNull()) {
        parse_tabs(tabs, lesson);
    }
    parse_run_settings(front, lesson);
    if (front["view"]) {
        parse_view(front["view"], lesson);
    }
    parse_map_entry(front, lesson);
    if (const auto parameters = front["parameters"]; parameters && !parameters.IsNull()) {
        parse_parameters(parameters, lesson);
    }
    return lesson;
}

}  // namespace

bool is_python_file(const std::string& name) {
    return name.size() > 3 && name.compare(name.size() - 3, 3, ".py") == 0 && name.find('/') == std::string::npos;
}

core::Result<Lesson> parse_front_matter(const std::string& yaml, const std::string& file) {
    const auto fail = [&file](std::string message, std::uint32_t line) {
        return core::Error{core::ErrorKind::unreadable, std::move(message), file, line, 0};
    };
    try {
        Lesson lesson = parse_lesson_keys(YAML::Load(yaml));
        lesson.file = file;
        return lesson;
    } catch (const YamlError& problem) {
        return fail(problem.message, problem.line + kFirstLine);
    } catch (const YAML::Exception& problem) {
        return fail("the front matter cannot be read: " + problem.msg, file_line(problem.mark));
    }
}

}  // namespace headway::lesson
