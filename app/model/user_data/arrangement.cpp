#include "app/model/user_data/arrangement.h"

#include <algorithm>
#include <utility>

namespace headway::model {

const RowSetting* setting_of(const Arrangement& arrangement, const std::string& row) {
    const auto found =
        std::find_if(arrangement.begin(), arrangement.end(), [&row](const RowSetting& s) { return s.row == row; });
    return found == arrangement.end() ? nullptr : &*found;
}

std::vector<std::size_t> arranged(const Arrangement& arrangement, std::span<const std::string> rows) {
    std::vector<std::size_t> order;
    for (const RowSetting& setting : arrangement) {
        const auto at = static_cast<std::size_t>(std::find(rows.begin(), rows.end(), setting.row) - rows.begin());
        if (at < rows.size() && std::find(order.begin(), order.end(), at) == order.end()) {
            order.push_back(at);
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::find(order.begin(), order.end(), i) == order.end()) {
            // All earlier rows are already in place.
            const auto after = i == 0 ? order.begin() : std::find(order.begin(), order.end(), i - 1) + 1;
            order.insert(after, i);
        }
    }
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
        const RowSetting* setting = setting_of(arrangement, rows[i]);
        return setting != nullptr && setting->pinned;
    });
    return order;
}

namespace {

auto is_of(const std::string& program, const std::string& device) {
    return [&](const Arrangements::Own& own) { return own.program == program && own.device == device; };
}

}  // namespace

const Arrangement& Arrangements::of(const std::string& program, const std::string& device) const {
    const auto found = std::find_if(own.begin(), own.end(), is_of(program, device));
    return found == own.end() ? general : found->rows;
}

void Arrangements::set(const std::string& program, const std::string& device, Arrangement rows) {
    std::erase_if(own, is_of(program, device));
    if (rows.empty() && general.empty()) {
        return;  // the default, and there is no general arrangement to override
    }
    own.insert(own.begin(), {program, device, std::move(rows)});
    own.resize(std::min(own.size(), kMost));
}

}  // namespace headway::model
