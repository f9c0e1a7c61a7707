// A growing array whose elements never move. It holds ten million ops without the copies and pauses of a growing
// vector. Whole blocks of elements can be given back while the array goes on growing.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace headway::model {

// An iterator over anything with operator[]. Stays valid while the container grows; invalidated when it is moved.
template <class Container>
class IndexIterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = typename Container::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    IndexIterator() = default;
    IndexIterator(const Container& of, std::size_t at) : of_(&of), at_(at) {}
    reference operator*() const { return (*of_)[at_]; }
    pointer operator->() const { return &(*of_)[at_]; }
    reference operator[](difference_type by) const { return *(*this + by); }
    IndexIterator& operator+=(difference_type by) {
        at_ = static_cast<std::size_t>(static_cast<difference_type>(at_) + by);
        return *this;
    }
    IndexIterator& operator-=(difference_type by) { return *this += -by; }
    IndexIterator& operator++() { return *this += 1; }
    IndexIterator& operator--() { return *this += -1; }
    IndexIterator operator++(int) { return std::exchange(*this, *this + 1); }
    IndexIterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend IndexIterator operator+(IndexIterator it, difference_type by) { return it += by; }
    friend IndexIterator operator+(difference_type by, IndexIterator it) { return it += by; }
    friend IndexIterator operator-(IndexIterator it, difference_type by) { return it -= by; }
    friend difference_type operator-(const IndexIterator& a, const IndexIterator& b) {
        return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const IndexIterator& a, const IndexIterator& b) { return a.at_ == b.at_; }
    friend std::strong_ordering operator<=>(const IndexIterator& a, const IndexIterator& b) { return a.at_ <=> b.at_; }

private:
    const Container* of_ = nullptr;
    std::size_t at_ = 0;
};

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

    using value_type = T;
    using Iterator = IndexIterator<Blocks>;
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size_}; }
    [[nodiscard]] const T& front() const { return (*this)[0]; }

    // Keeps the first `size` elements, and the capacity.
    void truncate(std::size_t size) { size_ = size; }
    void clear() {
        blocks_.clear();
        size_ = 0;
    }

    // Gives back the memory of elements [block * kBlock, (block + 1) * kBlock), which must all be there. From now on
    // they read as T() and must not be changed.
    void release(std::size_t block) { blocks_[block].reset(placeholder()); }
    // Appends a block that is released already. The size must be a multiple of kBlock.
    void append_released() {
        blocks_.resize(size_ >> kShift);
        blocks_.emplace_back(placeholder());
        size_ += kBlock;
    }
    [[nodiscard]] bool released(std::size_t i) const { return blocks_[i >> kShift].get() == placeholder(); }

private:
    // Shared by all released blocks.
    static T* placeholder() {
        static const std::unique_ptr<T[]> shared = std::make_unique<T[]>(kBlock);
        return shared.get();
    }
    struct Free {
        void operator()(T* block) const {
            if (block != placeholder()) {
                delete[] block;
            }
        }
    };
    T& next() {
        if (size_ >> kShift == blocks_.size()) {
            blocks_.emplace_back(std::make_unique_for_overwrite<T[]>(kBlock).release());
        }
        return (*this)[size_++];
    }

    std::vector<std::unique_ptr<T[], Free>> blocks_;
    std::size_t size_ = 0;
};

// How many consecutive ops, waits, changes of a curve … of a long run are folded together.
inline constexpr std::size_t kFoldedItems = std::size_t{1} << 14;

// A growing array in which blocks of kFoldedItems elements can be folded: one element then stands for all of them, at
// each of their places.
template <class T, std::size_t kShift = 14>
class Foldable {
public:
    using value_type = T;
    using Iterator = IndexIterator<Foldable>;

    [[nodiscard]] std::size_t size() const { return items_.size(); }
    [[nodiscard]] bool empty() const { return items_.empty(); }
    [[nodiscard]] const T& operator[](std::size_t i) const {
        return whole_.empty() || !items_.released(i) ? items_[i] : whole_[i / kFoldedItems];
    }
    [[nodiscard]] T& operator[](std::size_t i) {
        return whole_.empty() || !items_.released(i) ? items_[i] : whole_[i / kFoldedItems];
    }
    [[nodiscard]] const T& front() const { return (*this)[0]; }
    [[nodiscard]] const T& back() const { return (*this)[size() - 1]; }
    [[nodiscard]] T& back() { return (*this)[size() - 1]; }
    T& push_back(T value) { return items_.push_back(std::move(value)); }
    void truncate(std::size_t size) { items_.truncate(size); }
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }
    void clear() {
        items_.clear();
        whole_.clear();
    }

    [[nodiscard]] bool is_folded(std::size_t i) const { return !whole_.empty() && items_.released(i); }
    // The place after the element, or after all those folded with it.
    [[nodiscard]] std::size_t after(std::size_t i) const {
        return is_folded(i) ? (i / kFoldedItems + 1) * kFoldedItems : i + 1;
    }
    // Folds elements [block * kFoldedItems, (block + 1) * kFoldedItems), which must all be there and not be the last.
    void fold(std::size_t block, T whole) {
        constexpr std::size_t kPieces = kFoldedItems / Blocks<T, kShift>::kBlock;
        whole_.resize(std::max(whole_.size(), block + 1));
        whole_[block] = std::move(whole);
        for (std::size_t piece = 0; piece < kPieces; ++piece) {
            items_.release(block * kPieces + piece);
        }
    }
    // Appends a block that is folded already. The size must be a multiple of kFoldedItems.
    void append_folded(T whole) {
        constexpr std::size_t kPieces = kFoldedItems / Blocks<T, kShift>::kBlock;
        whole_.resize(size() / kFoldedItems + 1);
        whole_.back() = std::move(whole);
        for (std::size_t piece = 0; piece < kPieces; ++piece) {
            items_.append_released();
        }
    }
    // One element for each folded block, with the block's number.
    template <class Call>
    void each_folded(Call call) const {
        for (std::size_t block = 0; block < whole_.size(); ++block) {
            if (items_.released(block * kFoldedItems)) {
                call(block, whole_[block]);
            }
        }
    }

private:
    Blocks<T, kShift> items_;
    std::vector<T> whole_;  // by block, if folded
};

}  // namespace headway::model
