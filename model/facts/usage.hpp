#pragma once

// How much of one node is taken? The sum of the requests of the pods on it, exact and reversible. Plain value.

#include "model/facts/amounts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

class Usage {
public:
    void add(const Amounts& requests);
    // Requires: an earlier `add` of the same amounts.
    void remove(const Amounts& requests);

    // What is left of `allocatable`, negative when more is taken. Bounded, so that a few more steps can't overflow.
    [[nodiscard]] std::int64_t left_of(std::string_view name, std::int64_t allocatable) const;
    [[nodiscard]] bool empty() const { return sums_.empty(); }

    bool operator==(const Usage&) const = default;

private:
    // Wider than an amount: a sum of absurd requests must come back to what it was.
    __extension__ using Sum = __int128;
    void shift(const Amounts& requests, int sign);

    std::vector<std::pair<std::string, Sum>> sums_;  // Sorted by name; no zeros.
};

// The amount as a snapshot stores it: clamped to +-2^60.
[[nodiscard]] std::int64_t bounded(std::int64_t amount);

// What a node with this room gets back when a pod with this request ends. Nothing if the room is at its lower bound:
// more may be taken there than the bound says.
[[nodiscard]] std::int64_t freed(std::int64_t room, std::int64_t amount);

// Ends at the largest and the smallest int64.
[[nodiscard]] std::int64_t saturating_sum(std::int64_t a, std::int64_t b);

}  // namespace echelon::model
