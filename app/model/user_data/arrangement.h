// The user's arrangement of timeline rows: order, pinned rows, heights and names. Rows are identified by what they
// show, not by run, so that the arrangement also applies to the next run of the same program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headway::model {

struct RowSetting {
    std::string row;      // "scopes", "frontend", "headway", "launch", "memory", "lane 3"
    float height_px = 0;  // at scale 1; 0: automatic
    bool collapsed = false, pinned = false;
    std::string name;  // empty: the default name
    friend bool operator==(const RowSetting&, const RowSetting&) = default;
};
// In the order of the rows. Rows that do not exist are ignored.
using Arrangement = std::vector<RowSetting>;

// The setting of a row; null: default.
const RowSetting* setting_of(const Arrangement& arrangement, const std::string& row);
// The indices of `rows` (given in default order) in the arranged order: pinned rows first. A row that is not in the
// arrangement stays after the row that precedes it by default.
std::vector<std::size_t> arranged(const Arrangement& arrangement, std::span<const std::string> rows);

// Arrangements by program and kind of device: "lane 0" means something else in another program.
struct Arrangements {
    struct Own {
        std::string program, device;  // as in RunInfo
        Arrangement rows;
        friend bool operator==(const Own&, const Own&) = default;
    };
    Arrangement general;   // for programs without one of their own
    std::vector<Own> own;  // most recently arranged first
    static constexpr std::size_t kMost = 200;

    [[nodiscard]] const Arrangement& of(const std::string& program, const std::string& device) const;
    void set(const std::string& program, const std::string& device, Arrangement rows);
    friend bool operator==(const Arrangements&, const Arrangements&) = default;
};

}  // namespace headway::model
