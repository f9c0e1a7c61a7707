#include "app/comparison/sentences.h"

#include <cmath>
#include <cstdio>

#include "app/model/numbers/format.h"

namespace headway::comparison {
namespace {

using model::count_text;
using model::duration_text;

constexpr double kAsPercent = 1.1;  // smaller ratios are written as a percentage

std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)));
}

// Bytes in words: "B" could be read as run B.
std::string bytes_text(std::uint64_t bytes) {
    return bytes < 1000 ? count_text(bytes) + (bytes == 1 ? " byte" : " bytes") : model::bytes_text(bytes);
}

std::string runs_text(std::size_t runs) {
    return runs == 1 ? "one run each" : count_text(runs) + " runs each";
}

// Appends the clauses in order. The first mention of A and B includes their distinguishing names.
class Writer {
public:
    Writer(Verdict& verdict, const Side& a, const Side& b) : v_(verdict), a_(a), b_(b) {}

    void write() {
        if (v_.runs == 0) {
            add("there is nothing to compare");
        } else if (!v_.compares()) {
            not_compared();
        } else {
            time();
            busy_machine();
            unfinished();
            races();
            memory();
            headway();
            counts();
            if (v_.runs > 1) {
                add("medians of " + runs_text(v_.runs));
            }
        }
        v_.sentence = sentence_of(v_, v_.clauses.size());
        v_.evidence = evidence();
    }

private:
    [[nodiscard]] static std::size_t place(char letter) { return letter == 'A' ? 0 : 1; }
    [[nodiscard]] static char other(char letter) { return letter == 'A' ? 'B' : 'A'; }

    std::string who(char letter) {
        bool& named = named_[place(letter)];
        const std::string& name = letter == 'A' ? v_.names.a : v_.names.b;
        const bool first = !named;
        named = true;
        return std::string(1, letter) + (first && !name.empty() ? " (" + name + ")" : "");
    }
    // After a name in brackets, numbers follow a colon; otherwise they are in brackets themselves.
    std::string numbers(const std::string& words, bool behind_name) const {
        return behind_name && !v_.names.empty() ? ": " + words : " (" + words + ")";
    }
    [[nodiscard]] bool unnamed() const { return !named_[0] && !named_[1]; }
    void add(std::string clause) { v_.clauses.push_back(std::move(clause)); }

    void not_compared() {
        const auto of = [this](char letter, const Side& side) {
            std::string words;
            for (const Sample& sample : side.samples) {
                if (sample.ended != Ended::finished) {
                    // "after 12 ms" only where that is when it happened: not for a damaged run, which has no total, for
                    // one that was paused and ended regularly, or after a failure, when the backend still goes on.
                    const bool timed = sample.ended != Ended::paused_or_stepped && sample.ended != Ended::damaged &&
                                       sample.ended != Ended::failed;
                    words = std::string(" ") + words_of(sample.ended) +
                            (timed ? " after " + duration_text(static_cast<double>(sample.numbers.total_ns)) : "");
                    break;
                }
            }
            if (!words.empty()) {
                add(who(letter) + words);
            }
        };
        of('A', a_);
        of('B', b_);
        add("A and B are not compared");
    }

    void time() {
        const Finding& t = v_.time;
        const auto took = [&t](char letter) { return duration_text(t.of[place(letter)].median); };
        const bool first = unnamed();
        switch (t.claim) {
            case Claim::more: {
                const char fast = t.subject, slow = other(t.subject);
                const std::string against = took(fast) + " against " + took(slow);
                const std::string faster = who(fast), slower = who(slow);
                const bool same_work = v_.ops[0].median == v_.ops[1].median;
                if (!same_work && t.ratio >= kAsPercent) {
                    const std::string longer = took(slow) + " against " + took(fast);
                    add(slower + " takes " + ratio_text(t.ratio) + " the time of " + faster + numbers(longer, first));
                } else if (t.ratio >= kAsPercent || t.ratio == 0) {
                    add(faster + " is " + (t.ratio == 0 ? "faster than " : ratio_text(t.ratio) + " as fast as ") +
                        slower + numbers(against, first));
                } else {
                    add(faster + " takes " + model::percent_text(1 - 1 / t.ratio) + " less time than " + slower +
                        numbers(against, first));
                }
                break;
            }
            case Claim::no_difference: {
                if (v_.simulated && t.of[0].median == t.of[1].median) {
                    const std::string both = who('A') + " and " + who('B');
                    add(both + " take the same time" + numbers(took('A'), false));
                } else {
                    const std::string both = who('A') + " and " + who('B');
                    const std::string noise = took('A') == took('B') ? "" : ", which may be noise";
                    add("no measurable difference in time between " + both +
                        numbers(took('A') + " and " + took('B') + noise, first));
                }
                break;
            }
            case Claim::not_comparable:
                if (v_.equal_ops.matched > 0 && a_.info.simulated == b_.info.simulated) {
                    const std::string slower = who(v_.equal_ops.slower), faster = who(other(v_.equal_ops.slower));
                    add("times are not comparable: the same ops took " + ratio_text(v_.equal_ops.ratio) +
                        " as long in " + slower + " as in " + faster +
                        (v_.equal_ops.in_every_run ? ", in every run"
                                                   : ", but not in every run, as on a busy machine"));
                } else {
                    add("times are not comparable: " + v_.reason);
                }
                break;
            case Claim::one_run:
                add("one run each says nothing about time");
                break;
            case Claim::too_few_runs:
                add(count_text(v_.runs) + " runs each are too few to compare times (at least " + count_text(kRuns) +
                    " are needed)");
                break;
            case Claim::unknown:
                break;
        }
    }

