#include "model/devices/request_kinds.hpp"

#include "base/shortened.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <tuple>

namespace echelon::model {

namespace {

constexpr std::size_t longest_words = 80;

KindSet bit(std::size_t kind) {
    return KindSet{1} << kind;
}

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
KindSet closed(KindSet kinds, KindSet some, const std::set<KindSet>& takers) {
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

std::expected<std::uint32_t, std::string> RequestKinds::intern(const RequestKey& key) {
    if (const auto known = by_key_.find(key); known != by_key_.end())
        return known->second;
    Kind kind{.key = key, .selectors = {}};
    const auto add = [&kind](const RequestKey& choice) -> std::expected<void, std::string> {
        auto selectors = selectors_of(choice);
        if (!selectors)
            return std::unexpected(selectors.error());
        kind.selectors.push_back(std::move(*selectors));
        return {};
    };
    if (auto added = add(key); !added)
        return std::unexpected(added.error());
    for (const auto& alternative : key.alternatives) {
        if (auto added = add(alternative); !added)
            return std::unexpected(added.error());
    }
    const auto number = static_cast<std::uint32_t>(std::countr_one(all_));
    if (number >= most_kinds)
        return std::unexpected("there are more than " + std::to_string(most_kinds) + " kinds of requests");
    if (number >= kinds_.size())
        kinds_.resize(number + 1);
    kinds_[number] = std::move(kind);
    by_key_.emplace(key, number);
    all_ |= bit(number);
    return number;
}

std::optional<std::uint32_t> RequestKinds::find(const RequestKey& key) const {
    const auto known = by_key_.find(key);
    return known == by_key_.end() ? std::nullopt : std::optional(known->second);
}

void RequestKinds::drop(std::uint32_t kind) {
    by_key_.erase(kinds_[kind]->key);
    kinds_[kind].reset();
    all_ &= ~bit(kind);
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
    for (auto rest = kinds & all_; rest != 0; rest &= rest - 1) {
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
std::vector<RequestKinds::Counted> RequestKinds::sets_to_count(const std::set<KindSet>& takers) const {
    std::set<KindSet> found;
    std::deque<KindSet> open;
    const auto add = [&](KindSet kinds) {
        const auto whole = closed(kinds, all_, takers);
        if (found.size() < most_sets && found.insert(whole).second)
            open.push_back(whole);
    };
    for (const auto& [key, kind] : by_key_)
        add(bit(kind));
    for (; !open.empty(); open.pop_front()) {
        KindSet beside = 0;
        for (const auto of : takers) {
            if ((of & open.front()) != 0)
                beside |= of;
        }
        for (const auto& [key, kind] : by_key_) {
            if ((bit(kind) & beside & ~open.front()) != 0)
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

// Kinds whose shortened texts are equal are numbered.
std::string RequestKinds::name_of(std::uint32_t kind) const {
    const auto& own = kinds_[kind]->key;
    const auto name = text_of(own);
    const auto namesake = [&](const auto& known) { return known.first < own && text_of(known.first) == name; };
    const auto before = std::ranges::count_if(by_key_, namesake);
    return before == 0 ? name : name + " (" + std::to_string(before + 1) + ")";
}

}  // namespace echelon::model
