// Which pods run, gang by gang, and which rules limit their eviction (U1 to U4).

#include "model/cluster/budget_lookup.hpp"
#include "model/cluster/cluster_state.hpp"
#include "model/gang/running_gang_of.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::model {

namespace {

// As the eviction API judges: a pod that has not started is never counted, one that is not ready not always.
bool counts_in(const DisruptionBudget& budget, const Pod& pod) {
    return !pod.is_unready || (pod.phase != PodPhase::pending && !budget.ignores_unready);
}

}  // namespace

// Lives for one call.
class Cluster::State::Running {
public:
    explicit Running(const State& state) : state_(state) {
        for (const auto& [ns, here] : state.budgets) {
            for (const auto& [name, budget] : here) {
                numbers_.emplace(&budget, static_cast<std::uint32_t>(out_.budgets.size()));
                out_.budgets.push_back({.name = std::string(ns).append("/").append(name), .allowed = budget.allowed});
            }
        }
    }

    RunningGangs collect(Foreign foreign) {
        std::set<GroupKey> roots;
        std::vector<RunningGang> plain;
        for (const auto& row : state_.pods) {
            const auto& pod = row->pod;
            if (!pod.occupies() || pod.deleting || !state_.node_index.knows(pod.node))
                continue;
            if (state_.affected.is_tracked(pod)) {
                roots.insert(state_.forest.root_of(pod.membership->leaf));
            } else if (foreign == Foreign::included || state_.profiles.contains(pod.scheduler_name)) {
                plain.push_back(plain_gang(*row));
            }
        }
        for (const auto& root : roots) {
            auto gang = gang_of(root);
            if (!gang.pods.empty())
                out_.gangs.push_back(std::move(gang));
        }
        std::ranges::sort(plain, {}, [](const RunningGang& gang) { return gang.pods.front().pod; });
        std::ranges::move(plain, std::back_inserter(out_.gangs));
        std::ranges::stable_sort(out_.gangs, {}, &RunningGang::name);
        return std::move(out_);
    }

    [[nodiscard]] RunningGang gang_of(const GroupKey& root) const {
        const auto facts = state_.facts_of(root);
        const auto priority = priority_of(facts);
        auto gang = running_gang_of(facts, [&](const GroupFacts& group, const PodFacts& row) {
            const auto* kept = state_.pods.find(row.pod->uid);
            auto pod = kept == nullptr ? std::nullopt : std::optional(running_pod(*kept, row.node));
            if (pod && group.group() != nullptr && is_protected_in(facts, group, priority))
                pod->is_protected = true;
            return pod;
        });
        gang.name = root.name;
        gang.kind = root.kind;
        gang.priority = priority;
        return gang;
    }

private:
    RunningGang plain_gang(const PodRow& row) {
        RunningGang gang;
        gang.priority = row.pod.priority;
        gang.groups.push_back({.minimum = 0, .first_pod = 0, .last_pod = 1});
        gang.pods.push_back(running_pod(row, state_.node_index.id_of(row.pod.node)));
        return gang;
    }

    // A group's protection holds for everything below it.
    static bool is_protected_in(const GangFacts& facts, const GroupFacts& group, std::int64_t priority) {
        const auto* here = &group;
        while (true) {
            const auto* declared = here->group();
            if (declared != nullptr && declared->protected_from && priority >= *declared->protected_from)
                return true;
            if (here == &facts.groups.front())
                return false;
            here = &facts.groups[here->branch.parent];
        }
    }

    RunningPod running_pod(const PodRow& row, NodeId node) const {
        RunningPod pod;
        pod.pod = row.pod.full_name();
        pod.uid = row.pod.uid;
        pod.node = node;
        pod.requests = row.pod.pod_class.requests;
        pod.started = row.pod.started != 0 ? row.pod.started : row.pod.created;
        pod.is_protected = row.pod.is_protected;
        if (const auto* here = lookup_in(row.pod.ns))
            add_budgets(*here, row, pod);
        return pod;
    }

    // A pod that very many budgets might select is protected: mostly two do, and the API server evicts no such pod.
    void add_budgets(const BudgetLookup& here, const PodRow& row, RunningPod& pod) const {
        const auto selecting = here.selecting(state_.strings.read(row.labels));
        pod.is_protected = pod.is_protected || !selecting;
        for (const auto* budget : selecting.value_or(BudgetLookup::Found())) {
            ++pod.selecting_budgets;
            if (counts_in(*budget, row.pod))
                pod.budgets.push_back(numbers_.at(budget));
        }
        std::ranges::sort(pod.budgets);
    }

    // Null: the namespace has no budgets.
    const BudgetLookup* lookup_in(std::string_view ns) const {
        const auto budgets = state_.budgets.find(ns);
        return budgets == state_.budgets.end() ? nullptr : &lookups_.try_emplace(ns, budgets->second).first->second;
    }

    const State& state_;
    std::map<const DisruptionBudget*, std::uint32_t> numbers_;
    mutable std::map<std::string_view, BudgetLookup> lookups_;  // By namespace, of those that were asked for.
    RunningGangs out_;
};

RunningGangs Cluster::running(const Snapshot&, Foreign foreign) const {
    return State::Running(*state_).collect(foreign);
}

RunningGang Cluster::running_gang(const GroupKey& root) const {
    return State::Running(*state_).gang_of(root);
}

}  // namespace echelon::model
