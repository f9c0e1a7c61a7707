#include "app/ui/details/time_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/render/format.h"

namespace headway::ui {
namespace {

struct IdleWords {
    std::int64_t ns;
    const char *cause, *sentence;
};

// The longest first.
std::vector<IdleWords> words_of(const model::IdleCauses& c) {
    std::vector<IdleWords> words{
        {c.frontend_ns, "the frontend was at work", "the frontend was at work and had issued nothing more"},
        {c.barrier_ns, "the frontend was in a barrier", "the frontend was waiting in a barrier"},
        {c.blocker_ns, "the frontend waited for a value", "the frontend waited for a value"},
        {c.limit_ns, "the frontend was at a limit", "the frontend was held by a limit of ops or memory"},
        {c.dependency_ns, "the next op waited for another lane", "the next op waited for ops on other lanes"},
        {c.link_ns, "the next op, a copy, waited for a link", "the next op, a copy, waited for a link"},
        {c.handover_ns, "the next op was issued, but not begun",
         "the next op was issued and ready, but the lane had not begun it (a worker that "
         "sleeps has to wake up)"},
        {c.done_ns, "no op was left for the lane", "all ops were issued, and none was left for the lane"}};
    std::erase_if(words, [](const IdleWords& w) { return w.ns <= 0; });
    std::stable_sort(words.begin(), words.end(), [](const auto& x, const auto& y) { return x.ns > y.ns; });
    return words;
}

}  // namespace

std::string short_idle(const model::IdleCauses& causes) {
    const auto words = words_of(causes);
    if (words.empty()) {
        return {};
    }
    return (2 * words.front().ns > causes.all_ns() ? "mostly: " : "the largest part: ") +
           std::string(words.front().cause);
}

std::string long_idle(const model::IdleCauses& causes) {
    std::string text =
        "Lanes were idle for  " + figure::duration_text(static_cast<double>(causes.all_ns())) + " in all:";
    for (const IdleWords& w : words_of(causes)) {
        text += "\n" + figure::duration_text(static_cast<double>(w.ns)) + "  " +
                figure::percent_text(static_cast<double>(w.ns) / static_cast<double>(causes.all_ns())) + "  " +
                w.sentence;
    }
    if (causes.paused_ns > 0) {
        text += "\nIn addition, " + figure::duration_text(static_cast<double>(causes.paused_ns)) +
                " while you had paused the run, or held the backend.";
    }
    return text;
}

std::string long_frontend(const model::FrontendTime& f) {
    std::vector<std::pair<std::int64_t, const char*>> parts{
        {f.issue_ns, "issuing ops"},
        {f.work_ns, "the program's own work"},
        {f.drop_ns, "releasing tensors"},
        {f.wait_ns, "waiting"},
        {f.record_ns, "recording"},
        {f.descheduled_ns, "descheduled: other programs had the core"},
        {f.paused_ns, "paused or held by you, not in the total"}};
    std::erase_if(parts, [](const auto& part) { return part.first == 0; });
    std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    parts.emplace_back(f.unnamed_ns, "other");
    const auto all = static_cast<double>(std::max<std::int64_t>(f.sum_ns(), 1));
    std::string text = "The frontend's " + figure::duration_text(static_cast<double>(f.sum_ns())) + ":";
    for (const auto& [ns, words] : parts) {
        text += "\n" + figure::duration_text(static_cast<double>(ns)) + "  " +
                figure::percent_text(static_cast<double>(ns) / all) + "  " + words;
    }
    return text;
}

}  // namespace headway::ui
