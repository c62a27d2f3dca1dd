// Collects what is known about one tree, without judging it.

#include "model/cluster/cluster_state.hpp"
#include "model/gang/absent_parts.hpp"
#include "model/gang/rank_slices.hpp"
#include "model/gang/tree_walk.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace echelon::model {

namespace {

// True if only younger pods declare this list of gangs: the oldest pod decides, and has another one.
bool is_ignored_kind(const GroupForest& forest, const GroupKey& lister) {
    const auto* group = forest.find(lister);
    return group != nullptr && forest.children(lister).empty() &&
           std::ranges::any_of(group->listed, [&forest](const GroupKey& listed) {
               const auto* child = forest.find(listed);
               return child != nullptr && child->policy.oldest_pod_decides;
           });
}

}  // namespace

std::vector<Cluster::Nominations> Cluster::nominations() const {
    std::vector<Nominations> found;
    for (const auto& node : state_->nominated.nodes()) {
        auto& here = found.emplace_back();
        for (const auto* row : *state_->nominated.on(node))
            here.pods.push_back(&row->pod);
        std::ranges::sort(here.pods, {}, &Pod::uid);
        here.node = here.pods.front()->nominated_node;  // `node` ends with this function.
        if (const auto* leaving = state_->leaving.on(node)) {
            for (const auto* row : *leaving)
                here.leaving.add(row->pod.pod_class.requests);
        }
    }
    return found;
}

std::vector<Amounts::Entry> Cluster::left_on(base::Hashed node, const Amounts& resources) const {
    return state_->node_index.left_on(node, resources);
}

bool Cluster::has_same_room(base::Hashed node, base::Hashed other) const {
    return state_->node_index.has_same_room(node, other);
}

// A tree is reported if one of the pods is ours, or if it has no pods; a tree with only foreign pods isn't.
bool Cluster::State::has_root(const GroupKey& root) const {
    const auto* group = forest.find(root);
    const bool exists = group != nullptr ? forest.is_agreed(*group) : leaves.contains(root);
    if (!exists || forest.root_of(root) != root || is_selected_elsewhere(root) || is_ignored_kind(forest, root))
        return false;
    if (const auto leaf = leaves.find(root); leaf != leaves.end() && !leaf->second.ours().empty())
        return true;
    bool is_foreign = false;
    TreeWalk walk(forest, root);
    for (std::int64_t taken = 0; walk.goes_on() && taken < limits.groups; ++taken) {
        const auto step = walk.take();
        is_foreign = is_foreign || (step.group != nullptr && step.group->policy.needs_pods);
        const auto leaf = leaves.find(*step.key);
        if (leaf == leaves.end())
            continue;
        if (!leaf->second.ours().empty())
            return true;
        is_foreign = true;  // It has foreign pods.
    }
    return !is_foreign;
}

// At most one group more than a gang may have, enough to see that there are too many.
std::vector<Branch> Cluster::State::tree_of(const GroupKey& root) const {
    return forest.tree(root, static_cast<std::size_t>(limits.groups));
}

namespace {

// A composite that lists a group must be its parent, and the parent must list it. Lists of other namespaces don't
// count.
void check_gang_group_lists(const GroupForest& forest, GroupFacts& group) {
    const auto& key = group.branch.key;
    const auto* declared = group.group();
    if (declared == nullptr)
        return;
    for (const auto* lister : forest.groups_listing(key)) {
        if (declared->parent == *lister || is_ignored_kind(forest, *lister))
            continue;
        group.unlike = lister->name;  // The first by name.
        break;
    }
    const auto compare = [&](const Group& list) {
        for (const auto& listed : list.listed) {
            const auto* child = forest.find(listed);
            if (child == nullptr) {
                group.missing_listed_group = listed.name;
            } else if (child->parent != list.key) {
                group.unlike = listed.name;
            }
        }
    };
    compare(*declared);
    // With a list across namespaces it waits until the listed groups name the parent too.
    const auto* parent = declared->parent ? forest.find(*declared->parent) : nullptr;
    if (parent != nullptr && !forest.is_agreed(*parent))
        compare(*parent);
}

// Leaves without pods that the parent's minimum doesn't need: some Jobs of a set may have ended, and it is unknown
// which.
void mark_beyond_parent_minimum(GangFacts& facts) {
    for (const auto& parent : facts.groups) {
        auto wanted = parent.minimum();
        const auto is_begun = [&](auto child) {
            return !facts.groups[child].is_leaf() || !facts.groups[child].pods.empty();
        };
        wanted -= std::ranges::count_if(parent.children, is_begun);
        for (const auto child : parent.children) {
            if (!is_begun(child))
                facts.groups[child].is_beyond_parent_minimum = wanted-- <= 0;
        }
    }
}

// For groups about which members disagree: the living pods and their declarations.
void collect_declarers(GangFacts& facts) {
    if (std::ranges::none_of(facts.groups, &GroupFacts::is_disputed))
        return;
    std::map<GroupKey, GroupFacts*> disputed;
    for (auto& group : facts.groups) {
        if (group.is_disputed)
            disputed.emplace(group.branch.key, &group);
    }
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods) {
            std::set<const GroupFacts*> seen;  // The first declaration of a pod counts.
            for (const auto& declared : row.pod->membership->declared) {
                const auto found = disputed.find(declared.key);
                if (found != disputed.end() && !row.pod->deleting && !row.pod->is_finished() &&
                    seen.insert(found->second).second)
                    found->second->declarers.emplace_back(row.pod, &declared);
            }
        }
    }
    for (auto& [key, group] : disputed) {
        std::ranges::sort(group->declarers, base::NaturalLess{},
                          [](const auto& row) { return row.first->full_name(); });
    }
}

