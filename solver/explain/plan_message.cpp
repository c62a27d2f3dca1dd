#include "solver/explain/plan_message.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::Gang;
using model::LevelRef;
using model::Member;
using model::Snapshot;

// The first leaf, at or below `group`, that has too few members; nowhere: none.
std::uint32_t lacking_leaf(const Gang& gang, const Demand& demand, std::uint32_t group) {
    if (gang.groups[group].is_leaf) {
        const bool lacks = !demand.groups[group].is_satisfiable && demand.groups[group].split.empty();
        return lacks ? group : model::nowhere;
    }
    for (const std::uint32_t child : gang.groups[group].children) {
        if (const auto leaf = lacking_leaf(gang, demand, child); leaf != model::nowhere) {
            return leaf;
        }
    }
    return model::nowhere;
}

// The leaf that lacks members, so that `leaf` or an ancestor can't be satisfied; nowhere: none.
std::uint32_t leaf_waited_for(const Gang& gang, const Demand& demand, std::uint32_t leaf) {
    for (auto group = leaf; group != model::nowhere && group != 0; group = gang.groups[group].parent) {
        if (!demand.groups[group].is_satisfiable) {
            return lacking_leaf(gang, demand, group);
        }
    }
    return model::nowhere;
}

// Why members have no seat (Z37).
struct Unseated {
    std::set<std::uint32_t> lacking;  // Leaves that lack pods.
    std::int64_t without_node = 0;    // No node takes them, full or empty.
    std::int64_t without_room = 0;
    std::map<std::string, std::int64_t> by_rule;  // There is room, but a rule keeps them away: the rule in words.
};

class UnseatedMembers {
public:
    UnseatedMembers(const Snapshot& snapshot, const Gang& gang, const std::vector<Seat>& seats)
        : snapshot_(snapshot), gang_(gang), node_of_(gang.members.size(), model::nowhere) {
        for (std::size_t m = 0; m < gang.members.size(); ++m) {
            node_of_[m] = gang.members[m].state == Member::State::bound ? gang.members[m].node : model::nowhere;
        }
        for (const Seat& seat : seats) {
            node_of_[seat.member] = seat.node;
            const auto& need = snapshot.need[gang.members[seat.member].pod_class];
            auto& taken = taken_.try_emplace(seat.node, need.size(), 0).first->second;
            std::ranges::transform(taken, need, taken.begin(), std::plus());
        }
    }

    [[nodiscard]] Unseated count(const Demand& demand) const {
        Unseated unseated;
        for (std::uint32_t g = 0; g < gang_.groups.size(); ++g) {
            const auto& group = gang_.groups[g];
            std::map<model::PodClassId, std::int64_t> left;
            for (auto m = group.first_member; group.is_leaf && m < group.last_member; ++m) {
                const Member& member = gang_.members[m];
                const bool waits = member.state == Member::State::waiting && !member.is_placeholder;
                if (waits && node_of_[m] == model::nowhere) {
                    ++left[member.pod_class];
                }
            }
            const auto lacking = left.empty() ? model::nowhere : leaf_waited_for(gang_, demand, g);
            if (lacking != model::nowhere) {
                unseated.lacking.insert(lacking);
                continue;
            }
            for (const auto& [pod_class, pods] : left) {
                add(g, pod_class, pods, unseated);
            }
        }
        return unseated;
    }

private:
    void add(std::uint32_t leaf, model::PodClassId pod_class, std::int64_t pods, Unseated& unseated) const {
        const auto& eligible = snapshot_.eligible[pod_class];
        if (std::ranges::find(eligible, 1) == eligible.end()) {
            unseated.without_node += pods;
            return;
        }
        const std::string rule = rule_around(leaf);
        (!rule.empty() && has_room(leaf, pod_class) ? unseated.by_rule[rule] : unseated.without_room) += pods;
    }

    // The first limit or multiple of the leaf or of a group around it; empty: there is none.
    [[nodiscard]] std::string rule_around(std::uint32_t leaf) const {
        const auto key_of = [this](LevelRef level) { return snapshot_.trees[level.tree].keys[level.depth]; };
        for (auto group = leaf; group != model::nowhere; group = gang_.groups[group].parent) {
            const std::string& name = gang_.groups[group].key.name;
            const auto limit = std::ranges::find(gang_.domain_limits, group, &model::DomainLimit::group);
            if (limit != gang_.domain_limits.end()) {
                return fmt::format("group {} may have at most {} in each {}", name, limit->most, key_of(limit->level));
            }
            if (!gang_.groups[group].multiples.empty()) {
                const auto& [level, multiple] = gang_.groups[group].multiples.front();
                return fmt::format("group {} takes multiples of {} for each {} only", name, multiple, key_of(level));
            }
        }
        return {};
    }

