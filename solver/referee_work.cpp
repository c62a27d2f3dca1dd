#include "solver/referee_work.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace echelon::solver {

Operations referee_work(const model::Snapshot& snapshot, const model::Gang& gang) {
    std::map<std::uint32_t, Operations> members_of;  // By affinity class.
    for (const model::Member& member : gang.members) {
        ++members_of[member.affinity_class];
    }
    std::vector<Operations> depth(gang.groups.size(), 1);
    Operations work = 0;
    for (std::size_t g = 0; g < gang.groups.size(); ++g) {  // Parents before children.
        const model::GangGroup& group = gang.groups[g];
        if (g > 0) {
            depth[g] = depth[group.parent] + 1 + gang.groups[group.parent].required.size();
        }
        work += depth[g] * (16 + 8 * (group.is_leaf ? group.last_member - group.first_member : 0));
    }
    std::vector<Operations> members(gang.groups.size(), 0);  // Below each group, and one for each group.
    for (std::size_t g = gang.groups.size(); g-- > 0;) {
        const model::GangGroup& group = gang.groups[g];
        members[g] += 1 + (group.is_leaf ? group.last_member - group.first_member : 0);
        if (g > 0) {
            members[group.parent] += members[g];
        }
    }
    for (const model::DomainLimit& limit : gang.domain_limits) {
        work += 32 * members[limit.group];
    }
    for (const model::Pairing& pairing : gang.pairings) {
        work += 32 * members[pairing.group];
    }
    for (const model::Separation& rule : gang.affinity.apart) {
        work += 16 * (1 + members_of[rule.one] + members_of[rule.other]);
    }
    for (const model::Attraction& rule : gang.affinity.together) {
        work += rule.met.size() + 16 * members_of[rule.affinity_class];
        for (const std::uint32_t affinity_class : rule.friends) {
            work += 16 * (1 + members_of[affinity_class]);
        }
    }
    if (!snapshot.zoned.empty() || !snapshot.matched.empty()) {
        work += 256 * gang.members.size();
    }
    return work + gang.members.size() * snapshot.resources.size();
}

}  // namespace echelon::solver
