#include "model/devices/request_kinds.hpp"

#include "base/shortened.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <expected>
#include <tuple>
#include <utility>

namespace echelon::model {

namespace {

constexpr std::size_t longest_words = 80;
// How many sets of takers are visited while sets of competing kinds are looked for: about 10 ms.
constexpr std::size_t most_visits = 4'000'000;

bool tolerates(const RequestKey& key, const Taint& taint) {
    return std::ranges::any_of(key.tolerations, [&](const Toleration& toleration) {
        const bool is_for_key = toleration.key.empty() ? toleration.exists : toleration.key == taint.key;
        const bool is_for_effect = !toleration.effect || *toleration.effect == taint.effect;
        return is_for_key && is_for_effect && (toleration.exists || toleration.value == taint.value);
    });
}

DeviceSelector::Answer judge_all(const std::vector<DeviceSelector>& selectors, std::string_view driver,
                                 const Device& device) {
    for (const auto& selector : selectors) {
        if (const auto answer = selector.judge(driver, device); answer != DeviceSelector::Answer::yes)
            return answer;
    }
    return DeviceSelector::Answer::yes;
}

// `kinds`, and those of `some` that can take only devices that one of `kinds` can take.
KindSet closed(KindSet kinds, KindSet some, const std::vector<KindSet>& takers) {
    KindSet without = 0;
    KindSet seen = 0;
    for (const auto of : takers) {
        seen |= of;
        if ((of & kinds) == 0)
            without |= of;
    }
    return kinds | (some & seen & ~without);
}

std::string words_of(const RequestKey& key) {
    std::string words;
    for (std::size_t i = key.class_selectors; i < key.selectors.size(); ++i)
        words += (words.empty() ? " with " : " and ") + key.selectors[i];
    for (const auto& toleration : key.tolerations) {
        words += (words.empty() ? " tolerating " : ", tolerating ") + (toleration.key.empty() ? "*" : toleration.key) +
                 (toleration.value.empty() ? "" : "=" + toleration.value);
    }
    std::ranges::replace(words, '\n', ' ');
    return key.device_class + base::shortened(std::move(words), longest_words);
}

std::string text_of(const RequestKey& key) {
    std::string text = std::string(device_prefix) + words_of(key);
    for (const auto& alternative : key.alternatives)
        text += ", else " + words_of(alternative);
    return text;
}

std::expected<std::vector<DeviceSelector>, std::string> selectors_of(const RequestKey& key) {
    std::vector<DeviceSelector> selectors;
    for (std::size_t i = 0; i < key.selectors.size(); ++i) {
        auto selector = DeviceSelector::parse(key.selectors[i]);
        if (!selector) {
            const std::string_view whose = i < key.class_selectors ? "class" : "request";
            return std::unexpected("a selector of its " + std::string(whose) + " has " + selector.error());
        }
        selectors.push_back(std::move(*selector));
    }
    return selectors;
}

}  // namespace

std::strong_ordering RequestKey::operator<=>(const RequestKey& other) const {
    const auto own = [](const RequestKey& key) {
        return std::tie(key.device_class, key.selectors, key.class_selectors, key.tolerations);
    };
    const auto order = own(*this) <=> own(other);
    if (std::is_neq(order))
        return order;
    return std::lexicographical_compare_three_way(alternatives.begin(), alternatives.end(), other.alternatives.begin(),
                                                  other.alternatives.end());
}

RequestKey first_choice(RequestKey key) {
    key.alternatives.clear();
    return key;
}

std::string why_not_understood(const RequestKey& key) {
    if (const auto selectors = selectors_of(key); !selectors)
        return selectors.error();
    for (const auto& alternative : key.alternatives) {
        if (auto why = why_not_understood(alternative); !why.empty())
            return why;
    }
    return {};
}

std::size_t parts_of(const RequestKey& key) {
    auto parts = key.tolerations.size();
    for (std::size_t i = key.class_selectors; i < key.selectors.size(); ++i)
        parts += DeviceSelector::parts_of(key.selectors[i]);
    for (const auto& alternative : key.alternatives)
        parts += parts_of(alternative);
    return parts;
}

RequestKinds::Renewal RequestKinds::renew(const std::set<RequestKey>& wanted) {
    Renewal renewal;
    const auto before = std::exchange(all_, 0);
    for (const auto& key : wanted) {
        if (const auto known = by_key_.find(key); known != by_key_.end())
            all_ |= bit(known->second);
    }
    renewal.ended = before & ~all_;
    for (auto rest = renewal.ended; rest != 0; rest &= rest - 1)
        renewal.ended_keys.push_back(kinds_[static_cast<std::size_t>(std::countr_zero(rest))]->key);
    for (const auto& key : wanted) {
        if (!by_key_.contains(key))
            place(key, renewal);
    }
    renewal.begun = (all_ & ~before) | renewal.fresh;
    drop_idle();
    name_kinds();
    return renewal;
}

// A free number, else one of a kind that doesn't count.
void RequestKinds::place(const RequestKey& key, Renewal& renewal) {
    const auto free = ~matched_ != 0 ? ~matched_ : ~all_;
    const auto number = static_cast<std::uint32_t>(std::countr_zero(free));
    Kind kind{.key = key, .parts = parts_of(key), .selectors = {}, .name = {}};
    kind.selectors.push_back(*selectors_of(key));
    for (const auto& alternative : key.alternatives)
        kind.selectors.push_back(*selectors_of(alternative));
    if (kinds_[number])
        by_key_.erase(kinds_[number]->key);
    kinds_[number] = std::move(kind);
    by_key_.emplace(key, number);
    all_ |= bit(number);
    matched_ |= bit(number);
    renewal.fresh |= bit(number);
}

void RequestKinds::drop_idle() {
    std::size_t parts = 0;
    for (auto rest = matched_ & ~all_; rest != 0; rest &= rest - 1) {
        const auto number = static_cast<std::size_t>(std::countr_zero(rest));
        parts += kinds_[number]->parts;
        if (parts <= most_idle_parts)
            continue;
        by_key_.erase(kinds_[number]->key);
        kinds_[number].reset();
        matched_ &= ~bit(number);
    }
}

// Kinds whose shortened texts are equal are numbered.
void RequestKinds::name_kinds() {
    std::map<std::string, std::size_t> namesakes;
    for (const auto& [key, number] : by_key_) {
        if ((all_ & bit(number)) == 0)
            continue;
        auto& name = kinds_[number]->name;
        name = text_of(key);
        if (const auto nth = ++namesakes[name]; nth > 1)
            name += " (" + std::to_string(nth) + ")";
    }
}

std::optional<std::uint32_t> RequestKinds::find(const RequestKey& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() || (all_ & bit(known->second)) == 0 ? std::nullopt : std::optional(known->second);
}

void RequestKinds::Judgement::add(const Judgement& more) {
    takes |= more.takes;
    fails |= more.fails;
    doubts |= more.doubts;
    repels |= more.repels;
}

void RequestKinds::Judgement::drop(KindSet kinds) {
    takes &= ~kinds;
    fails &= ~kinds;
    doubts &= ~kinds;
    repels &= ~kinds;
}

RequestKinds::Judgement RequestKinds::judge(std::string_view driver, const Device& device, KindSet kinds) const {
    Judgement judgement;
    for (auto rest = kinds & matched_; rest != 0; rest &= rest - 1) {
        const auto number = static_cast<std::size_t>(std::countr_zero(rest));
        const auto& kind = *kinds_[number];
        for (std::size_t i = 0; i < kind.selectors.size(); ++i) {
            const auto& key = i == 0 ? kind.key : kind.key.alternatives[i - 1];
            const auto answer = judge_all(kind.selectors[i], driver, device);
            if (answer == DeviceSelector::Answer::fails)
                (kind.key.alternatives.empty() ? judgement.fails : judgement.doubts) |= bit(number);
            if (answer != DeviceSelector::Answer::yes)
                continue;
            const auto is_tolerated = [&](const Taint& taint) { return tolerates(key, taint); };
            const bool is_taken = std::ranges::all_of(device.taints, is_tolerated);
            (is_taken ? judgement.takes : judgement.repels) |= bit(number);
        }
    }
    return judgement;
}

// Starts with one set per kind, and joins sets that compete for a device until no new set appears. The order is that of
// the kinds' keys, so that their numbers make no difference.
std::vector<RequestKinds::Counted> RequestKinds::sets_to_count(const std::vector<KindSet>& takers) const {
    std::set<KindSet> found;
    std::deque<KindSet> open;
    std::size_t visits = 0;
    const auto add = [&](KindSet kinds) {
        visits += takers.size();
        const auto whole = closed(kinds, all_, takers);
        if (found.size() < most_sets && found.insert(whole).second)
            open.push_back(whole);
    };
    for (const auto& [key, kind] : by_key_) {
        if ((all_ & bit(kind)) != 0)
            add(bit(kind));
    }
    for (; !open.empty() && visits < most_visits; open.pop_front()) {
        KindSet beside = 0;
        for (const auto of : takers) {
            if ((of & open.front()) != 0)
                beside |= of;
        }
        for (const auto& [key, kind] : by_key_) {
            if ((bit(kind) & all_ & beside & ~open.front()) != 0 && visits < most_visits)
                add(open.front() | bit(kind));
        }
    }
    std::vector<Counted> sets;
    for (const auto kinds : found) {
        sets.push_back({kinds, name_of_set(kinds)});
    }
    std::ranges::sort(sets, {}, &Counted::name);
    return sets;
}

// A kind with alternatives names those that are kinds themselves.
std::string RequestKinds::name_of_set(KindSet kinds) const {
    std::set<RequestKey> named;
    for (const auto& [key, kind] : by_key_) {
        if ((bit(kind) & kinds) == 0 || key.alternatives.empty())
            continue;
        named.insert(key.alternatives.begin(), key.alternatives.end());
        named.insert(first_choice(key));
    }
    std::string name;
    for (const auto& [key, kind] : by_key_) {
        if ((bit(kind) & kinds) != 0 && !named.contains(key))
            name += (name.empty() ? "" : " or ") + name_of(kind);
    }
    return name;
}

}  // namespace echelon::model
