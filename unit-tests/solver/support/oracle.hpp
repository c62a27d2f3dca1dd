#pragma once

// What is the best that any plan could do? Tries every assignment of a small world. Simple and slow, only for tests. A
// plan is valid if the referee finds no violation.

#include "solver/violations.hpp"
#include "unit-tests/solver/support/world.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace echelon::solver::testing {

// The score of a plan beyond its minimums; fields are compared in order.
struct Best {
    std::int64_t seats = 0;                        // O2
    std::vector<std::int64_t> spread;              // O3: per level, widest first.
    std::int64_t imbalance = 0;                    // D18
    std::vector<std::vector<std::int64_t>> holes;  // O4, O6: per level, free room per domain, largest first.

    [[nodiscard]] bool is_better_than(const Best& other) const {
        if (seats != other.seats) {
            return seats > other.seats;
        }
        if (spread != other.spread) {
            return spread < other.spread;
        }
        return imbalance != other.imbalance ? imbalance < other.imbalance : holes > other.holes;
    }
};

// Every node that a member below a group sits on, bound ones included.
inline std::set<model::NodeId> nodes_below(const World& world, const std::vector<model::NodeId>& node_of,
                                           std::uint32_t group) {
    const model::GangGroup& at = world.gang.groups[group];
    std::set<model::NodeId> nodes;
    for (std::uint32_t m = at.first_member; at.is_leaf && m < at.last_member; ++m) {
        const model::Member& member = world.gang.members[m];
        const model::NodeId node = member.state == model::Member::State::bound ? member.node : node_of[m];
        if (node != model::nowhere) {
            nodes.insert(node);
        }
    }
    for (const std::uint32_t child : at.children) {
        nodes.merge(nodes_below(world, node_of, child));
    }
    return nodes;
}

// O3: the domains that groups with a preference use, summed over the groups. A node without the label counts two.
inline std::vector<std::int64_t> spread_of(const World& world, const std::vector<model::NodeId>& node_of) {
    std::vector<std::int64_t> sums(8, 0);
    for (std::uint32_t g = 0; g < world.gang.groups.size(); ++g) {
        const model::GangGroup& group = world.gang.groups[g];
        for (const model::LevelRef level : group.preferred) {
            const bool has_effect = std::ranges::none_of(group.required, [&](model::LevelRef required) {
                return required.tree == level.tree && required.depth >= level.depth;
            });
            for (std::uint32_t depth = 0; has_effect && depth <= level.depth; ++depth) {
                std::set<std::uint32_t> domains;
                for (const model::NodeId node : nodes_below(world, node_of, g)) {
                    const std::uint32_t domain = world.snapshot.trees[level.tree].domain_of[depth][node];
                    domains.insert(domain);
                    sums[depth] += domain == model::nowhere ? 2 : 0;
                }
                sums[depth] += static_cast<std::int64_t>(domains.size() - domains.count(model::nowhere));
            }
        }
    }
    return sums;
}

// D18: at the preferred levels of groups of several children, what each child has in a domain beside what it would have
// in proportion.
inline std::int64_t imbalance_of(const World& world, const std::vector<model::NodeId>& node_of) {
    std::int64_t sum = 0;
    for (const model::GangGroup& group : world.gang.groups) {
        for (const model::LevelRef level : group.preferred) {
            const bool has_effect = std::ranges::none_of(group.required, [&](model::LevelRef required) {
                return required.tree == level.tree && required.depth >= level.depth;
            });
            std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> there;  // [child][domain]
            std::map<std::uint32_t, std::int64_t> in_domain;
            std::int64_t all = 0;
            const std::function<void(std::uint32_t, std::uint32_t)> count = [&](std::uint32_t child, std::uint32_t at) {
                const model::GangGroup& below = world.gang.groups[at];
                for (std::uint32_t m = below.first_member; below.is_leaf && m < below.last_member; ++m) {
                    const model::Member& member = world.gang.members[m];
                    const bool is_bound = member.state == model::Member::State::bound;
                    if (const model::NodeId node = is_bound ? member.node : node_of[m]; node != model::nowhere) {
                        const std::uint32_t domain = world.snapshot.trees[level.tree].domain_of[level.depth][node];
                        ++there[child][domain];
                        ++in_domain[domain];
                        ++all;
                    }
                }
                for (const std::uint32_t next : below.children) {
                    count(child, next);
                }
            };
            for (const std::uint32_t child : group.children) {
                count(child, child);
            }
            for (auto& [child, domains] : there) {
                std::int64_t of_child = 0;
                for (const auto& [domain, number] : domains) {
                    of_child += number;
                }
                for (const auto& [domain, here] : in_domain) {
                    sum += has_effect ? std::abs(domains[domain] * all - here * of_child) : 0;
                }
            }
        }
    }
    return sum;
}

