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

void number_sizes(const Snapshot& snapshot, const Gang& gang, Demand& needs) {
    std::map<std::pair<model::PodClassId, std::uint32_t>, std::uint32_t> sizes;  // By shape and kin.
    for (const Member& member : gang.members) {
        if (member.state == Member::State::waiting) {
            sizes.emplace(std::pair{member.shape, member.kin}, 0);
        }
    }
    std::vector<std::uint32_t> kins;
    for (auto& [key, size] : sizes) {
        size = static_cast<std::uint32_t>(needs.sizes.size());
        needs.sizes.push_back(key.first);
        kins.push_back(key.second);
    }
    needs.size_of.assign(gang.members.size(), model::nowhere);
    for (std::size_t m = 0; m < gang.members.size(); ++m) {
        if (gang.members[m].state == Member::State::waiting) {
            needs.size_of[m] = sizes.at({gang.members[m].shape, gang.members[m].kin});
        }
    }
    needs.relations = MemberConflicts(snapshot, gang, kins);
}

void count_leaf(const Gang& gang, const GangGroup& leaf, const Demand& needs, GroupDemand& group) {
    group.waiting_of.assign(needs.sizes.size(), 0);
    for (std::uint32_t m = leaf.first_member; m < leaf.last_member; ++m) {
        const Member& member = gang.members[m];
        if (member.state == Member::State::waiting) {
            ++group.waiting_of[needs.size_of[m]];
            ++group.waiting;
            continue;
        }
        if (member.state == Member::State::bound) {
            if (member.node == model::nowhere) {
                continue;
            }
            group.bound.push_back(member.node);
        }
        ++group.counting;
    }
    group.lacking = std::max<std::int64_t>(0, group.minimum - group.counting);
    group.is_satisfied = group.lacking == 0;
    group.is_satisfiable = group.counting + group.waiting >= group.minimum;
}

void count_children(const GangGroup& composite, const Demand& needs, GroupDemand& group) {
    std::int64_t satisfied = 0;
    std::int64_t satisfiable = 0;
    for (const std::uint32_t child : composite.children) {
        const GroupDemand& below = needs.groups[child];
        group.counting += below.counting;
        group.waiting += below.is_satisfiable ? below.waiting : 0;
        group.bound.insert(group.bound.end(), below.bound.begin(), below.bound.end());
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

// [group] limits of its own, its pairs, and its share of a pair around it; empty: no group has any.
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

// Everything about a group that the search can tell apart. Groups with bound members are one of a kind.
Signature signature_of(const GangGroup& group, std::uint32_t index, const Demand& needs) {
    const GroupDemand& own = needs.groups[index];
    Signature signature{group.is_leaf ? 1 : 0, own.minimum, group.floor, own.counting,
                        own.bound.empty() ? -1 : static_cast<std::int64_t>(index)};
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
        below.push_back(needs.groups[child].twin);
    }
    std::ranges::sort(below);
    signature.insert(signature.end(), below.begin(), below.end());
    return signature;
}

}  // namespace

Demand demand_of(const Snapshot& snapshot, const Gang& gang) {
    Demand needs;
    needs.groups.resize(gang.groups.size());
    number_sizes(snapshot, gang, needs);
    const std::vector<Signature> domain_rules = domain_rules_of(gang);
    std::map<Signature, std::uint32_t> twins;
    for (std::size_t g = gang.groups.size(); g-- > 0;) {  // Children before parents.
        const GangGroup& source = gang.groups[g];
        GroupDemand& group = needs.groups[g];
        group.minimum = source.basic ? std::max<std::int64_t>(source.minimum, 1) : source.minimum;
        needs.has_floors = needs.has_floors || (!source.is_leaf && source.floor > 0);
        if (source.is_leaf) {
            count_leaf(gang, source, needs, group);
        } else {
            count_children(source, needs, group);
        }
        std::ranges::sort(group.bound);
        group.bound.erase(std::ranges::unique(group.bound).begin(), group.bound.end());
        for (const LevelRef level : source.required) {
            if (is_split(snapshot, level, group.bound)) {
                group.split.push_back(level);
                group.is_satisfied = false;
                group.is_satisfiable = false;
            }
        }
        const auto next = static_cast<std::uint32_t>(twins.size());
        Signature signature = signature_of(source, static_cast<std::uint32_t>(g), needs);
        if (!domain_rules.empty()) {
            signature.insert(signature.end(), domain_rules[g].begin(), domain_rules[g].end());
        }
        group.twin = twins.emplace(std::move(signature), next).first->second;
    }
    return needs;
}

}  // namespace echelon::solver
