// A growing array whose elements never move: for ten million ops, without the copies and pauses of a growing vector.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace headway::model {

template <class T, std::size_t kShift = 14>
class Blocks {
public:
    static constexpr std::size_t kBlock = std::size_t{1} << kShift;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return blocks_[i >> kShift][i & (kBlock - 1)]; }
    [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i >> kShift][i & (kBlock - 1)]; }
    [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }
    [[nodiscard]] T& back() { return (*this)[size_ - 1]; }

    T& push_back(const T& value) {
        if (size_ >> kShift == blocks_.size()) {
            blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
        }
        T& place = (*this)[size_++];
        place = value;
        return place;
    }
    // Keeps the first `size` elements and the room of the others.
    void truncate(std::size_t size) { size_ = size; }
    void clear() {
        blocks_.clear();
        size_ = 0;
    }

private:
    std::vector<std::unique_ptr<T[]>> blocks_;
    std::size_t size_ = 0;
};

}  // namespace headway::model
