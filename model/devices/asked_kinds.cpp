#include "model/devices/asked_kinds.hpp"

#include <vector>

namespace echelon::model {

AskedKinds::Note AskedKinds::add(const std::string& ns, const RequestKey& key, bool wants_all) {
    const auto [known, is_new] = by_key_.try_emplace(key);
    auto& asked = known->second;
    if (is_new) {
        asked.parts = parts_of(key);
        asked.not_understood = why_not_understood(key);
    }
    ++asked.requests;
    asked.for_all += wants_all ? 1U : 0U;
    bool is_news = is_new || (wants_all && asked.for_all == 1);
    if (asked.not_understood.empty()) {
        auto& own = by_namespace_[ns][&known->first];
        own.parts = asked.parts;
        is_news = ++own.requests == 1 || is_news;
    }
    return {.key = &known->first, .is_news = is_news};
}

bool AskedKinds::drop(const std::string& ns, const RequestKey& key, bool wants_all) {
    const auto known = by_key_.find(key);
    auto& asked = known->second;
    asked.for_all -= wants_all ? 1U : 0U;
    bool is_news = wants_all && asked.for_all == 0;
    if (asked.not_understood.empty()) {
        const auto keys = by_namespace_.find(ns);
        const auto own = keys->second.find(&known->first);
        if (--own->second.requests == 0) {
            is_news = true;
            keys->second.erase(own);
        }
        if (keys->second.empty())
            by_namespace_.erase(keys);
    }
    if (--asked.requests == 0)
        by_key_.erase(known);
    return is_news;
}

const AskedKinds::Asked* AskedKinds::find(const RequestKey& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? nullptr : &known->second;
}

const RequestKey* AskedKinds::kept(const RequestKey& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? nullptr : &known->first;
}

void AskedKinds::choose(std::set<RequestKey>& chosen) const {
    struct Turn {
        Keys::const_iterator next;
        Keys::const_iterator end;
        std::size_t parts = 0;
    };
    std::vector<Turn> turns;
    turns.reserve(by_namespace_.size());
    for (const auto& [ns, keys] : by_namespace_)
        turns.push_back({.next = keys.begin(), .end = keys.end()});
    for (std::size_t nth = 0; nth < most_of_namespace && !turns.empty(); ++nth) {
        std::set<const RequestKey*, ByText> of_round;
        for (auto& turn : turns) {
            turn.parts += turn.next->second.parts;
            if (turn.parts > most_parts_of_namespace) {
                turn.next = turn.end;
            } else {
                of_round.insert(turn.next++->first);
            }
        }
        std::erase_if(turns, [](const Turn& turn) { return turn.next == turn.end; });
        for (const auto* key : of_round) {
            if (chosen.size() < RequestKinds::most_kinds)
                chosen.insert(*key);
        }
        if (chosen.size() == RequestKinds::most_kinds)
            break;
    }
}

}  // namespace echelon::model
