// Gangs beside a gang: what is scaled up as a gang of its own shares the domain of the one that it belongs to (X5).

#include "model/asked_levels.hpp"
#include "model/cluster_state.hpp"
#include "model/faults.hpp"

#include <algorithm>
#include <utility>

namespace echelon::model {

namespace {

using Nodes = std::vector<NodeId>;

// [node] 1 where at some level nobody of `standing` is in the same domain.
std::vector<std::uint8_t> outside_of(const Nodes& standing, const std::vector<LevelRef>& levels,
                                     const Snapshot& snapshot) {
    std::vector<std::uint8_t> outside(snapshot.node_count(), 0);
    for (const auto level : levels) {
        const auto& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
        std::set<std::uint32_t> inhabited;
        for (const auto node : standing)
            inhabited.insert(domain_of[node]);
        inhabited.erase(nowhere);
        for (NodeId node = 0; node < outside.size(); ++node) {
            if (!inhabited.contains(domain_of[node]))
                outside[node] = 1;
        }
    }
    return outside;
}

// Members that no term touches become a kin of their own.
void bar_all(const std::vector<std::uint8_t>& nodes, Gang& gang) {
    auto& kinship = gang.kinship;
    const auto untouched = kinship.kins++;
    const auto move = [untouched](auto& member) { member.kin = member.kin == 0 ? untouched : member.kin; };
    std::ranges::for_each(gang.members, move);
    std::ranges::for_each(gang.shadows, move);
    kinship.barred.resize(kinship.kins);
    for (std::uint32_t kin = 1; kin < kinship.kins; ++kin) {
        auto& row = kinship.barred[kin];
        row.resize(nodes.size(), 0);
        std::ranges::transform(row, nodes, row.begin(), [](auto a, auto b) -> std::uint8_t { return a | b; });
    }
}

bool has_begun(const Gang& gang) {
    return std::ranges::any_of(gang.members, [](const Member& each) { return each.state == Member::State::bound; });
}

}  // namespace

void Cluster::State::note_anchors(const Membership& membership, bool comes) {
    for (const auto& group : membership.declared) {
        if (!group.anchor)
            continue;
        if (comes) {
            ++anchored[*group.anchor][group.key];
            continue;
        }
        const auto around = anchored.find(*group.anchor);
        if (const auto leaf = around->second.find(group.key); --leaf->second == 0)
            around->second.erase(leaf);
        if (around->second.empty())
            anchored.erase(around);
    }
}

std::optional<GroupKey> Cluster::State::anchor_of(const GroupKey& root) const {
    if (anchored.contains(root))
        return root;
    for (const auto& branch : forest.tree(root)) {
        if (branch.group != nullptr && branch.group->anchor)
            return branch.group->anchor;
    }
    return std::nullopt;
}

std::set<GroupKey> Cluster::State::companions_of(const GroupKey& root) const {
    std::set<GroupKey> companions;
    const auto base = anchor_of(root);
    const auto around = base ? anchored.find(*base) : anchored.end();
    if (around == anchored.end())
        return companions;
    companions.insert(forest.root_of(*base));
    for (const auto& [leaf, count] : around->second)
        companions.insert(forest.root_of(leaf));
    companions.erase(root);
    return companions;
}

void Cluster::State::anchor(const Snapshot& snapshot, std::span<const PlacedPod> elsewhere, Gang& gang) const {
    const auto base = anchor_of(gang.root);
    const auto* root = base ? forest.find(*base) : nullptr;
    if (root == nullptr || has_begun(gang))
        return;
    const auto levels_of = [&](const Group& group) {
        return look_up(group, snapshot, landscape.faulty_topologies()).required;
    };
    const auto shared = levels_of(*root);
    if (shared.empty())
        return;
    std::map<std::string_view, std::string_view> promised;
    for (const auto& placed : elsewhere)
        promised.emplace(placed.uid, placed.node);
    Nodes seated;
    for (const auto& other : companions_of(gang.root)) {
        const auto facts = facts_of(other);
        Companion companion;
        if (const auto* group = facts.root().group())
            companion.required = levels_of(*group);
        for (const auto& group : facts.groups) {
            for (const auto& row : group.pods) {
                const auto place = promised.find(row.pod->uid);
                const auto node = place == promised.end() ? std::nullopt : snapshot.node(place->second);
                if (row.standing == Standing::bound || node) {
                    seated.push_back(node.value_or(row.node));
                } else if (row.standing == Standing::waiting || row.standing == Standing::gated) {
                    companion.shapes.push_back(row.shape);
                }
            }
        }
        if (!companion.shapes.empty() && !gang.groups.front().is_leaf)
            gang.companions.push_back(std::move(companion));
    }
    if (seated.empty())
        return;
    gang.companions.clear();  // Where they go is settled.
    gang.left_out.push_back("it goes into the domain of " + quoted(base->name) + " and those beside it");
    bar_all(outside_of(seated, shared, snapshot), gang);
}

}  // namespace echelon::model
