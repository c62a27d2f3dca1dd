// What filter calls tell: who sleeps and must be woken, and which nodes kube-scheduler's own filters refuse (rules R3,
// R16).

#include "engine/state.hpp"
#include "model/eligibility.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

constexpr std::uint32_t misses_to_believe = 3;
constexpr std::size_t refused_nodes_limit = 10'000;  // The oldest is forgotten first.

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
        seat.was_refused = true;
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
    seat.was_refused = true;
    seat.kick_at = std::min(seat.kick_at, now + kick_delay(seat));
    if (nominates(*pod) && pod->nominated_node != seat.node)
        return;
    if (++seat.misses < misses_to_believe)
        return;
    refuse_node(pod->shape, seat.node);
    note(Note::Level::info, gang,
         fmt::format("kube-scheduler's own filters refuse node \"{}\" for pod \"{}\"", seat.node, pod->full_name()));
    mark(*gang, false);
}

void Engine::State::refuse_node(const model::PodShape& shape, const std::string& node) {
    const Time until = now + options.refused_node_memory;
    const auto found = std::ranges::find_if(
        refused_nodes, [&](const RefusedNode& refusal) { return refusal.node == node && refusal.shape == shape; });
    if (found != refused_nodes.end()) {
        found->until = until;
        return;
    }
    if (refused_nodes.size() >= refused_nodes_limit)
        refused_nodes.erase(refused_nodes.begin());
    refused_nodes.push_back({shape, node, until});
}

bool Engine::State::is_refused_only(const std::string& uid, const std::string& node) const {
    const auto* pod = cluster.pod(uid);
    if (pod == nullptr)
        return false;
    const bool is_refused = std::ranges::any_of(
        refused_nodes, [&](const RefusedNode& refusal) { return refusal.node == node && refusal.shape == pod->shape; });
    const auto facts = is_refused ? cluster.node(node) : std::nullopt;
    return facts && model::may_host(*facts, pod->shape);
}

void Engine::State::forget_refused_nodes() {
    const auto is_over = [this](const RefusedNode& refusal) { return refusal.until <= now; };
    if (std::erase_if(refused_nodes, is_over) > 0)
        room_may_have_come = true;
}

}  // namespace echelon::engine
