// How a graded program ended, and whether its recording can be relied on.
#include <algorithm>
#include <optional>

#include "app/check/judge.h"
#include "app/confinement/limits.h"
#include "app/model/description/sentence.h"
#include "app/model/numbers/format.h"
#include "app/model/replay/what_if.h"
#include "app/model/run/devices.h"

namespace headway::check {

namespace {

// "in line 7" if the line is known.
std::string in_line(std::uint32_t line) {
    return line == 0 ? "" : " in line " + std::to_string(line);
}

// The last line that Headway wrote to stderr, without its prefix.
std::string last_message(const std::string& words) {
    constexpr std::string_view kPrefix = "headway: ";
    const auto at = words.rfind(kPrefix);
    if (at == std::string::npos) {
        return "";
    }
    const auto begin = at + kPrefix.size();
    return words.substr(begin, words.find('\n', begin) - begin);
}

CaseEnd limit_ending(confinement::Limit limit, const Limits& limits, std::uint32_t line) {
    switch (limit) {
        case confinement::Limit::output:
            return {Verdict::endless_output,
                    "The program was ended after " + model::bytes_text(limits.output_bytes) + " of output" +
                        in_line(line) + ".",
                    line};
        case confinement::Limit::memory:
            return {Verdict::out_of_memory,
                    "The program was ended when it took more than " + model::bytes_text(limits.memory_bytes) +
                        " of memory" + in_line(line) + ".",
                    line};
        case confinement::Limit::processes:
            return {Verdict::refused, "The program started other programs, which an exercise does not allow.", line};
        case confinement::Limit::time:
            break;
    }
    return {Verdict::endless_loop, "The program does not end: it seems to be in an endless loop" + in_line(line) + ".",
            line};
}

}  // namespace

CaseEnd ending_of(model::Run* run, bool out_of_time, const Limits& limits, const std::string& words) {
    if (run == nullptr) {
        const std::string message = last_message(words);
        return {out_of_time ? Verdict::endless_loop : Verdict::refused,
                model::sentence_of(message.empty() ? "The program could not be run" : message), 0};
    }
    const std::uint32_t line = core::number_of(run->reader().control().current_line.load());
    const model::RunEnd end = run->end();
    if (const auto limit = run->error() ? confinement::exceeded_limit(run->error()->message) : std::nullopt) {
        return limit_ending(*limit, limits, line);
    }
    if (out_of_time) {
        return limit_ending(confinement::Limit::time, limits, line);
    }
    switch (end.verdict) {
        case model::Verdict::complete:
            return {};
        case model::Verdict::failed: {
            if (!run->error()) {
                return {Verdict::crashed, end.sentence, line};
            }
            const model::RunError& error = *run->error();
            return {error.kind == core::ErrorKind::unreadable      ? Verdict::refused
                    : error.kind == core::ErrorKind::out_of_memory ? Verdict::out_of_memory
                                                                   : Verdict::failed,
                    model::sentence_of(error.message), error.line};
        }
        case model::Verdict::damaged:
            return {Verdict::forged, end.sentence, 0};
        case model::Verdict::overflowed:
            return {Verdict::endless_loop, "The program issued more ops than a recording holds.", line};
        default:
            return {Verdict::crashed, end.sentence, line};
    }
}

std::string implausible(const model::Run& run, const model::Run& reference) {
    const std::string forged = "The recording is not one of a real run: ";
    const model::RunInfo &info = run.info(), &other = reference.info();
    if (info.version != other.version || info.device_kind != other.device_kind ||
        info.device_name != other.device_name || info.seed != other.seed || info.cost_models != other.cost_models ||
        info.budget_in_effect != other.budget_in_effect || run.clock() != reference.clock()) {
        return forged + "its settings differ from those of the check.";
    }
    const auto op_words = [&run](core::OpId id) {
        return "#" + std::to_string(id) + " " + run.signature(run.op(id).signature).name;
    };
    const bool exact = run.clock() == trace::ClockKind::virtual_ns;
    std::vector<std::int64_t> lane_end_ns(run.lanes().size(), INT64_MIN);
    std::vector<core::OpId> needs;
    for (core::OpId id = 1; id <= run.op_count(); ++id) {
        const model::Op& op = run.op(id);
        if (op.begin_ns == model::kPending || op.end_ns == model::kPending || op.issue_begin_ns > op.issue_end_ns ||
            op.begin_ns > op.end_ns || op.lane >= lane_end_ns.size() || op.begin_ns < op.issue_begin_ns) {
            return forged + op_words(id) + " has no possible times.";
        }
        run.dependencies(id, needs);
        for (const core::OpId need : needs) {
            if (run.op(need).end_ns > op.begin_ns) {
                return forged + op_words(id) + " begins before " + op_words(need) + " has ended, which it needs.";
            }
        }
    }
    if (!exact || !run.folded_parts().empty()) {
        return "";
    }
    const model::WhatIfRun again = model::without_waits(run, {}, true);
    for (core::OpId id = 1; id <= again.ops.size() && id <= run.op_count(); ++id) {
        const auto& times = again.ops[id - 1];
        if (times.begin_ns != run.op(id).begin_ns || times.end_ns != run.op(id).end_ns) {
            return forged + op_words(id) + " has times that its device would not give.";
        }
    }
    for (core::OpId id = 1; id <= run.op_count(); ++id) {
        const model::Op& op = run.op(id);
        const auto device = device_of_lane(run, op.lane);
        if (costs_of(run, device) != nullptr && run.parts(id).empty() && op.issue_end_ns - op.issue_begin_ns > 0 &&
            op.issue_end_ns - op.issue_begin_ns < static_cast<std::int64_t>(costs_of(run, device)->t1_ns)) {
            return forged + op_words(id) + " was issued faster than the device allows.";
        }
    }
    return "";
}

}  // namespace headway::check
