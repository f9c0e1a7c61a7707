// Contention for throughput, hand-computed and as properties; and how often the choice of a lane makes a program slower
// when its barriers are removed.
#include "engine/devices/simulated/virtual_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace headway::devices {
namespace {

// Records (begin, end) of each task, per lane, in order.
class Kept final : public VirtualLanes::Observer {
public:
    explicit Kept(std::uint32_t lanes) : lanes_(*this) {
        for (std::uint32_t i = 0; i < lanes; ++i) {
            lanes_.add_lane();
        }
    }
    TaskCost task_begins(std::uint32_t, const VirtualLanes::Task& task, std::uint64_t) override { return task.cost; }
    void task_ends(std::uint32_t lane, const VirtualLanes::Task&, std::uint64_t begin_ns,
                   std::uint64_t end_ns) override {
        times[lane].emplace_back(begin_ns, end_ns);
        last_ns = std::max(last_ns, end_ns);
    }
    void submit(std::uint32_t lane, std::uint64_t ns, double share, std::uint64_t issued_ns,
                std::uint32_t resource = 0) {
        lanes_.run_until(issued_ns);
        VirtualLanes::Task task;
        task.cost = {ns, share, resource};
        lanes_.submit(lane, task, issued_ns);
    }
    VirtualLanes& lanes() { return lanes_; }

    std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> times;
    std::uint64_t last_ns = 0;

private:
    VirtualLanes lanes_;
};

using Times = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(VirtualLanes, TwoTasksThatFillTheDeviceTakeAsLongAsOneAfterTheOther) {
    Kept kept(2);
    kept.submit(0, 100, 1, 0);
    kept.submit(1, 100, 1, 0);
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[0], (Times{{0, 200}}));
    EXPECT_EQ(kept.times[1], (Times{{0, 200}}));
}

TEST(VirtualLanes, ContentionDoesNotSlowEarlierProgress) {
    Kept kept(2);
    kept.submit(0, 100, 1, 0);
    kept.submit(1, 100, 1, 50);  // the first has 50 left, which take 100 now; then this one has 50 left, alone
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[0], (Times{{0, 150}}));
    EXPECT_EQ(kept.times[1], (Times{{50, 200}}));
}

TEST(VirtualLanes, TasksThatFitTogetherDoNotSlowEachOther) {
    Kept kept(3);
    kept.submit(0, 100, 0.5, 0);
    kept.submit(1, 70, 0.5, 0);
    kept.submit(2, 30, 0, 0);
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[0], (Times{{0, 100}}));
    EXPECT_EQ(kept.times[1], (Times{{0, 70}}));
    EXPECT_EQ(kept.times[2], (Times{{0, 30}}));
}

TEST(VirtualLanes, ThreeTasksThatWantTwoThirdsEachRunAtHalfSpeed) {
    Kept kept(3);
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        kept.submit(lane, 300, 2.0 / 3, 0);  // together twice the capacity
    }
    kept.lanes().run_all();
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        EXPECT_EQ(kept.times[lane], (Times{{0, 600}}));
    }
}

TEST(VirtualLanes, ResourcesAreIndependent) {
    Kept kept(2);
    kept.submit(0, 100, 1, 0, 0);
    kept.submit(1, 100, 1, 0, 1);
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[0], (Times{{0, 100}}));
    EXPECT_EQ(kept.times[1], (Times{{0, 100}}));
}

// Throughput is neither lost nor gained: tasks that fill the device take the sum of their costs on any number of lanes.
TEST(VirtualLanes, ThroughputIsConserved) {
    std::mt19937 generator(1);
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t lanes = 1 + generator() % 8;
        Kept kept(lanes);
        std::uint64_t sum = 0;
        const std::uint32_t count = lanes + generator() % 40;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t ns = 1 + generator() % 1'000'000;
            sum += ns;
            kept.submit(i < lanes ? i : generator() % lanes, ns, 1, 0);
        }
        kept.lanes().run_all();
        const auto apart = static_cast<std::int64_t>(kept.last_ns) - static_cast<std::int64_t>(sum);
        EXPECT_LE(std::abs(apart), static_cast<std::int64_t>(count)) << "rounded to a nanosecond at each change";
    }
}

