// Continues a clearing from the record of an earlier run or leader. Any client with write access to GangPlans may have
// written the record. So its victims are judged again, and none is added.

#include "engine/preempt/clearings.hpp"
#include "model/facts/usage.hpp"
#include "model/gang/gang_facts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Step = ClearingVictim::Step;

struct Candidate {
    const model::RunningPod* pod = nullptr;
    const model::RunningGang* gang = nullptr;
};

std::map<std::string_view, Candidate> candidates_in(const model::RunningGangs& running) {
    std::map<std::string_view, Candidate> found;
    for (const auto& gang : running.gangs) {
        for (const auto& pod : gang.pods)
            found.emplace(pod.uid, Candidate{.pod = &pod, .gang = &gang});
    }
    return found;
}

using Seats = std::vector<std::pair<const model::Pod*, base::Text>>;  // Members and their nodes.

// True if the seats fit beside all holds once the victims have gone. Others may have taken the room since the record
// was written.
bool has_room(const model::Cluster& cluster, const Ledger& ledger, const Seats& seats,
              const std::vector<ClearingVictim>& victims) {
    std::map<std::string, model::Amounts> wanted;  // By node.
    std::map<std::string, model::Amounts> leaving;
    for (const auto& [pod, node] : seats)
        wanted[node.str()].add(pod->pod_class.requests);
    for (const auto& victim : victims)
        leaving[victim.facts.node].add(victim.requests);
    return std::ranges::all_of(wanted, [&](const auto& entry) {
        const auto& [node, amounts] = entry;
        return std::ranges::all_of(cluster.left_on(node, amounts), [&](const auto& left) {
            const auto beside_holds = left.second - ledger.taken_on(node, left.first);
            const auto freed = model::freed(left.second, leaving[node].of(left.first));
            return model::saturating_sum(beside_holds, freed) >= amounts.of(left.first);
        });
    });
}

}  // namespace

// Terminating pods were evicted already. The others must be pods that may be evicted now (U3, U4).
std::vector<ClearingVictim> Clearings::victims_of(const GangState& gang, const model::PlanRecord& record) const {
    const auto& cluster = p_.facts.cluster;
    const auto foreign =
        p_.facts.options.preemption.foreign ? model::Cluster::Foreign::included : model::Cluster::Foreign::left_out;
    const auto running = cluster.running(cluster.current(), foreign);
    const auto candidates = candidates_in(running);
    const auto priority = model::priority_of(cluster.facts(gang.root()));
    std::vector<ClearingVictim> victims;
    for (const auto& facts : record.victims) {
        const auto* pod = cluster.pod(facts.uid);
        if (pod == nullptr || pod->full_name() != facts.pod || pod->node != facts.node || !pod->occupies())
            continue;
        ClearingVictim victim{.facts = facts, .requests = pod->pod_class.requests};
        const auto found = candidates.find(facts.uid);
        if (pod->deleting) {
            victim.step = Step::evicted;
        } else if (found == candidates.end() || found->second.pod->is_protected ||
                   found->second.gang->priority >= priority) {
            continue;
        } else {
            victim.has_budget = found->second.pod->selecting_budgets > 0;
            victim.facts.gang = found->second.gang->name;
        }
        victims.push_back(std::move(victim));
    }
    return victims;
}

void Clearings::adopt(GangState& gang) {
    if (!gang.record().written || gang.record().written->victims.empty() || gang.lifecycle.is_clearing())
        return;
    const auto record = *gang.record().written;
    auto& state = gang.clearing(Key<Clearings>());
    auto victims = victims_of(gang, record);
    for (const auto* pod : p_.facts.cluster.members_of(gang.root()))
        state.profile = pod->scheduler_name;
    const bool goes_on = record.phase == model::Phase::clearing && gang.lifecycle.stage() == Stage::pending &&
                         gang.roster.seats().empty();
    Seats seats;
    for (const auto& seat : record.seats) {
        if (goes_on && p_.records.is_waiting(gang, seat.uid))
            seats.emplace_back(p_.facts.cluster.pod(seat.uid), seat.node);
    }
    if (has_room(p_.facts.cluster, p_.ledger, seats, victims)) {
        for (const auto& [pod, node] : seats)
            p_.seating.restore(gang, *pod, node);
    }
    if (!goes_on || gang.roster.seats().empty()) {
        std::erase_if(victims, [](const ClearingVictim& victim) { return victim.step != Step::evicted; });
        return set_victims(gang, std::move(victims));
    }
    begin(gang, std::move(victims));
    state.seats = record.seats.size();
    state.generation = record.observed_generation;
    p_.outbox.note(Note::Level::info, gang.root(), "found the record of its victims, and goes on with it");
}

}  // namespace echelon::engine
