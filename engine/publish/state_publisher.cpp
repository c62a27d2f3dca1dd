#include "engine/publish/state_publisher.hpp"

#include <utility>

namespace echelon::engine {

StatePublisher::StatePublisher() : published_views_(std::make_shared<const Views>()) {}

void StatePublisher::replace(const model::GroupKey& root, OfGang verdicts) {
    if (verdicts.empty())
        return drop_all(root);
    auto& uids = uids_[root];
    std::unordered_set<std::string> now_there;
    now_there.reserve(verdicts.size());
    for (auto& [uid, verdict] : verdicts) {
        verdicts_.put(uid, std::move(verdict));
        now_there.insert(std::move(uid));
    }
    for (const auto& uid : uids) {
        if (!now_there.contains(uid))
            erase(root, uid);
    }
    uids = std::move(now_there);
}

void StatePublisher::set(const model::GroupKey& root, const std::string& uid, Verdict verdict) {
    uids_[root].insert(uid);
    verdicts_.put(uid, std::move(verdict));
}

void StatePublisher::drop(const model::GroupKey& root, const std::string& uid) {
    const auto uids = uids_.find(root);
    if (uids != uids_.end() && uids->second.erase(uid) > 0)
        erase(root, uid);
}

void StatePublisher::drop_all(const model::GroupKey& root) {
    const auto uids = uids_.extract(root);
    if (uids.empty())
        return;
    for (const auto& uid : uids.mapped())
        erase(root, uid);
}

void StatePublisher::erase(const model::GroupKey& root, const std::string& uid) {
    const auto* verdict = verdicts_.find(uid);
    if (verdict != nullptr && verdict->gang == root.name)
        verdicts_.erase(uid);  // Otherwise the pod belongs to another gang now.
}

void StatePublisher::show(const std::string& name, GangView view) {
    views_[name] = std::make_shared<const GangView>(std::move(view));
    are_views_stale_ = true;
}

void StatePublisher::hide(const std::string& name) {
    views_.erase(name);
    are_views_stale_ = true;
}

PublishedState StatePublisher::published() {
    if (std::exchange(are_views_stale_, false))
        published_views_ = std::make_shared<const Views>(views_);
    PublishedState published;
    published.verdicts = verdicts_.shared();
    published.gangs = published_views_;
    published.version = ++version_;
    return published;
}

}  // namespace echelon::engine
