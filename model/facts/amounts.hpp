#pragma once

// How much of each resource? A small sorted list of (name, amount).
//
// Units: "cpu" in thousandths of a core; everything else in its own unit (bytes for memory, pieces for extended
// resources and "pods"). Amounts are never negative. Pure value type.

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

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }  // Sorted by name, unique.
    [[nodiscard]] bool empty() const { return entries_.empty(); }

    auto operator<=>(const Amounts&) const = default;

private:
    std::vector<Entry> entries_;
};

}  // namespace echelon::model