// The resource of which the waiting members need the largest part of what usable nodes have free.
inline std::size_t scarce_in(const World& world) {
    std::size_t scarce = 0;
    double worst = -1;
    for (std::size_t r = 0; r < world.snapshot.resources.size(); ++r) {
        double need = 0;
        double free = 1;
        for (const model::Member& member : world.gang.members) {
            const bool is_waiting = member.state == model::Member::State::waiting;
            need += is_waiting ? static_cast<double>(world.snapshot.need[member.pod_class][r]) : 0;
        }
        for (std::size_t n = 0; n < world.snapshot.node_count(); ++n) {
            const bool is_usable = world.snapshot.usable[n] != 0;
            free += is_usable ? static_cast<double>(std::max<std::int64_t>(world.snapshot.room[r][n], 0)) : 0;
        }
        const double share = world.snapshot.resources[r] == "pods" ? 0 : need / free;
        if (need > 0 && share > worst) {
            worst = share;
            scarce = r;
        }
    }
    return scarce;
}

// The gangs that O6 is about: one leaf of equal pods that requires one level.
inline bool is_simple(const model::Gang& gang) {
    const model::GangGroup& root = gang.groups.front();
    return gang.groups.size() == 1 && root.is_leaf && root.required.size() == 1 && root.required.front().tree == 0 &&
           root.preferred.empty() && root.multiples.empty() && gang.domain_limits.empty() &&
           std::ranges::all_of(gang.members, [&](const model::Member& member) {
               return member.state == model::Member::State::waiting &&
                      member.pod_class == gang.members.front().pod_class;
           });
}

// O4: what is free of the scarcest resource after the plan. O6: at the required level alone.
inline std::vector<std::vector<std::int64_t>> holes_of(const World& world, const std::vector<model::NodeId>& node_of,
                                                       std::size_t scarce) {
    std::vector<std::int64_t> free(world.snapshot.node_count(), 0);
    for (std::size_t n = 0; n < free.size(); ++n) {
        free[n] = world.snapshot.usable[n] != 0 ? std::max<std::int64_t>(world.snapshot.room[scarce][n], 0) : 0;
    }
    for (std::size_t m = 0; m < node_of.size(); ++m) {
        if (node_of[m] != model::nowhere) {
            free[node_of[m]] -= world.snapshot.need[world.gang.members[m].pod_class][scarce];
        }
    }
    const model::Tree& tree = world.snapshot.trees[0];
    std::vector<std::vector<std::int64_t>> holes;
    for (std::size_t depth = 0; depth < tree.domains.size(); ++depth) {
        auto& level = holes.emplace_back(tree.domains[depth].size(), 0);
        for (std::size_t n = 0; n < free.size(); ++n) {
            if (tree.domain_of[depth][n] != model::nowhere) {
                level[tree.domain_of[depth][n]] += free[n];
            }
        }
        std::ranges::sort(level, std::greater{});
    }
    if (is_simple(world.gang)) {
        return {holes[world.gang.groups.front().required.front().depth]};
    }
    return holes;
}

