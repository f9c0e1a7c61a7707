#include "engine/devices/poison.h"

#include <utility>

namespace headway::devices {

void Poison::fail(const Command& command, core::ErrorKind kind, std::string message) {
    const std::lock_guard lock(mutex_);
    origins_.push_back({{command.op, kind, std::move(message)}, false});
    if (command.out_id != 0) {
        spoiled_[command.out_id] = origins_.size() - 1;
    }
    any_.store(true, std::memory_order_relaxed);
}

void Poison::leave_out(std::uint32_t lane, std::uint32_t seq) {
    std::uint64_t none = 0;
    left_out_[lane].compare_exchange_strong(none, std::uint64_t{1} << 32 | seq, std::memory_order_relaxed);
    leaves_out_.store(true, std::memory_order_relaxed);
    any_.store(true, std::memory_order_relaxed);  // so that lanes look before they run an op
}

namespace {

// An op that overwrites its whole first input does not read it.
bool reads_first(const Command& command) {
    const Signature* signature = command.signature;
    return signature == nullptr || signature->kind != OpKind::assign_slice || signature->in1 != signature->out;
}

}  // namespace

bool Poison::spreads_to(const Command& command) {
    const std::lock_guard lock(mutex_);
    for (const auto id : {reads_first(command) ? command.in0_id : 0, command.in1_id}) {
        if (const auto found = id != 0 ? spoiled_.find(id) : spoiled_.end(); found != spoiled_.end()) {
            if (command.out_id != 0) {
                spoiled_[command.out_id] = found->second;
            }
            return true;
        }
    }
    if (!lost_) {
        spoiled_.erase(command.out_id);
    }
    return lost_.has_value();
}

bool Poison::spreads_to(const OpaqueWork& work) {
    const std::lock_guard lock(mutex_);
    for (const auto* ids : {&work.reads, &work.writes}) {
        for (const core::BufferId id : *ids) {
            if (const auto found = spoiled_.find(id); found != spoiled_.end()) {
                const std::size_t origin = found->second;
                for (const core::BufferId out : work.writes) {
                    spoiled_[out] = origin;
                }
                return true;
            }
        }
    }
    return lost_.has_value();
}

bool Poison::run_opaque(const Command& command) {
    OpaqueWork& work = *command.opaque;
    if (any() && spreads_to(work)) {
        return false;
    }
    std::string error;
    if (work.function(work.context, error)) [[likely]] {
        return true;
    }
    const std::lock_guard lock(mutex_);
    origins_.push_back({{command.op, core::ErrorKind::failed, std::move(error)}, false});
    for (const core::BufferId out : work.writes) {
        spoiled_[out] = origins_.size() - 1;
    }
    any_.store(true, std::memory_order_relaxed);
    return false;
}

void Poison::lose(OpFailure failure) {
    const std::lock_guard lock(mutex_);
    if (!lost_) {
        origins_.push_back({std::move(failure), false});
        lost_ = origins_.size() - 1;
        any_.store(true, std::memory_order_relaxed);
    }
}

std::optional<OpFailure> Poison::failure_of(core::BufferId buffer) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = spoiled_.find(buffer); found != spoiled_.end()) {
        return origins_[found->second].failure;
    }
    return lost_ ? std::optional(origins_[*lost_].failure) : std::nullopt;
}

std::optional<OpFailure> Poison::failure_at(core::OpId op) const {
    const std::lock_guard lock(mutex_);
    for (const Origin& origin : origins_) {
        if (origin.failure.op == op) {
            return origin.failure;
        }
    }
    return std::nullopt;
}

std::optional<OpFailure> Poison::first_undelivered() const {
    const std::lock_guard lock(mutex_);
    const Origin* first = nullptr;
    for (const auto& origin : origins_) {
        if (!origin.delivered && (first == nullptr || origin.failure.op < first->failure.op)) {
            first = &origin;
        }
    }
    return first != nullptr ? std::optional(first->failure) : std::nullopt;
}

void Poison::set_delivered(core::OpId op) {
    const std::lock_guard lock(mutex_);
    for (auto& origin : origins_) {
        origin.delivered |= origin.failure.op == op;
    }
}

void Poison::set_all_delivered() {
    const std::lock_guard lock(mutex_);
    for (auto& origin : origins_) {
        origin.delivered = true;
    }
}

}  // namespace headway::devices
