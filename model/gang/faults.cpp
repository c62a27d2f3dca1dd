#include "model/gang/faults.hpp"

#include "base/quoted.hpp"
#include "base/shortened.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace echelon::model {

namespace {

constexpr std::size_t longest_names = 200;

std::string about(const GroupFacts& group) {
    return "group " + base::quoted(group.branch.key.name) + ": ";
}

std::string cycle_fault(const GangFacts& facts) {
    if (!facts.is_cycle)
        return {};
    const auto& root = facts.root();
    return about(root) + "its ancestors form a cycle, by way of " + base::quoted(root.group()->parent->name);
}

// S3: depth counts from the root to the leaf, both included. A composite at the last level could only have children
// that are too deep.
std::string depth_fault(const GangFacts& facts) {
    std::int64_t allowed = 0;
    for (const auto& group : facts.groups) {
        if (group.group() != nullptr && group.group()->policy.max_depth > 0)
            allowed =
                allowed == 0 ? group.group()->policy.max_depth : std::min(allowed, group.group()->policy.max_depth);
    }
    if (allowed == 0)
        return {};
    for (const auto& group : facts.groups) {
        const auto deepest = static_cast<std::int64_t>(group.branch.depth) + (group.is_leaf() ? 0 : 1);
        if (deepest > allowed) {
            return about(group) + "it is at level " + std::to_string(group.branch.depth) +
                   " of its tree, which may have " + std::to_string(allowed) + " levels with the leaf";
        }
    }
    return {};
}

// Of a pod that is in none of the groups below it.
std::string why_in_no_group(const Group& group) {
    std::set<std::string> keys;
    for (const auto& sort : group.sorts) {
        for (const auto& requirement : sort.labels)
            keys.insert(requirement.key);
        if (sort.selector) {
            for (const auto& requirement : *sort.selector)
                keys.insert(requirement.key);
        }
        keys.insert(sort.keys.begin(), sort.keys.end());
    }
    if (keys.empty())
        return "it is a group of groups";
    std::string names;
    for (const auto& key : keys)
        names += (names.empty() ? "" : ", ") + base::quoted(key);
    return "its labels select none of the groups below it: " + base::shortened(std::move(names), longest_names);
}

std::string own_fault(const GroupFacts& group) {
    const auto* declared = group.group();
    if (declared == nullptr)
        return {};
    if (!declared->problem.empty())
        return about(group) + declared->problem;
    if (!group.unlike.empty())
        return about(group) + "its list of groups differs from that of " + base::quoted(group.unlike);
    if (group.is_leaf() && !declared->minimum && !declared->basic && !group.is_loose)
        return about(group) + "no minimum is stated";
    if (group.minimum() < 0)
        return about(group) + "its minimum is negative";
    const auto stray = std::ranges::find_if(group.pods, [](const PodFacts& row) { return row.pod->is_alive(); });
    if (!group.is_leaf() && !group.is_disputed && stray != group.pods.end()) {
        return about(group) + "pod " + base::quoted(stray->pod->full_name()) + " names it, but " +
               why_in_no_group(*declared);
    }
    if (declared->policy.requires_workload_ref && declared->policy.workload.empty())
        return about(group) + "it names no workload (workloadRef)";
    return {};
}

std::string difference(const Group& a, const Group& b) {
    if (a.kind != b.kind || a.parent != b.parent)
        return "whether there are groups below it: all members name one, or none does";
    if (a.minimum != b.minimum)
        return "its minimum";
    if (a.required != b.required)
        return "its required level";
    if (a.preferred != b.preferred)
        return "its preferred level";
    if (a.multiples != b.multiples)
        return "its multiples";
    if (a.most_per_domain != b.most_per_domain)
        return "how many of it one domain may hold";
    if (a.paired != b.paired)
        return "its paired level";
    if (a.expected != b.expected)
        return "its expected number of pods";
    if (a.timeout != b.timeout)
        return "its time-out";
    if (a.policy.counts_only_waiting != b.policy.counts_only_waiting)
        return "whether members that run count";
    return "what it is";
}

std::string dispute(const GroupFacts& group) {
    if (!group.is_disputed || group.group()->policy.oldest_pod_decides)
        return {};
    const auto& rows = group.declarers;
    for (const auto& [pod, declared] : rows) {
        if (*declared != *rows.front().second) {
            return about(group) + "pods " + base::quoted(rows.front().first->full_name()) + " and " +
                   base::quoted(pod->full_name()) + " disagree about " + difference(*rows.front().second, *declared);
        }
    }
    return about(group) + "its members disagree about what it is";
}

// S5: one tree, one Workload.
std::string workload_fault(const GangFacts& facts) {
    const GroupFacts* first = nullptr;
    for (const auto& group : facts.groups) {
        if (group.group() == nullptr || group.group()->policy.workload.empty())
            continue;
        if (first == nullptr)
            first = &group;
        const auto& here = group.group()->policy.workload;
        if (const auto& there = first->group()->policy.workload; here != there) {
            return about(group) + "it is of workload " + base::quoted(here) + ", but " +
                   base::quoted(first->branch.key.name) + " in the same tree is of " + base::quoted(there);
        }
    }
    return {};
}

bool agrees_as_a_whole(const GangFacts& facts) {
    return std::ranges::any_of(facts.groups, [](const GroupFacts& group) {
        return group.group() != nullptr && group.group()->policy.one_priority_per_tree;
    });
}

// M6: all living pods of one tree have one scheduler.
std::string scheduler_fault(const GangFacts& facts) {
    const Pod* first = nullptr;
    const auto differs = [&first](const Pod* pod) {
        if (!pod->is_alive())
            return false;
        if (first == nullptr)
            first = pod;
        return pod->scheduler_name != first->scheduler_name;
    };
    for (const auto& group : facts.groups) {
        const Pod* odd = nullptr;
        for (const auto& row : group.pods) {
            odd = odd == nullptr && differs(row.pod) ? row.pod : odd;
        }
        for (const auto* pod : group.foreign) {
            odd = odd == nullptr && differs(pod) ? pod : odd;
        }
        if (odd != nullptr) {
            return about(group) + "pod " + base::quoted(odd->full_name()) + " is of scheduler " +
                   base::quoted(odd->scheduler_name) + ", but " + base::quoted(first->full_name()) +
                   " in the same tree is of " + base::quoted(first->scheduler_name);
        }
    }
    return {};
}

// Checks that everything in a tree has one value, and remembers the first.
template <typename Value>
class Agreement {
public:
    // Empty, or how `value` differs from the first one. `name_of` returns the name of what has the value; it is rarely
    // called.
    template <typename NameOf>
    std::string check(const NameOf& name_of, Value value) {
        if (!value_) {
            value_ = value;
            first_ = name_of();
        }
        if (*value_ == value)
            return {};
        return name_of() + " has " + shown(value) + ", but " + first_ + " in the same tree has " + shown(*value_);
    }

private:
    static std::string shown(std::int64_t priority) { return "priority " + std::to_string(priority); }
    static std::string shown(bool preempts) {
        return preempts ? "preemption policy PreemptLowerPriority" : "preemption policy Never";
    }

