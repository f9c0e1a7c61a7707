// Results for other programs: JSON, JUnit and Gradescope.
#include <nlohmann/json.hpp>

#include "app/check/result.h"
#include "app/expression/value.h"
#include "app/json/json.h"

namespace headway::check {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_of(const CheckResult& check) {
    Json json;
    json["id"] = check.id;
    json["title"] = check.title;
    json["outcome"] = word_of(check.outcome);
    json["sentence"] = check.sentence;
    json["why"] = check.why;
    json["line"] = check.line == 0 ? Json(nullptr) : Json(check.line);
    json["op"] = check.op == 0 ? Json(nullptr) : Json(check.op);
    json["op_words"] = check.op_words;
    json["hidden"] = check.hidden;
    json["points"] = check.points;
    json["most"] = check.most;
    json["hints"] = check.hints;
    return json;
}

Json json_of(const CheckReport& report) {
    Json json;
    json["headway"] = report.headway;
    json["exercise"] = report.exercise;
    json["title"] = report.title;
    json["version"] = report.version;
    json["hash"] = report.hash;
    json["program"] = report.program;
    json["program_hash"] = report.program_hash;
    json["key"] = report.key;
    json["verdict"] = word_of(report.verdict);
    json["sentence"] = report.sentence;
    json["points"] = report.points;
    json["most"] = report.most;
    json["cases_run"] = report.cases_run;
    json["cases"] = report.cases;
    json["notes"] = report.notes;
    json["checks"] = Json::array();
    for (const CheckResult& check : report.checks) {
        json["checks"].push_back(json_of(check));
    }
    return json;
}

std::vector<std::string> texts(const json::Value& list) {
    std::vector<std::string> texts;
    for (const json::Value& element : list.elements()) {
        texts.emplace_back(element.text());
    }
    return texts;
}

// Characters that XML allows, with entities for those that have a meaning in it.
std::string xml(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' ? c : ' ';
        }
    }
    return result;
}

}  // namespace

std::string as_json(const CheckReport& report) {
    return dumped(json_of(report));
}

std::string as_json(const std::vector<CheckReport>& reports) {
    Json list = Json::array();
    for (const CheckReport& report : reports) {
        list.push_back(json_of(report));
    }
    return dumped(list);
}

core::Result<CheckReport> report_from(std::string_view text) {
    const json::Document document(text);
    const json::Value& root = document.root();
    const auto verdict = verdict_called(root["verdict"].text());
    if (!root.is_object() || !verdict || !root["checks"].is_array()) {
        return core::Error{core::ErrorKind::unreadable, "this is not the result of a check", {}, 0, 0};
    }
    CheckReport report;
    report.headway = root["headway"].text();
    report.exercise = root["exercise"].text();
    report.title = root["title"].text();
    report.version = root["version"].text();
    report.hash = root["hash"].text();
    report.program = root["program"].text();
    report.program_hash = root["program_hash"].text();
    report.key = root["key"].text();
    report.verdict = *verdict;
    report.sentence = root["sentence"].text();
    report.points = root["points"].number().value_or(0);
    report.most = root["most"].number().value_or(0);
    report.cases_run = static_cast<std::uint32_t>(root["cases_run"].count());
    report.cases = static_cast<std::uint32_t>(root["cases"].count());
    report.notes = texts(root["notes"]);
    for (const json::Value& entry : root["checks"].elements()) {
        CheckResult check;
        check.id = entry["id"].text();
        check.title = entry["title"].text();
        check.outcome = outcome_called(entry["outcome"].text()).value_or(Outcome::not_reached);
        check.sentence = entry["sentence"].text();
        check.why = entry["why"].text();
        check.line = static_cast<std::uint32_t>(entry["line"].count());
        check.op = entry["op"].count();
        check.op_words = entry["op_words"].text();
        check.hidden = entry["hidden"].is_true();
        check.points = entry["points"].number().value_or(0);
        check.most = entry["most"].number().value_or(0);
        check.hints = texts(entry["hints"]);
        report.checks.push_back(std::move(check));
    }
    return report;
}

std::string as_junit(const std::vector<CheckReport>& reports) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const CheckReport& report : reports) {
        std::size_t failures = 0, skipped = 0;
        for (const CheckResult& check : report.checks) {
            failures += check.outcome == Outcome::failed ? 1 : 0;
            skipped += check.outcome == Outcome::not_reached ? 1 : 0;
        }
        text += "  <testsuite name=\"" + xml(report.program) + "\" tests=\"" + std::to_string(report.checks.size()) +
                "\" failures=\"" + std::to_string(failures) + "\" skipped=\"" + std::to_string(skipped) + "\">\n";
        text += "    <properties>\n";
        for (const auto& [name, value] : {std::pair{"exercise", report.exercise},
                                          {"version", report.version},
                                          {"hash", report.hash},
                                          {"verdict", std::string(word_of(report.verdict))}}) {
            text += std::string("      <property name=\"") + name + "\" value=\"" + xml(value) + "\"/>\n";
        }
        text += "    </properties>\n";
        for (const CheckResult& check : report.checks) {
            text += "    <testcase classname=\"" + xml(report.exercise) + "\" name=\"" + xml(check.title) + "\"";
            if (check.outcome == Outcome::passed) {
                text += "/>\n";
                continue;
            }
            const char* kind = check.outcome == Outcome::failed ? "failure" : "skipped";
            text += std::string("><") + kind + " message=\"" + xml(check.sentence) + "\"/></testcase>\n";
        }
        text += "  </testsuite>\n";
    }
    return text + "</testsuites>\n";
}

std::string as_gradescope(const CheckReport& report, std::size_t hints) {
    Json json;
    json["score"] = report.points;
    json["output"] =
        report.sentence + " (" + report.exercise + ", version " + report.version + ", " + report.hash + ")";
    json["visibility"] = "visible";
    json["tests"] = Json::array();
    for (const CheckResult& check : report.checks) {
        std::string output = check.sentence;
        if (check.line != 0) {
            output += " (line " + std::to_string(check.line) + (check.op != 0 ? ", op " + check.op_words : "") + ")";
        }
        for (std::size_t i = 0; i < std::min(hints, check.hints.size()); ++i) {
            output += "\nHint: " + check.hints[i];
        }
        json["tests"].push_back({{"name", check.title},
                                 {"score", check.points},
                                 {"max_score", check.most},
                                 {"status", check.outcome == Outcome::passed ? "passed" : "failed"},
                                 {"output", output},
                                 {"visibility", "visible"}});
    }
    return dumped(json);
}

}  // namespace headway::check
