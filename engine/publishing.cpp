// The picture: what filter and the admin port may read. Only what changed is copied.

#include "base/shortened.hpp"
#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <memory>
#include <utility>

namespace echelon::engine {

namespace {

// What a member without a seat is told. Constant for as long as the verdict stands (rule R15).
std::string refusal_text(const GangState& gang) {
    if (!gang.refusal) {
        const bool is_placed = !gang.seats.empty() || gang.was_bound;
        return texts::about(gang.root.name, is_placed ? texts::no_room_for_extras : texts::waiting_for_members);
    }
    if (gang.refusal->reason == model::Reason::incomplete) {
        return texts::about(gang.root.name, texts::waiting_for_members);
    }
    return texts::about(gang.root.name, gang.refusal->sentence);
}

}  // namespace

void Engine::State::refresh_verdicts(GangState& gang) {
    gang.answers_stale = false;
    PublishedState::Verdicts verdicts;
    const std::string text = base::shortened(refusal_text(gang), options.limits.message_bytes);
    for (const auto& uid : cluster.members_of(gang.root)) {
        const auto* pod = cluster.pod(uid);
        if (pod == nullptr || !pod->node.empty())
            continue;
        Verdict verdict;
        verdict.gang = gang.root.name;
        if (auto seat = gang.seats.find(uid); seat != gang.seats.end()) {
            verdict.kind = Verdict::Kind::pinned;
            verdict.node = seat->second.node;
        } else {
            verdict.text = text;
        }
        verdicts.emplace(uid, std::move(verdict));
    }
    published.replace(gang.root, std::move(verdicts));
}

std::shared_ptr<const Picture> Engine::State::picture() {
    auto picture = std::make_shared<Picture>(published.picture());
    picture->unsynced.assign(unsynced.begin(), unsynced.end());
    picture->draining = is_draining;
    picture->stats = figures.stats();
    picture->stats.barrier_waiting = static_cast<std::uint32_t>(outbox.member_calls());
    picture->stats.nodes = static_cast<std::uint32_t>(cluster.node_count());
    picture->stats.pods = static_cast<std::uint32_t>(cluster.pod_count());
    picture->stats.groups = static_cast<std::uint32_t>(cluster.group_count());
    picture->census = figures.census();
    return picture;
}

}  // namespace echelon::engine
