#include "tests/conformance/random_program.h"

namespace headway {

using runtime::ProgramError;

namespace {

constexpr std::size_t kMostHandles = 24;
constexpr std::size_t kJournal = 60;

}  // namespace

RandomProgram::RandomProgram(RandomPrograms& programs, const Options& options)
    : programs_(programs), rt_(*programs.bench), options_(options), dice_(options.seed) {}

RandomProgram::~RandomProgram() = default;

std::string RandomProgram::run() {
    devices::Device& device = programs_.bench.device();
    device.hold(options_.held);
    for (int i = 0; i < options_.steps && difference_.empty(); ++i) {
        step();
    }
    device.hold(false);
    for (const Handle& handle : handles_) {
        if (difference_.empty()) {
            compare(handle);
        }
    }
    if (difference_.empty()) {
        note("waitall at the end");
        expect_of_wait([&] { rt_.waitall(); }, undelivered_, true);
    }
    try {
        rt_.waitall();  // host ops' contexts must outlive them
    } catch (const ProgramError&) {
        difference_ += difference_.empty() ? "a second waitall delivered a failure once more" : "";
    }
    if (difference_.empty()) {
        return {};
    }
    std::string text = difference_ + "\nThe last steps:\n";
    for (const std::string& line : journal_) {
        text += "  " + line + "\n";
    }
    return text;
}

void RandomProgram::step() {
    if (handles_.size() < 3) {
        create();
        return;
    }
    if (handles_.size() > kMostHandles) {
        forget();
        return;
    }
    const int roll = dice_.number(0, 99);
    if (roll < 8) {
        create();
    } else if (roll < 11) {
        draw_bits();
    } else if (roll < 26) {
        fresh_elementwise();
    } else if (roll < 36) {
        fresh_of_one();
    } else if (roll < 42) {
        fresh_matmul();
    } else if (roll < 47) {
        fresh_reduction();
    } else if (roll < 54) {
        fresh_moved();
    } else if (roll < 70) {
        in_place();
    } else if (roll < 74) {
        view();
    } else if (roll < 79) {
        host_op();
    } else if (roll < 80) {
        mistake();
    } else if (roll < 90) {
        forget();
    } else if (roll < 92) {
        pass_time();
    } else if (!options_.held) {
        roll < 96 ? look() : wait();
    }
}

// --- waiting and looking ---

void RandomProgram::look() {
    compare(pick());
}

void RandomProgram::wait() {
    const int roll = dice_.number(0, 9);
    if (roll < 5) {
        const Handle& a = pick();
        note("wait_to_read v" + std::to_string(a.name));
        expect_of_wait([&] { a.tensor.wait_to_read(); }, a.storage->origins, false);
    } else if (roll < 7) {
        note("waitall");
        expect_of_wait([&] { rt_.waitall(); }, undelivered_, true);
    } else if (roll < 8) {
        note("noop");
        rt_.noop();
    } else if (!options_.failures) {  // whether a failure is delivered here depends on the barrier policy
        note("minibatch");
        rt_.events.minibatch_end();
        rt_.events.minibatch_begin();
    }
}

void RandomProgram::pass_time() {
    const int span = dice_.number(1, 20'000);
    if (programs_.bench.device().virtual_time()) {
        programs_.bench.device().advance(static_cast<std::uint64_t>(span));
    } else {
        for (int i = span / 40; i > 0; --i) {
            core::ticks();
        }
    }
}

void RandomProgram::compare(const Handle& handle) {
    note("look at v" + std::to_string(handle.name));
    std::vector<float> values;
    expect_of_wait([&] { values = handle.tensor.to_host(); }, handle.storage->origins, false);
    if (!handle.storage->origins.empty() || !difference_.empty()) {
        return;
    }
    if (handle.tensor.shape() != handle.shape) {
        differ("the shape of v" + std::to_string(handle.name) + " is " + to_string(handle.tensor.shape()) + ", not " +
               to_string(handle.shape));
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (static_cast<double>(values[i]) != handle.storage->values[i]) {
            differ("element " + std::to_string(i) + " of v" + std::to_string(handle.name) + " " +
                   to_string(handle.shape) + " (buffer " + std::to_string(handle.tensor.buffer_id()) + ") is " +
                   std::to_string(values[i]) + ", not " + std::to_string(handle.storage->values[i]));
            return;
        }
    }
}

void RandomProgram::expect_of_wait(const std::function<void()>& call, const std::set<core::OpId>& origins,
                                   bool delivers_all) {
    const std::set<core::OpId> expected = origins;
    try {
        call();
    } catch (const ProgramError& error) {
        const core::OpId op = error.error().op;
        if (!expected.contains(op)) {
            differ("a failure of op " + std::to_string(op) + " was delivered where none was due: " + error.what());
        } else if (delivers_all && op != *expected.begin()) {
            differ("op " + std::to_string(*expected.begin()) + " failed first, and " + std::to_string(op) +
                   " was delivered");
        }
        undelivered_.erase(op);
        if (delivers_all) {
            undelivered_.clear();
        }
        return;
    }
    if (!expected.empty()) {
        differ("the failure of op " + std::to_string(*expected.begin()) + " was not delivered");
    }
}

void RandomProgram::note(std::string text) {
    journal_.push_back(std::move(text));
    if (journal_.size() > kJournal) {
        journal_.pop_front();
    }
}

void RandomProgram::differ(const std::string& what) {
    if (difference_.empty()) {
        difference_ = what;
    }
}

}  // namespace headway
