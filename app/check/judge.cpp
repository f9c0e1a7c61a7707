#include "app/check/judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/description/sentence.h"

namespace headway::check {

namespace {

using expression::Value;

// The result of one check in one case.
struct InCase {
    Outcome outcome = Outcome::passed;
    std::string sentence;
    std::uint32_t line = 0;
    std::uint64_t op = 0;
    std::string op_words;
};

// An exercise's text as one sentence on one line. It may begin with a variable's name.
std::string one_line(std::string text) {
    text.erase(text.find_last_not_of(" \n") + 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return model::with_full_stop(std::move(text));
}

// The facts of a case together with the exercise's own values.
std::shared_ptr<const expression::Record> facts_of(const Exercise& exercise, const CaseRun& run,
                                                   const std::vector<std::string>& start) {
    auto facts = make_case_facts(run.run, run.reference, start, run.with);
    for (const auto& [name, expression] : exercise.let) {
        auto value = expression.evaluate(*facts);
        facts = with_facts(
            facts, {{name, value ? value : expression::sentence(expression::without_column(value.error().message))}});
    }
    return facts;
}

// The check that every exercise begins with: how the run ended, if it can be relied on.
CaseEnd judge_run(const CaseRun& run) {
    CaseEnd ending = run.ending;
    if (ending.good() && run.run->run != nullptr && run.reference->run != nullptr) {
        ending.sentence = implausible(*run.run->run, *run.reference->run);
        ending.verdict = ending.sentence.empty() ? Verdict::passed : Verdict::forged;
    }
    if (ending.good() && run.run->run != nullptr && run.reference->run != nullptr) {
        const auto warm_up = [](const RunData& data) {
            const auto part = data.run->measured();
            return part.has_begin ? std::optional(part.first - 1) : std::nullopt;
        };
        const auto own = warm_up(*run.run), wanted = warm_up(*run.reference);
        if (own != wanted) {
            ending.verdict = Verdict::failed;
            ending.sentence = !wanted ? "Here measuring begins with the first op: remove the call of measure()."
                              : !own  ? "The call of measure(), with which measuring begins, is missing."
                                      : "measure() is called in another place: it must stay where it was.";
        }
    }
    return ending;
}

void put_place(const Check& check, const expression::Record& facts, InCase& result) {
    if (!check.at) {
        return;
    }
    const auto place = check.at->evaluate(facts);
    if (!place) {
        return;
    }
    if (place->number() != nullptr && *place->number() >= 0 && *place->number() < 1e9) {
        result.line = static_cast<std::uint32_t>(*place->number());
    } else if (place->record() != nullptr) {
        const Event event = event_of(*place->record());
        result.line = event.line;
        result.op = event.op;
        result.op_words = event.op != 0 ? place->record()->text() : "";
    }
}

InCase judge_check(const Check& check, const expression::Record& facts) {
    InCase result;
    const auto passed = check.pass->truth(facts);
    if (passed && *passed) {
        return result;
    }
    result.outcome = Outcome::failed;
    put_place(check, facts, result);
    const auto sentence = check.fail.evaluate(facts);
    const std::string reason = passed ? "" : expression::without_column(passed.error().message);
    if (reason.starts_with("the program")) {  // it has no such result, or did not begin
        result.sentence = model::sentence_of(reason);
    } else if (sentence) {
        result.sentence = one_line(*sentence);
    } else {
        result.sentence = one_line(passed ? check.title : "This cannot be seen in the run: " + reason);
    }
    return result;
}

// Adds a check's result in a further case. The first case in which it does not pass counts.
void take(CheckResult& result, const InCase& one, bool hidden) {
    if (result.outcome != Outcome::passed || one.outcome == Outcome::passed) {
        return;
    }
    result.outcome = one.outcome;
    result.hidden = hidden;
    result.line = one.line;
    if (!hidden) {
        result.sentence = one.sentence;
        result.op = one.op;
        result.op_words = one.op_words;
    } else if (one.outcome == Outcome::failed) {
        result.sentence =
            "It holds with the values in the file, but not with others: the check was repeated with other "
            "values, sizes and seeds.";
    } else {
        result.sentence = one.sentence;
    }
}

std::string sentence_of(const CheckReport& report) {
    const auto count =
        static_cast<std::size_t>(std::count_if(report.checks.begin(), report.checks.end(),
                                               [](const auto& check) { return check.outcome == Outcome::passed; }));
    const std::size_t all = report.checks.size();
    if (count == all) {
        return "All " + std::to_string(all) + " checks pass.";
    }
    const auto failed = std::find_if(report.checks.begin(), report.checks.end(),
                                     [](const CheckResult& check) { return check.outcome == Outcome::failed; });
    const std::string words =
        std::to_string(count) + " of " + std::to_string(all) + (count == 1 ? " checks passes." : " checks pass.");
    return failed == report.checks.end() ? words : words + " " + failed->sentence;
}

}  // namespace

void judge(const Exercise& exercise, std::span<const CaseRun> runs, const std::vector<std::string>& start,
           CheckReport& report) {
    CheckResult whole;
    whole.id = kRuns;
    whole.title = "The program runs to its end";
    whole.why = "Only a run that has ended can be judged as a whole.";
    whole.outcome = Outcome::passed;
    report.checks = {whole};
    report.verdict = Verdict::passed;
    for (const Check& check : exercise.checks) {
        CheckResult result;
        result.id = check.id;
        result.title = check.title;
        result.why = check.why;
        result.outcome = Outcome::passed;
        result.most = check.points;
        result.hints = check.hints;
        report.checks.push_back(std::move(result));
    }
    for (const CaseRun& run : runs) {
        const CaseEnd ending = judge_run(run);
        const bool ended = ending.good();
        report.verdict = report.verdict == Verdict::passed ? ending.verdict : report.verdict;
        std::vector<InCase> here{
            {ended ? Outcome::passed : Outcome::failed, ending.sentence, ending.line, 0, std::string()}};
        const auto facts = facts_of(exercise, run, start);
        for (const Check& check : exercise.checks) {
            std::string missing = ended || check.partial ? "" : whole.title;
            for (std::size_t i = 0; missing.empty() && i + 1 < here.size(); ++i) {
                const Check& earlier = exercise.checks[i];
                const bool needed = std::find(check.needs.begin(), check.needs.end(), earlier.id) != check.needs.end();
                missing = needed && here[i + 1].outcome != Outcome::passed ? earlier.title : "";
            }
            here.push_back(missing.empty()
                               ? judge_check(check, *facts)
                               : InCase{Outcome::not_reached, "First this must hold: " + missing + ".", 0, 0, ""});
        }
        for (std::size_t i = 0; i < here.size(); ++i) {
            take(report.checks[i], here[i], run.with.hidden);
        }
    }
    report.points = report.most = 0;
    for (CheckResult& check : report.checks) {
        check.points = check.outcome == Outcome::passed ? check.most : 0;
        report.points += check.points;
        report.most += check.most;
        if (check.outcome == Outcome::passed) {
            check.hints.clear();
        }
    }
    report.exercise = exercise.id;
    report.title = exercise.title;
    report.version = exercise.version;
    report.hash = exercise.hash;
    report.cases_run = static_cast<std::uint32_t>(runs.size());
    report.cases = static_cast<std::uint32_t>(exercise.cases.size());
    if (report.verdict == Verdict::passed &&
        std::any_of(report.checks.begin(), report.checks.end(),
                    [](const CheckResult& check) { return check.outcome != Outcome::passed; })) {
        report.verdict = Verdict::failed;
    }
    report.sentence = sentence_of(report);
}

}  // namespace headway::check
