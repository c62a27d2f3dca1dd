#include "model/cluster/cluster.hpp"

#include "base/quoted.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/gang/domain_rules.hpp"
#include "model/gang/faults.hpp"
#include "model/gang/inherited_levels.hpp"
#include "model/gang/later_stages.hpp"
#include "model/gang/rank_slices.hpp"
#include "model/gang/readiness.hpp"
#include "model/gang/requested_levels.hpp"
#include "model/gang/unusable_parts.hpp"

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
    return change;
}

const Pod* Cluster::pod(std::string_view uid) const {
    const auto found = state_->pods.find(uid);
    return found == state_->pods.end() ? nullptr : &(*found)->pod;
}

const Pod* Cluster::pod_named(std::string_view ns, std::string_view name) const {
    const auto found = state_->by_name.find(State::ByName::Name(ns, name));
    return found == state_->by_name.end() ? nullptr : &(*found)->pod;
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
    const bool may_be_kept_otherwise = !state_->groups_with_selectors.empty() || !state_->named_pods.empty();
    const auto* kept = may_be_kept_otherwise ? this->pod(pod.uid) : nullptr;
    const auto& known = kept != nullptr && kept->membership ? *kept : pod;
    if (!state_->is_tracked(known))
        return std::nullopt;
    return state_->forest.root_of(known.membership->leaf);
}

bool Cluster::asks_as_before(const Pod& known, const PodSeen& event) const {
    const auto is_kept = [&known](const Pod& pod) { return known.shape == pod.shape && known.terms == pod.terms; };
    const bool has_claims = !event.claims.empty() && state_->devices.keeps(event.pod.uid);
    if (!is_kept(has_claims ? state_->devices.resolved(event).pod : event.pod))
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
    return !state_->device_warnings(pod).empty();
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
    std::vector<std::tuple<std::int64_t, std::int64_t, std::string, GroupKey>> rows;
    for (const auto& root : found) {
        if (!has_root(root))
            continue;
        const auto facts = state_->facts_of(root);
        rows.emplace_back(priority_of(facts), state_->created_of(facts), root.name, root);
    }
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        if (std::get<0>(a) != std::get<0>(b))
            return std::get<0>(a) > std::get<0>(b);
        return std::tie(std::get<1>(a), std::get<2>(a), std::get<3>(a)) <
               std::tie(std::get<1>(b), std::get<2>(b), std::get<3>(b));
    });
    std::vector<GroupKey> roots;
    roots.reserve(rows.size());
    for (auto& row : rows) {
        roots.push_back(std::move(std::get<3>(row)));
    }
    return roots;
}

GangFacts Cluster::facts(const GroupKey& root) const {
    return state_->facts_of(root);
}

bool Cluster::has_root(const GroupKey& root) const {
    return state_->has_root(root);
}

std::vector<std::string> Cluster::members_of(const GroupKey& root) const {
    std::vector<std::string> uids;
    for (const auto& branch : state_->tree_of(root)) {
        const auto leaf = state_->leaves.find(branch.key);
        if (leaf == state_->leaves.end())
            continue;
        for (const auto* row : leaf->second.ours) {
            uids.push_back(row->pod.uid);
        }
    }
    return uids;
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
        const auto members = state_->members_on.find(node);
        if (members == state_->members_on.end())
            continue;
        for (const auto* row : members->second) {
            state_->mark_root_changed(row->pod, change);
        }
    }
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

