#include "model/cluster/cluster.hpp"

#include "model/cluster/cluster_state.hpp"
#include "model/gang/group_roots.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace echelon::model {

Cluster::Cluster(Profiles profiles, const Limits& limits)
    : state_(std::make_unique<State>(std::move(profiles), limits)) {}

Cluster::~Cluster() = default;
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;

Change Cluster::apply(const Event& event) {
    Change change;
    const auto apply_one = [&](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        // Only the engine keeps plans.
        constexpr bool is_ignored =
            std::is_same_v<What, PlanSeen> || std::is_same_v<What, PlanGone> || std::is_same_v<What, Synced>;
        if constexpr (!is_ignored)
            state_->on(what, change);
    };
    std::visit(apply_one, event);
    state_->apply_late_devices(change);
    state_->forget_co_located(event, change);
    if (!state_->moved_pods.empty() || state_->forest.has_moved())
        change.moved_pods = state_->take_moved_pods();
    if (state_->devices.keeps_any())
        state_->renew_roots(change);
    state_->add_co_located(change);
    return change;
}

const Pod* Cluster::pod(base::Hashed uid) const {
    const auto* row = state_->pods.find(uid);
    return row == nullptr ? nullptr : &row->pod;
}

const Pod* Cluster::pod_named(std::string_view ns, std::string_view name) const {
    const auto* row = state_->pods.named(ns, name);
    return row == nullptr ? nullptr : &row->pod;
}

bool Cluster::has_node(std::string_view name) const {
    return state_->node_index.knows(name);
}

std::optional<Node> Cluster::node(std::string_view name) const {
    return state_->node_index.node(name);
}

const Group* Cluster::group(const GroupKey& key) const {
    return state_->forest.find(key);
}

std::size_t Cluster::node_count() const {
    return state_->node_index.node_count();
}

std::size_t Cluster::pod_count() const {
    return state_->pods.size();
}

std::size_t Cluster::group_count() const {
    return state_->forest.size();
}

std::optional<GroupKey> Cluster::root_of(const Pod& pod) const {
    // The event may name the group that selects the leaf, or none although a group names the pod.
    const bool may_be_kept_otherwise = !state_->selected_leaves.empty() || !state_->named_pods.empty();
    const auto* kept = may_be_kept_otherwise ? this->pod(pod.uid) : nullptr;
    const auto& known = kept != nullptr && kept->membership ? *kept : pod;
    if (!state_->affected.is_tracked(known))
        return std::nullopt;
    return state_->forest.root_of(known.membership->leaf);
}

bool Cluster::asks_as_before(const Pod& known, const PodSeen& event) const {
    // Of a bound pod without a group only the requests are stored.
    const bool has_pod_class = known.membership || known.node.empty();
    const auto is_kept = [&](const Pod& pod) {
        return (has_pod_class ? known.pod_class == pod.pod_class
                              : known.pod_class.requests == pod.pod_class.requests) &&
               known.terms == pod.terms;
    };
    const bool is_resolved = state_->devices.keeps_any() && state_->devices.keeps(event.pod.uid);
    if (!is_kept(is_resolved ? state_->devices.resolved(event).pod : event.pod))
        return false;
    const auto leaf = state_->leaf_of(event);
    if (const auto given = state_->given_membership(event.pod))
        return known.membership == given;
    if (!leaf)
        return known.membership == event.pod.membership;
    auto sorted = event.pod.membership;
    sorted->replace_content(leaf->leaf.key);
    return known.membership == sorted;
}

bool Cluster::leaves_devices_open(const Pod& pod) const {
    const auto* remarks = state_->devices.remarks(pod.uid);
    return !state_->device_warnings(pod).empty() || !pod.pod_class.devices->empty() ||
           (remarks != nullptr && remarks->relies_on_sharer);
}

bool Cluster::is_ours(const Pod& pod) const {
    return state_->profiles.contains(pod.scheduler_name);
}

