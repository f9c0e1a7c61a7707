// The bars and slivers of a row: how pieces (fold.h) are drawn, and the counts of those that are folded.
//
// Threads: as layout_timeline().
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "app/timeline/timeline_rows.h"

namespace headway::figure {

// Neighbouring slivers, which share one rail and one count.
struct Group {
    Box box;
    std::uint64_t count = 0;
};

// Calls one(piece) for pieces that stand for a single item, and sliver(piece) for folded ones after merging neighbours
// that look the same. Returns the groups of neighbouring slivers. No group contains items on both sides of a cut (the
// index of the first item behind it), so that counts do not mix what is measured with what is not.
template <class DrawOne, class DrawSliver>
std::vector<Group> each_piece(std::span<const Piece> pieces, Box content, DrawOne one, DrawSliver sliver,
                              std::array<std::size_t, 2> cuts = {}) {
    std::vector<Group> groups;
    const auto part_of = [cuts](std::size_t item) { return (item >= cuts[0] ? 1 : 0) + (item >= cuts[1] ? 1 : 0); };
    int part = 0;               // of the last group
    std::uint64_t between = 0;  // single items since the last sliver: a group that extends over them counts them
    const auto level = [](float share) { return static_cast<int>(share * 24 + 0.5F); };
    for (std::size_t i = 0; i < pieces.size();) {
        const Piece& piece = pieces[i];
        if (piece.count == 1) {
            one(piece);
            ++i;
            ++between;
            continue;
        }
        Piece merged = piece;
        std::uint64_t count = piece.count;
        for (++i; i < pieces.size(); ++i) {
            const Piece& next = pieces[i];
            if (next.count == 1 || next.x0 > merged.x1 + 0.75F || next.family != merged.family ||
                next.failed != merged.failed || level(next.share) != level(merged.share) ||
                part_of(next.first + next.count - 1) != part_of(merged.first)) {
                break;
            }
            merged.x1 = next.x1;
            count += next.count;
        }
        sliver(merged);
        constexpr float kNear = 3;
        if (groups.empty() || merged.x0 > groups.back().box.x1 + kNear || part_of(merged.first) != part) {
            groups.push_back({{merged.x0, content.y0, merged.x1, content.y1}, 0});
        } else {
            groups.back().count += between;
        }
        between = 0;
        groups.back().box.x1 = merged.x1;
        part = part_of(merged.first);
        // A piece may begin before a cut and end behind it.
        std::size_t first = merged.first;
        for (const std::size_t cut : cuts) {
            if (first < cut && cut < merged.first + count) {
                groups.back().count += cut - first;
                groups.push_back({{merged.x1, content.y0, merged.x1, content.y1}, 0});
                first = cut;
                part = part_of(cut);
            }
        }
        groups.back().count += merged.first + count - first;
    }
    return groups;
}

// Writes the count of a group in its middle. False if it does not fit.
bool tag_group(const RowPen& pen, const Group& group, const char* what);
// Draws the rail under slivers at `y`. If the group has a count, end marks show the range that the count covers.
void draw_rail(const RowPen& pen, const Group& group, float y, bool counted);
// Draws the counts and rails of groups of `what`.
void draw_groups(const RowPen& pen, const std::vector<Group>& groups, const char* what);
void count_pieces(std::span<const Piece> pieces, std::uint64_t& drawn, std::uint64_t& folded);

}  // namespace headway::figure
