// What filter calls tell: who sleeps and must be woken, and which nodes kube-scheduler's own filters refuse (rules R3,
// R16).

#include "engine/state.hpp"
#include "model/facts/eligibility.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr std::uint32_t misses_to_believe = 3;

}  // namespace

void Engine::State::on(const Filtered& filtered) {
    asked.add(filtered.uid);
    if (filtered.answer == Filtered::Answer::passed || filtered.answer == Filtered::Answer::pinned)
        return;
    if (filtered.answer == Filtered::Answer::refused)
        refused.add(filtered.uid);
    const auto* pod = cluster.pod(filtered.uid);
    const auto root = pod != nullptr ? cluster.root_of(*pod) : std::nullopt;
    auto* gang = root ? find_gang(*root) : nullptr;
    if (gang == nullptr)
        return;
    auto found = gang->seats.find(filtered.uid);
    if (found == gang->seats.end())
        return;
    auto& seat = found->second;
    touched.insert(gang->root);
    if (filtered.answer == Filtered::Answer::refused) {
        // It was answered from an older picture; without a wake-up it might stay parked (rule R16).
        seat.was_refused_by_filter = true;
        if (seat.release == SeatState::Release::released)
            seat.kick_at = std::min(seat.kick_at, now + kick_delay(seat));
        return;
    }
    // A list may be sampled, and one of one name may be an older nomination. Where members are nominated kube-scheduler
    // has looked at the seat first: only a nomination that stands makes a miss evidence. Without nominations a list of
    // one name is the whole list of a small cluster. Only repetition counts (rule R3).
    const bool may_be_nomination = filtered.names <= 1 && nominates(*pod);
    if (filtered.names == 0 || may_be_nomination || filtered.node != seat.node ||
        seat.binding != SeatState::Binding::idle)
        return;
    seat.was_refused_by_filter = true;
    seat.kick_at = std::min(seat.kick_at, now + kick_delay(seat));
    if (nominates(*pod) && pod->nominated_node != seat.node)
        return;
    if (++seat.offers_without_seat < misses_to_believe)
        return;
    refused_nodes.add(pod->shape, seat.node, now + options.refused_node_memory);
    note(Note::Level::info, gang,
         fmt::format("kube-scheduler's own filters refuse node \"{}\" for pod \"{}\"", seat.node, pod->full_name()));
    mark(*gang, false);
}

bool Engine::State::is_refused_only(const std::string& uid, const std::string& node) const {
    const auto* pod = cluster.pod(uid);
    if (pod == nullptr)
        return false;
    const auto facts = refused_nodes.contains(pod->shape, node) ? cluster.node(node) : std::nullopt;
    return facts && model::may_host(*facts, pod->shape);
}

void Engine::State::forget_refused_nodes() {
    if (refused_nodes.forget(now))
        capacity_may_be_free = true;
}

}  // namespace echelon::engine
