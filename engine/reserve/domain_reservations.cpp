#include "engine/reserve/domain_reservations.hpp"

#include "engine/reserve/ledger.hpp"
#include "engine/texts.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr int searches_per_level = 4;  // Searches in emptied domains, those that lack the fewest slots first.

struct Candidate {
    DomainId domain;
    bool is_too_small = false;  // Seats would be missing even if it were empty, as far as the estimate tells.
    std::int64_t missing = 0;
};

// Seats that pods of each class still need for the minimums of all leaves: an estimate, not a proof.
std::map<model::PodClassId, std::int64_t> wanted_by_pod_class(const model::Gang& gang) {
    std::map<model::PodClassId, std::int64_t> wanted;
    for (const auto& group : gang.groups) {
        if (!group.is_leaf)
            continue;
        std::int64_t left = group.minimum;
        for (auto m = group.first_member; m < group.last_member; ++m) {
            if (gang.members[m].state != model::Member::State::waiting)
                --left;
        }
        for (auto m = group.first_member; m < group.last_member && left > 0; ++m) {
            if (gang.members[m].state != model::Member::State::waiting)
                continue;
            ++wanted[gang.members[m].pod_class];
            --left;
        }
    }
    return wanted;
}

std::int64_t slots(const model::Snapshot& snapshot, model::NodeId node, model::PodClassId pod_class,
                   std::int64_t enough) {
    if (snapshot.eligible[pod_class][node] == 0)
        return 0;
    std::int64_t slots = enough;
    for (std::size_t r = 0; r < snapshot.resources.size(); ++r) {
        const auto need = snapshot.need[pod_class][r];
        if (need > 0)
            slots = std::min(slots, std::max<std::int64_t>(snapshot.room[r][node], 0) / need);
    }
    return slots;
}

std::int64_t missing_in(const model::Snapshot& snapshot, const std::vector<model::NodeId>& nodes,
                        const std::map<model::PodClassId, std::int64_t>& wanted) {
    std::int64_t missing = 0;
    for (const auto& [pod_class, count] : wanted) {
        std::int64_t left = count;
        for (const auto node : nodes) {
            if (left <= 0)
                break;
            left -= slots(snapshot, node, pod_class, left);
        }
        missing += left;
    }
    return missing;
}

// All pods are removed but the gang's own and those that stay.
model::Snapshot emptied(const model::Snapshot& snapshot, const model::Gang& gang,
                        std::span<const model::Pod* const> staying) {
    auto emptied = snapshot;
    emptied.room = emptied.capacity;
    for (const auto* pod : staying) {
        if (const auto node = snapshot.node(pod->node))
            shift_room(emptied, *node, pod->pod_class.requests, -1);
    }
    for (const auto& member : gang.members) {
        if (member.state == model::Member::State::bound)
            emptied.take(member.node, member.pod_class);
    }
    return emptied;
}

// Uses these nodes alone.
solver::Answer solve_in(model::Snapshot emptied, const model::Gang& gang, const std::vector<model::NodeId>& nodes,
                        solver::SolveOptions budget) {
    std::vector<std::uint8_t> is_inside(emptied.node_count(), 0);
    for (const auto node : nodes)
        is_inside[node] = 1;
    for (model::NodeId node = 0; node < emptied.node_count(); ++node) {
        for (auto& eligible : emptied.eligible)
            eligible[node] = is_inside[node] != 0 ? eligible[node] : 0;
    }
    return solver::solve(emptied, gang, budget);
}

bool is_proved_refusal(const solver::Answer& answer) {
    const auto* refusal = std::get_if<solver::Refusal>(&answer);
    return refusal != nullptr && refusal->is_proved();
}

std::vector<DomainId> domains_at(const model::Snapshot& snapshot, model::LevelRef level) {
    std::vector<DomainId> domains;
    const auto& tree = snapshot.trees[level.tree];
    for (const auto& domain : tree.domains[level.depth]) {
        domains.push_back(
            {tree.name, tree.keys[level.depth], snapshot.path(level.tree, level.depth, tree.order[domain.first])});
    }
    return domains;
}

// The path of the domain in which bound members hold the gang; nullopt: any will do.
std::optional<std::string> pinned_path(const model::Snapshot& snapshot, const model::Gang& gang) {
    const auto bound = std::ranges::find(gang.members, model::Member::State::bound, &model::Member::state);
    const auto level = model::narrowest_required(gang.groups.front());
    if (bound == gang.members.end() || !level)
        return std::nullopt;
    return snapshot.path(level->tree, level->depth, bound->node);
}

// Domains that may be reserved, from the narrowest level to the widest; one list for each level.
std::vector<std::vector<DomainId>> choices_of(const model::Snapshot& snapshot, const model::Gang& gang) {
    std::vector<std::vector<DomainId>> choices;
    if (const auto level = model::narrowest_required(gang.groups.front())) {
        choices.push_back(domains_at(snapshot, *level));
        return choices;
    }
    const auto depth = static_cast<std::uint32_t>(snapshot.trees.front().keys.size());
    for (auto level = depth; level-- > 0;)
        choices.push_back(domains_at(snapshot, {0, level}));
    choices.push_back({DomainId{}});
    return choices;
}

}  // namespace

std::string display_name(const DomainId& domain) {
    return domain.level.empty() ? "the cluster" : domain.path;
}

std::string sentence_about(const DomainReservation& reservation) {
    const auto start = reservation.promise ? "; expected to start by " + texts::time(reservation.promise->at) : "";
    return fmt::format("capacity freed in {} is reserved for it{}", display_name(reservation.domain), start);
}

