#pragma once

// How are entries found by their hash with few looks into memory? The table is one array without nodes: a look-up reads
// a slot, and then the entry itself.
//
// The caller knows the keys: it passes the hash, and a function that recognizes the entry. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace echelon::base {

// `Value`: small and movable, such as a pointer to the entry.
template <typename Value>
class FlatTable {
    struct Slot {
        std::uint32_t tag = 0;  // Of the hash; 0: the slot is free.
        Value value{};
    };

public:
    class Iterator {
    public:
        Iterator(const Slot* at, const Slot* end) : at_(at), end_(end) { skip_free(); }
        const Value& operator*() const { return at_->value; }
        Iterator& operator++() {
            ++at_;
            skip_free();
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        void skip_free() {
            while (at_ != end_ && at_->tag == 0)
                ++at_;
        }
        const Slot* at_;
        const Slot* end_;
    };

    // Null: there is none. Valid until the next change.
    template <typename Is>
    [[nodiscard]] const Value* find(std::size_t hash, const Is& is_wanted) const {
        const auto place = place_of(hash, is_wanted);
        return place == nowhere ? nullptr : &slots_[place].value;
    }
    // Requires: no entry has the same key.
    void insert(std::size_t hash, Value value) {
        if (8 * (size_ + 1) > 7 * slots_.size())
            resize(slots_.empty() ? least_slots : 2 * slots_.size());
        put({tag_of(hash), std::move(value)});
        ++size_;
    }
    // Returns the entry, which is no longer in the table; a default value: there was none.
    template <typename Is>
    Value take(std::size_t hash, const Is& is_wanted) {
        auto gap = place_of(hash, is_wanted);
        if (gap == nowhere)
            return {};
        auto taken = std::move(slots_[gap].value);
        // Entries behind it that would lie at the gap, or before it, move up: every way to an entry stays unbroken.
        for (auto at = next(gap); slots_[at].tag != 0; at = next(at)) {
            const auto home = slots_[at].tag & mask();
            if (((at - home) & mask()) < ((at - gap) & mask()))
                continue;
            slots_[gap] = std::move(slots_[at]);
            gap = at;
        }
        slots_[gap] = {};
        --size_;
        return taken;
    }
    void clear() {
        slots_.clear();
        size_ = 0;
    }
    void reserve(std::size_t count) {
        auto wanted = least_slots;
        while (7 * wanted < 8 * count)
            wanted *= 2;
        if (wanted > slots_.size())
            resize(wanted);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    // In no particular order.
    [[nodiscard]] Iterator begin() const { return {slots_.data(), slots_.data() + slots_.size()}; }
    [[nodiscard]] Iterator end() const { return {slots_.data() + slots_.size(), slots_.data() + slots_.size()}; }

private:
    static constexpr std::size_t least_slots = 8;  // The number of slots is a power of two; an eighth stays free.
    static constexpr std::size_t nowhere = SIZE_MAX;

    static std::uint32_t tag_of(std::size_t hash) {
        const auto tag = static_cast<std::uint32_t>(hash ^ (hash >> 32U));
        return tag == 0 ? 1 : tag;
    }
    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
    template <typename Is>
    [[nodiscard]] std::size_t place_of(std::size_t hash, const Is& is_wanted) const {
        if (size_ == 0)
            return nowhere;
        const auto tag = tag_of(hash);
        const auto* const slots = slots_.data();
        for (auto at = tag & mask(); slots[at].tag != 0; at = next(at)) {
            if (slots[at].tag == tag && is_wanted(slots[at].value))
                return at;
        }
        return nowhere;
    }
    void put(Slot slot) {
        auto at = slot.tag & mask();
        while (slots_[at].tag != 0)
            at = next(at);
        slots_[at] = std::move(slot);
    }
    void resize(std::size_t count) {
        auto former = std::exchange(slots_, std::vector<Slot>(count));
        for (auto& slot : former) {
            if (slot.tag != 0)
                put(std::move(slot));
        }
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace echelon::base