    // True if a node in the domains that the plan chose for the leaf has room for one more pod beside the plan.
    [[nodiscard]] bool has_room(std::uint32_t leaf, model::PodClassId pod_class) const {
        const auto& need = snapshot_.need[pod_class];
        const auto domains = domains_around(leaf);
        const auto is_free = [&](model::NodeId node) {
            const auto taken = taken_.find(node);
            for (std::size_t r = 0; r < need.size(); ++r) {
                const auto by_plan = taken == taken_.end() ? 0 : taken->second[r];
                if (need[r] > 0 && snapshot_.room[r][node] - by_plan < need[r]) {
                    return false;
                }
            }
            return std::ranges::all_of(domains, [&](const auto& chosen) {
                return snapshot_.trees[chosen.first.tree].domain_of[chosen.first.depth][node] == chosen.second;
            });
        };
        for (model::NodeId node = 0; node < snapshot_.node_count(); ++node) {
            if (snapshot_.eligible[pod_class][node] != 0 && is_free(node)) {
                return true;
            }
        }
        return false;
    }

    // The domains of the levels that the leaf and the groups around it require, where members have a seat.
    [[nodiscard]] std::vector<std::pair<LevelRef, std::uint32_t>> domains_around(std::uint32_t leaf) const {
        std::vector<std::pair<LevelRef, std::uint32_t>> domains;
        for (auto group = leaf; group != model::nowhere; group = gang_.groups[group].parent) {
            const auto seated = seated_below(group);
            for (const LevelRef level : gang_.groups[group].required) {
                if (seated != model::nowhere) {
                    domains.emplace_back(level, snapshot_.trees[level.tree].domain_of[level.depth][seated]);
                }
            }
        }
        return domains;
    }

    // The node of some member of the group; nowhere: none has a seat.
    [[nodiscard]] model::NodeId seated_below(std::uint32_t group) const {
        if (gang_.groups[group].is_leaf) {
            const auto first = node_of_.begin() + gang_.groups[group].first_member;
            const auto last = node_of_.begin() + gang_.groups[group].last_member;
            const auto seated = std::find_if(first, last, [](auto node) { return node != model::nowhere; });
            return seated == last ? model::nowhere : *seated;
        }
        for (const std::uint32_t child : gang_.groups[group].children) {
            if (const auto node = seated_below(child); node != model::nowhere) {
                return node;
            }
        }
        return model::nowhere;
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    std::vector<model::NodeId> node_of_;                        // [member] nowhere: no seat.
    std::map<model::NodeId, std::vector<std::int64_t>> taken_;  // By the plan: [resource].
};

std::string pods_beyond(std::int64_t count, const char* one, const char* several) {
    return fmt::format("{} beyond the minimum {}", count == 1 ? "1 pod" : fmt::format("{} pods", count),
                       count == 1 ? one : several);
}

}  // namespace

std::string message_of(const Snapshot& snapshot, const Gang& gang, const Demand& demand,
                       const std::vector<Seat>& seats) {
    const auto seated_placeholders =
        std::ranges::count_if(seats, [&](const Seat& seat) { return gang.members[seat.member].is_placeholder; });
    const auto is_kept = [](const model::Member& member) {  // A placeholder that keeps its seat.
        return member.state == model::Member::State::bound && member.is_placeholder;
    };
    const auto placeholders = seated_placeholders + std::ranges::count_if(gang.members, is_kept);
    std::string message;
    const auto say = [&message](const std::string& sentence) { message += (message.empty() ? "" : "; ") + sentence; };
    const auto waits = [](const Member& member) {
        return member.state == Member::State::waiting && !member.is_placeholder;
    };
    const bool are_all_seated = std::ranges::count_if(gang.members, waits) == std::ssize(seats) - seated_placeholders;
    const Unseated unseated = are_all_seated ? Unseated{} : UnseatedMembers(snapshot, gang, seats).count(demand);
    if (unseated.without_room > 0) {
        say(pods_beyond(unseated.without_room, "waits for room", "wait for room"));
    }
    if (unseated.without_node > 0) {
        say(pods_beyond(unseated.without_node, "matches no usable node", "match no usable node"));
    }
    for (const auto& [rule, count] : unseated.by_rule) {
        say(pods_beyond(count, "waits: ", "wait: ") + rule);
    }
    constexpr std::size_t most_named = 3;
    std::size_t named = 0;
    for (const std::uint32_t leaf : unseated.lacking) {
        if (++named > most_named) {
            say(fmt::format("{} more groups lack pods", unseated.lacking.size() - most_named));
            break;
        }
        const GroupDemand& has = demand.groups[leaf];
        const auto earlier = gang.groups[leaf].earlier_members;
        say(fmt::format("group {} has {} of {} pods", gang.groups[leaf].key.name, has.counting + has.waiting - earlier,
                        has.minimum - earlier));
    }
    if (placeholders > 0) {
        say(fmt::format("{} held for pods that don't exist yet",
                        placeholders == 1 ? "1 seat is" : fmt::format("{} seats are", placeholders)));
    }
    std::ranges::for_each(gang.warnings, say);
    return message;
}

}  // namespace echelon::solver
