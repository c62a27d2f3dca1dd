#pragma once

// Which members of a gang keep apart or want together, and where do pods outside the gang keep them away? (D14)
//
// What required terms of pod (anti-)affinity come to for one gang, resolved against one snapshot. Plain values; all
// empty when no term touches a member, which is the common case.

#include <cstdint>
#include <string>
#include <vector>

namespace echelon::model {

// Nodes by the value of one label, as kube-scheduler compares them for pod (anti-)affinity: by the bare value, never by
// path as levels do (D4).
struct TopologyKeyIndex {
    std::string key;
    std::vector<std::uint32_t> of;  // [node] number of its value; `nowhere`: it lacks the label.
    std::uint32_t count = 0;        // Of numbers.
    bool is_single = false;         // No two nodes share a value: each host is its own.
};

// No pod of one kin shares a vicinity with a pod of the other, or with another pod of the same kin when they are equal.
struct Separation {
    std::uint32_t vicinity = 0;
    std::uint32_t one = 0;  // <= other.
    std::uint32_t other = 0;

    auto operator<=>(const Separation&) const = default;
};

// Each pod of the kin needs a pod of `friends` in its vicinity, or one outside the gang that `met` tells of.
struct Attraction {
    std::uint32_t vicinity = 0;
    std::uint32_t kin = 0;
    std::vector<std::uint32_t>
        friends;                    // Sorted; may hold the kin itself: then the first of all friends may stand alone.
    std::vector<std::uint8_t> met;  // [number] where a pod outside the gang is such a friend.
};

// A kin is a set of members that no term tells from each other; kin 0 is touched by none.
struct AffinityConstraints {
    std::uint32_t kins = 1;
    std::vector<TopologyKeyIndex> vicinities;
    std::vector<std::vector<std::uint8_t>> barred;  // [kin][node] kept away by pods outside; an empty row: nowhere.
    std::vector<Separation> apart;                  // Sorted, each once.
    std::vector<Attraction> together;
    bool is_exact = true;  // False: required levels stand in for terms and say more than these: no proof of a refusal.

    [[nodiscard]] bool empty() const { return kins == 1; }
    [[nodiscard]] bool is_barred(std::uint32_t kin, std::uint32_t node) const {
        return kin < barred.size() && !barred[kin].empty() && barred[kin][node] != 0;
    }
};

}  // namespace echelon::model
