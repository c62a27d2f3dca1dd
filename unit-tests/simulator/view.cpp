#include "unit-tests/simulator/view.hpp"

#include <algorithm>
#include <utility>

namespace echelon::simulator {

namespace {

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

void see_pod(View& view, const model::Pod& pod) {
    auto& uid = view.uid_of[pod.full_name()];
    if (!uid.empty() && uid != pod.uid)
        view.pods.erase(uid);
    uid = pod.uid;
    view.pods[pod.uid] = pod;
}

void lose_pod(View& view, const std::string& uid) {
    auto found = view.pods.find(uid);
    if (found == view.pods.end())
        return;
    const auto name = found->second.full_name();
    view.pods.erase(found);
    if (auto bearer = view.uid_of.find(name); bearer != view.uid_of.end() && bearer->second == uid)
        view.uid_of.erase(bearer);
}

}  // namespace

void View::apply(const model::Event& event) {
    std::visit(Overloaded{
                   [this](const model::NodeSeen& e) { nodes[e.node.name] = e.node; },
                   [this](const model::NodeGone& e) { nodes.erase(e.name); },
                   [this](const model::PodSeen& e) { see_pod(*this, e.pod); },
                   [this](const model::PodGone& e) { lose_pod(*this, e.uid); },
                   [this](const model::GroupSeen& e) { groups[e.group.key] = e.group; },
                   [this](const model::GroupGone& e) {
                       auto found = groups.find(e.key);
                       if (found != groups.end() && found->second.uid == e.uid)
                           groups.erase(found);
                   },
                   [this](const model::PlanSeen& e) {
                       plans[e.record.ns + "/" + e.record.name] = e.record;
                       plan_uids[e.record.ns + "/" + e.record.name] = e.uid;
                   },
                   [this](const model::PlanGone& e) {
                       plans.erase(e.ns + "/" + e.name);
                       plan_uids.erase(e.ns + "/" + e.name);
                   },
                   [this](const model::DeviceClaimSeen& e) { claims[e.claim.ns + "/" + e.claim.name] = e.claim; },
                   [this](const model::DeviceClaimGone& e) { claims.erase(e.ns + "/" + e.name); },
                   [this](const model::DeviceSliceSeen& e) { slices[e.slice.name] = e.slice; },
                   [this](const model::DeviceSliceGone& e) { slices.erase(e.name); },
                   [](const auto&) {},
               },
               event);
}

const model::Pod* View::pod(const std::string& uid) const {
    auto found = pods.find(uid);
    return found == pods.end() ? nullptr : &found->second;
}

const model::Pod* View::pod_named(const std::string& full_name) const {
    auto found = uid_of.find(full_name);
    return found == uid_of.end() ? nullptr : pod(found->second);
}

const model::Group* View::group(const model::GroupKey& key) const {
    if (auto found = groups.find(key); found != groups.end())
        return &found->second;
    for (const auto& [uid, pod] : pods) {
        if (!pod.membership)
            continue;
        for (const auto& declared : pod.membership->declared) {
            if (declared.key == key && !declared.only_supplements)
                return &declared;
        }
    }
    return nullptr;
}

std::size_t View::group_count() const {
    std::set<model::GroupKey> declared;
    for (const auto& [uid, pod] : pods) {
        if (!pod.membership || pod.scheduler_name != scheduler_name)
            continue;
        for (const auto& group : pod.membership->declared) {
            if (!groups.contains(group.key))
                declared.insert(group.key);
        }
    }
    return groups.size() + declared.size();
}

const model::PlanRecord* View::plan_of(const model::GroupKey& root) const {
    auto found = std::ranges::find_if(plans, [&](const auto& entry) { return entry.second.root == root; });
    return found == plans.end() ? nullptr : &found->second;
}

model::GroupKey root_of(const View& view, const model::GroupKey& group) {
    std::set<model::GroupKey> passed;
    auto key = group;
    while (passed.insert(key).second) {
        const auto* here = view.group(key);
        if (here == nullptr || !here->parent || view.group(*here->parent) == nullptr)
            return key;
        key = *here->parent;
    }
    return *passed.begin();  // A cycle: any of them, but always the same one.
}

std::optional<model::GroupKey> root_of(const View& view, const model::Pod& pod) {
    if (!pod.membership || pod.scheduler_name != scheduler_name)
        return std::nullopt;
    return root_of(view, pod.membership->leaf);
}

namespace {

// Members of a leaf's earlier attempts count no more (M1). The attempt of the pod that was created last is the latest.
void drop_old_attempts(Tree& tree) {
    std::map<model::GroupKey, const model::Pod*> youngest;
    for (const auto* pod : tree.members) {
        auto& known = youngest[pod->membership->leaf];
        if (known == nullptr || pod->created > known->created)
            known = pod;
    }
    std::erase_if(tree.members, [&](const auto* pod) {
        return pod->membership->attempt != youngest.at(pod->membership->leaf)->membership->attempt;
    });
}

}  // namespace

Tree tree_of(const View& view, const model::GroupKey& root) {
    Tree tree;
    tree.root = root;
    tree.groups.push_back(root);
    std::set<model::GroupKey> there{root};
    for (std::size_t at = 0; at < tree.groups.size(); ++at) {
        const auto key = tree.groups[at];
        for (const auto& [child, group] : view.groups) {
            if (group.parent && *group.parent == key && there.insert(child).second)
                tree.groups.push_back(child);
        }
    }
    for (const auto& key : tree.groups) {
        const auto* group = view.group(key);
        const bool is_unknown = group == nullptr || (group->parent && view.group(*group->parent) == nullptr);
        if (is_unknown || !group->problem.empty())
            tree.is_sound = false;
    }
    const auto* top = view.group(root);
    if (top != nullptr && top->parent)
        tree.is_sound = false;  // Its parent is missing, or in its own tree.
    for (const auto& [uid, pod] : view.pods) {
        if (!pod.membership || pod.scheduler_name != scheduler_name || !there.contains(pod.membership->leaf))
            continue;
        tree.members.push_back(&pod);
        const auto* leaf = view.group(pod.membership->leaf);
        if (leaf != nullptr && leaf->kind == model::GroupKind::composite)
            tree.is_sound = false;
    }
    drop_old_attempts(tree);
    return tree;
}

namespace {

std::optional<model::GroupKey> anchor_of(const model::Pod& pod) {
    for (const auto& group : pod.membership->declared) {
        if (group.anchor)
            return group.anchor;
    }
    return std::nullopt;
}

}  // namespace

std::optional<model::GroupKey> anchor_near(const View& view, const Tree& tree) {
    for (const auto* pod : tree.members) {
        if (const auto anchor = anchor_of(*pod))
            return anchor;
    }
    const bool is_anchor = std::ranges::any_of(
        view.pods, [&](const auto& entry) { return entry.second.membership && anchor_of(entry.second) == tree.root; });
    return is_anchor ? std::optional(tree.root) : std::nullopt;
}

std::vector<const model::Pod*> members_around(const View& view, const model::GroupKey& anchor) {
    auto around = tree_of(view, anchor).members;
    for (const auto& root : roots_of(view)) {
        const auto tree = tree_of(view, root);
        if (root != anchor && anchor_near(view, tree) == anchor)
            around.insert(around.end(), tree.members.begin(), tree.members.end());
    }
    return around;
}

std::set<model::GroupKey> roots_of(const View& view) {
    std::set<model::GroupKey> roots;
    for (const auto& [key, group] : view.groups)
        roots.insert(root_of(view, key));
    for (const auto& [uid, pod] : view.pods) {
        if (const auto root = root_of(view, pod))
            roots.insert(*root);
    }
    return roots;
}

std::int64_t priority_of(const View& view, const model::GroupKey& root) {
    if (const auto* group = view.group(root); group != nullptr && group->priority)
        return *group->priority;
    std::optional<std::int64_t> highest;
    for (const auto* pod : tree_of(view, root).members)
        highest = std::max(highest.value_or(pod->priority), pod->priority);
    return highest.value_or(0);
}

bool is_bound(const View& view, const model::Pod& pod) {
    return !pod.node.empty() && !pod.deleting && !pod.is_finished() && view.nodes.contains(pod.node);
}

bool is_waiting(const model::Pod& pod) {
    return pod.node.empty() && !pod.deleting && !pod.is_finished() && !pod.has_foreign_gate();
}

bool is_finished_well(const model::Pod& pod) {
    return pod.phase == model::PodPhase::succeeded && !pod.deleting;
}

std::set<model::GroupKey> satisfied(const View& view, const Tree& tree, const Counts& counts) {
    std::map<model::GroupKey, std::int64_t> children;
    std::map<model::GroupKey, std::int64_t> declared_children;
    std::set<model::GroupKey> alone;  // Satisfied, ancestors aside.
    for (const auto& key : tree.groups) {
        const auto* group = view.group(key);
        if (group != nullptr && group->parent)
            ++declared_children[*group->parent];
    }
    for (auto at = tree.groups.rbegin(); at != tree.groups.rend(); ++at) {
        const auto* group = view.group(*at);
        if (group == nullptr)
            continue;
        const bool is_leaf = group->kind == model::GroupKind::leaf;
        const auto count = counts.find(*at);
        const auto there = is_leaf ? (count == counts.end() ? 0 : count->second) : children[*at];
        if (there < group->minimum.value_or(is_leaf ? 1 : declared_children[*at]))
            continue;
        alone.insert(*at);
        if (group->parent && *at != tree.root)
            ++children[*group->parent];
    }
    std::set<model::GroupKey> whole;
    for (const auto& key : tree.groups) {
        const auto* group = view.group(key);
        const bool is_below = key != tree.root && group != nullptr && group->parent;
        if (alone.contains(key) && (!is_below || whole.contains(*group->parent)))
            whole.insert(key);
    }
    return whole;
}

bool is_met(const View& view, const Tree& tree, const Counts& counts) {
    return tree.is_sound && satisfied(view, tree, counts).contains(tree.root);
}

Counts settled_counts(const View& view, const Tree& tree) {
    Counts counts;
    for (const auto* pod : tree.members) {
        if (is_bound(view, *pod) || is_finished_well(*pod))
            ++counts[pod->membership->leaf];
    }
    return counts;
}

bool counts_only_waiting(const View& view, const model::Pod& pod) {
    const auto* leaf = pod.membership ? view.group(pod.membership->leaf) : nullptr;
    return leaf != nullptr && leaf->policy.counts_only_waiting;
}

Counts complete_counts(const View& view, const Tree& tree) {
    std::set<model::GroupKey> grows;  // Leaves with members that wait, or are bound by the commit under way.
    std::set<std::string> by_commit;
    if (const auto* plan = view.plan_of(tree.root); plan != nullptr && plan->phase == model::Phase::committed) {
        for (const auto& seat : plan->seats) {
            if (!seat.ran_before)
                by_commit.insert(seat.uid);
        }
    }
    for (const auto* pod : tree.members) {
        const bool settles = is_bound(view, *pod) || is_finished_well(*pod);
        if (is_waiting(*pod) || (settles && by_commit.contains(pod->uid)))
            grows.insert(pod->membership->leaf);
    }
    Counts counts;
    for (const auto* pod : tree.members) {
        const bool settles = is_bound(view, *pod) || is_finished_well(*pod);
        const bool ran_before = settles && counts_only_waiting(view, *pod) && grows.contains(pod->membership->leaf) &&
                                !by_commit.contains(pod->uid);
        if (is_waiting(*pod) || (settles && !ran_before))
            ++counts[pod->membership->leaf];
    }
    return counts;
}

std::vector<model::Pod> placeholders_of(const View& view, const Tree& tree) {
    std::vector<model::Pod> placeholders;
    for (const auto& key : tree.groups) {
        const auto* group = view.group(key);
        if (group == nullptr || !group->start_set || !group->expected)
            continue;
        std::int64_t existing = 0;
        model::Pod placeholder;
        for (const auto* pod : tree.members) {
            if (pod->membership->leaf != key || pod->deleting || pod->phase == model::PodPhase::failed ||
                (!pod->node.empty() && !pod->is_finished() && !view.nodes.contains(pod->node)))
                continue;
            ++existing;
            placeholder = *pod;
        }
        if (existing < std::min(*group->start_set, group->minimum.value_or(1)))
            continue;  // No member exists that they could follow.
        placeholder.node.clear();
        placeholder.membership = model::Membership{key, {}, -1, ""};
        if (group->late_pod_class)
            placeholder.pod_class = *group->late_pod_class;
        placeholders.insert(placeholders.end(),
                            static_cast<std::size_t>(std::max<std::int64_t>(
                                0, std::min(*group->expected, group->minimum.value_or(1)) - existing)),
                            placeholder);
    }
    return placeholders;
}

std::vector<model::GroupKey> ancestry(const View& view, const model::Pod& pod) {
    std::vector<model::GroupKey> line;
    if (!pod.membership)
        return line;
    std::optional<model::GroupKey> key = pod.membership->leaf;
    while (key && std::ranges::find(line, *key) == line.end()) {
        const auto* group = view.group(*key);
        if (group == nullptr)
            break;
        line.push_back(*key);
        key = group->parent;
    }
    return line;
}

}  // namespace echelon::simulator
