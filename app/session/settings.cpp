#include "app/session/settings.h"

#include <algorithm>

#include "app/confinement/confinement.h"
#include "engine/core/bytes.h"
#include "engine/core/system/machine_memory.h"
#include "engine/devices/simulated/cost_model.h"
#include "engine/trace/barrier_names.h"

namespace headway::session {
namespace {

void add_limits(const confinement::Limits& limits, std::vector<std::string>& words) {
    const auto option = [&words](const char* name, std::uint64_t value) {
        if (value != 0) {
            words.emplace_back(name);
            words.push_back(std::to_string(value));
        }
    };
    option("--memory-limit", limits.memory_bytes);
    option("--output-limit", limits.output_bytes);
    option("--process-limit", limits.processes);
    option("--time-limit", limits.time_ms / 1000);
}

}  // namespace

core::Result<std::vector<std::string>> runner_arguments(const Settings& settings, int trace_fd,
                                                        std::uint64_t trace_limit, const std::string& temporary) {
    std::vector<std::string> words{"run", settings.program, "--device", settings.device};
    const auto option = [&words](const char* name, std::string value) {
        words.emplace_back(name);
        words.push_back(std::move(value));
    };
    // Pass "as-written" explicitly: otherwise a lesson's own barrier would apply.
    option("--barrier", trace::word_of(settings.barrier));
    for (const auto& [name, value] : settings.parameters) {
        option("--set", name + "=" + value);
    }
    if (!settings.free_policy.empty()) {
        option("--free-policy", settings.free_policy);
    }
    if (!settings.costs.empty() && settings.device == "simulated") {
        option("--costs", settings.costs);
    }
    if (settings.budget_bytes != 0) {
        option("--budget", settings.budget_bytes == core::kNoBudget ? "none" : std::to_string(settings.budget_bytes));
    }
    if (settings.queue_limit != 0) {
        option("--queue-limit", std::to_string(settings.queue_limit));
    }
    if (settings.workers != 0) {
        option("--workers", std::to_string(settings.workers));
    }
    if (settings.streams != 0) {
        option("--streams", std::to_string(settings.streams));
    }
    if (settings.device != "cpu") {
        option("--gpus",
               std::to_string(std::max(settings.gpus, 1u)));  // explicitly: otherwise a lesson's own would apply
    }
    if (settings.device == "simulated") {
        if (settings.gpus > 1 && !settings.links.empty()) {
            option("--links", settings.links);
        }
        if (settings.gpus > 1 && settings.gpus == settings.gpu_speeds.size()) {
            option("--gpu-speeds", devices::text_of_speeds(settings.gpu_speeds));
        }
    }
    if (!settings.tab.empty()) {
        option("--tab", settings.tab);
    }
    if (!settings.source.empty()) {
        option("--source", settings.source);
    }
    if (!settings.folder.empty()) {
        option("--folder", settings.folder);
    }
    if (!temporary.empty()) {
        option("--temporary", temporary);
    }
    if (settings.confined && confinement::support().writes()) {
        const std::string own = settings.folder_writable ? settings.folder : std::string();
        if (own.empty() && temporary.empty()) {
            return core::Error{
                core::ErrorKind::unavailable,
                "the program was not started, because it cannot be confined without a folder to write in"};
        }
        for (const auto& folder : {own, temporary}) {
            if (!folder.empty()) {
                option("--confine", folder);
            }
        }
        if (settings.network) {
            words.emplace_back("--network");
        }
    }
    add_limits(settings.limits, words);
    if (settings.issue != "op") {
        option("--issue", settings.issue);
    }
    if (settings.device == "cuda") {
        option("--launch", settings.launch);
        option("--copies", settings.copies);
        option("--products", settings.products);
    }
    option("--seed", std::to_string(settings.seed));
    option("--trace-fd", std::to_string(trace_fd));
    option("--trace-limit", std::to_string(trace_limit));
    words.emplace_back("--for-window");
    return words;
}

bool same_run(const Settings& a, const Settings& b) {
    Settings like_a = b;
    like_a.source = a.source;
    like_a.folder = a.folder;
    like_a.folder_writable = a.folder_writable;
    like_a.text = a.text.empty() || b.text.empty() ? a.text : b.text;
    return a == like_a;
}

core::Result<std::uint64_t> bytes_from_text(const std::string& text) {
    if (text.find_first_not_of(" \t") == std::string::npos || text == "default") {
        return std::uint64_t{0};
    }
    if (text == "none") {
        return core::kNoBudget;
    }
    if (const auto bytes = core::bytes_from(text)) {
        return *bytes;
    }
    return core::Error{core::ErrorKind::usage, "'" + text + "' is not a size; write 512M, 1.5G, none or default"};
}

}  // namespace headway::session
