#include "tests/bench/harness.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace headway::bench {
namespace {

constexpr int kAttempts = 4;
constexpr double kQuietCores = 0.02;       // load by other processes up to which the machine counts as quiet
constexpr double kDisturbedPercent = 12;   // rows with more disturbance are repeated
constexpr double kJudgeableSeconds = 0.2;  // the kernel counts in hundredths of a second; shorter rows cannot be judged

bool pinning = true;

std::int64_t status_bytes(std::string_view key) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with(key)) {
            return std::strtoll(line.c_str() + key.size() + 1, nullptr, 10) * 1024;
        }
    }
    return 0;
}

std::int64_t thread_page_faults() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

void reset_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

// Processor time used by all processes of the machine, in seconds.
double machine_busy_s() {
    std::ifstream stat("/proc/stat");
    std::string word;
    stat >> word;
    double total = 0;
    for (int field = 0; field < 8; ++field) {
        double jiffies = 0;
        stat >> jiffies;
        if (field != 3 && field != 4) {  // idle, iowait
            total += jiffies;
        }
    }
    return total / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double processor_s(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double foreign_busy_s() {
    return machine_busy_s() - processor_s(CLOCK_PROCESS_CPUTIME_ID);
}

void wait_until_quiet(double seconds) {
    const std::int64_t end = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    do {
        const double before = foreign_busy_s();
        sleep_us(100'000);
        if (foreign_busy_s() - before < kQuietCores) {
            return;
        }
    } while (now_ns() < end);
}

std::vector<int> allowed_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) {
            cores.push_back(core);
        }
    }
    return cores;
}

// Read once, before anything is pinned.
const std::vector<int>& cores() {
    static const std::vector<int> all = allowed_cores();
    return all;
}

std::string physical_core_of(int core) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/";
    std::string package, id;
    std::ifstream(folder + "physical_package_id") >> package;
    std::ifstream(folder + "core_id") >> id;
    return package + ":" + id;
}

void pin_to_set(const std::vector<int>& wanted) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int core : wanted) {
        CPU_SET(core, &set);
    }
    sched_setaffinity(0, sizeof set, &set);
}

std::string json_list(const std::vector<double>& values) {
    std::ostringstream text;
    text.precision(6);
    text << '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        text << (i == 0 ? "" : ",") << values[i];
    }
    text << ']';
    return text.str();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double least(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

[[noreturn]] void usage(const char* program, const char* argument) {
    std::fprintf(stderr,
                 "%s: %s is not understood; usage: [--list] [--workload NAME]... [--peer NAME]... [--repeats N] "
                 "[--quick] [--quiet-seconds S] [--fresh]\n",
                 program, argument);
    std::exit(2);
}

}  // namespace

std::int64_t now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void sleep_us(std::int64_t us) {
    const timespec t{us / 1'000'000, static_cast<long>(us % 1'000'000 * 1000)};
    nanosleep(&t, nullptr);
}

int frontend_core() {
    return cores().front();
}

int worker_core() {
    const std::string taken = physical_core_of(frontend_core());
    for (int core : cores()) {
        if (core != frontend_core() && physical_core_of(core) != taken) {
            return core;
        }
    }
    return cores().back();
}

void pin_to(int core) {
    if (pinning) {
        pin_to_set({core});
    }
}

void unpin() {
    pin_to_set(cores());
}

void spin_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void Measure::begin() {
    reset_peak_memory();
    resident_before_ = status_bytes("VmRSS");
    shared_before_ = status_bytes("RssShmem");
    issued_ns_ = 0;
    page_faults_ = -thread_page_faults();
    processor_ns_ = -processor_s(CLOCK_THREAD_CPUTIME_ID) * 1e9;
    begin_ns_ = now_ns();
}

void Measure::issued() {
    issued_ns_ = now_ns();
}

void Measure::done() {
    const std::int64_t end_ns = now_ns();
    processor_ns_ += processor_s(CLOCK_THREAD_CPUTIME_ID) * 1e9;
    page_faults_ += thread_page_faults();
    end_to_end_ns_ = static_cast<double>(end_ns - begin_ns_);
    issue_ns_ = issued_ns_ == 0 ? end_to_end_ns_ : static_cast<double>(issued_ns_ - begin_ns_);
    const std::int64_t shared = status_bytes("RssShmem") - shared_before_;
    growth_bytes_ = std::max<std::int64_t>(0, status_bytes("VmHWM") - resident_before_ - shared);
}