    // Where no difference was found, a busy machine may have hidden it.
    void busy_machine() {
        const bool hidden = v_.time.claim == Claim::no_difference || v_.time.claim == Claim::not_comparable;
        if (hidden && v_.busy_runs > 0) {
            add("the machine was busy in " + count_text(v_.busy_runs) + " of the " +
                count_text(a_.samples.size() + b_.samples.size()) + " runs");
        }
    }

    // The names of the sides for which `set` is true, joined by `between`; "" if there is none.
    std::string joined_names(const std::array<bool, 2>& set, const char* between) {
        const std::string a = set[0] ? who('A') : "", b = set[1] ? who('B') : "";
        return set[0] && set[1] ? a + between + b : a + b;
    }

    void unfinished() {
        if (const std::string sides = joined_names(v_.unfinished, " and of "); !sides.empty()) {
            add("the time of " + sides + " contains ops of the warm-up that had not finished when measuring began");
        }
    }

    // A side with races may be faster because a wait is missing.
    void races() {
        if (const std::string sides = joined_names(v_.races, " and "); !sides.empty()) {
            add(sides + (v_.races[0] && v_.races[1] ? " have" : " has") +
                " races, so what is computed may depend on which op runs first");
        }
    }

    // How far the frontend runs ahead, and so the memory, differs from run to run.
    [[nodiscard]] bool one_real_pair() const { return v_.runs == 1 && !v_.simulated; }

    void memory() {
        const Finding& m = v_.memory;
        const auto held = [&m](char letter) { return bytes_text(whole(m.of[place(letter)].median)); };
        if (m.claim == Claim::more) {
            const bool first = unnamed();
            const std::string against = held(m.subject) + " against " + held(other(m.subject));
            const std::string more = who(m.subject), less = who(other(m.subject));
            constexpr double kAbout = 1.005;
            constexpr double kLittle = 4096;  // bytes: one page; a ratio of such sizes says nothing about a program
            if (m.of[place(m.subject)].median < kLittle) {
                add(more + " and " + less + " need little memory" +
                    numbers(held(m.subject) + " and " + held(other(m.subject)), false));
            } else if (m.ratio > 0 && m.ratio < kAbout) {
                add(more + " needs about as much memory as " + less + numbers(against, first));
            } else if (m.ratio == 0) {
                add(more + " needs memory, and " + less + " none" + numbers(held(m.subject), first));
            } else if (one_real_pair()) {
                add("in these two runs " + more + " held up to " + held(m.subject) + ", " + less + " up to " +
                    held(other(m.subject)));
            } else if (m.ratio >= kAsPercent) {
                add(more + " needs " + ratio_text(m.ratio) + " the memory of " + less + numbers(against, first));
            } else {
                add(more + " needs " + model::percent_text(m.ratio - 1) + " more memory than " + less +
                    numbers(against, first));
            }
        } else if (m.claim == Claim::no_difference && m.of[0].median == m.of[1].median) {
            const std::string both = who('A') + " and " + who('B');
            add(both + " need the same memory" + numbers(held('A'), false));
        } else if (m.claim == Claim::no_difference) {
            add("no measurable difference in memory" + numbers(held('A') + " and " + held('B'), false));
        } else if (m.claim == Claim::one_run || m.claim == Claim::too_few_runs) {
            add("no large difference in memory" + numbers(held('A') + " and " + held('B'), false));
        }
    }

