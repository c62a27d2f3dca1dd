#include "model/devices/request_kinds.hpp"

#include "base/shortened.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>

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

// Kinds that find a device only where one of `kinds` does.
KindSet closed(KindSet kinds, KindSet some, const std::map<KindSet, std::size_t>& takers) {
    KindSet without = 0;
    KindSet seen = 0;
    for (const auto& [of, count] : takers) {
        seen |= of;
        if ((of & kinds) == 0)
            without |= of;
    }
    return kinds | (some & seen & ~without);
}

std::string text_of(const RequestKey& key) {
    std::string words;
    for (std::size_t i = key.class_selectors; i < key.selectors.size(); ++i)
        words += (words.empty() ? " with " : " and ") + key.selectors[i];
    for (const auto& toleration : key.tolerations) {
        words += (words.empty() ? " tolerating " : ", tolerating ") + (toleration.key.empty() ? "*" : toleration.key) +
                 (toleration.value.empty() ? "" : "=" + toleration.value);
    }
    std::ranges::replace(words, '\n', ' ');
    return std::string(device_prefix) + key.device_class + base::shortened(std::move(words), longest_words);
}

}  // namespace

std::expected<std::uint32_t, std::string> RequestKinds::intern(const RequestKey& key) {
    if (const auto known = by_key_.find(key); known != by_key_.end())
        return known->second;
    Kind kind{.key = key, .selectors = {}};
    for (std::size_t i = 0; i < key.selectors.size(); ++i) {
        auto selector = DeviceSelector::parse(key.selectors[i]);
        if (!selector) {
            const std::string_view whose = i < key.class_selectors ? "class" : "request";
            return std::unexpected("a selector of its " + std::string(whose) + " has " + selector.error());
        }
        kind.selectors.push_back(std::move(*selector));
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

RequestKinds::Judgement RequestKinds::judge(std::string_view driver, const Device& device, KindSet kinds) const {
    Judgement judgement;
    for (auto rest = kinds & all_; rest != 0; rest &= rest - 1) {
        const auto number = static_cast<std::size_t>(std::countr_zero(rest));
        const auto& kind = *kinds_[number];
        auto answer = DeviceSelector::Answer::yes;
        for (const auto& selector : kind.selectors) {
            if (answer == DeviceSelector::Answer::yes)
                answer = selector.judge(driver, device);
        }
        const auto is_tolerated = [&](const Taint& taint) { return tolerates(kind.key, taint); };
        if (answer == DeviceSelector::Answer::fails) {
            judgement.fails |= bit(number);
        } else if (answer == DeviceSelector::Answer::yes && std::ranges::all_of(device.taints, is_tolerated)) {
            judgement.takes |= bit(number);
        }
    }
    return judgement;
}

// Starts with each kind by itself, and joins what competes for a device until nothing new comes. In the order of the
// kinds' keys, so that numbers make no difference.
std::vector<RequestKinds::Counted> RequestKinds::sets_to_count(const std::map<KindSet, std::size_t>& takers) const {
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
        for (const auto& [of, count] : takers) {
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
        std::string name;
        for (const auto& [key, kind] : by_key_) {
            if ((bit(kind) & kinds) != 0)
                name += (name.empty() ? "" : " or ") + name_of(kind);
        }
        sets.push_back({kinds, std::move(name)});
    }
    std::ranges::sort(sets, {}, &Counted::name);
    return sets;
}

// Kinds whose texts are the same once they are cut are numbered.
std::string RequestKinds::name_of(std::uint32_t kind) const {
    const auto& own = kinds_[kind]->key;
    const auto name = text_of(own);
    const auto namesake = [&](const auto& known) { return known.first < own && text_of(known.first) == name; };
    const auto before = std::ranges::count_if(by_key_, namesake);
    return before == 0 ? name : name + " (" + std::to_string(before + 1) + ")";
}

}  // namespace echelon::model
