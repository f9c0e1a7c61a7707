// Dependencies between ops, and the ops that a wait was for.
#include <algorithm>
#include <unordered_set>

#include "app/model/run/dependencies.h"
#include "app/model/run/run.h"

namespace headway::model {

// ---- dependencies ----

void Run::Dependencies::add(OpId id, const Op& op, BufferState* in0, BufferState* in1, BufferState* out) {
    Links links{};
    // An op that writes a buffer which it also reads counts as its writer for all later ops.
    if (in0 != nullptr) {
        links.writer0 = in0->writer;
        if (op.in0 != op.out) {
            links.reader0 = in0->reader;
            in0->reader = id;
        }
    }
    if (in1 != nullptr) {
        links.writer1 = in1->writer;
        if (op.in1 != op.out && in1->reader != id) {
            links.reader1 = in1->reader;
            in1->reader = id;
        }
    }
    links_.push_back(links);
    if (out != nullptr) {
        if (!op.fresh_output) {
            overwrites_.push_back({id, out->writer, out->reader, op.out});
        }
        out->writer = id;
        out->reader = 0;
    }
}

void Run::Dependencies::add_input(OpId id, const Op& op, BufferId buffer, BufferState* state) {
    MoreInput input{id, buffer, 0, 0};
    if (state != nullptr && buffer != op.out) {
        input.writer = state->writer;
        if (state->reader != id) {
            input.reader = state->reader;
            state->reader = id;
        }
    }
    more_.push_back(input);
}

void Run::Dependencies::add_output(const MoreOutput& output, BufferState* state) {
    more_outputs_.push_back(output);
    const OpId id = output.op;
    const BufferId buffer = output.buffer;
    const bool fresh = output.fresh;
    if (state == nullptr) {
        return;
    }
    if (!fresh) {
        const OpId reader = state->reader == id ? reader_before(id, buffer) : state->reader;
        overwrites_.push_back({id, state->writer, reader, buffer});
    }
    state->writer = id;
    state->reader = 0;
}

OpId Run::Dependencies::reader_before(OpId reader, BufferId buffer) const {
    const Op& op = ops_[reader - 1];
    if (op.in0 == buffer) {
        return links_[reader - 1].reader0;
    }
    if (op.in1 == buffer) {
        return links_[reader - 1].reader1;
    }
    for (auto it = first_more(reader); it != more_.end() && it->op == reader; ++it) {
        if (it->buffer == buffer) {
            return it->reader;
        }
    }
    return 0;
}

std::vector<OpId> Run::dependencies(OpId id) const {
    std::vector<OpId> direct;
    if (id == 0 || id > ops_.size()) {
        return direct;
    }
    dependencies_->each(id, [&direct](OpId op) { direct.push_back(op); });
    std::sort(direct.begin(), direct.end());
    direct.erase(std::unique(direct.begin(), direct.end()), direct.end());
    return direct;
}

void Run::dependencies(OpId id, std::vector<OpId>& into) const {
    into.clear();
    dependencies_->each(id, [&into](OpId op) { into.push_back(op); });
}

std::vector<MoreOutput> Run::more_outputs(OpId id) const {
    std::vector<MoreOutput> outputs;
    if (id != 0 && id <= ops_.size() && ops_[id - 1].more_outputs) {
        dependencies_->each_more_output(id, [&outputs](const MoreOutput& output) { outputs.push_back(output); });
    }
    return outputs;
}

std::vector<BufferId> Run::more_inputs(OpId id) const {
    std::vector<BufferId> buffers;
    if (id != 0 && id <= ops_.size() && ops_[id - 1].more_inputs) {
        dependencies_->each_more_input(id, [&buffers](BufferId buffer) { buffers.push_back(buffer); });
    }
    return buffers;
}

std::vector<Dependency> Run::dependencies_with_reasons(OpId id) const {
    std::vector<Dependency> direct;
    if (id == 0 || id > ops_.size()) {
        return direct;
    }
    dependencies_->each_with_reason(id, [&direct](OpId op, DependencyKind kind) { direct.push_back({op, kind}); });
    std::sort(direct.begin(), direct.end(),
              [](const Dependency& a, const Dependency& b) { return a.op != b.op ? a.op < b.op : a.kind < b.kind; });
    direct.erase(std::unique(direct.begin(), direct.end(),
                             [](const Dependency& a, const Dependency& b) { return a.op == b.op; }),
                 direct.end());
    return direct;
}

// ---- lanes by time and by op ----
// A lane runs its ops in the order of issue, so both ids and times ascend.

std::size_t Run::issued_through(const Lane& lane, OpId id) const {
    return static_cast<std::size_t>(std::upper_bound(lane.ops.begin(), lane.ops.end(), id) - lane.ops.begin());
}

std::size_t Run::finished_at(const Lane& lane, std::int64_t ns) const {
    const auto place = std::upper_bound(lane.ops.begin(), lane.ops.end(), ns,
                                        [this](std::int64_t t, OpId id) { return t < op(id).end_ns; });
    return static_cast<std::size_t>(place - lane.ops.begin());
}

std::int64_t Run::finish_ns(OpId through, int device) const {
    std::size_t executed = 0;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Lane& lane = lanes_[i];
        if (device >= 0 && device_of_lane(i) != static_cast<std::size_t>(device)) {
            continue;
        }
        if (const std::size_t count = issued_through(lane, through); count > 0) {
            executed += count;
            last = std::max(last, op(lane.ops[count - 1]).end_ns);
        }
    }
    return executed == through || device >= 0 ? last : kPending;
}

