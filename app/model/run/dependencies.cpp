#include "app/model/run/dependencies.h"

#include <algorithm>

#include "app/model/run/run.h"

namespace headway::model {

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

}  // namespace headway::model