void Measure::set_totals(double issue_ns, double end_to_end_ns) {
    issue_ns_ = issue_ns;
    end_to_end_ns_ = end_to_end_ns;
}

Harness::Harness(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const auto number = [&](double least_allowed) {
            if (i + 1 == argc) {
                usage(argv[0], argv[i]);
            }
            char* end = nullptr;
            const double value = std::strtod(argv[++i], &end);
            if (*end != '\0' || !(value >= least_allowed)) {
                usage(argv[0], argv[i]);
            }
            return value;
        };
        if (name == "--list") {
            list_ = true;
        } else if (name == "--quick") {
            quick_ = true;
        } else if (name == "--fresh") {
            fresh_ = true;
            pinning = false;
        } else if (name == "--peer" && i + 1 < argc) {
            peers_.emplace_back(argv[++i]);
        } else if (name == "--workload" && i + 1 < argc) {
            workloads_.emplace_back(argv[++i]);
        } else if (name == "--repeats") {
            repeats_ = static_cast<int>(number(1));
        } else if (name == "--quiet-seconds") {
            quiet_seconds_ = number(0);
        } else {
            usage(argv[0], argv[i]);
        }
    }
    cores();
}

bool Harness::wanted(const std::string& workload) const {
    return workloads_.empty() || std::find(workloads_.begin(), workloads_.end(), workload) != workloads_.end();
}

void Harness::row(const std::string& peer, const std::string& workload, long ops, const Body& body,
                  const std::string& note) {
    if (!wanted(workload) || (!peers_.empty() && std::find(peers_.begin(), peers_.end(), peer) == peers_.end())) {
        return;
    }
    if (list_) {
        std::printf("{\"peer\":\"%s\",\"workload\":\"%s\"}\n", peer.c_str(), workload.c_str());
        return;
    }
    const long n = quick_ ? std::max(2L, ops / 1000) : ops;
    const int repeats = fresh_ ? 1 : quick_ ? 2 : repeats_;

    std::vector<double> issue, end_to_end;
    std::vector<double> growth;
    std::uint64_t trace_bytes = 0;
    std::int64_t page_faults = 0;
    double processor_ns = 0;
    double foreign_percent = 0;
    for (int attempt = 0; attempt < (quick_ || fresh_ ? 1 : kAttempts); ++attempt) {
        if (!quick_ && !fresh_) {
            wait_until_quiet(quiet_seconds_);
        }
        issue.clear();
        end_to_end.clear();
        growth.clear();
        const double foreign_before = foreign_busy_s();
        const std::int64_t begin = now_ns();
        for (int repeat = 0; repeat < repeats; ++repeat) {
            Measure measure;
            body(measure, n);
            issue.push_back(measure.issue_ns() / static_cast<double>(n));
            end_to_end.push_back(measure.end_to_end_ns() / static_cast<double>(n));
            growth.push_back(static_cast<double>(measure.growth_bytes()));
            trace_bytes = measure.trace_bytes();
            page_faults = measure.page_faults();
            processor_ns = measure.processor_ns();
        }
        const double seconds = static_cast<double>(now_ns() - begin) * 1e-9;
        foreign_percent = seconds < kJudgeableSeconds
                              ? 0
                              : std::max(0.0, foreign_busy_s() - foreign_before - kQuietCores) / seconds * 100;
        if (foreign_percent < kDisturbedPercent) {
            break;
        }
    }
    std::printf(
        "{\"peer\":\"%s\",\"workload\":\"%s\",\"n\":%ld,\"issue_min\":%.6g,\"issue_median\":%.6g,\"e2e_min\":%.6g,"
        "\"e2e_median\":%.6g,\"rss_growth_bytes\":%lld,\"trace_bytes_per_op\":%.4g,\"foreign_percent\":%.0f,"
        "\"page_faults\":%lld,\"processor\":%.6g,\"issue\":%s,\"e2e\":%s,\"note\":\"%s\"}\n",
        peer.c_str(), workload.c_str(), n, least(issue), median(issue), least(end_to_end), median(end_to_end),
        static_cast<long long>(median(growth)), static_cast<double>(trace_bytes) / static_cast<double>(n),
        foreign_percent, static_cast<long long>(page_faults), processor_ns / static_cast<double>(n),
        json_list(issue).c_str(), json_list(end_to_end).c_str(), note.c_str());
    std::fflush(stdout);
}

}  // namespace headway::bench
