#include "app/model/description/memory.h"

#include <algorithm>

#include "app/model/description/description.h"

namespace headway::model {

FreePolicy free_policy_from(std::string_view name) {
    return name == "stream" ? FreePolicy::stream : name == "lazy" ? FreePolicy::lazy : FreePolicy::finish;
}

BufferState* Memory::find(core::BufferId id, std::size_t ops) {
    // Ids are assigned consecutively, at most a few per op; only damaged recordings contain larger ones.
    if (id == 0 || id > 2 * (ops + more_) + (1u << 16)) {
        return nullptr;
    }
    const std::size_t page = id / kPage;
    if (page >= pages_.size()) {
        pages_.resize(page + 1);
    }
    Slot& slot = pages_[page];
    if (slot.gone) {
        return nullptr;
    }
    if (!slot.page) {
        slot.page = std::make_unique<Page>();
        // There is no buffer 0: count it as done, so that its page can be freed.
        slot.page->done = page == 0 ? 1 : 0;
    }
    return &slot.page->buffers[id % kPage];
}

void Memory::add_live(const BufferState& buffer, std::int64_t ns, int sign) {
    const std::int64_t bytes = sign * static_cast<std::int64_t>(buffer.bytes);
    live_.add(ns, bytes);
    if (devices_ != nullptr && buffer.device < devices_->size()) {
        (*devices_)[buffer.device].live.add(ns, bytes);
    }
}

void Memory::add_pending(const BufferState& buffer, std::int64_t ns, int sign) {
    const std::int64_t bytes = sign * static_cast<std::int64_t>(buffer.bytes);
    pending_.add(ns, bytes);
    if (devices_ != nullptr && buffer.device < devices_->size()) {
        (*devices_)[buffer.device].pending.add(ns, bytes);
    }
}

void Memory::made(BufferState& buffer, std::uint64_t bytes, std::int64_t ns, std::size_t device) {
    if (buffer.fresh) {
        return;
    }
    buffer.fresh = true;
    buffer.bytes = bytes;
    buffer.device = static_cast<std::uint8_t>(device);
    if (policy_ != FreePolicy::lazy) {
        buffer.taken_ns = ns;
        add_live(buffer, ns, 1);
    }
}

void Memory::started(BufferState& buffer, std::int64_t ns) {
    if (policy_ != FreePolicy::lazy || buffer.taken_ns != BufferState::kNever) {
        return;
    }
    buffer.taken_ns = ns;
    add_live(buffer, ns, 1);
    if (buffer.dropped_ns != BufferState::kNever) {
        hold(buffer);
    }
}

void Memory::hold(BufferState& buffer) {
    buffer.pending = true;
    add_pending(buffer, std::max(buffer.taken_ns, buffer.dropped_ns), 1);
}

void Memory::released(core::BufferId id, BufferState& buffer, std::int64_t end_ns) {
    buffer.last_end_ns = std::max(buffer.last_end_ns, end_ns);
    if (buffer.open > 0 && --buffer.open == 0 && buffer.dropped_ns != BufferState::kNever) {
        finish(id, buffer);
    }
}

void Memory::dropped(core::BufferId id, BufferState& buffer, std::int64_t ns) {
    if (buffer.dropped_ns != BufferState::kNever) {
        return;
    }
    buffer.dropped_ns = ns;
    if (buffer.taken_ns != BufferState::kNever) {
        if (policy_ == FreePolicy::stream) {
            add_live(buffer, ns, -1);
        } else if (buffer.open > 0 || buffer.last_end_ns > ns) {
            hold(buffer);
        }
    }
    if (buffer.open == 0) {
        finish(id, buffer);
    }
}

// Call when the buffer was dropped and every op that touches it has ended: its state can no longer change.
void Memory::finish(core::BufferId id, BufferState& buffer) {
    if (policy_ != FreePolicy::stream && buffer.taken_ns != BufferState::kNever) {
        const std::int64_t free_ns = std::max(buffer.dropped_ns, buffer.last_end_ns);
        add_live(buffer, free_ns, -1);
        if (buffer.pending) {
            add_pending(buffer, free_ns, -1);
        }
    }
    Slot& slot = pages_[id / kPage];
    if (++slot.page->done == kPage) {
        slot.page.reset();
        slot.gone = true;
    }
}

}  // namespace headway::model