namespace {

Member member_of(const PodFacts& row) {
    Member member;
    member.uid = row.pod->uid;
    member.pod = row.pod->full_name();
    if (row.standing == Standing::finished) {
        member.state = Member::State::finished;
        return member;
    }
    member.shape = row.shape;
    member.state = row.standing == Standing::bound ? Member::State::bound : Member::State::waiting;
    member.node = row.node;
    return member;
}

GangGroup gang_group(const GroupFacts& facts, bool is_root) {
    GangGroup group;
    group.key = facts.branch.key;
    group.parent = is_root ? nowhere : facts.branch.parent;
    group.children = facts.children;
    group.is_leaf = facts.is_leaf();
    group.exists = facts.group() != nullptr;
    group.minimum = facts.needed();
    group.standing = facts.standing();
    if (const auto* declared = facts.group()) {
        group.basic = declared->basic && !facts.is_loose;
        group.floor = facts.floor();
        group.counts_only_waiting = declared->policy.counts_only_waiting && !facts.is_loose;
        if (facts.placeholders() > 0)
            group.at_barrier = std::min(group.minimum, std::max(facts.existing(), facts.at_start()));
    }
    return group;
}

// The class of the first pod that has or may get a seat.
std::optional<PodClassId> first_shape(const GroupFacts& group) {
    const auto has_shape = [](const PodFacts& row) {
        return row.standing == Standing::waiting || row.standing == Standing::bound;
    };
    const auto first = std::ranges::find_if(group.pods, has_shape);
    return first == group.pods.end() ? std::nullopt : std::optional(first->shape);
}

// Appends members that are declared but not created yet (H1).
void add_placeholders(const GangFacts& facts, const GroupFacts& group, const Snapshot& snapshot, Gang& gang) {
    const auto count = group.placeholders();
    if (count == 0)
        return;
    std::optional<PodClassId> shape;
    if (const auto& late = group.group()->late_pod_class) {
        const auto known = std::ranges::lower_bound(snapshot.shapes, *late);
        if (known != snapshot.shapes.end() && *known == *late)
            shape = static_cast<PodClassId>(known - snapshot.shapes.begin());
    }
    const bool is_guess = !shape;
    if (is_guess)
        shape = first_shape(group);
    for (std::size_t other = 0; other < facts.groups.size() && !shape; ++other) {
        shape = first_shape(facts.groups[other]);
    }
    if (!shape)
        return;  // No pod and no template gives a class.
    const auto& name = group.branch.key.name;
    for (std::int64_t number = 0; number < count; ++number) {
        Member placeholder;
        placeholder.uid = "ghost/" + group.branch.key.kind + "/" + name + "/" + std::to_string(number);
        placeholder.pod = name + "/ghost-" + std::to_string(number);
        placeholder.shape = *shape;
        placeholder.is_placeholder = true;
        gang.members.push_back(std::move(placeholder));
    }
    if (is_guess) {
        gang.warnings.push_back("group " + base::quoted(name) +
                                ": the shape of pods that don't exist yet can't be read, " +
                                "that of the first ones is used");
    }
}

// The first member of a loose group should go where there is room for all that the group announces (Z34). `other`: the
// class of some pod in the tree.
void add_members_to_come(const GroupFacts& group, std::uint32_t index, std::optional<PodClassId> other, Gang& gang) {
    const auto own = first_shape(group);
    const auto shape = own ? own : other;
    for (std::int64_t number = 0; shape && number < group.still_to_come(); ++number)
        gang.gated_members.push_back({index, *shape, 0});
}

// Fills in groups and members, levels aside. `with_placeholders`: false for a gang that is too large anyway.
void lay_out(const GangFacts& facts, const Snapshot& snapshot, bool with_placeholders, Gang& gang) {
    std::optional<PodClassId> other;
    for (std::size_t group = 0; group < facts.groups.size() && !other; ++group)
        other = first_shape(facts.groups[group]);
    for (const auto& group : facts.groups) {
        const auto index = static_cast<std::uint32_t>(gang.groups.size());
        auto& here = gang.groups.emplace_back(gang_group(group, gang.groups.empty()));
        here.first_member = static_cast<std::uint32_t>(gang.members.size());
        for (const auto& row : group.pods) {
            if (here.is_leaf && row.exists())
                gang.members.push_back(member_of(row));
            if (here.is_leaf && row.standing == Standing::gated)
                gang.gated_members.push_back({index, row.shape, 0});
        }
        if (with_placeholders) {
            add_placeholders(facts, group, snapshot, gang);
            add_members_to_come(group, index, other, gang);
        }
        here.last_member = static_cast<std::uint32_t>(gang.members.size());
        if (group.group() == nullptr)
            continue;
        if (auto word = passed_over(group); !word.empty())
            gang.warnings.push_back(std::move(word));
        for (const auto& warning : group.group()->warnings) {
            gang.warnings.push_back("group " + base::quoted(here.key.name) + ": " + warning);
        }
    }
}

// Returns the first fault.
std::string look_up_levels(const GangFacts& facts, const Snapshot& snapshot, std::span<const Topology* const> faulty,
                           Gang& gang) {
    std::string fault;
    for (std::size_t index = 0; index < facts.groups.size(); ++index) {
        const auto* declared = facts.groups[index].group();
        if (declared == nullptr)
            continue;
        auto levels = look_up(*declared, snapshot, faulty);
        add_domain_rules(facts, index, levels, gang);
        gang.groups[index].required = std::move(levels.required);
        gang.groups[index].preferred = std::move(levels.preferred);
        gang.groups[index].multiples = std::move(levels.multiples);
        std::ranges::move(levels.warnings, std::back_inserter(gang.warnings));
        for (auto& part : levels.left_out) {
            if (std::ranges::find(gang.left_out, part) == gang.left_out.end())
                gang.left_out.push_back(std::move(part));
        }
        if (fault.empty())
            fault = std::move(levels.fault);
    }
    for (std::size_t index = facts.groups.size(); index-- > 0;) {  // Pre-order, hence children before parents.
        const auto* declared = facts.groups[index].group();
        if (declared != nullptr && declared->policy.inherits_widest_child_level)
            inherit_widest_level(snapshot, facts, index, gang);
    }
    keep_replicas_together(gang);
    return fault.empty() ? fault_around_bound(gang, snapshot) : fault;
}

}  // namespace

bool Cluster::depends_on_other_pods() const {
    return state_->pods_with_affinity > 0 || !state_->co_located_leaves.empty();
}

Gang Cluster::gang(const GroupKey& root, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                   const RunningBefore* ran_before) const {
    const auto facts = cut_into_slices(state_->facts_of(root, ran_before), state_->limits);
    Gang gang;
    gang.root = root;
    gang.priority = priority_of(facts);
    gang.created = state_->created_of(facts);
    gang.timeout = timeout_of(facts);
    auto fault = size_fault(facts, state_->limits);
    lay_out(facts, snapshot, fault.empty(), gang);
    std::ranges::copy(state_->device_warnings(facts), std::back_inserter(gang.warnings));
    put_off_later_stages(facts, gang);
    if (!fault.empty()) {
        gang.problem = Problem{Reason::invalid, std::move(fault)};
        return gang;
    }
    fault = fault_of(facts);
    if (state_->requests_levels(facts)) {
        auto unknown = look_up_levels(facts, snapshot, state_->node_index.faulty_topologies(), gang);
        if (fault.empty())
            fault = std::move(unknown);
    }
    if (state_->pods_with_affinity > 0)
        state_->resolve_affinity(snapshot, elsewhere, gang);
    if (!state_->co_located_leaves.empty())
        state_->anchor(snapshot, elsewhere, gang);
    if (!fault.empty()) {
        gang.problem = Problem{Reason::invalid, std::move(fault)};
    } else if (auto missing = readiness_problem(facts); !missing.empty()) {
        gang.problem = Problem{Reason::incomplete, std::move(missing)};
    }
    return gang;
}

}  // namespace echelon::model
