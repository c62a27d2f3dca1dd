// How a gang is built from the facts about its tree.

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
#include <utility>

namespace echelon::model {

namespace {

Member member_of(const PodFacts& row) {
    Member member;
    member.uid = row.pod->uid;
    member.pod = *row.full_name;
    if (row.status == MemberStatus::finished) {
        member.state = Member::State::finished;
        return member;
    }
    member.pod_class = row.pod_class;
    member.state = row.status == MemberStatus::bound ? Member::State::bound : Member::State::waiting;
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
    group.earlier_members = facts.earlier_members();
    group.uncounted_children = facts.uncounted_children();
    if (const auto* declared = facts.group()) {
        group.basic = declared->basic && !facts.is_loose;
        group.floor = facts.floor();
        group.counts_only_waiting = declared->policy.counts_only_waiting && !facts.is_loose;
        // Those that exist and those to come may be too few: then the barrier stays closed.
        if (const auto late = facts.placeholders(); late > 0) {
            const auto needed = std::max({facts.existing(), facts.at_start(), group.minimum - late});
            group.at_barrier = std::min(group.minimum, needed);
        }
    }
    return group;
}

// The class of the first pod that has or may get a seat.
std::optional<PodClassId> first_pod_class(const GroupFacts& group) {
    const auto has_pod_class = [](const PodFacts& row) {
        return row.status == MemberStatus::waiting || row.status == MemberStatus::bound;
    };
    const auto first = std::ranges::find_if(group.pods, has_pod_class);
    return first == group.pods.end() ? std::nullopt : std::optional(first->pod_class);
}

// Appends members that are declared but not created yet (H1). True: their pod class is only guessed.
bool add_placeholders(const GangFacts& facts, const GroupFacts& group, const LatePodClasses& late, Gang& gang) {
    const auto count = group.placeholders();
    if (count == 0)
        return false;
    auto pod_class = late.find(*group.group());
    const bool is_guess = !pod_class;
    if (is_guess)
        pod_class = first_pod_class(group);
    for (std::size_t other = 0; other < facts.groups.size() && !pod_class; ++other) {
        pod_class = first_pod_class(facts.groups[other]);
    }
    if (!pod_class)
        return false;  // No pod and no template gives a class.
    Member placeholder;
    placeholder.pod_class = *pod_class;
    placeholder.is_placeholder = true;
    gang.members.resize(gang.members.size() + static_cast<std::size_t>(count), placeholder);
    return is_guess;
}

// One sentence for all groups, since a gang may have thousands. `first`: the name of the first one.
std::string guess_warning(const std::string& first, std::size_t count) {
    const auto others = count > 1 ? " and " + std::to_string(count - 1) + " more" : std::string();
    return "group " + base::quoted(first) + others +
           ": the template of pods that don't exist yet can't be read, so they are taken to be like the first ones";
}

// The first member of a loose group should go where there is room for all that the group announces (Z34). `other`: the
// class of some pod in the tree.
void add_members_to_come(const GroupFacts& group, std::uint32_t index, std::optional<PodClassId> other, Gang& gang) {
    const auto own = first_pod_class(group);
    const auto pod_class = own ? own : other;
    for (std::int64_t number = 0; pod_class && number < group.still_to_come(); ++number)
        gang.gated_members.push_back({index, *pod_class, 0});
}

// Appends the members of a leaf that exist, and its gated ones.
void add_members(const GroupFacts& group, std::uint32_t index, Gang& gang) {
    if (gang.members.empty())
        gang.members.reserve(group.pods.size());  // All, if the gang has one leaf.
    for (const auto& row : group.pods) {
        if (row.exists())
            gang.members.push_back(member_of(row));
        if (row.status == MemberStatus::gated)
            gang.gated_members.push_back({index, row.pod_class, 0});
    }
}

void add_warnings(const GroupFacts& group, Gang& gang) {
    if (group.group() == nullptr)
        return;
    if (auto word = passed_over(group); !word.empty())
        gang.warnings.push_back(std::move(word));
    for (const auto& warning : group.group()->warnings) {
        gang.warnings.push_back("group " + base::quoted(group.branch.key.name) + ": " + warning);
    }
}

// Fills in groups and members, levels aside. `with_placeholders`: false for a gang that is too large anyway.
void lay_out(const GangFacts& facts, const LatePodClasses& late, bool with_placeholders, Gang& gang) {
    std::optional<PodClassId> other;
    for (std::size_t group = 0; group < facts.groups.size() && !other; ++group)
        other = first_pod_class(facts.groups[group]);
    std::size_t guesses = 0;
    std::string first_guess;
    for (const auto& group : facts.groups) {
        const auto index = static_cast<std::uint32_t>(gang.groups.size());
        auto& here = gang.groups.emplace_back(gang_group(group, gang.groups.empty()));
        here.first_member = static_cast<std::uint32_t>(gang.members.size());
        if (here.is_leaf)
            add_members(group, index, gang);
        if (with_placeholders) {
            if (add_placeholders(facts, group, late, gang) && guesses++ == 0)
                first_guess = here.key.name;
            add_members_to_come(group, index, other, gang);
        }
        here.last_member = static_cast<std::uint32_t>(gang.members.size());
        add_warnings(group, gang);
    }
    if (guesses > 0)
        gang.warnings.push_back(guess_warning(first_guess, guesses));
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
        gang.groups[index].is_in_one_zone = levels.is_in_one_zone;
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

// Says which rules of pods that wait echelon doesn't plan.
void warn_of_unread_rules(const GangFacts& facts, Gang& gang) {
    const auto warn_if_any = [&](bool Pod::* flag, const char* rules) {
        const auto waits = [flag](const PodFacts& row) { return row.pod->node.empty() && row.pod->*flag; };
        const auto has_some = [&waits](const GroupFacts& group) { return std::ranges::any_of(group.pods, waits); };
        if (std::ranges::none_of(facts.groups, has_some))
            return;
        gang.warnings.push_back(std::string(rules) + " left to kube-scheduler's own filters");
        gang.left_open = gang.warnings.back();
    };
    warn_if_any(&Pod::has_unread_terms, "pod affinity by labels of namespaces is");
    warn_if_any(&Pod::has_unread_spread, "required topologySpreadConstraints are");
}

}  // namespace

Gang Cluster::gang(const GroupKey& root, const Snapshot& snapshot, std::span<const ExpectedPod> elsewhere,
                   const RunningBefore* ran_before) const {
    const auto facts = cut_into_slices(state_->facts_of(root, ran_before), state_->limits);
    Gang gang;
    gang.root = root;
    gang.priority = priority_of(facts);
    gang.created = created_of(facts);
    gang.timeout = timeout_of(facts);
    gang.scheduler_names = scheduler_names_of(facts);
    auto fault = size_fault(facts, state_->limits);
    lay_out(facts, state_->late_pod_classes, fault.empty(), gang);
    for (const auto& warning : state_->device_warnings(facts)) {
        gang.warnings.push_back(warning);
        gang.left_open = warning;
    }
    put_off_later_stages(facts, gang);
    if (!fault.empty()) {
        gang.problem = Problem{Reason::invalid, std::move(fault)};
        return gang;
    }
    fault = fault_of(facts);
    if (!is_off_for_all(&Profile::topology, facts, state_->profiles)) {
        auto unknown = look_up_levels(facts, snapshot, state_->node_index.faulty_topologies(), gang);
        if (fault.empty())
            fault = std::move(unknown);
    }
    if (state_->affinity_terms.exist())
        state_->resolve_affinity(snapshot, elsewhere, gang);
    warn_of_unread_rules(facts, gang);
    if (!state_->co_location.empty())
        state_->anchor(snapshot, elsewhere, gang);
    if (!fault.empty()) {
        gang.problem = Problem{Reason::invalid, std::move(fault)};
    } else if (auto missing = readiness_problem(facts); !missing.empty()) {
        gang.problem = Problem{Reason::incomplete, std::move(missing)};
    }
    return gang;
}

}  // namespace echelon::model
