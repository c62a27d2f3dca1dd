#pragma once

// Which score does `prioritize` give a node for a pod of no gang with these requests? (SC1, SC2)
//
// Part of the published state: constant, and so thread-safe. A look-up computes nothing.

#include "engine/publish/name_hash.hpp"
#include "model/facts/amounts.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace echelon::engine {

// The places of nodes in a list of scores, by the hash of their names.
class NodePlaces {
public:
    explicit NodePlaces(const std::vector<std::string>& names);

    // UINT32_MAX: unknown. If two names have one hash, one of them gets a wrong score, and nothing worse happens.
    [[nodiscard]] std::uint32_t of(NameHash hash) const {
        for (auto at = hash & mask_;; at = (at + 1) & mask_) {
            if (slots_[at].place == free || slots_[at].rest == rest_of(hash))
                return slots_[at].place;
        }
    }

private:
    static constexpr std::uint32_t free = UINT32_MAX;
    static constexpr std::uint32_t rest_of(NameHash hash) { return static_cast<std::uint32_t>(hash >> 32U); }
    struct Slot {
        std::uint32_t rest = 0;  // Of the hash: its lower half chooses the slot.
        std::uint32_t place = free;
    };
    std::vector<Slot> slots_;  // A power of two, at least half of them free.
    std::size_t mask_ = 0;
};

class NodeScores {
public:
    using Scores = std::shared_ptr<const std::vector<std::uint8_t>>;  // By place; 0 to 10.
    using ByRequests = std::map<model::Amounts, Scores>;

    NodeScores(std::shared_ptr<const NodePlaces> places, ByRequests scores)
        : places_(std::move(places)), scores_(std::move(scores)) {}

    // Null: there are no scores for these requests yet.
    [[nodiscard]] const std::vector<std::uint8_t>* of(const model::Amounts& requests) const {
        const auto found = scores_.find(requests);
        return found == scores_.end() ? nullptr : found->second.get();
    }
    [[nodiscard]] std::uint8_t score(const std::vector<std::uint8_t>& scores, NameHash node) const {
        const auto place = places_->of(node);
        return place < scores.size() ? scores[place] : std::uint8_t{0};
    }

private:
    std::shared_ptr<const NodePlaces> places_;
    ByRequests scores_;
};

}  // namespace echelon::engine