    void headway() {
        const Finding& h = v_.headway;
        if (h.claim != Claim::more) {
            return;
        }
        const double most = h.of[place(h.subject)].median;
        const std::string ahead = count_text(whole(most)) + (whole(most) == 1 ? " op" : " ops");
        const std::string more = who(h.subject), less = who(other(h.subject));
        add(more + (one_real_pair() ? " ran up to " : " runs up to ") + ahead + " ahead, " + less + " up to " +
            count_text(whole(h.of[place(other(h.subject))].median)));
    }

    void counts() {
        const double x = v_.ops[0].median, y = v_.ops[1].median;
        // Without the backend's ops, what was counted are spans that a program recorded.
        const auto has_ops = [](const Side& side) { return side.samples.front().numbers.capabilities.backend; };
        if (x == y || !has_ops(a_) || !has_ops(b_)) {
            return;
        }
        const char more = x > y ? 'A' : 'B';
        const std::string first = who(more), second = who(other(more));
        const std::uint64_t most = whole(std::max(x, y));
        add(first + " issues " + count_text(most) + (most == 1 ? " op, " : " ops, ") + second + " " +
            count_text(whole(std::min(x, y))));
    }

    // "A 12.0 ms (10.0 ms to 14.0 ms), B 22.0 ms (20.0 ms to 24.0 ms)"
    template <class Text>
    [[nodiscard]] static std::string spread_text(const Finding& finding, Text text) {
        std::string words;
        for (const char letter : {'A', 'B'}) {
            const MedianAndRange& s = finding.of[place(letter)];
            words += (words.empty() ? "" : ", ") + std::string(1, letter) + " " + text(s.median) + " (" +
                     text(s.least) + " to " + text(s.most) + ")";
        }
        return words;
    }

    [[nodiscard]] std::string evidence() const {
        if (v_.runs == 0) {
            return {};
        }
        std::string words = v_.simulated ? "simulated: exact, " + runs_text(v_.runs) : runs_text(v_.runs);
        if (v_.runs > 1) {
            words = (v_.simulated ? "simulated, " : "") + runs_text(v_.runs) +
                    (v_.warmed_up ? " after one to warm up" : "");
            words += ", totals " + spread_text(v_.time, &model::duration_text);
            // If the runs of one side differ by more than this factor, their spread is given: the run that is shown is
            // the one of median time, and its memory and headway may be far from their medians.
            constexpr double kAlike = 1.1;
            const auto differs = [](const MedianAndRange& s) { return s.most > kAlike * s.least; };
            bool unlike = false;
            const auto add_spread = [&](const char* name, const Finding& finding, auto text) {
                if (differs(finding.of[0]) || differs(finding.of[1])) {
                    words += std::string("; ") + name + " " + spread_text(finding, text);
                    unlike = true;
                }
            };
            add_spread("peak memory", v_.memory, [](double bytes) { return bytes_text(whole(bytes)); });
            add_spread("headway", v_.headway, [](double ops) { return count_text(whole(ops)); });
            words += unlike ? "; shown are the runs of median time" : "";
        }
        if (v_.busy_runs > 0) {
            words += "; the machine was busy in " + count_text(v_.busy_runs) + " of " +
                     count_text(a_.samples.size() + b_.samples.size()) + " runs";
        }
        if (v_.time.p) {
            char p[48], limit[48];
            std::snprintf(p, sizeof p, *v_.time.p >= 0.001 ? "; rank-sum test p = %.2g" : "; rank-sum test p < 0.001",
                          *v_.time.p);
            std::snprintf(limit, sizeof limit, ", claimed at p ≤ %g", kP);
            words += p;
            words += limit;
        }
        return words;
    }

    Verdict& v_;
    const Side &a_, &b_;
    std::array<bool, 2> named_{};
};

}  // namespace

std::string ratio_text(double ratio) {
    constexpr double kThousand = 999.5;
    if (ratio >= 2) {
        return ratio < kThousand ? model::times_text(ratio) : count_text(whole(ratio)) + "×";
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2f×", ratio);
    return text;
}

void write_sentence(Verdict& verdict, const Side& a, const Side& b) {
    verdict.clauses.clear();
    Writer(verdict, a, b).write();
}

std::string sentence_of(const Verdict& verdict, std::size_t clauses) {
    std::string words;
    for (std::size_t i = 0; i < verdict.clauses.size() && i < std::max<std::size_t>(clauses, 1); ++i) {
        words += (i == 0 ? "" : "; ") + verdict.clauses[i];
    }
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
        words[0] = static_cast<char>(words[0] - 'a' + 'A');
    }
    return (verdict.simulated ? "SIMULATED: " : "") + words + (words.empty() ? "" : ".");
}

}  // namespace headway::comparison
