#include "app/confinement/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "app/confinement/system_calls.h"
#include "engine/core/system/unique_fd.h"

namespace headway::confinement {
namespace {

// From the kernel's <linux/landlock.h>: a distribution's copy may be older than the running kernel.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;
struct RulesetAttr {
    std::uint64_t handled_files;
    std::uint64_t handled_network;
    std::uint64_t scoped;
};
struct PathBeneathAttr {
    std::uint64_t allowed;
    std::int32_t parent_fd;
} __attribute__((packed));

constexpr std::uint64_t kWriteFile = 1u << 1, kRemoveFolder = 1u << 4, kRemoveFile = 1u << 5, kMakeChar = 1u << 6,
                        kMakeFolder = 1u << 7, kMakeFile = 1u << 8, kMakeSocket = 1u << 9, kMakePipe = 1u << 10,
                        kMakeBlock = 1u << 11, kMakeLink = 1u << 12, kRefer = 1u << 13, kTruncate = 1u << 14,
                        kDeviceControl = 1u << 15;
constexpr std::uint64_t kBindTcp = 1u << 0, kConnectTcp = 1u << 1;
constexpr std::uint64_t kScopeSockets = 1u << 0, kScopeSignals = 1u << 1;

// Drops root's capabilities, such as reading the environment of other processes, making devices and loading modules.
// Those for access to files are kept: a program may read what its user may read, and Landlock limits its writing.
// Returns 0 or errno.
int give_up_capabilities() {
    constexpr std::uint32_t kVersion = 0x20080522;  // two words
    struct {
        std::uint32_t version;
        std::int32_t process;
    } const header{kVersion, 0};
    struct {
        std::uint32_t effective, permitted, inheritable;
    } words[2]{};
    if (syscall(SYS_capget, &header, words) != 0) {
        return errno;
    }
    constexpr std::uint32_t kKept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER;
    for (std::size_t i = 0; i < 2; ++i) {
        words[i].effective &= i == 0 ? kKept : 0;
        words[i].permitted &= i == 0 ? kKept : 0;
        words[i].inheritable &= i == 0 ? kKept : 0;
    }
    return syscall(SYS_capset, &header, words) == 0 ? 0 : errno;
}

core::Error problem(const char* what, int why) {
    return {core::ErrorKind::unavailable,
            std::string("the program cannot be confined: ") + what + ": " + std::strerror(why)};
}

}  // namespace

Support support() {
    const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
    return {version > 0 ? static_cast<int>(version) : 0, can_filter_system_calls()};
}

core::Result<void> confine(const Rules& rules) {
    const Support kernel = support();
    if (!kernel.writes()) {
        return core::Error{core::ErrorKind::unavailable,
                           "the program cannot be confined: this kernel has no Landlock, or it is switched off"};
    }
    std::uint64_t writes = kWriteFile | kRemoveFolder | kRemoveFile | kMakeChar | kMakeFolder | kMakeFile |
                           kMakeSocket | kMakePipe | kMakeBlock | kMakeLink;
    writes |= kernel.version >= 2 ? kRefer : 0;
    writes |= kernel.truncation() ? kTruncate : 0;
    writes |= kernel.version >= 5 ? kDeviceControl : 0;
    RulesetAttr attr{writes, kernel.tcp() && !rules.network ? kBindTcp | kConnectTcp : 0,
                     kernel.signals() ? kScopeSockets | kScopeSignals : 0};
    const std::size_t size = kernel.signals() ? sizeof attr : kernel.tcp() ? 16 : 8;
    const core::UniqueFd ruleset(static_cast<int>(syscall(kCreateRuleset, &attr, size, 0)));
    if (!ruleset) {
        return problem("no ruleset", errno);
    }
    const auto allow = [&](const std::string& path, std::uint64_t rights) {
        const core::UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
        struct stat s {};
        if (!place || fstat(place.get(), &s) != 0) {
            return true;  // does not exist
        }
        // The kernel rejects rights that do not apply to files.
        rights &= S_ISDIR(s.st_mode) ? rights : kWriteFile | kTruncate | kDeviceControl;
        const PathBeneathAttr rule{rights & writes, place.get()};
        return syscall(kAddRule, ruleset.get(), kPathBeneath, &rule, 0) == 0;
    };
    bool good = true;
    // No devices: through one made in its own folder, a program of root could write to a disk.
    for (const auto& folder : rules.folders) {
        good = good && allow(folder, writes & ~(kMakeChar | kMakeBlock));
    }
    good = good && allow("/dev/shm", kWriteFile | kTruncate | kMakeFile | kRemoveFile);
    // Programs that only read need these devices, GPU drivers in particular.
    for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/nvidiactl", "/dev/nvidia-uvm",
                               "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/nvidia-caps", "/dev/dri"}) {
        good = good && allow(device, kWriteFile | kTruncate | kDeviceControl);
    }
    for (int gpu = 0; gpu < 16; ++gpu) {
        good = good && allow("/dev/nvidia" + std::to_string(gpu), kWriteFile | kTruncate | kDeviceControl);
    }
    if (!good) {
        return problem("a folder cannot be added to the rules", errno);
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return problem("privileges cannot be given up", errno);
    }
    if (const int why = give_up_capabilities(); why != 0) {
        return problem("capabilities cannot be given up", why);
    }
    if (syscall(kRestrictSelf, ruleset.get(), 0) != 0) {
        return problem("the kernel rejects the rules", errno);
    }
    return kernel.seccomp ? filter_system_calls(rules.network) : core::Result<void>{};
}

}  // namespace headway::confinement
