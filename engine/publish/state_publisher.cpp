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
    auto& uids = uids_[root];
    for (auto& [uid, verdict] : verdicts) {
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
    add(uids_[root], uid);
    verdicts_.put(uid, std::move(verdict));
}

void StatePublisher::drop(const model::GroupKey& root, const base::Text& uid) {
    const auto uids = uids_.find(root);
    if (uids != uids_.end() && take(uids->second, uid))
        erase(root, uid);
}

void StatePublisher::drop_all(const model::GroupKey& root) {
    const auto uids = uids_.extract(root);
    if (uids.empty())
        return;
    for (const auto& uid : uids.mapped())
        erase(root, uid);
}

void StatePublisher::erase(const model::GroupKey& root, const base::Text& uid) {
    const auto* verdict = verdicts_.find(uid);
    if (verdict != nullptr && verdict->gang == root.name)
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
