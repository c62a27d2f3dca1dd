#include "model/facts/string_pool.hpp"

#include <algorithm>

namespace echelon::model {

StringPool::Number StringPool::number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, 0);
    if (is_new) {
        if (free_.empty()) {
            found->second = static_cast<Number>(texts_.size());
            texts_.emplace_back();
        } else {
            found->second = free_.back();
            free_.pop_back();
        }
        texts_[found->second].text = &found->first;
    }
    ++texts_[found->second].users;
    return found->second;
}

void StringPool::release(Number number) {
    if (--texts_[number].users > 0)
        return;
    numbers_.erase(numbers_.find(*texts_[number].text));
    texts_[number].text = nullptr;
    free_.push_back(number);
}

StringPool::Number StringPool::again(Number number) {
    ++texts_[number].users;
    return number;
}

StringPool::LabelEntry StringPool::enter(const Labels& labels, const LabelEntry& like) {
    LabelEntry entry;
    entry.reserve(labels.size());
    auto at = like.begin();
    for (const auto& [key, value] : labels) {
        while (at != like.end() && text(at->first) < key) {
            ++at;
        }
        const bool is_alike = at != like.end() && text(at->first) == key;
        const auto number = is_alike ? again(at->first) : number_of(key);
        entry.emplace_back(number, is_alike && text(at->second) == value ? again(at->second) : number_of(value));
    }
    return entry;
}

StringPool::AmountEntry StringPool::enter(const Amounts& amounts) {
    AmountEntry entry;
    entry.reserve(amounts.entries().size());
    for (const auto& [name, amount] : amounts.entries()) {
        entry.emplace_back(number_of(name), amount);
    }
    return entry;
}

void StringPool::drop(const LabelEntry& entry) {
    for (const auto& [key, value] : entry) {
        release(key);
        release(value);
    }
}

void StringPool::drop(const AmountEntry& entry) {
    for (const auto& [name, amount] : entry) {
        release(name);
    }
}

bool StringPool::says(const LabelEntry& entry, const Labels& labels) const {
    if (entry.size() != labels.size())
        return false;
    auto at = entry.begin();
    for (const auto& [key, value] : labels) {
        if (text(at->first) != key || text(at->second) != value)
            return false;
        ++at;
    }
    return true;
}

bool StringPool::says(const AmountEntry& entry, const Amounts& amounts) const {
    return std::ranges::equal(entry, amounts.entries(), [this](const auto& kept, const auto& said) {
        return kept.second == said.second && text(kept.first) == said.first;
    });
}

LabelViews StringPool::read(const LabelEntry& entry) const {
    LabelViews views;
    views.reserve(entry.size());
    for (const auto& [key, value] : entry) {
        views.emplace_back(text(key), text(value));
    }
    return views;
}

Amounts StringPool::read(const AmountEntry& entry) const {
    Amounts amounts;
    for (const auto& [name, amount] : entry) {
        amounts.set(text(name), amount);
    }
    return amounts;
}

std::optional<std::string_view> StringPool::value_of(const LabelEntry& entry, std::string_view key) const {
    constexpr std::size_t few = 32;
    const auto key_of = [this](const auto& label) { return std::string_view(text(label.first)); };
    if (entry.size() <= few) {  // Most keys differ in length, and those of levels sort behind most others.
        const auto at =
            std::find_if(entry.rbegin(), entry.rend(), [&](const auto& label) { return key_of(label) == key; });
        return at == entry.rend() ? std::nullopt : std::optional<std::string_view>(text(at->second));
    }
    const auto at = std::ranges::lower_bound(entry, key, {}, key_of);
    if (at == entry.end() || key_of(*at) != key)
        return std::nullopt;
    return text(at->second);
}

std::int64_t StringPool::amount_of(const AmountEntry& entry, std::string_view name) const {
    constexpr std::size_t few = 16;  // Most names differ in length.
    const auto name_of = [this](const auto& amount) { return std::string_view(text(amount.first)); };
    const auto at = entry.size() <= few ? std::ranges::find(entry, name, name_of)
                                        : std::ranges::lower_bound(entry, name, {}, name_of);
    return at == entry.end() || name_of(*at) != name ? 0 : at->second;
}

}  // namespace echelon::model
