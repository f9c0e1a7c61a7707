// The front matter of an exercise.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "app/check/exercise.h"
#include "app/check/run_facts.h"
#include "app/check/run_functions.h"
#include "app/lesson/yaml.h"
#include "engine/core/bytes.h"

namespace headway::check {

namespace {

using expression::Expression;
using expression::Sentence;
using lesson::allow_only;
using lesson::flag;
using lesson::line_of;
using lesson::list_of_texts;
using lesson::number;
using lesson::refuse;
using lesson::required_text;
using lesson::text_of;
using lesson::YamlError;

constexpr std::size_t kMostBytes = 200'000;
constexpr std::size_t kMostChecks = 40, kMostCases = 20;
constexpr std::int64_t kLargest = 1'000'000'000;

bool is_id(const std::string& text) {
    return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

bool is_name(const std::string& text) {
    const bool begins = !text.empty() && (text[0] < '0' || text[0] > '9');
    return begins && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class Parser {
public:
    Parser(std::string yaml, Exercise& exercise) : yaml_(std::move(yaml)), exercise_(exercise), names_(fact_names()) {}

    void whole(const YAML::Node& front) {
        allow_only(front,
                   {"budget", "cases", "checks", "costs", "device", "equivalent", "id", "lesson", "let", "limits",
                    "results", "streams", "title", "version"},
                   "an exercise");
        exercise_.id = required_text(front, "id", "the exercise");
        if (!is_id(exercise_.id)) {
            refuse("id must be made of the letters a to z, digits and dashes", front["id"]);
        }
        exercise_.title = required_text(front, "title", "the exercise");
        exercise_.version = required_text(front, "version", "the exercise");
        exercise_.lesson = text_of(front, "lesson", "");
        exercise_.device = text_of(front, "device", "simulated");
        if (exercise_.device != "simulated" && exercise_.device != "cpu") {
            refuse("device must be simulated or cpu", front["device"]);
        }
        exercise_.costs = text_of(front, "costs", "");
        exercise_.budget = text_of(front, "budget", "");
        if (!exercise_.budget.empty() && !core::bytes_from(exercise_.budget)) {
            refuse("budget must be like 8M or 1.5G", front["budget"]);
        }
        if (front["streams"]) {
            exercise_.streams =
                static_cast<std::uint32_t>(whole_number(front["streams"], "streams", 1, core::kMaxLanesOfDevice));
        }
        exercise_.results = list_of_texts(front["results"], "results");
        for (const std::string& name : exercise_.results) {
            if (!is_name(name)) {
                refuse("\"" + name.substr(0, 60) + "\" is not a Python name", front["results"]);
            }
        }
        limits(front["limits"]);
        cases(front["cases"]);
        values(front["let"]);
        checks(front["checks"]);
        equivalents(front["equivalent"]);
    }

private:
    static std::int64_t whole_number(const YAML::Node& node, const std::string& name, std::int64_t least,
                                     std::int64_t most) {
        const double value = number(node, name);
        if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
            refuse(name + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                   node);
        }
        return static_cast<std::int64_t>(value);
    }

    // The line of the YAML text, from 0, in which the text of a scalar begins.
    [[nodiscard]] std::uint32_t text_line(const YAML::Node& node) const {
        const auto at = static_cast<std::size_t>(std::max(node.Mark().pos, 0));
        const bool block = at < yaml_.size() && (yaml_[at] == '|' || yaml_[at] == '>');
        return line_of(node) + (block ? 1 : 0);
    }
    template <class Parsed>
    Parsed known(const YAML::Node& node, const std::string& name) const {
        auto parsed = parse_known<Parsed>(text_of(node, name), names_);
        if (!parsed) {
            throw YamlError{name + ", " + parsed.error().message, text_line(node) + parsed.error().line - 1};
        }
        return std::move(*parsed);
    }
    [[nodiscard]] Expression expression_of(const YAML::Node& node, const std::string& name) const {
        return known<Expression>(node, name);
    }
    [[nodiscard]] Sentence sentence_of(const YAML::Node& node, const std::string& name) const {
        return known<Sentence>(node, name);
    }

    void limits(const YAML::Node& node) {
        if (!node) {
            return;
        }
        allow_only(node, {"memory", "output", "seconds"}, "limits");
        if (node["seconds"]) {
            exercise_.limits.time_ms =
                static_cast<std::uint64_t>(1000 * whole_number(node["seconds"], "limits.seconds", 1, 3600));
        }
        for (const auto& [key, value] :
             {std::pair{"memory", &exercise_.limits.memory_bytes}, {"output", &exercise_.limits.output_bytes}}) {
            if (node[key]) {
                const auto bytes = core::bytes_from(text_of(node[key], key));
                if (!bytes || *bytes == 0) {
                    refuse(std::string("limits.") + key + " must be like 512M or 1G", node[key]);
                }
                *value = *bytes;
            }
        }
    }

    // 5..40, or a list, or one value.
    static Choice choice(const std::string& name, const YAML::Node& node, bool hidden) {
        Choice choice;
        choice.name = name;
        choice.line = line_of(node);
        choice.values = list_of_texts(node, name);
        if (choice.values.empty()) {
            refuse(name + " has no value", node);
        }
        const std::string& text = choice.values.front();
        const auto dots = text.find("..");
        if (node.IsScalar() && dots != std::string::npos) {
            const auto end = [&](std::string_view part, std::int64_t& to) {
                const auto [stop, problem] = std::from_chars(part.data(), part.data() + part.size(), to);
                return problem == std::errc() && stop == part.data() + part.size() && std::abs(to) <= kLargest;
            };
            if (!end(std::string_view(text).substr(0, dots), choice.least) ||
                !end(std::string_view(text).substr(dots + 2), choice.most) || choice.least > choice.most) {
                refuse(name + " must be like 5..40", node);
            }
            choice.values.clear();
        }
        if (!hidden && choice.values.size() != 1) {
            refuse(name + " must have one value, as the case is not hidden", node);
        }
        return choice;
    }

    void cases(const YAML::Node& node) {
        if (!node) {
            exercise_.cases.emplace_back();
            return;
        }
        if (!node.IsSequence() || node.size() == 0 || node.size() > kMostCases) {
            refuse("cases must be a list of 1 to " + std::to_string(kMostCases) + " cases", node);
        }
        for (const auto& entry : node) {
            if (!entry.IsMap()) {
                refuse("a case must be names with values", entry);
            }
            CasePlan plan;
            plan.hidden = flag(entry, "hidden");
            std::set<std::string> seen;
            for (const auto& pair : entry) {
                const std::string name = text_of(pair.first, "a name in a case");
                if (!seen.insert(name).second) {
                    refuse("\"" + name.substr(0, 60) + "\" is given twice in a case", pair.first);
                }
                if (name == "hidden") {
                    continue;
                }
                if (!is_name(name)) {
                    refuse("\"" + name.substr(0, 60) + "\" is not a Python name", pair.first);
                }
                plan.choices.push_back(choice(name, pair.second, plan.hidden));
            }
            exercise_.cases.push_back(std::move(plan));
        }
        if (exercise_.cases.front().hidden) {
            refuse("the first case must not be hidden", node[0]);
        }
    }

    void values(const YAML::Node& node) {
        if (!node) {
            return;
        }
        if (!node.IsMap()) {
            refuse("let must be names with expressions", node);
        }
        for (const auto& pair : node) {
            const std::string name = text_of(pair.first, "a name in let");
            if (!is_name(name)) {
                refuse("\"" + name.substr(0, 60) + "\" is not a name", pair.first);
            }
            if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
                refuse("\"" + name + "\" is already a fact", pair.first);
            }
            exercise_.let.emplace_back(name, expression_of(pair.second, "let " + name));
            names_.push_back(name);
        }
    }

    void checks(const YAML::Node& node) {
        if (!node || !node.IsSequence() || node.size() == 0 || node.size() > kMostChecks) {
            throw YamlError{"the exercise needs 1 to " + std::to_string(kMostChecks) + " checks",
                            node ? line_of(node) : 0};
        }
        std::set<std::string> ids{kRuns};
        for (const auto& entry : node) {
            allow_only(entry, {"at", "fail", "hints", "id", "needs", "partial", "pass", "points", "title", "why"},
                       "a check");
            Check check;
            check.line = line_of(entry);
            check.id = required_text(entry, "id", "the check");
            if (!is_id(check.id)) {
                refuse("the id of a check must be made of the letters a to z, digits and dashes", entry["id"]);
            }
            const std::string of = " of check " + check.id;
            check.title = required_text(entry, "title", "check " + check.id);
            check.why = required_text(entry, "why", "check " + check.id);
            required_text(entry, "pass", "check " + check.id);
            check.pass = expression_of(entry["pass"], "pass" + of);
            required_text(entry, "fail", "check " + check.id);
            check.fail = sentence_of(entry["fail"], "fail" + of);
            if (entry["at"]) {
                check.at = expression_of(entry["at"], "at" + of);
            }
            check.hints = list_of_texts(entry["hints"], "hints" + of);
            if (check.hints.empty()) {
                refuse("check " + check.id + " has no hints", entry);
            }
            check.needs = list_of_texts(entry["needs"], "needs" + of);
            for (const std::string& need : check.needs) {
                if (ids.count(need) == 0) {
                    refuse(
                        "check " + check.id + " needs \"" + need.substr(0, 60) + "\", which is not a check before it",
                        entry["needs"]);
                }
            }
            check.partial = flag(entry, "partial");
            if (entry["points"]) {
                check.points = number(entry["points"], "points" + of);
                if (check.points < 0 || check.points > 1000) {
                    refuse("points" + of + " must be from 0 to 1000", entry["points"]);
                }
            }
            if (!ids.insert(check.id).second) {
                refuse("the id " + check.id + " is used twice", entry["id"]);
            }
            exercise_.checks.push_back(std::move(check));
        }
    }

    void equivalents(const YAML::Node& node) {
        if (!node) {
            return;
        }
        if (!node.IsSequence()) {
            refuse("equivalent must be a list", node);
        }
        for (const auto& entry : node) {
            allow_only(entry, {"mutants", "why"}, "the equivalent mutants");
            const std::string why = required_text(entry, "why", "the entry");
            for (const std::string& mutant : list_of_texts(entry["mutants"], "mutants")) {
                exercise_.equivalents.push_back({mutant, why, line_of(entry)});
            }
        }
    }

    std::string yaml_;
    Exercise& exercise_;
    std::vector<std::string> names_;
};

}  // namespace

double Exercise::points() const {
    double sum = 0;
    for (const Check& check : checks) {
        sum += check.points;
    }
    return sum;
}

core::Result<Exercise> parse_exercise(const std::string& content, const std::string& file) {
    const auto fail = [&](const std::string& message, std::uint32_t line) {
        return core::Error{core::ErrorKind::unreadable, message, file, line, 0};
    };
    if (content.size() > kMostBytes) {
        return fail("the exercise is larger than " + std::to_string(kMostBytes / 1000) + " kB", 1);
    }
    std::uint32_t first_line = 1;
    try {
        lesson::FrontMatter matter = lesson::split_front_matter(content);
        first_line = matter.first_line;
        Exercise exercise;
        exercise.file = file;
        exercise.folder = std::filesystem::path(file).parent_path();
        Parser(std::move(matter.yaml), exercise).whole(matter.front);
        exercise.task = matter.text;
        exercise.task.erase(0, exercise.task.find_first_not_of("\r\n"));
        if (exercise.task.find_first_not_of(" \r\n\t") == std::string::npos) {
            return fail("the exercise has no text after its front matter", first_line);
        }
        for (Check& check : exercise.checks) {
            check.line += first_line;
        }
        for (Equivalent& equivalent : exercise.equivalents) {
            equivalent.line += first_line;
        }
        for (CasePlan& plan : exercise.cases) {
            for (Choice& choice : plan.choices) {
                choice.line += first_line;
            }
        }
        return exercise;
    } catch (const YamlError& error) {
        return fail(error.message, first_line + error.line);
    } catch (const YAML::Exception& problem) {
        return fail("the front matter cannot be read: " + problem.msg,
                    first_line + static_cast<std::uint32_t>(std::max(problem.mark.line, 0)));
    }
}

}  // namespace headway::check
