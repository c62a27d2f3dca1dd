// Co-located gangs: a gang that is created by scaling up shares the domain of the gang that it belongs to (X5).

#include "base/quoted.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/gang/requested_levels.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

using Nodes = std::vector<NodeId>;

// [node] 1: at some level no node of `occupied` is in the same domain.
std::vector<std::uint8_t> outside_of(const Nodes& occupied, const std::vector<LevelRef>& levels,
                                     const Snapshot& snapshot) {
    std::vector<std::uint8_t> outside(snapshot.node_count(), 0);
    for (const auto level : levels) {
        const auto& domain_of = snapshot.trees[level.tree].domain_of[level.depth];
        std::set<std::uint32_t> inhabited;
        for (const auto node : occupied)
            inhabited.insert(domain_of[node]);
        inhabited.erase(nowhere);
        for (NodeId node = 0; node < outside.size(); ++node) {
            if (!inhabited.contains(domain_of[node]))
                outside[node] = 1;
        }
    }
    return outside;
}

// Bars nodes for all members. Those of affinity class 0 become a new affinity class.
void bar_all(const std::vector<std::uint8_t>& nodes, Gang& gang) {
    auto& affinity = gang.affinity;
    const auto untouched = affinity.affinity_classes++;
    const auto move = [untouched](auto& member) {
        member.affinity_class = member.affinity_class == 0 ? untouched : member.affinity_class;
    };
    std::ranges::for_each(gang.members, move);
    std::ranges::for_each(gang.gated_members, move);
    affinity.barred.resize(affinity.affinity_classes);
    for (std::uint32_t affinity_class = 1; affinity_class < affinity.affinity_classes; ++affinity_class) {
        auto& row = affinity.barred[affinity_class];
        row.resize(nodes.size(), 0);
        std::ranges::transform(row, nodes, row.begin(), [](auto a, auto b) -> std::uint8_t { return a | b; });
    }
}

bool has_begun(const Gang& gang) {
    return std::ranges::any_of(gang.members, [](const Member& each) { return each.state == Member::State::bound; });
}

// The anchor first, then the oldest, then by name (Q3).
std::vector<GroupKey> in_queue_order(const std::set<GroupKey>& gangs, const GroupKey& anchor,
                                     const GroupForest& forest) {
    std::vector<GroupKey> order(gangs.begin(), gangs.end());
    const auto created_of = [&forest](const GroupKey& key) {
        const auto* group = forest.find(key);
        return group == nullptr ? std::int64_t{0} : group->created;
    };
    std::ranges::sort(order, [&](const GroupKey& a, const GroupKey& b) {
        const auto left = std::tuple(a != anchor, created_of(a));
        const auto right = std::tuple(b != anchor, created_of(b));
        return left != right ? left < right : base::natural_order(a.name, b.name) < 0;
    });
    return order;
}

}  // namespace

// Reads the co-located gangs of one gang, with what is placed of them.
class Cluster::State::CoLocatedGangReader {
public:
    CoLocatedGangReader(const State& state, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere)
        : state_(state), snapshot_(snapshot) {
        for (const auto& placed : elsewhere)
            promised_.emplace(placed.uid, placed.node);
    }

    [[nodiscard]] RequestedLevels levels_of(const Group& group) const {
        return look_up(group, snapshot_, state_.node_index.faulty_topologies());
    }

    // Nodes of placed members go to `seated`; the result has the other members.
    CoLocatedGang read(const GroupKey& root, Nodes& seated) const {
        const auto facts = state_.facts_of(root);
        CoLocatedGang co_located_gang;
        if (const auto* group = facts.root().group())
            co_located_gang.required = levels_of(*group).required;
        std::vector<PodClassId> gated;
        bool is_complete = true;
        for (const auto& group : facts.groups) {
            std::int64_t counted = 0;
            for (const auto& row : group.pods) {
                if (const auto node = place_of(row); node) {
                    seated.push_back(*node);
                    ++counted;
                } else if (row.status == MemberStatus::waiting) {
                    co_located_gang.shapes.push_back(row.shape);
                } else if (row.status == MemberStatus::gated) {
                    gated.push_back(row.shape);
                } else if (row.status == MemberStatus::finished) {
                    ++counted;
                }
            }
            if (group.is_leaf()) {
                co_located_gang.minimum += std::max<std::int64_t>(0, group.minimum() - counted);
                is_complete = is_complete && group.existing() >= group.needed();
            }
        }
        if (!is_complete || co_located_gang.minimum > std::ssize(co_located_gang.shapes))
            co_located_gang.minimum = 0;
        co_located_gang.shapes.insert(co_located_gang.shapes.end(), gated.begin(), gated.end());
        return co_located_gang;
    }

private:
    [[nodiscard]] std::optional<NodeId> place_of(const PodFacts& row) const {
        if (row.status == MemberStatus::bound)
            return row.node;
        const auto promised = promised_.find(row.pod->uid);
        return promised == promised_.end() ? std::nullopt : snapshot_.node(promised->second);
    }

    const State& state_;
    const Snapshot& snapshot_;
    std::map<std::string_view, std::string_view> promised_;
};

void Cluster::State::anchor(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const {
    const auto base = affected.anchor_of(gang.root);
    const auto* root = base ? forest.find(*base) : nullptr;
    if (root == nullptr)
        return;
    const CoLocatedGangReader reader(*this, snapshot, elsewhere);
    auto shared = reader.levels_of(*root);
    Nodes seated;
    for (const auto& other : in_queue_order(affected.co_located_with(gang.root), forest.root_of(*base), forest)) {
        const auto before = seated.size();
        auto co_located_gang = reader.read(other, seated);
        // If some members are placed, only the missing minimum matters.
        if (!co_located_gang.shapes.empty() && (seated.size() == before || co_located_gang.minimum > 0))
            gang.co_located.push_back(std::move(co_located_gang));
    }
    const auto waits_for_room = [](const CoLocatedGang& co_located_gang) { return co_located_gang.minimum > 0; };
    std::ranges::stable_partition(gang.co_located, waits_for_room);
    gang.co_location.required = shared.required;
    gang.co_location.preferred = std::move(shared.preferred);
    if (seated.empty() || has_begun(gang))
        return;
    if (!shared.required.empty()) {
        gang.left_out.push_back("it goes into the domain of " + base::quoted(base->name) + " and those beside it");
        bar_all(outside_of(seated, shared.required, snapshot), gang);
    }
    std::ranges::sort(seated);
    const auto repeated = std::ranges::unique(seated);
    seated.erase(repeated.begin(), repeated.end());
    gang.co_location.seated = std::move(seated);
}

}  // namespace echelon::model