    std::optional<Value> value_;
    std::string first_;
};

struct PriorityAgreement {
    Agreement<std::int64_t> priorities;
    Agreement<bool> policies;
};

std::string priority_fault_of_groups(const GangFacts& facts, PriorityAgreement& agreement) {
    for (const auto& group : facts.groups) {
        const auto* declared = group.group();
        if (declared == nullptr)
            continue;
        const auto holder = [&group] { return "group " + base::quoted(group.branch.key.name); };
        if (const auto stated = stated_priority(*declared, *facts.classes)) {
            if (auto fault = agreement.priorities.check(holder, *stated); !fault.empty())
                return fault;
        }
        if (declared->preempts) {
            if (auto fault = agreement.policies.check(holder, *declared->preempts); !fault.empty())
                return fault;
        }
    }
    return {};
}

std::string priority_fault_of_pods(const GangFacts& facts, PriorityAgreement& agreement) {
    for (const auto& group : facts.groups) {
        for (const auto& row : group.pods) {
            if (!row.exists() || row.status == MemberStatus::finished)
                continue;
            const auto holder = [&row] { return "pod " + base::quoted(row.pod->full_name()); };
            if (auto fault = agreement.priorities.check(holder, row.pod->priority); !fault.empty())
                return fault;
            if (auto fault = agreement.policies.check(holder, row.pod->preempts); !fault.empty())
                return fault;
        }
    }
    return {};
}

// S26: numbers are compared, not the names of classes; a group that states nothing agrees with everything.
std::string priority_fault(const GangFacts& facts) {
    PriorityAgreement agreement;
    auto fault = priority_fault_of_groups(facts, agreement);
    return fault.empty() ? priority_fault_of_pods(facts, agreement) : fault;
}

}  // namespace