// --- the choice of a lane ---

struct Op {
    std::uint64_t ns = 0;
    double share = 0;
    std::vector<std::uint32_t> needs;  // earlier ops
};

std::vector<Op> random_graph(std::mt19937& generator, bool contended) {
    std::vector<Op> ops(10 + generator() % 60);
    const std::uint32_t reach = 1 + generator() % 12;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        ops[i].ns = 1 + generator() % 1000;
        ops[i].share = contended ? static_cast<double>(generator() % 101) / 100 : 0;
        for (std::uint32_t k = generator() % 3; k > 0 && i > 0; --k) {
            ops[i].needs.push_back(i - 1 - generator() % std::min(i, reach));
        }
    }
    return ops;
}

enum class Rule {
    earliest,  // the lane where it begins first
    queue,     // the lane of its newest unfinished input, else the shortest queue
};

// Issues the graph in its order, with a wait for everything after every `barrier` ops (0: only at the end). Returns the
// time when everything has ended.
std::uint64_t run(const std::vector<Op>& ops, std::uint32_t lanes, std::uint32_t barrier, std::uint64_t t1, Rule rule) {
    Kept kept(lanes);
    VirtualLanes& schedule = kept.lanes();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> where;  // (lane, sequence number)
    std::uint64_t now = 0;
    std::uint32_t next = 0;
    const auto wait_for_all = [&] {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (schedule.completed(lane) != schedule.submitted(lane)) {
                now = std::max(now, schedule.run_until_completed(lane, schedule.submitted(lane)));
            }
        }
        schedule.run_until(now);
    };
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        VirtualLanes::Needs needs{};
        std::uint32_t newest = VirtualLanes::kNoLane;
        std::uint32_t newest_op = 0;
        for (const std::uint32_t need : ops[i].needs) {
            const auto [lane, seq] = where[need];
            if (schedule.completed(lane) < seq) {
                needs[lane] = std::max(needs[lane], seq);
                if (newest == VirtualLanes::kNoLane || need >= newest_op) {
                    newest = lane;
                    newest_op = need;
                }
            }
        }
        std::uint32_t lane = newest;
        if (rule == Rule::earliest) {
            lane = schedule.earliest_lane(0, lanes, needs, newest, next, now + t1);
        } else if (newest == VirtualLanes::kNoLane) {
            lane = next;
            for (std::uint32_t k = 0; k < lanes; ++k) {
                const std::uint32_t other = (next + k) % lanes;
                if (schedule.submitted(other) - schedule.completed(other) <
                    schedule.submitted(lane) - schedule.completed(lane)) {
                    lane = other;
                }
            }
        }
        if (lane != newest) {
            next = (lane + 1) % lanes;
        }
        now += t1;
        VirtualLanes::Task task;
        for (std::uint32_t other = 0; other < lanes; ++other) {
            if (other != lane && needs[other] != 0) {
                task = {};
                task.is_op = false;
                task.wait_lane = other;
                task.wait_seq = needs[other];
                schedule.submit(lane, task, now);
            }
        }
        task = {};
        task.cost = {ops[i].ns, ops[i].share, 0};
        schedule.submit(lane, task, now);
        where.emplace_back(lane, schedule.submitted(lane));
        schedule.run_until(now);
        if (barrier != 0 && (i + 1) % barrier == 0) {
            wait_for_all();
        }
    }
    wait_for_all();
    return kept.last_ns;
}

struct Anomalies {
    int programs = 0, slower = 0;
    double worst = 1;
    double mean_gain = 0;  // mean of time with barriers / time without
};

Anomalies anomalies(Rule rule, bool contended) {
    std::mt19937 generator(7);
    Anomalies found;
    for (int round = 0; round < 4000; ++round) {
        const auto ops = random_graph(generator, contended);
        const std::uint32_t lanes = 2 + generator() % 7;
        const std::uint32_t barrier = 1 + generator() % 20;
        const std::uint64_t t1 = generator() % 2 == 0 ? 5 : 200;
        const auto with = static_cast<double>(run(ops, lanes, barrier, t1, rule));
        const auto without = static_cast<double>(run(ops, lanes, 0, t1, rule));
        ++found.programs;
        found.slower += without > with ? 1 : 0;
        found.worst = std::max(found.worst, without / with);
        found.mean_gain += with / without;
    }
    found.mean_gain /= found.programs;
    return found;
}

