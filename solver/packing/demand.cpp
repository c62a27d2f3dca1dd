#include "solver/packing/demand.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::LevelRef;
using model::Member;
using model::Snapshot;

void number_classes(const Snapshot& snapshot, const Gang& gang, Demand& demand) {
    std::map<std::pair<model::PodClassId, std::uint32_t>, std::uint32_t> classes;  // By pod class and affinity class.
    auto last = classes.end();  // The next member is mostly of the same class.
    for (const Member& member : gang.members) {
        const std::pair key{member.pod_class, member.affinity_class};
        if (member.state == Member::State::waiting && (last == classes.end() || last->first != key)) {
            last = classes.emplace(key, 0).first;
        }
    }
    std::vector<std::uint32_t> affinity_class_of_class;
    for (auto& [key, member_class] : classes) {
        member_class = static_cast<std::uint32_t>(demand.classes.size());
        demand.classes.push_back(key.first);
        affinity_class_of_class.push_back(key.second);
    }
    demand.class_of.assign(gang.members.size(), model::nowhere);
    for (std::size_t m = 0; m < gang.members.size(); ++m) {
        const std::pair key{gang.members[m].pod_class, gang.members[m].affinity_class};
        if (gang.members[m].state == Member::State::waiting) {
            last = last->first == key ? last : classes.find(key);
            demand.class_of[m] = last->second;
        }
    }
    demand.conflicts = MemberConflicts(snapshot, gang, affinity_class_of_class);
}

void count_leaf(const Gang& gang, const GangGroup& leaf, const Demand& demand, GroupDemand& group) {
    group.waiting_of.assign(demand.classes.size(), 0);
    for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
        const Member& member = gang.members[m];
        if (member.state == Member::State::waiting) {
            ++group.waiting_of[demand.class_of[m]];
            ++group.waiting;
            continue;
        }
        if (member.state == Member::State::bound) {
            if (member.node == model::nowhere) {
                continue;
            }
            group.bound_nodes.push_back(member.node);
        }
        ++group.counting;
    }
    group.lacking = std::max<std::int64_t>(0, group.minimum - group.counting);
    group.is_satisfied = group.lacking == 0;
    group.is_satisfiable = group.counting + group.waiting >= group.minimum;
}

void count_children(const GangGroup& composite, const Demand& demand, GroupDemand& group) {
    std::int64_t satisfied = 0;
    std::int64_t satisfiable = 0;
    for (const std::uint32_t child : composite.children) {
        const GroupDemand& below = demand.groups[child];
        group.counting += below.counting;
        group.waiting += below.is_satisfiable ? below.waiting : 0;
        group.bound_nodes.insert(group.bound_nodes.end(), below.bound_nodes.begin(), below.bound_nodes.end());
        satisfied += below.is_satisfied ? 1 : 0;
        satisfiable += below.is_satisfiable ? 1 : 0;
    }
    group.is_satisfied = satisfied >= group.minimum && group.counting >= composite.floor;
    group.is_satisfiable = satisfiable >= group.minimum && group.counting + group.waiting >= composite.floor;
}

bool is_split(const Snapshot& snapshot, LevelRef level, const std::vector<model::NodeId>& bound) {
    const auto& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
    return std::ranges::any_of(bound, [&](model::NodeId node) {
        return domain_of[node] == model::nowhere || domain_of[node] != domain_of[bound.front()];
    });
}

using Signature = std::vector<std::int64_t>;

// [group] limits and pairs of the group, and its share of the parent's pair; empty: the gang has no such rules.
std::vector<Signature> domain_rules_of(const Gang& gang) {
    std::vector<Signature> rules;
    if (!gang.domain_limits.empty() || !gang.pairings.empty()) {
        rules.resize(gang.groups.size());
    }
    for (const model::DomainLimit& limit : gang.domain_limits) {
        Signature& own = rules[limit.group];
        own.insert(own.end(), {-2, limit.level.tree, limit.level.depth, limit.most});
    }
    for (const model::Pairing& pairing : gang.pairings) {
        Signature& own = rules[pairing.group];
        own.insert(own.end(), {-3, pairing.level.tree, pairing.level.depth});
        own.insert(own.end(), pairing.replicas.begin(), pairing.replicas.end());
        for (std::size_t child = 0; child < pairing.replicas.size(); ++child) {
            Signature& below = rules[gang.groups[pairing.group].children[child]];
            below.insert(below.end(), {-4, pairing.replicas[child]});
        }
    }
    return rules;
}

// Equal for groups that are interchangeable. A group with bound members equals no other.
Signature signature_of(const GangGroup& group, std::uint32_t index, const Demand& demand) {
    const GroupDemand& own = demand.groups[index];
    Signature signature{group.is_leaf ? 1 : 0, own.minimum, group.floor, own.counting,
                        own.bound_nodes.empty() ? -1 : static_cast<std::int64_t>(index)};
    const auto append_levels = [&](const std::vector<LevelRef>& levels) {
        signature.push_back(static_cast<std::int64_t>(levels.size()));
        for (const LevelRef level : levels) {
            signature.insert(signature.end(), {level.tree, level.depth});
        }
    };
    append_levels(group.required);
    append_levels(group.preferred);
    signature.push_back(static_cast<std::int64_t>(group.multiples.size()));
    for (const auto& [level, multiple] : group.multiples) {
        signature.insert(signature.end(), {level.tree, level.depth, multiple});
    }
    signature.insert(signature.end(), own.waiting_of.begin(), own.waiting_of.end());
    std::vector<std::int64_t> below;
    for (const std::uint32_t child : group.children) {
        below.push_back(demand.groups[child].symmetry_class);
    }
    std::ranges::sort(below);
    signature.insert(signature.end(), below.begin(), below.end());
    return signature;
}

}  // namespace

Demand demand_of(const Snapshot& snapshot, const Gang& gang, Occupancy occupancy) {
    Demand demand;
    demand.groups.resize(gang.groups.size());
    number_classes(snapshot, gang, demand);
    demand.inside = InnerRoom(snapshot, demand.classes, occupancy);
    const std::vector<Signature> domain_rules = domain_rules_of(gang);
    std::map<Signature, std::uint32_t> symmetry_classes;
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Children before parents.
        const GangGroup& source = gang.groups[g];
        GroupDemand& group = demand.groups[g];
        group.minimum = source.basic ? std::max<std::int64_t>(source.minimum, 1) : source.minimum;
        demand.has_floors = demand.has_floors || (!source.is_leaf && source.floor > 0);
        if (source.is_leaf) {
            count_leaf(gang, source, demand, group);
        } else {
            count_children(source, demand, group);
        }
        std::ranges::sort(group.bound_nodes);
        group.bound_nodes.erase(std::ranges::unique(group.bound_nodes).begin(), group.bound_nodes.end());
        for (const LevelRef level : source.required) {
            if (is_split(snapshot, level, group.bound_nodes)) {
                group.split.push_back(level);
                group.is_satisfied = false;
                group.is_satisfiable = false;
            }
        }
        const auto next = static_cast<std::uint32_t>(symmetry_classes.size());
        Signature signature = signature_of(source, static_cast<std::uint32_t>(g), demand);
        if (!domain_rules.empty()) {
            signature.insert(signature.end(), domain_rules[g].begin(), domain_rules[g].end());
        }
        group.symmetry_class = symmetry_classes.emplace(std::move(signature), next).first->second;
    }
    return demand;
}

}  // namespace echelon::solver