std::string disruption_fault(const GangFacts& facts) {
    for (std::size_t index = 0; index < facts.groups.size(); ++index) {
        const auto& group = facts.groups[index];
        if (group.group() == nullptr || group.group()->disruption != DisruptionMode::single)
            continue;
        for (std::size_t above = index; above != 0;) {
            above = facts.groups[above].branch.parent;
            const auto* declared = facts.groups[above].group();
            if (declared != nullptr && declared->disruption == DisruptionMode::all) {
                return about(group) + "its disruption mode is single, but that of " +
                       base::quoted(facts.groups[above].branch.key.name) + " above it is all";
            }
        }
    }
    return {};
}

std::string passed_over(const GroupFacts& group) {
    if (!group.is_disputed || !group.group()->policy.oldest_pod_decides)
        return {};
    auto rows = group.declarers;
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first->created; });
    for (const auto& [pod, declared] : rows) {
        if (*declared != *rows.front().second) {
            return about(group) + "pod " + base::quoted(pod->full_name()) + " disagrees with the oldest, " +
                   base::quoted(rows.front().first->full_name()) + ", about " +
                   difference(*rows.front().second, *declared) + "; the oldest decides";
        }
    }
    return {};
}

namespace {

// The problem of an object in a gang that is too large, if one is too large itself: field, value and bound.
std::string fault_of_objects(const GangFacts& facts) {
    for (const auto& group : facts.groups) {
        if (group.group() != nullptr && !group.group()->problem.empty())
            return about(group) + group.group()->problem;
    }
    return {};
}

std::string excess(const GangFacts& facts, const Limits& limits) {
    const auto& root = facts.root();
    if (root.branch.end == Branch::End::number)
        return about(root) + "it has more than " + std::to_string(limits.groups) + " groups (limits.groups)";
    for (const auto& group : facts.groups) {
        if (group.branch.end == Branch::End::depth) {
            return about(group) + "its tree is deeper than " + std::to_string(limits.depth) +
                   " levels with the leaf (limits.depth)";
        }
    }
    if (const auto size = facts.size(); size > limits.members) {
        return about(root) + "it has " + std::to_string(size) + " pods, those included that aren't created yet; " +
               std::to_string(limits.members) + " are allowed (limits.members)";
    }
    return {};
}

}  // namespace

std::string size_fault(const GangFacts& facts, const Limits& limits) {
    auto fault = excess(facts, limits);
    if (fault.empty())
        return fault;
    auto from_objects = fault_of_objects(facts);
    return from_objects.empty() ? fault : from_objects;
}

std::string fault_of(const GangFacts& facts) {
    if (auto fault = cycle_fault(facts); !fault.empty())
        return fault;
    if (auto fault = depth_fault(facts); !fault.empty())
        return fault;
    for (const auto& group : facts.groups) {
        if (auto fault = own_fault(group); !fault.empty())
            return fault;
    }
    for (const auto& group : facts.groups) {
        if (auto fault = dispute(group); !fault.empty())
            return fault;
    }
    if (auto fault = workload_fault(facts); !fault.empty())
        return fault;
    if (auto fault = disruption_fault(facts); !fault.empty())
        return fault;
    if (!agrees_as_a_whole(facts))
        return {};
    if (auto fault = scheduler_fault(facts); !fault.empty())
        return fault;
    return priority_fault(facts);
}

}  // namespace echelon::model