std::vector<model::NodeId> nodes_of(const model::Snapshot& snapshot, const DomainId& domain) {
    const auto& first = snapshot.trees.front().order;
    if (domain.level.empty())
        return first;
    const auto level = snapshot.level(domain.level, domain.tree);
    if (!level)
        return {};
    const auto& tree = snapshot.trees[level->tree];
    if (level->depth + 1 == tree.keys.size()) {
        const auto node = snapshot.node(std::string_view(domain.path).substr(domain.path.rfind('/') + 1));
        const bool is_same = node && snapshot.path(level->tree, level->depth, *node) == domain.path;
        return is_same ? std::vector{*node} : std::vector<model::NodeId>{};
    }
    const auto& paths = tree.paths[level->depth];
    const auto found = std::ranges::find(paths, domain.path);
    if (found == paths.end())
        return {};
    const auto& nodes = tree.domains[level->depth][static_cast<std::size_t>(found - paths.begin())];
    return {tree.order.begin() + nodes.first, tree.order.begin() + nodes.last};
}

std::vector<model::NodeId> reserved_nodes(const model::Snapshot& snapshot, const DomainReservation& reservation) {
    if (!reservation.promise)
        return nodes_of(snapshot, reservation.domain);
    std::vector<model::NodeId> nodes;
    for (const auto& name : reservation.promise->nodes) {
        if (const auto node = snapshot.node(name))
            nodes.push_back(*node);
    }
    return nodes;
}

const DomainReservation* DomainReservations::of(const model::GroupKey& owner) const {
    const auto found = reservations_.find(owner);
    return found == reservations_.end() ? nullptr : &found->second;
}

bool DomainReservations::overlaps(const model::Snapshot& snapshot, const DomainId& domain) const {
    if (reservations_.empty())
        return false;
    std::vector<std::uint8_t> is_reserved(snapshot.node_count(), 0);
    for (const auto& [owner, reservation] : reservations_) {
        for (const auto node : reserved_nodes(snapshot, reservation))
            is_reserved[node] = 1;
    }
    return std::ranges::any_of(nodes_of(snapshot, domain), [&](model::NodeId node) { return is_reserved[node] != 0; });
}

void DomainReservations::put(const model::GroupKey& owner, DomainReservation reservation) {
    ++version_;
    reservations_.insert_or_assign(owner, std::move(reservation));
}

bool DomainReservations::drop(const model::GroupKey& owner) {
    const bool was_there = reservations_.erase(owner) > 0;
    version_ += was_there ? 1 : 0;
    return was_there;
}

ClosedNodes DomainReservations::closed_to(
    const model::GroupKey& gang, const model::Snapshot& snapshot,
    const std::function<bool(const DomainReservation& reservation)>& may_pass) const {
    ClosedNodes closed;
    for (const auto& [owner, reservation] : reservations_) {
        if (owner == gang || may_pass(reservation))
            continue;
        const auto nodes = reserved_nodes(snapshot, reservation);
        for (const auto node : nodes)
            closed.add(node, snapshot.node_count());
        if (!nodes.empty())
            closed.add_owner(owner.name);
    }
    return closed;
}

std::optional<DomainId> closest_domain(const model::Snapshot& snapshot, const model::Gang& gang,
                                       std::span<const model::Pod* const> staying, solver::SolveOptions budget,
                                       std::uint32_t widenings,
                                       const std::function<bool(const DomainId& domain)>& may_reserve) {
    if (gang.groups.empty() || snapshot.node_count() == 0)
        return std::nullopt;
    const auto empty = emptied(snapshot, gang, staying);
    if (is_proved_refusal(solver::solve(empty, gang, budget)))
        return std::nullopt;
    const auto wanted = wanted_by_pod_class(gang);
    const auto pinned = pinned_path(snapshot, gang);
    std::optional<DomainId> best;
    for (const auto& domains : choices_of(snapshot, gang)) {
        std::vector<Candidate> candidates;
        for (const auto& domain : domains) {
            if ((pinned && domain.path != *pinned) || !may_reserve(domain))
                continue;
            const auto nodes = nodes_of(snapshot, domain);
            candidates.push_back({domain, missing_in(empty, nodes, wanted) > 0, missing_in(snapshot, nodes, wanted)});
        }
        std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
            return std::pair(candidate.is_too_small, candidate.missing);
        });
        if (candidates.size() > searches_per_level)
            candidates.resize(searches_per_level);
        const auto found = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
            return std::holds_alternative<solver::Plan>(
                solve_in(empty, gang, nodes_of(snapshot, candidate.domain), budget));
        });
        if (found == candidates.end())
            continue;
        best = found->domain;
        if (widenings-- == 0)
            break;
    }
    return best;
}

bool is_of_required_level(const model::Snapshot& snapshot, const model::Gang& gang, const DomainId& domain) {
    const auto level = model::narrowest_required(gang.groups.front());
    if (!level)
        return true;
    const auto& tree = snapshot.trees[level->tree];
    return domain.tree == tree.name && domain.level == tree.keys[level->depth];
}

bool can_never_hold(const model::Snapshot& snapshot, const model::Gang& gang, const DomainId& domain,
                    std::span<const model::Pod* const> staying, solver::SolveOptions budget) {
    return is_proved_refusal(solve_in(emptied(snapshot, gang, staying), gang, nodes_of(snapshot, domain), budget));
}

}  // namespace echelon::engine
