// In the frameworks, rows taken from a tensor (r = x[1:3]) are views: a write to one is visible through the other. In
// Headway they are copies. To keep the difference from going unnoticed, writing to the rows is refused, and so is using
// the rows after the tensor has been written.
//
// Threads: with the GIL.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/core/ids.h"

namespace headway::runner::python {

class CopiedRows {
public:
    // Registers that the buffer `copy` holds rows of `of`. Call before any object holds `copy`.
    void add(core::BufferId copy, core::BufferId of) {
        copies_[copy].of = of;
        ++taken_from_[of];
    }

    // Count the objects that hold a buffer. hold() returns true if the buffer holds copied rows.
    bool hold(core::BufferId buffer) {
        const auto found = copies_.empty() ? copies_.end() : copies_.find(buffer);
        if (found == copies_.end()) {
            return false;
        }
        ++found->second.holders;
        return true;
    }
    void drop(core::BufferId buffer) {
        if (const auto found = copies_.find(buffer); found != copies_.end() && --found->second.holders <= 0) {
            if (const auto of = taken_from_.find(found->second.of); of != taken_from_.end() && --of->second <= 0) {
                taken_from_.erase(of);
            }
            copies_.erase(found);
        }
    }

    // The buffer is no longer reachable: rows taken from it become independent tensors.
    void gone(core::BufferId of) {
        if (!taken_from_.empty() && taken_from_.erase(of) > 0) {
            for (auto& [copy, rows] : copies_) {
                rows.of = rows.of == of ? 0 : rows.of;
            }
        }
    }

    [[nodiscard]] bool is_copy(core::BufferId buffer) const {
        const auto found = copies_.empty() ? copies_.end() : copies_.find(buffer);
        return found != copies_.end() && found->second.of != 0;
    }
    [[nodiscard]] bool is_stale(core::BufferId buffer) const {
        const auto found = copies_.empty() ? copies_.end() : copies_.find(buffer);
        return found != copies_.end() && found->second.stale;
    }
    // Marks rows taken from this buffer as stale, and rows taken from those.
    void written(core::BufferId buffer) {
        std::vector<core::BufferId> open;
        if (!taken_from_.empty() && taken_from_.contains(buffer)) {
            open.push_back(buffer);
        }
        while (!open.empty()) {
            const core::BufferId of = open.back();
            open.pop_back();
            for (auto& [copy, rows] : copies_) {
                if (rows.of == of && !rows.stale) {
                    rows.stale = true;
                    open.push_back(copy);
                }
            }
        }
    }
    void clear() {
        copies_.clear();
        taken_from_.clear();
    }

private:
    struct Rows {
        core::BufferId of = 0;  // 0: the source is no longer reachable
        int holders = 0;
        bool stale = false;
    };
    std::unordered_map<core::BufferId, Rows> copies_;
    std::unordered_map<core::BufferId, int> taken_from_;  // number of copies by source buffer
};

}  // namespace headway::runner::python
