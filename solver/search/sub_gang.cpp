#include "solver/search/sub_gang.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::Member;

class Cut {
public:
    Cut(const Gang& gang, SubGang& part) : gang_(gang), part_(part) {
        part_.gang.root = gang.root;
        part_.gang.priority = gang.priority;
        part_.gang.created = gang.created;
    }

    // Returns the new index of the ancestor.
    std::uint32_t add_ancestor(std::uint32_t group, std::uint32_t parent, std::uint32_t next) {
        const std::uint32_t index = append(group, parent);
        GangGroup& source = part_.gang.groups[index];
        source.minimum = 1;
        source.floor = 0;
        source.multiples.clear();
        std::vector<std::uint32_t> bound;
        for (const std::uint32_t child : gang_.groups[group].children) {
            if (child != next) {
                collect_bound(child, bound);
            }
        }
        if (!bound.empty()) {
            pin(index, bound);
        }
        return index;
    }

    std::uint32_t add_subtree(std::uint32_t group, std::uint32_t parent) {
        const std::uint32_t index = append(group, parent);
        const GangGroup& source = gang_.groups[group];
        keep_rules(group, index);
        part_.gang.groups[index].first_member = member_count();
        for (std::uint32_t m = source.first_member; source.is_leaf && m < source.last_member; ++m) {
            part_.members.push_back(m);
            part_.gang.members.push_back(gang_.members[m]);
        }
        part_.gang.groups[index].last_member = member_count();
        for (const std::uint32_t child : source.children) {
            add_subtree(child, index);
        }
        return index;
    }

private:
    [[nodiscard]] std::uint32_t member_count() const { return static_cast<std::uint32_t>(part_.gang.members.size()); }

    std::uint32_t append(std::uint32_t group, std::uint32_t parent) {
        const auto index = static_cast<std::uint32_t>(part_.gang.groups.size());
        GangGroup copy = gang_.groups[group];
        copy.parent = parent;
        copy.children.clear();
        copy.preferred.clear();
        copy.first_member = copy.last_member = member_count();
        part_.gang.groups.push_back(std::move(copy));
        if (parent != model::nowhere) {
            part_.gang.groups[parent].children.push_back(index);
        }
        return index;
    }

    void keep_rules(std::uint32_t group, std::uint32_t index) {
        for (model::DomainLimit limit : gang_.domain_limits) {
            if (limit.group == group) {
                limit.group = index;
                part_.gang.domain_limits.push_back(limit);
            }
        }
        for (model::Pairing pairing : gang_.pairings) {
            if (pairing.group == group) {
                pairing.group = index;
                part_.gang.pairings.push_back(std::move(pairing));
            }
        }
    }

    void collect_bound(std::uint32_t group, std::vector<std::uint32_t>& bound) const {
        const GangGroup& source = gang_.groups[group];
        for (std::uint32_t m = source.first_member; source.is_leaf && m < source.last_member; ++m) {
            if (gang_.members[m].state == Member::State::bound) {
                bound.push_back(m);
            }
        }
        for (const std::uint32_t child : source.children) {
            collect_bound(child, bound);
        }
    }

    // Adds a leaf of bound members, which needs no more seats.
    void pin(std::uint32_t parent, const std::vector<std::uint32_t>& bound) {
        GangGroup leaf;
        leaf.key = {.kind = "bound", .name = part_.gang.groups[parent].key.name};
        leaf.parent = parent;
        leaf.first_member = member_count();
        for (const std::uint32_t m : bound) {
            part_.members.push_back(m);
            part_.gang.members.push_back(gang_.members[m]);
        }
        leaf.last_member = member_count();
        part_.gang.groups[parent].children.push_back(static_cast<std::uint32_t>(part_.gang.groups.size()));
        part_.gang.groups[parent].minimum = 2;
        part_.gang.groups.push_back(std::move(leaf));
    }

    const Gang& gang_;
    SubGang& part_;
};

// Drops affinity to pods that are not in the part: they may come later.
void keep_affinity(const Gang& whole, Gang& part) {
    part.affinity = whole.affinity;
    std::set<std::uint32_t> affinity_classes;
    for (const Member& member : part.members) {
        affinity_classes.insert(member.affinity_class);
    }
    std::erase_if(part.affinity.together, [&](const model::Attraction& term) {
        return !std::ranges::all_of(
            term.friends, [&](std::uint32_t affinity_class) { return affinity_classes.contains(affinity_class); });
    });
}

}  // namespace

SubGang sub_gang_of(const Gang& gang, std::uint32_t group) {
    std::vector<std::uint32_t> path;  // The group, its parent ... the root.
    for (std::uint32_t at = group; at != model::nowhere; at = gang.groups[at].parent) {
        path.push_back(at);
    }
    SubGang part;
    Cut cut(gang, part);
    std::uint32_t parent = model::nowhere;
    for (std::size_t i = path.size(); i-- > 1;) {
        parent = cut.add_ancestor(path[i], parent, path[i - 1]);
    }
    part.group = cut.add_subtree(group, parent);
    keep_affinity(gang, part.gang);
    return part;
}

Gang free_to_move(const Gang& gang) {
    Gang free = gang;
    free.affinity.barred.clear();
    for (model::Attraction& together : free.affinity.together) {
        together.met.assign(together.met.size(), 0);
    }
    for (model::Member& member : free.members) {
        if (member.state == model::Member::State::bound) {
            member.state = model::Member::State::waiting;
            member.node = model::nowhere;
        }
    }
    return free;
}

Gang seated(const Gang& gang, const Plan& plan) {
    Gang fixed = gang;
    for (const Seat& seat : plan.seats) {
        fixed.members[seat.member].state = Member::State::bound;
        fixed.members[seat.member].node = seat.node;
    }
    return fixed;
}

}  // namespace echelon::solver
