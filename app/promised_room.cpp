#include "app/promised_room.hpp"

#include "engine/plan/starvation.hpp"
#include "engine/reserve/node_room.hpp"
#include "engine/surroundings.hpp"
#include "model/gang/member_names.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace echelon::app {

namespace {

bool may_take(const model::Node& node, const model::Amounts& requests) {
    return node.ready && !node.unschedulable && std::ranges::all_of(requests.entries(), [&](const auto& entry) {
               return node.allocatable.of(entry.first) >= entry.second;
           });
}

// Placeholders have no pod yet.
bool holds(const engine::Hold& hold, const model::Pod* pod, const model::Cluster& cluster) {
    const auto node = cluster.node(hold.node);
    const bool is_its =
        pod == nullptr || (!pod->deleting && !pod->is_finished() && cluster.root_of(*pod) == hold.owner &&
                           pod->pod_class.requests == hold.requests);
    return is_its && node && may_take(*node, hold.requests);
}

}  // namespace

void PromisedRoom::keep_what_holds(const model::Cluster& cluster) {
    std::vector<std::string> void_promises;
    for (const auto* held : ledger_.holds()) {
        const auto& [uid, hold] = *held;
        const bool is_of_gang = !hold.owner.name.empty();
        if (is_of_gang && !holds(hold, cluster.pod(uid), cluster))
            void_promises.push_back(uid);
    }
    for (const auto& uid : void_promises)
        ledger_.release(uid);
}

void PromisedRoom::take(model::Snapshot& snapshot) const {
    ledger_.apply(snapshot);
}

std::vector<model::ExpectedPod> PromisedRoom::expected_beside(const model::GroupKey& root) const {
    return ledger_.placed_by_others(root);
}

void PromisedRoom::seat(model::Gang& gang, model::Snapshot& snapshot) {
    if (ledger_.nodes_of(gang.root).empty())
        return;
    std::map<std::string, model::Member*> waiting;
    for (std::uint32_t m = 0; m < gang.members.size(); ++m) {
        if (gang.members[m].state == model::Member::State::waiting)
            waiting.emplace(model::uid_of(gang, m).str(), &gang.members[m]);
    }
    std::vector<std::string> left;
    for (const auto* held : ledger_.holds()) {
        const auto& [uid, hold] = *held;
        if (hold.owner != gang.root)
            continue;
        const auto member = waiting.find(uid);
        const auto node = snapshot.node(hold.node);
        if (member == waiting.end() || !node) {
            left.push_back(uid);
            continue;
        }
        member->second->state = model::Member::State::bound;
        member->second->node = *node;
    }
    if (left.empty())
        return;
    ledger_.give_back(snapshot, gang.root);
    for (const auto& uid : left)
        ledger_.release(uid);
    ledger_.apply_owner(snapshot, gang.root);
}

PromisedRoom::Withheld PromisedRoom::withhold(const engine::Facts& facts, model::Snapshot& snapshot,
                                              const model::Gang& gang, bool finishes) {
    const auto passes = [&](const engine::DomainReservation& reservation) {
        return finishes || engine::may_pass(facts, gang, reservation);
    };
    auto closed = reservations_.closed_to(gang.root, snapshot, passes);
    auto reserved = closed.take_room(snapshot);
    const engine::NodeRoom room(facts, ledger_);
    return {std::move(closed), std::move(reserved), room.take_nominated(snapshot, gang.priority),
            engine::RefusedWhilePlanned(snapshot, refused_nodes_, gang.root)};
}

void PromisedRoom::surround(const engine::Facts& facts, model::Snapshot& snapshot, const model::Gang& gang,
                            bool finishes, solver::ClusterContext& around) {
    for (const auto* held : ledger_.holds()) {
        const auto& [uid, hold] = *held;
        const auto node = snapshot.node(hold.node);
        if (node && hold.owner != gang.root)
            engine::append_hold(around, facts.cluster, uid, hold, *node);
    }
    for (const auto& [owner, reservation] : reservations_.all()) {
        if (owner != gang.root && !finishes && !engine::may_pass(facts, gang, reservation))
            engine::take_reservation(around, snapshot, owner, reservation);
    }
    static_cast<void>(refused_nodes_.close(snapshot, gang.root));
    const engine::NodeRoom room(facts, ledger_);
    auto nominated = room.take_nominated(snapshot, gang.priority);
    engine::append_nominated(around, facts.cluster, snapshot, nominated);
    nominated.keep();
}

}  // namespace echelon::app
