#include "app/lesson/document_tabs.h"

#include <algorithm>
#include <array>

namespace headway::lesson {
namespace {

constexpr std::array<std::string_view, 3> kTabs{"mxnet", "pytorch", "tensorflow"};

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

std::string lower(std::string_view text) {
    std::string small(text);
    for (char& c : small) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return small;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// "# For PyTorch users" -> "pytorch".
std::string framework_mark(std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with('#')) {
        return {};
    }
    const std::string words = lower(trimmed(line.substr(1)));
    if (!words.starts_with("for ")) {
        return {};
    }
    const std::string_view rest = trimmed(std::string_view(words).substr(4));
    for (const auto tab : kTabs) {
        const bool ends = rest.size() == tab.size() ||
                          (rest.size() > tab.size() && !(rest[tab.size()] >= 'a' && rest[tab.size()] <= 'z'));
        if (rest.starts_with(tab) && ends) {
            return std::string(tab);
        }
    }
    return {};
}

// Parses "#@tab mxnet, pytorch" into its tabs.
bool tab_mark(std::string_view line, std::vector<std::string>& tabs) {
    line = trimmed(line);
    if (!line.starts_with('#')) {
        return false;
    }
    line = trimmed(line.substr(1));
    if (!line.starts_with("@tab") || line.size() < 5 || (line[4] != ' ' && line[4] != '\t')) {
        return false;
    }
    std::string_view names = line.substr(4);
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        tabs.emplace_back(trimmed(names.substr(0, comma)));
        names.remove_prefix(std::min(comma + 1, names.size()));
    }
    return true;
}

}  // namespace

std::vector<std::string> document_tabs(std::string_view markdown) {
    std::vector<std::string> tabs;
    const auto add = [&tabs](const std::string& tab) {
        if (std::find(kTabs.begin(), kTabs.end(), tab) != kTabs.end() &&
            std::find(tabs.begin(), tabs.end(), tab) == tabs.end()) {
            tabs.push_back(tab);
        }
    };
    bool inside = false, python = false, begun = false;  // block state: open, in Python, past its first line of code
    bool marked = false, unmarked = false;               // there are Python blocks with and without a tab mark
    std::string fence;
    while (!markdown.empty()) {
        const std::string_view line = next_line(markdown);
        const std::string_view words = trimmed(line);
        const std::size_t ticks = words.empty() ? 0 : std::min(words.find_first_not_of(words[0]), words.size());
        const bool is_fence = !words.empty() && (words[0] == '`' || words[0] == '~') && ticks >= 3;
        if (!inside && is_fence) {
            fence = words.substr(0, ticks);
            const std::string info = lower(trimmed(words.substr(ticks)));
            python = info.starts_with("py") || info.starts_with("{.python") || info.starts_with("{python");
            inside = true;
            begun = false;
        } else if (inside && is_fence && words.size() == ticks && words.starts_with(fence)) {
            inside = false;
        } else if (inside && python && !words.empty()) {
            std::vector<std::string> own;
            if (!begun) {
                begun = true;
                (tab_mark(line, own) ? marked : unmarked) = true;
            }
            for (const auto& tab : own) {
                add(tab);
            }
            add(framework_mark(line));
        }
    }
    // If some blocks have a mark, those without one are for MXNet.
    if (marked && unmarked) {
        add("mxnet");
    }
    const auto mxnet = std::find(tabs.begin(), tabs.end(), "mxnet");
    if (mxnet != tabs.end()) {
        std::rotate(tabs.begin(), mxnet, mxnet + 1);
    }
    return tabs;
}

std::string dialect_of(std::string_view python) {
    while (!python.empty()) {
        const std::string_view line = trimmed(next_line(python));
        const bool from = line.starts_with("from ");
        if (!from && !line.starts_with("import ")) {
            continue;
        }
        // "import numpy, torch as t" imports several modules; "from torch import nn, optim" imports one.
        std::string_view names = line.substr(from ? 5 : 7);
        while (!names.empty()) {
            const std::size_t comma = from ? names.size() : std::min(names.find(','), names.size());
            const std::string_view name = trimmed(names.substr(0, comma));
            names.remove_prefix(std::min(comma + 1, names.size()));
            if (name.starts_with("torch")) {
                return "pytorch";
            }
            for (const auto tab : kTabs) {
                if (name.starts_with(tab)) {
                    return std::string(tab);
                }
            }
        }
    }
    return {};
}

std::string dialect_label(std::string_view tab) {
    return tab == "mxnet" ? "MXNet" : tab == "pytorch" ? "PyTorch" : tab == "tensorflow" ? "TensorFlow" : "Headway";
}

}  // namespace headway::lesson
