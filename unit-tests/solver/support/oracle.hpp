#pragma once

// What is the best that any plan could do? Tries every assignment of a small world. Obviously right and slow: never to
// be used outside the tests. A plan is right when the referee has nothing to say.

#include "solver/violations.hpp"
#include "world.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace echelon::solver::testing {

// O3: per level, widest first, the domains that groups with a preference use there, summed over the groups.
inline std::vector<std::int64_t> spread_of(const World& world, const Plan& plan) {
    std::vector<model::NodeId> node_of(world.gang.members.size(), model::nowhere);
    for (const Seat& seat : plan.seats) {
        node_of[seat.member] = seat.node;
    }
    for (std::size_t m = 0; m < node_of.size(); ++m) {
        if (world.gang.members[m].state == model::Member::State::bound) {
            node_of[m] = world.gang.members[m].node;
        }
    }
    std::vector<std::int64_t> sums(world.snapshot.trees[0].keys.size(), 0);
    for (std::uint32_t g = 0; g < world.gang.groups.size(); ++g) {
        for (const model::LevelRef level : world.gang.groups[g].preferred) {
            for (std::uint32_t depth = 0; depth <= level.depth; ++depth) {
                std::set<std::uint32_t> domains;
                for (std::uint32_t leaf = 0; leaf < world.gang.groups.size(); ++leaf) {
                    std::uint32_t above = leaf;
                    while (above != g && above != model::nowhere) {
                        above = world.gang.groups[above].parent;
                    }
                    const model::GangGroup& group = world.gang.groups[leaf];
                    for (std::uint32_t m = group.first_member; above == g && m < group.last_member; ++m) {
                        if (node_of[m] != model::nowhere) {
                            domains.insert(world.snapshot.trees[level.tree].domain_of[depth][node_of[m]]);
                        }
                    }
                }
                sums[depth] += static_cast<std::int64_t>(domains.size());
            }
        }
    }
    return sums;
}

struct Best {
    std::int64_t seats = 0;
    std::vector<std::int64_t> spread;
};

class Oracle {
public:
    explicit Oracle(const World& world) : world_(world), node_of_(world.gang.members.size(), model::nowhere) {}

    // Most seats, then least spread; nullopt: no plan exists.
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
                             world_.gang.members[m - 1].shape == member.shape && leaf_of(m - 1) == leaf_of(m);
        const model::NodeId first = follows ? node_of_[m - 1] : 0;
        for (model::NodeId node = first; node < world_.snapshot.node_count(); ++node) {
            if (take(member.shape, node)) {
                node_of_[m] = node;
                assign(m + 1);
                node_of_[m] = model::nowhere;
                give_back(member.shape, node);
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

    bool take(model::ShapeId shape, model::NodeId node) {
        const auto& need = world_.snapshot.need[shape];
        bool fits = world_.snapshot.eligible[shape][node] != 0;
        for (std::size_t r = 0; r < need.size(); ++r) {
            fits = fits && need[r] <= std::max<std::int64_t>(room_[r][node], 0);
        }
        for (std::size_t r = 0; r < need.size() && fits; ++r) {
            room_[r][node] -= need[r];
        }
        return fits;
    }

    void give_back(model::ShapeId shape, model::NodeId node) {
        for (std::size_t r = 0; r < room_.size(); ++r) {
            room_[r][node] += world_.snapshot.need[shape][r];
        }
    }

    void judge() {
        Plan plan;
        for (std::uint32_t m = 0; m < node_of_.size(); ++m) {
            if (node_of_[m] != model::nowhere) {
                plan.seats.push_back({.member = m, .node = node_of_[m]});
            }
        }
        const auto seats = static_cast<std::int64_t>(plan.seats.size());
        if ((best_ && seats < best_->seats) || !violations(world_.snapshot, world_.gang, plan).empty()) {
            return;
        }
        Best found{.seats = seats, .spread = spread_of(world_, plan)};
        if (!best_ || found.seats > best_->seats || found.spread < best_->spread) {
            best_ = std::move(found);
        }
    }

    const World& world_;
    std::vector<std::vector<std::int64_t>> room_;
    std::vector<model::NodeId> node_of_;
    std::optional<Best> best_;
};

}  // namespace echelon::solver::testing