void mark_ran_before(std::vector<PodFacts>& pods, const RunningBefore* known) {
    for (auto& row : pods) {
        const bool runs = row.status == MemberStatus::bound || row.status == MemberStatus::finished;
        // A member that is known to run may not have been observed on its node yet.
        row.ran_before = known == nullptr ? runs : row.exists() && known->contains(row.pod->uid);
    }
}

// What pods of the group wait for: the first by name, and a remark if they wait for several.
std::string joined_missing(const std::string& known, const std::string& other) {
    constexpr std::string_view several = ", or for another one";
    if (known.empty() || known == other)
        return other;
    const std::string first = known.ends_with(several) ? known.substr(0, known.size() - several.size()) : known;
    return first == other ? known : std::min(first, other) + std::string(several);
}

// The last pod of the group counts as gated until everything that its claims name exists.
void wait_for_claims(const DeviceIndex& devices, GroupFacts& group) {
    auto& row = group.pods.back();
    const auto* remarks = devices.keeps_any() ? devices.remarks(row.pod->uid) : nullptr;
    if (remarks == nullptr || remarks->missing.empty() || row.status != MemberStatus::waiting)
        return;
    row.status = MemberStatus::gated;
    group.missing_claim = joined_missing(group.missing_claim, remarks->missing);
}

}  // namespace

bool is_off_for_all(bool Profile::* option, const GangFacts& facts, const Profiles& profiles) {
    bool has_pods = false;
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods) {
            has_pods = true;
            const auto profile = profiles.find(row.pod->scheduler_name);
            if (profile != profiles.end() && profile->second.*option)
                return false;
        }
    }
    return has_pods;
}

GangFacts Cluster::State::facts_of(const GroupKey& root, const RunningBefore* ran_before) const {
    GangFacts facts;
    facts.classes = &classes;
    facts.is_cycle = forest.is_cycle(root);
    for (auto& branch : tree_of(root)) {
        const auto index = static_cast<std::uint32_t>(facts.groups.size());
        auto& group = facts.groups.emplace_back();
        group.branch = std::move(branch);
        group.is_disputed = forest.is_disputed(group.branch.key);
        group.is_committing = ran_before != nullptr;
        if (index > 0)
            facts.groups[group.branch.parent].children.push_back(index);
        check_gang_group_lists(forest, group);
        if (group.group() != nullptr && group.group()->anchor && facts.base == nullptr)
            facts.base = forest.find(*group.group()->anchor);
        const auto leaf = leaves.find(group.branch.key);
        if (leaf == leaves.end())
            continue;
        for (const auto* row : leaf->second.ours()) {
            const auto node = row->pod.node.empty() ? nowhere : node_index.id_of(row->pod.node);
            const bool node_exists = !row->pod.node.empty() && node_index.knows(row->pod.node);
            group.pods.push_back({&row->pod, &row->full_name, member_status_of(row->pod, node_exists), node, 0});
            if (row->has_pod_class)
                group.pods.back().pod_class = row->pod_class->second.id;
            wait_for_claims(devices, group);
        }
        sort_by_rank_and_drop_old_attempts(group.pods);
        if (group.group() != nullptr && group.group()->policy.counts_only_waiting)
            mark_ran_before(group.pods, ran_before);
        for (const auto* row : leaf->second.foreign()) {
            group.foreign.push_back(&row->pod);
        }
        std::ranges::sort(group.foreign, base::NaturalLess{}, [](const Pod* pod) { return pod->full_name(); });
    }
    add_absent_parts(facts, forest, limits);
    move_slices_to_children(facts, limits);
    if (is_off_for_all(&Profile::gang, facts, profiles)) {
        for (auto& group : facts.groups)
            group.is_loose = true;
    }
    mark_beyond_parent_minimum(facts);
    collect_declarers(facts);
    return facts;
}

}  // namespace echelon::model
