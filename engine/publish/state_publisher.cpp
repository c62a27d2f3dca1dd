#include "engine/publish/state_publisher.hpp"

#include <string_view>
#include <unordered_set>
#include <utility>

namespace echelon::engine {

namespace {

auto is(const base::Text& uid) {
    return [&uid](const base::Text& other) { return other == uid; };
}

}  // namespace

void StatePublisher::replace(const model::GroupKey& root, OfGang verdicts) {
    if (verdicts.empty())
        return drop_all(root);
    auto& gang = gang_of(root);
    auto& uids = gang.uids;
    for (auto& [uid, verdict] : verdicts) {
        verdict.owner = gang.number;
        verdicts_.put(uid, std::move(verdict));
        add(uids, uid);
    }
    if (uids.size() == verdicts.size())
        return;
    std::unordered_set<std::string_view> now_there;
    for (const auto& [uid, verdict] : verdicts)
        now_there.insert(uid);
    std::vector<base::Text> gone;
    for (const auto& uid : uids) {
        if (!now_there.contains(uid))
            gone.push_back(uid);
    }
    for (const auto& uid : gone)
        drop(root, uid);
}

void StatePublisher::add(Uids& uids, const base::Text& uid) {
    if (uids.find(base::hash_of(uid), is(uid)) == nullptr)
        uids.insert(base::hash_of(uid), uid);
}

bool StatePublisher::take(Uids& uids, const base::Text& uid) {
    if (uids.find(base::hash_of(uid), is(uid)) == nullptr)
        return false;
    uids.take(base::hash_of(uid), is(uid));
    return true;
}

void StatePublisher::set(const model::GroupKey& root, const base::Text& uid, Verdict verdict) {
    auto& gang = gang_of(root);
    add(gang.uids, uid);
    verdict.owner = gang.number;
    verdicts_.put(uid, std::move(verdict));
}

void StatePublisher::drop(const model::GroupKey& root, const base::Text& uid) {
    const auto gang = gangs_.find(root);
    if (gang != gangs_.end() && take(gang->second.uids, uid))
        erase(gang->second, uid);
}

void StatePublisher::drop_all(const model::GroupKey& root) {
    const auto gang = gangs_.extract(root);
    if (gang.empty())
        return;
    for (const auto& uid : gang.mapped().uids)
        erase(gang.mapped(), uid);
}

StatePublisher::Gang& StatePublisher::gang_of(const model::GroupKey& root) {
    const auto [known, is_new] = gangs_.try_emplace(root);
    if (is_new)
        known->second.number = ++last_number_;
    return known->second;
}

void StatePublisher::erase(const Gang& gang, const base::Text& uid) {
    const auto* verdict = verdicts_.find(uid);
    if (verdict != nullptr && verdict->owner == gang.number)
        verdicts_.erase(uid);  // Otherwise the pod belongs to another gang now.
}

PublishedState StatePublisher::published() {
    PublishedState published;
    published.verdicts = verdicts_;
    published.gangs = views_;
    published.version = ++version_;
    return published;
}

}  // namespace echelon::engine
