// Co-located gangs: a gang that is created by scaling up shares the domain of the gang that it belongs to (X5).

#include "base/quoted.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/gang/requested_levels.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

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

bool has_waiting(const Gang& gang) {
    return !gang.gated_members.empty() ||
           std::ranges::any_of(gang.members, [](const Member& each) { return each.state == Member::State::waiting; });
}

// True if the event may change the facts of more gangs than `change` names. A pod that waits for claims may count as
// gated; all other events of pods name their gangs.
bool may_change_any_gang(const Event& event, const Change& change) {
    const auto* seen = std::get_if<PodSeen>(&event);
    if (seen != nullptr || std::holds_alternative<PodGone>(event))
        return seen != nullptr && !seen->claims.empty();
    return !change.gangs.empty() || !change.nodes.empty();
}

}  // namespace

// Reads the co-located gangs of one gang, with what is placed of them.
class Cluster::State::CoLocatedGangReader {
public:
    CoLocatedGangReader(const State& state, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere)
        : state_(state), snapshot_(snapshot) {
        promised_.reserve(elsewhere.size());
        for (const auto& placed : elsewhere)
            promised_.emplace(placed.uid, placed.node);
    }

    [[nodiscard]] RequestedLevels levels_of(const Group& group) const {
        return look_up(group, snapshot_, state_.node_index.faulty_topologies());
    }

    // Nodes of placed members go to `seated`; the result has the other members.
    CoLocatedGang read(const CoLocatedFacts& facts, Nodes& seated) const {
        CoLocatedGang co_located_gang;
        if (facts.root)
            co_located_gang.required = levels_of(*facts.root).required;
        std::vector<PodClassId> gated;
        for (const auto& group : facts.groups) {
            std::int64_t counted = 0;
            for (const auto& [row, status] : group.pods) {
                if (const auto node = place_of(*row, status); node) {
                    seated.push_back(*node);
                    ++counted;
                } else if (status == MemberStatus::waiting) {
                    co_located_gang.pod_classes.push_back(row->pod_class->second.id);
                } else if (status == MemberStatus::gated) {
                    gated.push_back(row->pod_class->second.id);
                } else if (status == MemberStatus::finished) {
                    ++counted;
                }
            }
            co_located_gang.minimum += std::max<std::int64_t>(0, group.minimum - counted);
        }
        if (!facts.is_complete || co_located_gang.minimum > std::ssize(co_located_gang.pod_classes))
            co_located_gang.minimum = 0;
        co_located_gang.pod_classes.insert(co_located_gang.pod_classes.end(), gated.begin(), gated.end());
        return co_located_gang;
    }

private:
    [[nodiscard]] std::optional<NodeId> place_of(const PodRow& row, MemberStatus status) const {
        if (status == MemberStatus::bound)
            return state_.node_index.id_of(row.pod.node);
        const auto promised = promised_.find(row.pod.uid);
        return promised == promised_.end() ? std::nullopt : snapshot_.node(promised->second);
    }

    const State& state_;
    const Snapshot& snapshot_;
    std::unordered_map<std::string_view, std::string_view> promised_;
};

void Cluster::State::touch(const Pod& pod, Change& change) {
    affected.add_gang_of(pod, change.gangs);
    if (!pod.membership)
        return;
    for (const auto& group : pod.membership->declared.values()) {
        if (group.anchor)
            touched_anchors.insert(*group.anchor);
    }
    if (auto anchor = affected.anchor_near(pod))
        touched_anchors.insert(std::move(*anchor));
}

void Cluster::State::forget_co_located(const Event& event, const Change& change) {
    auto& [facts, around] = co_located;
    bool is_any_changed = !touched_anchors.empty();
    for (const auto& root : change.gangs)
        is_any_changed = facts.erase(root) > 0 || is_any_changed;
    if (is_any_changed)
        around.clear();
    if (!facts.empty() && may_change_any_gang(event, change))
        co_located = {};
}

void Cluster::State::add_co_located(Change& change) {
    for (const auto& anchor : std::exchange(touched_anchors, {})) {
        change.gangs.insert(forest.root_of(anchor));
        change.gangs.merge(affected.gangs_around(anchor));
    }
}

const std::vector<const CoLocatedGangs::Facts::value_type*>& Cluster::State::gangs_around(
    const GroupKey& anchor) const {
    auto& order = co_located.around[anchor];
    if (!order.empty())
        return order;
    for (const auto& root : affected.gangs_around(anchor)) {
        auto known = co_located.facts.find(root);
        if (known == co_located.facts.end())
            known = co_located.facts.emplace(root, read_co_located(root)).first;
        order.push_back(&*known);
    }
    const auto first = forest.root_of(anchor);
    const auto created_of = [this](const GroupKey& key) {
        const auto* group = forest.find(key);
        return group == nullptr ? std::int64_t{0} : group->created;
    };
    std::ranges::sort(order, [&](const auto* a, const auto* b) {
        const auto left = std::tuple(a->first != first, created_of(a->first));
        const auto right = std::tuple(b->first != first, created_of(b->first));
        return left != right ? left < right : base::natural_order(a->first.name, b->first.name) < 0;  // Q3.
    });
    return order;
}

CoLocatedFacts Cluster::State::read_co_located(const GroupKey& root) const {
    const auto facts = facts_of(root);
    CoLocatedFacts known;
    if (const auto* group = facts.root().group(); group != nullptr && !group->required.empty())
        known.root = *group;
    for (const auto& group : facts.groups) {
        auto& part = known.groups.emplace_back();
        for (const auto& pod : group.pods)
            part.pods.emplace_back(pods.find(pod.pod->uid), pod.status);
        if (!group.is_leaf())
            continue;
        part.minimum = group.minimum();
        known.is_complete = known.is_complete && group.existing() >= group.needed();
    }
    return known;
}

void Cluster::State::anchor(const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere, Gang& gang) const {
    if (!has_waiting(gang))
        return;  // There is nothing to place beside others.
    const auto base = affected.anchor_of(gang.root);
    const auto* root = base ? forest.find(*base) : nullptr;
    if (root == nullptr)
        return;
    const CoLocatedGangReader reader(*this, snapshot, elsewhere);
    auto shared = reader.levels_of(*root);
    Nodes seated;
    for (const auto* other : gangs_around(*base)) {
        if (other->first == gang.root)
            continue;
        const auto before = seated.size();
        auto co_located_gang = reader.read(other->second, seated);
        // If some members are placed, only the missing minimum matters.
        if (!co_located_gang.pod_classes.empty() && (seated.size() == before || co_located_gang.minimum > 0))
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
