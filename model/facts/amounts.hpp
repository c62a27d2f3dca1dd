#pragma once

// How much of each resource? A small sorted list of (name, amount).
//
// Units: "cpu" in thousandths of a core; everything else in its own unit (bytes for memory, pieces for extended
// resources and "pods"). Amounts are never negative. A value type; a copy shares the list until one of both changes.

#include "base/copy_on_write.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

class Amounts {
public:
    using Entry = std::pair<std::string, std::int64_t>;

    Amounts() = default;
    Amounts(std::initializer_list<Entry> entries);

    // The amount of `name`; 0 when it isn't listed.
    [[nodiscard]] std::int64_t of(std::string_view name) const;
    void set(std::string_view name, std::int64_t amount);
    // Adds, saturating at the largest int64.
    void add(std::string_view name, std::int64_t amount);
    void add(const Amounts& other);
    // Keeps the larger amount of each resource.
    void raise_to(const Amounts& other);

    // Sorted by name, unique. Valid until the next change.
    [[nodiscard]] const std::vector<Entry>& entries() const { return *entries_; }
    [[nodiscard]] bool empty() const { return entries_->empty(); }
    // They are equal, which costs no look at them. False says nothing.
    [[nodiscard]] bool is_shared_with(const Amounts& other) const { return entries_.is_shared_with(other.entries_); }

    bool operator==(const Amounts&) const = default;
    std::strong_ordering operator<=>(const Amounts& other) const {
        return is_shared_with(other) ? std::strong_ordering::equal : entries() <=> other.entries();
    }

private:
    base::CopyOnWrite<std::vector<Entry>> entries_;
};

// Equal amounts have the same hash.
[[nodiscard]] std::size_t hash_of(const Amounts& amounts);

}  // namespace echelon::model
