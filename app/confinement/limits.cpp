#include "app/confinement/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "engine/core/bytes.h"
#include "engine/core/system/machine_memory.h"
#include "engine/core/system/unique_fd.h"

namespace headway::confinement {
namespace {

constexpr std::size_t kMostDescendants = 20'000;  // bounds the search in a program that forks faster than it is read

// The first 4 KiB of a file of /proc; "" if it cannot be read.
std::string_view text_of(const std::string& path, std::array<char, 4096>& buffer) {
    const core::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t got = fd ? read(fd.get(), buffer.data(), buffer.size()) : 0;
    return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

// The number after `name` in lines such as "RssAnon:   12 kB".
std::uint64_t number_after(std::string_view text, std::string_view name) {
    const auto at = text.find(name);
    if (at == std::string_view::npos) {
        return 0;
    }
    text.remove_prefix(at + name.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

struct FolderCloser {
    void operator()(DIR* folder) const { closedir(folder); }
};

// The entries of a folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
    std::vector<pid_t> found;
    const std::unique_ptr<DIR, FolderCloser> folder(opendir(path.c_str()));
    for (const dirent* entry = nullptr; folder && (entry = readdir(folder.get())) != nullptr;) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') {
            found.push_back(static_cast<pid_t>(std::atol(entry->d_name)));
        }
    }
    return found;
}

// The children of each of a process's threads, as the kernel lists them.
void add_children(pid_t process, std::vector<pid_t>& to) {
    const std::string threads = "/proc/" + std::to_string(process) + "/task";
    std::array<char, 4096> buffer;
    for (const pid_t thread : numbers_in(threads)) {
        const core::UniqueFd fd(
            open((threads + "/" + std::to_string(thread) + "/children").c_str(), O_RDONLY | O_CLOEXEC));
        std::string text;
        for (ssize_t got = 1; fd && got > 0;) {
            got = read(fd.get(), buffer.data(), buffer.size());
            text.append(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
        }
        for (const char* at = text.c_str(); *at != '\0';) {
            char* end = nullptr;
            const long child = std::strtol(at, &end, 10);
            if (end == at) {
                break;
            }
            to.push_back(static_cast<pid_t>(child));
            at = end;
        }
    }
}

}  // namespace

namespace {

std::vector<pid_t> descendants_but(pid_t root, const std::vector<pid_t>& except) {
    std::vector<pid_t> all;
    add_children(root, all);
    std::erase_if(all, [&](pid_t id) { return std::find(except.begin(), except.end(), id) != except.end(); });
    for (std::size_t i = 0; i < all.size() && all.size() < kMostDescendants; ++i) {
        add_children(all[i], all);
    }
    return all;
}

// The program's own process is not counted in `Usage::processes`.
Usage usage_of_all(const std::vector<pid_t>& processes, std::uint64_t exact_above) {
    Usage usage;
    usage.processes = static_cast<std::uint32_t>(processes.size() - std::min<std::size_t>(processes.size(), 1));
    std::array<char, 4096> buffer;
    const auto sum_of = [&](const char* file, const char* name) {
        std::uint64_t sum = 0;
        for (const pid_t process : processes) {
            sum += number_after(text_of("/proc/" + std::to_string(process) + file, buffer), name);
        }
        return sum;
    };
    usage.output_bytes = sum_of("/io", "wchar:");
    usage.memory_bytes = 1024 * sum_of("/status", "RssAnon:");
    if (processes.size() > 1 && usage.memory_bytes > exact_above) {
        usage.memory_bytes = 1024 * sum_of("/smaps_rollup", "Pss_Anon:");
    }
    return usage;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t root) {
    return descendants_but(root, {});
}

Usage usage_of(pid_t root, std::uint64_t exact_above) {
    std::vector<pid_t> processes = descendants_of(root);
    processes.push_back(root);
    return usage_of_all(processes, exact_above);
}

Usage usage_below(pid_t parent, const std::vector<pid_t>& except, std::uint64_t exact_above) {
    return usage_of_all(descendants_but(parent, except), exact_above);
}

Limits default_limits() {
    constexpr std::uint64_t kOutputBytes = 4'000'000'000, kTime_ms = std::uint64_t{4} * 3600 * 1000;
    constexpr std::uint32_t kProcesses = 256;
    Limits limits;
    // With a limit that this kernel cannot count, every run would fail.
    const auto add = [&limits](auto limit, auto value) {
        Limits one;
        one.*limit = value;
        if (check_limits(one)) {
            limits.*limit = value;
        }
    };
    add(&Limits::memory_bytes, core::machine_memory().total / 4 * 3);
    add(&Limits::output_bytes, kOutputBytes);
    add(&Limits::time_ms, kTime_ms);
    add(&Limits::processes, kProcesses);
    return limits;
}

namespace {

std::string time_words(std::uint64_t ms) {
    char text[40];
    if (ms >= 3'600'000 && ms % 3'600'000 == 0) {
        std::snprintf(text, sizeof text, "%llu h", static_cast<unsigned long long>(ms / 3'600'000));
    } else {
        std::snprintf(text, sizeof text, "%g s", static_cast<double>(ms) / 1000);
    }
    return text;
}

std::string process_words(std::uint32_t count) {
    return std::to_string(count) + (count == 1 ? " process" : " processes");
}

constexpr std::string_view kEnded = "the run was ended: ";
// In the order of Limit.
constexpr std::array kOptions{"--memory-limit", "--process-limit", "--output-limit", "--time-limit"};

std::string ended(const std::string& what, Limit limit) {
    return std::string(kEnded) + "the program " + what + ", the limit of " + kOptions[static_cast<std::size_t>(limit)];
}

}  // namespace

std::string exceeded(const Limits& limits, const Usage& usage, std::uint64_t elapsed_ms) {
    if (limits.memory_bytes != 0 && usage.memory_bytes > limits.memory_bytes) {
        return ended("took more than " + core::budget_text(limits.memory_bytes) + " of memory", Limit::memory);
    }
    if (limits.processes != 0 && usage.processes > limits.processes) {
        return ended("started more than " + process_words(limits.processes), Limit::processes);
    }
    if (limits.output_bytes != 0 && usage.output_bytes > limits.output_bytes) {
        return ended("wrote more than " + core::budget_text(limits.output_bytes), Limit::output);
    }
    if (limits.time_ms != 0 && elapsed_ms > limits.time_ms) {
        return ended("ran for more than " + time_words(limits.time_ms), Limit::time);
    }
    return {};
}

std::optional<Limit> exceeded_limit(std::string_view sentence) {
    if (!sentence.starts_with(kEnded)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < kOptions.size(); ++i) {
        if (sentence.find(kOptions[i]) != std::string_view::npos) {
            return static_cast<Limit>(i);
        }
    }
    return std::nullopt;
}

std::string words_of(const Limits& limits) {
    std::vector<std::string> parts;
    if (limits.memory_bytes != 0) {
        parts.push_back(core::budget_text(limits.memory_bytes) + " of memory");
    }
    if (limits.processes != 0) {
        parts.push_back(process_words(limits.processes));
    }
    if (limits.output_bytes != 0) {
        parts.push_back(core::budget_text(limits.output_bytes) + " of output");
    }
    if (limits.time_ms != 0) {
        parts.push_back(time_words(limits.time_ms));
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += (i == 0 ? "at most " : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    }
    return text;
}

core::Result<void> check_limits(const Limits& limits) {
    std::array<char, 4096> buffer;
    const auto missing = [](const char* option, const char* what) {
        return core::Error{core::ErrorKind::unavailable,
                           std::string(option) + " needs " + what + ", which this kernel does not have"};
    };
    if (limits.output_bytes != 0 && text_of("/proc/self/io", buffer).empty()) {
        return missing("--output-limit", "/proc/PID/io");
    }
    if (limits.memory_bytes != 0 && number_after(text_of("/proc/self/status", buffer), "RssAnon:") == 0) {
        return missing("--memory-limit", "RssAnon in /proc/PID/status");
    }
    const std::string children = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    if (limits.processes != 0 && access(children.c_str(), R_OK) != 0) {
        return missing("--process-limit", "/proc/PID/task/TID/children");
    }
    return {};
}

}  // namespace headway::confinement