// List scheduling has anomalies (Graham 1969): with fewer constraints the same list may take longer. Of 4,000 random
// graphs on 2 to 8 lanes, without and with contention: with the rule `earliest` 1 and 44 were slower without their
// barriers, by at most 0.4 % and 7.7 %; with the rule `queue` 291 and 380, by at most 53 % and 42 %.
TEST(VirtualLanes, WithoutBarriersProgramsAreRarelySlower) {
    for (const bool contended : {false, true}) {
        const Anomalies earliest = anomalies(Rule::earliest, contended);
        const Anomalies queue = anomalies(Rule::queue, contended);
        const auto text = [](const Anomalies& a) {
            return std::to_string(a.slower) + " of " + std::to_string(a.programs) + " slower, by at most " +
                   std::to_string((a.worst - 1) * 100) + " %; mean gain " + std::to_string(a.mean_gain);
        };
        RecordProperty(contended ? "earliest_contended" : "earliest", text(earliest));
        RecordProperty(contended ? "queue_contended" : "queue", text(queue));
        EXPECT_LT(earliest.slower * 4, queue.slower);
        EXPECT_LE(earliest.slower * 50, earliest.programs) << "2 %";
        EXPECT_LE(earliest.worst, 1.1);
        EXPECT_GT(earliest.mean_gain, queue.mean_gain);
    }
}

// --- links ---

void copy(Kept& kept, std::uint32_t lane, std::uint64_t ns, std::uint32_t links, std::uint64_t issued_ns) {
    kept.lanes().run_until(issued_ns);
    VirtualLanes::Task task;
    task.cost.ns = ns;
    task.cost.links = links;
    kept.lanes().submit(lane, task, issued_ns);
}

TEST(VirtualLanes, ALinkCarriesOneCopyAtATime) {
    Kept kept(3);
    copy(kept, 0, 100, 1, 0);
    copy(kept, 1, 50, 1, 10);
    copy(kept, 2, 30, 2, 10);  // another link
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[0], (Times{{0, 100}}));
    EXPECT_EQ(kept.times[1], (Times{{100, 150}}));
    EXPECT_EQ(kept.times[2], (Times{{10, 40}}));
}

TEST(VirtualLanes, ACopyOverTwoLinksWaitsForBothAndOccupiesBoth) {
    Kept kept(4);
    copy(kept, 0, 100, 1, 0);
    copy(kept, 1, 60, 2, 0);
    copy(kept, 2, 10, 3, 5);
    copy(kept, 3, 10, 2, 70);  // its link is free, since the copy before it still waits for the other one
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[3], (Times{{70, 80}}));
    EXPECT_EQ(kept.times[2], (Times{{100, 110}}));
}

TEST(VirtualLanes, OfSeveralCopiesThatWaitForALinkTheFirstSubmittedGoesFirst) {
    Kept kept(3);
    copy(kept, 2, 100, 1, 0);
    copy(kept, 1, 10, 1, 1);
    copy(kept, 0, 10, 1, 2);
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[1], (Times{{100, 110}}));
    EXPECT_EQ(kept.times[0], (Times{{110, 120}}));
}

TEST(VirtualLanes, TheChoiceOfALaneKnowsThatALinkIsBusy) {
    Kept kept(2);
    copy(kept, 0, 100, 1, 0);
    kept.submit(0, 10, 0, 0);
    copy(kept, 1, 50, 1, 0);                                                           // until 150
    EXPECT_EQ(kept.lanes().earliest_lane(0, 2, {}, VirtualLanes::kNoLane, 1, 0), 0u);  // free at 110
}

TEST(VirtualLanes, AnAbandonedCopyLeavesItsLinkFree) {
    Kept kept(2);
    copy(kept, 0, 100, 1, 0);
    copy(kept, 1, 100, 1, 0);
    kept.lanes().run_until(10);
    kept.lanes().abandon();
    copy(kept, 1, 5, 1, 20);
    kept.lanes().run_all();
    EXPECT_EQ(kept.times[1], (Times{{20, 25}}));
}

}  // namespace
}  // namespace headway::devices
