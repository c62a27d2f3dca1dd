#include "solver/domain_rule_violations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace echelon::solver {
namespace {

using model::Gang;
using model::GangGroup;
using model::LevelRef;
using model::Member;
using model::NodeId;
using model::Snapshot;

// Slow and plain on purpose.
class DomainReferee {
public:
    DomainReferee(const Snapshot& snapshot, const Gang& gang, std::span<const NodeId> seat_of)
        : snapshot_(snapshot), gang_(gang), seat_of_(seat_of) {}

    std::vector<std::string> judge() {
        for (const model::DomainLimit& limit : gang_.domain_limits) {
            judge_limit(limit);
        }
        for (const model::Pairing& pairing : gang_.pairings) {
            judge_pairing(pairing);
        }
        return std::move(found_);
    }

private:
    // The replicas of a group in one domain: members of a leaf, else children that have a member there.
    struct ReplicasThere {
        std::set<std::uint32_t> bound;
        std::set<std::uint32_t> all;
        bool gets_seats = false;
    };
    using ByDomain = std::map<std::uint32_t, ReplicasThere>;

    void count(std::uint32_t group, std::uint32_t replica, bool is_by_member, LevelRef level, ByDomain& domains) const {
        const GangGroup& leaf = gang_.groups[group];
        for (std::uint32_t m = leaf.first_member; leaf.is_leaf && m < leaf.last_member; ++m) {
            const Member& member = gang_.members[m];
            const bool is_bound = member.state == Member::State::bound;
            const NodeId node = is_bound ? member.node : seat_of_[m];
            if (node == model::nowhere) {
                continue;
            }
            ReplicasThere& there = domains[snapshot_.trees[level.tree].domain_of[level.depth][node]];
            there.all.insert(is_by_member ? m : replica);
            if (is_bound) {
                there.bound.insert(is_by_member ? m : replica);
            }
            there.gets_seats = there.gets_seats || !is_bound;
        }
        for (const std::uint32_t child : leaf.children) {
            count(child, replica, is_by_member, level, domains);
        }
    }

    [[nodiscard]] ByDomain replicas_by_domain(std::uint32_t group, LevelRef level) const {
        ByDomain domains;
        if (gang_.groups[group].is_leaf) {
            count(group, group, true, level, domains);
        }
        for (const std::uint32_t child : gang_.groups[group].children) {
            count(child, child, false, level, domains);
        }
        return domains;
    }

    [[nodiscard]] const std::string& key_of(LevelRef level) const {
        return snapshot_.trees[level.tree].keys[level.depth];
    }

    // Bound members alone break no rule.
    void judge_limit(const model::DomainLimit& limit) {
        for (const auto& [domain, there] : replicas_by_domain(limit.group, limit.level)) {
            const bool is_kept = std::ssize(there.all) <= limit.most || there.all.size() == there.bound.size();
            if (there.gets_seats && (domain == model::nowhere || !is_kept)) {
                found_.push_back(fmt::format("group {}: {} in one {}, where {} may be",
                                             gang_.groups[limit.group].key.name, there.all.size(), key_of(limit.level),
                                             domain == model::nowhere ? 0 : limit.most));
            }
        }
    }

    void judge_pairing(const model::Pairing& pairing) {
        const std::vector<std::uint32_t>& children = gang_.groups[pairing.group].children;
        std::map<std::uint32_t, std::vector<std::int64_t>> replicas;  // [domain][child]
        std::set<std::uint32_t> seated;
        for (std::size_t c = 0; c < children.size(); ++c) {
            for (const auto& [domain, there] : replicas_by_domain(children[c], pairing.level)) {
                replicas[domain].resize(children.size(), 0);
                replicas[domain][c] = std::ssize(there.all);
                if (there.gets_seats) {
                    seated.insert(domain);
                }
            }
        }
        for (const std::uint32_t domain : seated) {
            if (domain == model::nowhere || !are_in_proportion(pairing.replicas, replicas[domain])) {
                found_.push_back(fmt::format("group {}: its groups aren't in proportion in one {}",
                                             gang_.groups[pairing.group].key.name, key_of(pairing.level)));
            }
        }
    }

    // Two children have a >= b replicas in all. A domain must hold a / b of the first, rounded down or up, for each of
    // the second.
    static bool are_in_proportion(std::span<const std::int64_t> all, std::span<const std::int64_t> here) {
        for (std::size_t many = 0; many < all.size(); ++many) {
            for (std::size_t few = 0; few < all.size(); ++few) {
                if (many == few || all[few] == 0 || all[many] < all[few]) {
                    continue;
                }
                const std::int64_t down = all[many] / all[few];
                const std::int64_t up = down + (all[many] % all[few] == 0 ? 0 : 1);
                if (here[many] < down * here[few] || here[many] > up * here[few]) {
                    return false;
                }
            }
        }
        return true;
    }

    const Snapshot& snapshot_;
    const Gang& gang_;
    std::span<const NodeId> seat_of_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> broken_domain_rules(const Snapshot& snapshot, const Gang& gang,
                                             std::span<const NodeId> seat_of) {
    return DomainReferee(snapshot, gang, seat_of).judge();
}

}  // namespace echelon::solver
