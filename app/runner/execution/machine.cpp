#include "app/runner/execution/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>

#include "engine/devices/cpu/cpu_device.h"

namespace headway::runner {

namespace {

// "Debian GNU/Linux 12 (bookworm)", or the kernel's name if the distribution is unknown.
std::string os_name() {
    std::ifstream release("/etc/os-release");
    for (std::string line; std::getline(release, line);) {
        const std::string key = "PRETTY_NAME=";
        if (line.rfind(key, 0) == 0) {
            std::string name = line.substr(key.size());
            if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'')) {
                name = name.substr(1, name.size() - 2);
            }
            return name;
        }
    }
    utsname system{};
    return uname(&system) == 0 ? std::string(system.sysname) + " " + system.release : "unknown";
}

}  // namespace

Machine this_machine() {
    Machine machine;
    machine.cpu = devices::cpu_name();
    machine.os = os_name();
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        machine.cores = CPU_COUNT(&allowed);
    }
    return machine;
}

std::uint64_t resident_bytes() {
    std::FILE* statm = std::fopen("/proc/self/statm", "re");
    if (statm == nullptr) {
        return 0;
    }
    unsigned long long size = 0, resident = 0;
    const int read = std::fscanf(statm, "%llu %llu", &size, &resident);
    std::fclose(statm);
    return read == 2 ? resident * static_cast<unsigned long long>(sysconf(_SC_PAGESIZE)) : 0;
}

std::string iso_date() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
    std::string date = text;
    if (date.size() > 22) {
        date.insert(date.size() - 2, ":");
    }
    return date;
}

}  // namespace headway::runner