inline Best best_of(const World& world, const Plan& plan) {
    std::vector<model::NodeId> node_of(world.gang.members.size(), model::nowhere);
    for (const Seat& seat : plan.seats) {
        node_of[seat.member] = seat.node;
    }
    return {.seats = std::ssize(plan.seats),
            .spread = spread_of(world, node_of),
            .imbalance = imbalance_of(world, node_of),
            .holes = holes_of(world, node_of, scarce_in(world))};
}

class Oracle {
public:
    explicit Oracle(const World& world)
        : world_(world), scarce_(scarce_in(world)), node_of_(world.gang.members.size(), model::nowhere) {}

    // The best score of any plan; nullopt: no plan exists.
    std::optional<Best> best() {
        room_ = world_.snapshot.room;
        assign(0);
        return best_;
    }

private:
    void assign(std::uint32_t m) {
        if (m == world_.gang.members.size()) {
            judge();
            return;
        }
        const model::Member& member = world_.gang.members[m];
        if (member.state != model::Member::State::waiting) {
            assign(m + 1);
            return;
        }
        // Equal members of one leaf are interchangeable: nodes in rising order, the unseated last.
        const bool follows = m > 0 && world_.gang.members[m - 1].state == model::Member::State::waiting &&
                             world_.gang.members[m - 1].pod_class == member.pod_class &&
                             world_.gang.members[m - 1].affinity_class == member.affinity_class &&
                             leaf_of(m - 1) == leaf_of(m);
        const model::NodeId first = follows ? node_of_[m - 1] : 0;
        for (model::NodeId node = first; node < world_.snapshot.node_count(); ++node) {
            if (take(member.pod_class, node)) {
                node_of_[m] = node;
                assign(m + 1);
                node_of_[m] = model::nowhere;
                give_back(member.pod_class, node);
            }
        }
        assign(m + 1);
    }

    std::uint32_t leaf_of(std::uint32_t m) const {
        for (std::uint32_t g = 0; g < world_.gang.groups.size(); ++g) {
            if (m >= world_.gang.groups[g].first_member && m < world_.gang.groups[g].last_member) {
                return g;
            }
        }
        return model::nowhere;
    }

    bool take(model::PodClassId pod_class, model::NodeId node) {
        const auto& need = world_.snapshot.need[pod_class];
        bool fits = world_.snapshot.eligible[pod_class][node] != 0;
        for (std::size_t r = 0; r < need.size(); ++r) {
            fits = fits && need[r] <= std::max<std::int64_t>(room_[r][node], 0);
        }
        for (std::size_t r = 0; r < need.size() && fits; ++r) {
            room_[r][node] -= need[r];
        }
        return fits;
    }

    void give_back(model::PodClassId pod_class, model::NodeId node) {
        for (std::size_t r = 0; r < room_.size(); ++r) {
            room_[r][node] += world_.snapshot.need[pod_class][r];
        }
    }

    void judge() {
        Plan plan;
        for (std::uint32_t m = 0; m < node_of_.size(); ++m) {
            if (node_of_[m] != model::nowhere) {
                plan.seats.push_back({.member = m, .node = node_of_[m]});
            }
        }
        if (best_ && std::ssize(plan.seats) < best_->seats) {
            return;
        }
        Best found{.seats = std::ssize(plan.seats),
                   .spread = spread_of(world_, node_of_),
                   .imbalance = imbalance_of(world_, node_of_),
                   .holes = holes_of(world_, node_of_, scarce_)};
        if ((!best_ || found.is_better_than(*best_)) && violations(world_.snapshot, world_.gang, plan).empty()) {
            best_ = std::move(found);
        }
    }

    const World& world_;
    std::size_t scarce_;
    std::vector<std::vector<std::int64_t>> room_;
    std::vector<model::NodeId> node_of_;
    std::optional<Best> best_;
};

}  // namespace echelon::solver::testing