bool Run::is_full(const Wait& wait) const {
    if (wait.target == 0 && wait.device < 0 && wait.waits_through == wait.issued &&
        (trace::is_barrier(wait.kind) || trace::is_blocker(wait.kind))) {
        return true;  // true by definition, whatever the uncertainty of a device's times
    }
    return finish_ns(wait.issued) <= wait.end_ns;
}

// ---- waits ----

std::vector<OpId> Run::caused_by(const Wait& wait, std::size_t limit, std::size_t* count, std::size_t most) const {
    std::vector<OpId> causes;
    std::size_t total = 0;
    if (wait.kind == trace::WaitKind::paused) {
        // Caused by the learner.
    } else if (wait.target != 0 || wait.device >= 0) {
        // The dependencies of a finished op have finished, too, so only unfinished ops are searched. These finish
        // after this wait began, so no later wait visits them again.
        const auto unfinished = [&](OpId id) { return op(id).end_ns > wait.begin_ns; };
        std::unordered_set<OpId> seen;
        std::vector<OpId> open;
        const bool in_its_lane = wait.stream() >= 0 && wait.target_op != 0 && op(wait.target_op).end_ns != kPending;
        if (wait.target_op != 0 && !in_its_lane && unfinished(wait.target_op)) {
            open.push_back(wait.target_op);
            seen.insert(wait.target_op);
        }
        const OpId through = wait.target == 0 ? wait.waits_through : wait.target_op;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            const Lane& lane = lanes_[i];
            if (wait.target == 0 ? device_of_lane(i) == static_cast<std::size_t>(wait.device)
                                 : wait.stream() == static_cast<int>(i)) {
                const std::size_t issued = issued_through(lane, through);
                const std::size_t finished = std::min(finished_at(lane, wait.begin_ns), issued);
                open.insert(open.end(), lane.ops.begin() + static_cast<std::ptrdiff_t>(finished),
                            lane.ops.begin() + static_cast<std::ptrdiff_t>(issued));
            }
        }
        seen.insert(open.begin(), open.end());
        while (!open.empty() && causes.size() < most) {
            const OpId id = open.back();
            open.pop_back();
            causes.push_back(id);
            dependencies_->each(id, [&](OpId needed) {
                if (unfinished(needed) && seen.insert(needed).second) {
                    open.push_back(needed);
                }
            });
        }
        std::sort(causes.begin(), causes.end());
        total = causes.size();
        causes.resize(std::min(limit, total));
    } else {
        const OpId through = std::min<OpId>(wait.waits_through, static_cast<OpId>(ops_.size()));
        std::size_t executed = 0;
        total = through;
        for (const Lane& lane : lanes_) {
            const std::size_t issued = issued_through(lane, through);
            const std::size_t finished = std::min(finished_at(lane, wait.begin_ns), issued);
            total -= std::min(total, finished);
            executed += issued;
            for (std::size_t i = finished; i < std::min(issued, finished + limit); ++i) {
                causes.push_back(lane.ops[i]);
            }
        }
        if (executed < through) {
            // The run was cut off: ops that never ran are in no lane.
            std::size_t left = std::min<std::size_t>(through - executed, limit);
            for (OpId id = through; id > 0 && left > 0; --id) {
                if (op(id).end_ns == kPending) {
                    causes.push_back(id);
                    --left;
                }
            }
        }
        std::sort(causes.begin(), causes.end());
        causes.resize(std::min(limit, causes.size()));
    }
    if (count != nullptr) {
        *count = total;
    }
    return causes;
}

}  // namespace headway::model
