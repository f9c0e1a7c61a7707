// How someone wants the rows of the timeline: in which order, which first, how tall, under which names. By what a row
// is, not by which run it belongs to, so that it holds for the next run of the same program, too.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace headway::model {

struct RowSetting {
    std::string row;      // "scopes", "frontend", "headway", "launch", "memory", "lane 3"
    float height_px = 0;  // at scale 1; 0: its share of the room
    bool collapsed = false, pinned = false;
    std::string name;  // empty: its own
    friend bool operator==(const RowSetting&, const RowSetting&) = default;
};
// In the order of the rows. Rows that are not there are ignored.
using Arrangement = std::vector<RowSetting>;

// The setting of a row; null: as it comes.
const RowSetting* setting_of(const Arrangement& arrangement, const std::string& row);
// Places in `rows`, which are in their usual order, in the order wanted: pinned ones first; one that the arrangement
// does not know stays behind its usual neighbour.
std::vector<std::size_t> arranged(const Arrangement& arrangement, std::span<const std::string> rows);

// Of each program on each kind of device its own: "lane 0" is another thing in another program.
struct Arrangements {
    struct Own {
        std::string program, device;  // as a run's info names them
        Arrangement rows;
        friend bool operator==(const Own&, const Own&) = default;
    };
    Arrangement general;   // of what has none of its own
    std::vector<Own> own;  // what was arranged last comes first
    static constexpr std::size_t kMost = 200;

    [[nodiscard]] const Arrangement& of(const std::string& program, const std::string& device) const;
    void set(const std::string& program, const std::string& device, Arrangement rows);
    friend bool operator==(const Arrangements&, const Arrangements&) = default;
};

}  // namespace headway::model
