#include "engine/publish/published_state.hpp"

#include <utility>

namespace echelon::engine {

PublishedState::PublishedState() : published_views_(std::make_shared<const Views>()) {}

void PublishedState::replace(const model::GroupKey& root, Verdicts verdicts) {
    auto& uids = uids_[root];
    std::set<std::string> now_there;
    for (auto& [uid, verdict] : verdicts) {
        now_there.insert(now_there.end(), uid);
        const auto shard = Picture::shard_of(uid);
        auto& published = verdicts_[shard][uid];
        if (published == verdict)
            continue;
        published = std::move(verdict);
        stale_shards_.insert(shard);
    }
    for (const auto& uid : uids) {
        if (!now_there.contains(uid))
            erase(root, uid);
    }
    uids = std::move(now_there);
}

void PublishedState::drop(const model::GroupKey& root, const std::string& uid) {
    const auto uids = uids_.find(root);
    if (uids != uids_.end() && uids->second.erase(uid) > 0)
        erase(root, uid);
}

void PublishedState::drop_all(const model::GroupKey& root) {
    const auto uids = uids_.extract(root);
    if (uids.empty())
        return;
    for (const auto& uid : uids.mapped())
        erase(root, uid);
}

void PublishedState::erase(const model::GroupKey& root, const std::string& uid) {
    const auto shard = Picture::shard_of(uid);
    const auto found = verdicts_[shard].find(uid);
    if (found == verdicts_[shard].end() || found->second.gang != root.name)
        return;  // Another gang has the pod now.
    verdicts_[shard].erase(found);
    stale_shards_.insert(shard);
}

void PublishedState::show(const std::string& name, GangView view) {
    views_[name] = std::make_shared<const GangView>(std::move(view));
    are_views_stale_ = true;
}

void PublishedState::hide(const std::string& name) {
    views_.erase(name);
    are_views_stale_ = true;
}

Picture PublishedState::picture() {
    for (const auto shard : stale_shards_)
        published_shards_[shard] = std::make_shared<const Picture::Shard>(verdicts_[shard]);
    stale_shards_.clear();
    if (std::exchange(are_views_stale_, false))
        published_views_ = std::make_shared<const Views>(views_);
    Picture picture;
    picture.shards = published_shards_;
    picture.gangs = published_views_;
    picture.version = ++version_;
    return picture;
}

}  // namespace echelon::engine
