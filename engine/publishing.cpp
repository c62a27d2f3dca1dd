// Publishing: the verdicts and figures of each gang, and the published state that is made of them.

#include "base/shortened.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <cassert>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

// The refusal text for members without a seat. Constant for as long as the verdict is the same (rule R15).
std::string refusal_text(const GangState& gang) {
    if (gang.lifecycle.is_clearing())
        return texts::about(gang.root().name, texts::clearing);
    const auto& refusal = gang.plan().refusal;
    if (!refusal) {
        const bool is_placed = !gang.roster.seats().empty() || gang.lifecycle.was_bound();
        return texts::about(gang.root().name, is_placed ? texts::no_room_for_extras : texts::waiting_for_members);
    }
    if (refusal->reason == model::Reason::incomplete)
        return texts::about(gang.root().name, texts::waiting_for_members);
    return texts::about(gang.root().name, refusal->sentence);
}

}  // namespace

void Engine::State::refresh_verdicts(GangState& gang) {
    const auto& root = gang.root();
    const base::Text text = base::shortened(refusal_text(gang), facts_.options.limits.message_bytes);
    const bool covers_all = gang.verdicts.covers_all() || !gang.verdicts.has_text(text);
    const auto changed = gang.verdicts.take(text);
    if (covers_all) {
        StatePublisher::OfGang verdicts;
        const auto members = facts_.cluster.members_of(root);
        verdicts.reserve(members.size());
        for (const auto* pod : members) {
            if (auto verdict = verdict_on(gang, *pod, text))
                verdicts.emplace_back(pod->uid, std::move(*verdict));
        }
        gang.verdicts.set_tree_cut(facts_.cluster.is_tree_cut(root));
        return publisher_.replace(root, std::move(verdicts));
    }
    for (const auto& uid : changed) {
        const auto* pod = facts_.cluster.pod(uid);
        auto verdict =
            pod != nullptr && facts_.cluster.root_of(*pod) == root ? verdict_on(gang, *pod, text) : std::nullopt;
        if (verdict) {
            publisher_.set(root, uid, std::move(*verdict));
        } else {
            publisher_.drop(root, uid);
        }
    }
}

std::optional<Verdict> Engine::State::verdict_on(const GangState& gang, const model::Pod& pod,
                                                 const base::Text& text) const {
    if (!pod.node.empty())
        return std::nullopt;
    Verdict verdict;
    verdict.gang = gang.root().name;
    // While the gang is clearing, victims still use the room of the seats (P3).
    if (const auto* seat = gang.lifecycle.is_clearing() ? nullptr : gang.roster.seat(pod.uid)) {
        verdict.kind = Verdict::Kind::pinned;
        verdict.node = seat->node;
    } else {
        verdict.text = text;
    }
    return verdict;
}

void Engine::State::update_figures(GangState& gang) {
    gang.lifecycle.members_changed(gang.roster);
    if (const auto illegal = gang.lifecycle.take_illegal_transition()) {
        const bool commits = illegal->second == Stage::recording || illegal->second == Stage::committed;
        figures_.violated(commits ? Invariant::no_partial_gang : Invariant::no_late_commit, gang.root(),
                          fmt::format("it went from {} to {}, which the table of transitions doesn't have",
                                      to_string(illegal->first), to_string(illegal->second)));
        assert(!"a transition that the table doesn't have");
    }
    const auto& seats = gang.roster.seats();
    const bool is_committing = gang.lifecycle.is_committing();
    if (!seats.empty() && !is_committing && gang.hold().expires_at == never)
        figures_.violated(Invariant::holds_finite, gang.root(), "it holds seats that have no end");
    GaugeShare share{.is_counted = true, .phase = PlanRecords::phase(gang), .reason = {}, .level = {}};
    if (const auto& refusal = gang.plan().refusal) {
        share.reason = refusal->reason;
        share.level = refusal->level;
    }
    (is_committing ? share.committed_seats : share.held_seats) =
        static_cast<std::uint32_t>(seats.size() + gang.hold().placeholders.size());
    figures_.replace(gang.counted, std::move(share));
    promised_.note(gang);
}

std::shared_ptr<const PublishedState> Engine::State::published() {
    auto published = std::make_shared<PublishedState>(publisher_.published());
    const auto& cluster = facts_.cluster;
    published->promises = promised_.publish();
    published->scores = scorer_.publish();
    published->unsynced.assign(facts_.unsynced.begin(), facts_.unsynced.end());
    published->draining = facts_.is_draining;
    published->stats = figures_.stats();
    published->stats.barrier_waiting = static_cast<std::uint32_t>(outbox_.member_calls());
    published->stats.nodes = static_cast<std::uint32_t>(cluster.node_count());
    published->stats.pods = static_cast<std::uint32_t>(cluster.pod_count());
    published->stats.groups = static_cast<std::uint32_t>(cluster.group_count());
    published->topology_counts = figures_.topology_counts();
    return published;
}

}  // namespace echelon::engine
