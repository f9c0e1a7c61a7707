// A growing array whose elements never move. It holds ten million ops without the copies and pauses of a growing
// vector.
//
// Threads: one.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
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

    T& push_back(const T& value) { return next() = value; }
    T& push_back(T&& value) { return next() = std::move(value); }

    // Stays valid while the array grows; invalidated when the array is moved.
    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        Iterator() = default;
        Iterator(const Blocks& of, std::size_t at) : of_(&of), at_(at) {}
        const T& operator*() const { return (*of_)[at_]; }
        const T* operator->() const { return &(*of_)[at_]; }
        const T& operator[](difference_type by) const { return *(*this + by); }
        Iterator& operator+=(difference_type by) {
            at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + by);
            return *this;
        }
        Iterator& operator-=(difference_type by) { return *this += -by; }
        Iterator& operator++() { return *this += 1; }
        Iterator& operator--() { return *this += -1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend Iterator operator+(Iterator it, difference_type by) { return it += by; }
        friend Iterator operator+(difference_type by, Iterator it) { return it += by; }
        friend Iterator operator-(Iterator it, difference_type by) { return it -= by; }
        friend difference_type operator-(const Iterator& a, const Iterator& b) {
            return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
        friend std::strong_ordering operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

    private:
        const Blocks* of_ = nullptr;
        std::size_t at_ = 0;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size_}; }
    [[nodiscard]] const T& front() const { return (*this)[0]; }

    // Keeps the first `size` elements, and the capacity.
    void truncate(std::size_t size) { size_ = size; }
    void clear() {
        blocks_.clear();
        size_ = 0;
    }

private:
    T& next() {
        if (size_ >> kShift == blocks_.size()) {
            blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
        }
        return (*this)[size_++];
    }

    std::vector<std::unique_ptr<T[]>> blocks_;
    std::size_t size_ = 0;
};

}  // namespace headway::model
