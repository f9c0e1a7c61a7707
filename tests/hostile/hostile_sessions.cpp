// hostile_sessions RUNNER LIST: runs programs as a window does, several at a time, without a window. Each line of LIST
// is
//
//     name TAB path TAB trace limit in bytes or 0 TAB budget in bytes or 0 TAB 1 to stop it once it has printed a line
//
// Prints one JSON object a line: how each run ended, and how long it took from the end of its process (or from the
// request to stop) until another run could be started.
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/json/json.h"
#include "app/session/session.h"

namespace {

using namespace headway;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kAtOnce = 6;
constexpr double kLongest_s = 60;
constexpr double kReadyFor_s = 0.2;  // between the program's line and the request to stop

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Program {
    std::string name, path;
    std::uint64_t trace_bytes = 0, budget_bytes = 0;
    bool stop = false;
};

// Whether the process has ended; it may not have been waited for yet.
bool has_ended(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t at = text.rfind(") ");
    return at == std::string::npos || text[at + 2] == 'Z' || text[at + 2] == 'X';
}

class Running {
public:
    Running(const std::string& runner, Program program)
        : program_(std::move(program)), session_({runner, program_.trace_bytes, false}) {
        session_.settings.program = program_.path;
        session_.settings.folder = std::filesystem::path(program_.path).parent_path();
        session_.settings.budget_bytes = program_.budget_bytes;
        if (const auto started = session_.start(); !started) {
            problem_ = started.error().message;
        }
    }

    // True once the run is over.
    bool look() {
        session_.poll(3);
        const session::Execution* run = session_.b();
        if (run == nullptr || !problem_.empty()) {
            return true;
        }
        if (!ready_ && !run->output().empty()) {
            ready_ = Clock::now();
        }
        if (program_.stop && ready_ && !ended_ && seconds_since(*ready_) > kReadyFor_s) {
            session_.stop();
            ended_ = Clock::now();
        }
        const pid_t pid = session_.runner_pid();
        if (!ended_ && (pid < 0 || has_ended(pid))) {
            ended_ = Clock::now();
        }
        if (session_.live() || session_.behind()) {
            return seconds_since(begun_) > kLongest_s;
        }
        return true;
    }

    void print() const {
        const session::Execution* run = session_.b();
        const bool over = run != nullptr && !run->live();
        std::string verdict = "none";
        std::uint64_t ops = 0;
        if (over && run->run() != nullptr) {
            verdict = model::word_of(run->run()->end().verdict);
            ops = run->run()->op_count();
        }
        std::string output;
        for (const auto& line : run != nullptr ? run->output() : std::deque<session::OutputLine>()) {
            output += line.error || output.size() > 2000 ? "" : line.text + "\n";
        }
        std::printf(
            "{\"name\":%s,\"over\":%s,\"verdict\":\"%s\",\"sentence\":%s,\"ops\":%llu,\"free_s\":%.3f,\"output\":%s}\n",
            json::quoted(program_.name).c_str(), over ? "true" : "false", verdict.c_str(),
            json::quoted(over ? run->ending() : problem_).c_str(), static_cast<unsigned long long>(ops),
            ended_ ? seconds_since(*ended_) : 0.0, json::quoted(output).c_str());
        std::fflush(stdout);
    }

private:
    Program program_;
    session::Session session_;
    std::string problem_;
    std::optional<Clock::time_point> ready_, ended_;
    Clock::time_point begun_ = Clock::now();
};

}  // namespace

int main(int argc, char** argv) {
    std::ifstream list(argc > 2 ? argv[2] : "");
    if (argc != 3 || !list) {
        std::fprintf(stderr, "hostile_sessions RUNNER LIST\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    std::vector<Program> programs;
    for (std::string line; std::getline(list, line);) {
        std::istringstream cells(line);
        Program program;
        std::string trace, budget, stop;
        std::getline(cells, program.name, '\t');
        std::getline(cells, program.path, '\t');
        std::getline(cells, trace, '\t');
        std::getline(cells, budget, '\t');
        std::getline(cells, stop, '\t');
        program.trace_bytes = std::strtoull(trace.c_str(), nullptr, 10);
        program.budget_bytes = std::strtoull(budget.c_str(), nullptr, 10);
        program.stop = stop == "1";
        programs.push_back(std::move(program));
    }
    std::list<Running> running;
    for (std::size_t next = 0; next < programs.size() || !running.empty();) {
        while (running.size() < kAtOnce && next < programs.size()) {
            running.emplace_back(argv[1], programs[next++]);
        }
        for (auto run = running.begin(); run != running.end();) {
            const bool over = run->look();
            if (over) {
                run->print();
            }
            run = over ? running.erase(run) : std::next(run);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return 0;
}
