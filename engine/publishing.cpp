// The picture: what filter and the admin port may read. Only what changed is copied.

#include "engine/state.hpp"
#include "engine/texts.hpp"

#include <algorithm>
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
    gang.verdicts_stale = false;
    auto& uids = verdict_uids[gang.root];
    std::set<std::string> now_there;
    const std::string text = refusal_text(gang);
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
        const auto shard = Picture::shard_of(uid);
        now_there.insert(uid);
        auto& published = verdicts[shard][uid];
        if (published == verdict)
            continue;
        published = std::move(verdict);
        stale_shards.insert(shard);
    }
    for (const auto& uid : uids) {
        if (now_there.contains(uid))
            continue;
        erase_verdict(gang.root, uid);
    }
    uids = std::move(now_there);
}

void Engine::State::remove_verdicts(const model::GroupKey& root) {
    auto found = verdict_uids.find(root);
    if (found == verdict_uids.end())
        return;
    for (const auto& uid : found->second)
        erase_verdict(root, uid);
    verdict_uids.erase(found);
}

void Engine::State::drop_verdict(GangState& gang, const std::string& uid) {
    const auto uids = verdict_uids.find(gang.root);
    if (uids != verdict_uids.end() && uids->second.erase(uid) > 0)
        erase_verdict(gang.root, uid);
}

void Engine::State::erase_verdict(const model::GroupKey& root, const std::string& uid) {
    const auto shard = Picture::shard_of(uid);
    const auto found = verdicts[shard].find(uid);
    if (found == verdicts[shard].end() || found->second.gang != root.name)
        return;
    verdicts[shard].erase(found);
    stale_shards.insert(shard);
}

std::shared_ptr<const Picture> Engine::State::picture() {
    for (const auto shard : stale_shards) {
        published_shards[shard] = std::make_shared<const Picture::Shard>(verdicts[shard]);
    }
    stale_shards.clear();
    auto picture = std::make_shared<Picture>();
    picture->shards = published_shards;
    picture->unsynced.assign(unsynced.begin(), unsynced.end());
    picture->draining = is_draining;
    picture->version = ++version;

    stats.barrier_waiting = static_cast<std::uint32_t>(member_calls.size());
    stats.nodes = static_cast<std::uint32_t>(cluster.node_count());
    stats.pods = static_cast<std::uint32_t>(cluster.pod_count());
    stats.groups = static_cast<std::uint32_t>(cluster.group_count());
    picture->stats = stats;
    if (!published_census)
        published_census = std::make_shared<const Census>(census);
    picture->census = published_census;
    if (views_stale) {
        published_views = std::make_shared<const std::map<std::string, std::shared_ptr<const GangView>>>(views);
        views_stale = false;
    }
    picture->gangs = published_views;
    return picture;
}

}  // namespace echelon::engine