std::vector<GroupKey> Cluster::roots() const {
    std::set<GroupKey> found;
    GroupRoots known(state_->forest);
    for (const auto& key : state_->forest.keys())
        found.insert(known.of(key));
    for (const auto& [key, leaf] : state_->leaves)
        found.insert(known.of(key));
    std::vector<std::tuple<std::int64_t, std::int64_t, GroupKey>> rows;
    for (const auto& root : found) {
        if (!has_root(root))
            continue;
        const auto facts = state_->facts_of(root);
        rows.emplace_back(-priority_of(facts), created_of(facts), root);
    }
    std::ranges::sort(rows, {}, [](const auto& row) {
        const auto& [importance, created, root] = row;
        return std::tuple(importance, created, root.by_name());
    });
    std::vector<GroupKey> roots;
    roots.reserve(rows.size());
    for (auto& row : rows) {
        roots.push_back(std::move(std::get<2>(row)));
    }
    return roots;
}

GangFacts Cluster::facts(const GroupKey& root) const {
    return state_->facts_of(root);
}

bool Cluster::has_root(const GroupKey& root) const {
    return state_->has_root(root);
}

std::vector<const Pod*> Cluster::members_of(const GroupKey& root) const {
    std::vector<const Pod*> members;
    for (const auto& branch : state_->tree_of(root)) {
        const auto leaf = state_->leaves.find(branch.key);
        if (leaf == state_->leaves.end())
            continue;
        for (const auto* row : leaf->second.ours())
            members.push_back(&row->pod);
    }
    return members;
}

bool Cluster::is_tree_cut(const GroupKey& root) const {
    return std::ranges::any_of(state_->tree_of(root),
                               [](const Branch& branch) { return branch.end != Branch::End::none; });
}

std::vector<const Pod*> Cluster::occupants() const {
    std::vector<std::pair<std::string, const Pod*>> rows;
    for (const auto& row : state_->pods) {
        if (row->pod.occupies())
            rows.emplace_back(row->pod.full_name(), &row->pod);
    }
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::tie(a.first, a.second->uid) < std::tie(b.first, b.second->uid);
    });
    std::vector<const Pod*> pods;
    pods.reserve(rows.size());
    for (const auto& [name, pod] : rows) {
        pods.push_back(pod);
    }
    return pods;
}

TopologyImpact Cluster::resolve() {
    const auto moves = state_->node_index.take_topology_delta();
    Change change;
    for (const auto& node : moves.nodes) {
        const auto* members = state_->members.on(node);
        if (members == nullptr)
            continue;
        for (const auto* row : *members)
            state_->touch(row->pod, change);
    }
    state_->add_co_located(change);
    return {moves.levels_changed, std::move(change.gangs)};
}

std::vector<std::string> Cluster::topology_faults() const {
    std::vector<std::string> faults;
    for (const auto* topology : state_->node_index.faulty_topologies()) {
        faults.push_back(title_of(*topology) + ": " + topology->problem);
    }
    for (const auto& part : state_->node_index.current().left_out) {
        faults.push_back(part.sentence);
    }
    for (const auto& [name, of_node] : state_->node_faults) {
        for (const auto& fault : of_node)
            faults.push_back("Node " + name + ": " + fault);
    }
    std::ranges::sort(faults);
    return faults;
}

bool Cluster::follows_others(const Pod& pod) const {
    const auto* row = pod.terms.empty() ? nullptr : state_->pods.find(pod.uid);
    if (row == nullptr)
        return false;
    const auto labels = state_->strings.read(row->labels);
    return std::ranges::any_of(pod.terms, [&](const PodTerm& term) {
        return term.kind == PodTerm::Kind::together && !selects(term, pod.ns, labels);
    });
}

Labels Cluster::labels_apart(const Pod& pod) const {
    Labels labels;
    const auto* row = state_->pods.find(pod.uid);
    const auto node = state_->node_index.view(pod.node);
    if (!state_->affinity_terms.exist() || row == nullptr || !node)
        return labels;
    for (const auto& key : state_->affinity_terms.keys_apart(pod, state_->strings.read(row->labels))) {
        if (const auto value = node->labels.value_of(key))
            labels.emplace(key, *value);
    }
    return labels;
}

bool Cluster::has_any_label(std::string_view node, const Labels& labels) const {
    const auto view = state_->node_index.view(node);
    return view && std::ranges::any_of(labels, [&view](const auto& label) {
               return view->labels.value_of(label.first) == label.second;
           });
}

bool Cluster::depends_on_other_pods() const {
    return state_->affinity_terms.exist() || !state_->co_location.empty();
}

}  // namespace echelon::model
