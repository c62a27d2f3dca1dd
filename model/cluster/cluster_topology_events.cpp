// How topology objects, declared domains and priority classes change the cluster, and which levels terms of members
// need.

#include "model/cluster/cluster_state.hpp"

#include <string>

namespace echelon::model {

// Levels that groups ask for, and topologyKeys of members' affinity terms.
void Cluster::State::ask_levels() {
    const auto version = forest.asked_version() + (affinity_terms.version() << 32U);
    if (version == asked_version)
        return;
    asked_version = version;
    auto asked = forest.asked();
    asked.insert(affinity_terms.topology_keys().begin(), affinity_terms.topology_keys().end());
    node_index.ask(asked, version);
}

void Cluster::State::on(const TopologySeen& event, Change& change) {
    if (!node_index.see(event.topology))
        return;
    change.may_free_room = true;
    change.topology = true;
}

void Cluster::State::on(const TopologyGone& event, Change& change) {
    if (!node_index.forget(event.source, event.api_kind, event.name))
        return;
    change.may_free_room = true;
    change.topology = true;
}

void Cluster::State::on(const DomainSeen& event, Change& change) {
    if (!node_index.see(event.domain))
        return;
    change.may_free_room = true;
    change.topology = true;
}

void Cluster::State::on(const DomainGone& event, Change& change) {
    if (!node_index.forget_domain(event.name))
        return;
    change.may_free_room = true;
    change.topology = true;
}

void Cluster::State::on(const PriorityClassSeen& event, Change& change) {
    const PriorityClass now{.value = event.value, .preempts = event.preempts, .is_default = event.is_default};
    const auto [known, is_new] = classes.try_emplace(event.name, now);
    const auto before = std::exchange(known->second, now);
    if (is_new || before != now)
        affected.add_users_of(event.name, before.is_default || now.is_default, change.gangs);
}

void Cluster::State::on(const PriorityClassGone& event, Change& change) {
    const auto known = classes.find(event.name);
    if (known == classes.end())
        return;
    const bool was_default = known->second.is_default;
    classes.erase(known);
    affected.add_users_of(event.name, was_default, change.gangs);
}

void Cluster::State::on(const BudgetSeen& event, Change&) {
    budgets[event.budget.ns].insert_or_assign(event.budget.name, event.budget);
}

void Cluster::State::on(const BudgetGone& event, Change&) {
    const auto here = budgets.find(event.ns);
    if (here != budgets.end() && here->second.erase(event.name) > 0 && here->second.empty())
        budgets.erase(here);
}

}  // namespace echelon::model
