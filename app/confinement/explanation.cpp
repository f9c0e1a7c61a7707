#include "app/confinement/explanation.h"

namespace headway::confinement {
namespace {

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& words, const char* last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? std::string(" ") + last + " " : std::string(", ")) + words[i];
    }
    return text;
}

// What a confined program should not do, by whether the kernel prevents it.
struct Enforcement {
    std::vector<std::string> prevented, possible;
};
Enforcement enforcement(bool network, const Support& kernel) {
    Enforcement result;
    const auto add = [&result](bool prevented, const char* what) {
        (prevented ? result.prevented : result.possible).emplace_back(what);
    };
    if (!network && !kernel.seccomp && kernel.tcp()) {
        add(true, "use TCP");
        add(false, "use the network without TCP");
    } else if (!network) {
        add(kernel.seccomp, "use the network");
    }
    add(kernel.seccomp, "reach your display or D-Bus");
    add(kernel.signals(), "signal other processes");
    add(true, "look into other processes");
    add(kernel.seccomp, "change modes, owners or times of files");
    add(kernel.truncation(), "empty files elsewhere");
    return result;
}

}  // namespace

std::string explanation(const Permissions& permissions, const Support& kernel) {
    if (!permissions.confined) {
        return "The program may do what you may do: write anywhere, use the network, end other processes.";
    }
    if (!kernel.writes()) {
        return "This kernel cannot confine programs (it has no Landlock, or it is switched off): they may do what you "
               "may do. Run only what you trust.";
    }
    std::vector<std::string> places = permissions.folders;
    places.emplace_back("shared memory (/dev/shm)");
    const Enforcement rules = enforcement(permissions.network, kernel);
    std::string text = "The program may read what you may read, " +
                       std::string(permissions.network ? "use the network, " : "") + "and write only in " +
                       listed(places, "and") + ". It cannot " + listed(rules.prevented, "or") + ".";
    if (!rules.possible.empty()) {
        text += " This kernel (Landlock " + std::to_string(kernel.version) + (kernel.seccomp ? "" : ", no seccomp") +
                ") lets it " + listed(rules.possible, "and") + ".";
    }
    return text;
}

std::string summary(const Permissions& permissions, const Support& kernel) {
    if (!kernel.writes()) {
        return "not confined";
    }
    if (!permissions.confined) {
        return "may write anywhere";
    }
    const std::size_t gaps = enforcement(permissions.network, kernel).possible.size();
    std::string text = permissions.folders.empty() ? "writes in a temporary folder only" : "writes in its folder only";
    text += permissions.network ? ", network allowed" : kernel.seccomp ? ", no network" : "";
    return gaps == 0 ? text : text + ", not all of it enforced";
}

}  // namespace headway::confinement
