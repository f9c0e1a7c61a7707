// Results for people, and as a table.
#include <algorithm>
#include <cstdio>

#include "app/check/result.h"
#include "app/expression/value.h"

namespace headway::check {

namespace {

constexpr std::size_t kWidth = 100;

// Breaks a text into lines, each after `indent`.
std::string wrapped(const std::string& text, const std::string& indent) {
    std::string result;
    std::string line = indent;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty()) {
            continue;
        }
        if (line.size() + word.size() + 1 > kWidth && line != indent) {
            result += line + "\n";
            line = std::string(indent.size(), ' ');
        }
        line += (line.empty() || line.back() == ' ' ? "" : " ") + word;
    }
    return result + line + "\n";
}

std::string place_of(const CheckReport& report, const CheckResult& check) {
    if (check.line == 0) {
        return "";
    }
    return report.program.substr(report.program.rfind('/') + 1) + ":" + std::to_string(check.line) +
           (check.op != 0 ? ", op " + check.op_words : "");
}

// With quotes where the field needs them.
std::string csv(std::string text) {
    // A spreadsheet would compute a field that begins so.
    if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
        text.insert(text.begin(), '\'');
    }
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string score(double points, double most) {
    return expression::number_text(points) + " of " + expression::number_text(most) +
           (most == 1 ? " point" : " points");
}

}  // namespace

const char* word_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::passed:
            return "passed";
        case Outcome::failed:
            return "failed";
        default:
            return "not reached";
    }
}

const char* word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::passed:
            return "passed";
        case Verdict::refused:
            return "refused";
        case Verdict::endless_loop:
            return "endless loop";
        case Verdict::endless_output:
            return "endless output";
        case Verdict::out_of_memory:
            return "out of memory";
        case Verdict::crashed:
            return "crashed";
        case Verdict::forged:
            return "forged";
        default:
            return "failed";
    }
}

std::optional<Outcome> outcome_called(std::string_view word) {
    for (const Outcome outcome : {Outcome::passed, Outcome::failed, Outcome::not_reached}) {
        if (word == word_of(outcome)) {
            return outcome;
        }
    }
    return std::nullopt;
}

std::optional<Verdict> verdict_called(std::string_view word) {
    for (const Verdict verdict : {Verdict::passed, Verdict::failed, Verdict::refused, Verdict::endless_loop,
                                  Verdict::endless_output, Verdict::out_of_memory, Verdict::crashed, Verdict::forged}) {
        if (word == word_of(verdict)) {
            return verdict;
        }
    }
    return std::nullopt;
}

std::string as_text(const CheckReport& report, std::size_t hints) {
    std::string text = report.program + ": " + word_of(report.verdict) + ", " + score(report.points, report.most) +
                       "\n" + report.title + " (" + report.exercise + ", version " + report.version + ", " +
                       report.hash + ")\n";
    for (const std::string& note : report.notes) {
        text += wrapped(note, "");
    }
    text += "\n";
    for (const CheckResult& check : report.checks) {
        const char* mark = check.outcome == Outcome::passed   ? "pass  "
                           : check.outcome == Outcome::failed ? "FAIL  "
                                                              : "-     ";
        text += wrapped(check.title, mark);
        if (check.outcome == Outcome::passed) {
            continue;
        }
        const std::string place = place_of(report, check);
        const bool said = place.empty() || check.sentence.ends_with(" at " + place + ".");
        text += wrapped(check.sentence + (said ? "" : " (" + place + ")"), "      ");
        if (check.outcome == Outcome::not_reached) {
            continue;
        }
        if (!check.why.empty() && check.most > 0) {
            text += wrapped(check.why, "      Why: ");
        }
        for (std::size_t i = 0; i < std::min(hints, check.hints.size()); ++i) {
            text += wrapped(check.hints[i],
                            "      Hint " + std::to_string(i + 1) + " of " + std::to_string(check.hints.size()) + ": ");
        }
    }
    return text;
}

std::string as_csv(const std::vector<CheckReport>& reports) {
    std::string text = "program,exercise,version,hash,verdict,points,of,sentence";
    if (!reports.empty()) {
        for (const CheckResult& check : reports.front().checks) {
            text += "," + csv(check.id);
        }
    }
    text += "\n";
    for (const CheckReport& report : reports) {
        text += csv(report.program) + "," + csv(report.exercise) + "," + csv(report.version) + "," + report.hash + "," +
                word_of(report.verdict) + "," + expression::number_text(report.points) + "," +
                expression::number_text(report.most) + "," + csv(report.sentence);
        for (const CheckResult& check : report.checks) {
            text += std::string(",") + word_of(check.outcome);
        }
        text += "\n";
    }
    return text;
}

}  // namespace headway::check
