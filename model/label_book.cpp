#include "model/label_book.hpp"

namespace echelon::model {

std::uint32_t LabelBook::number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, 0);
    if (is_new) {
        if (free_.empty()) {
            found->second = static_cast<std::uint32_t>(texts_.size());
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

void LabelBook::release(std::uint32_t number) {
    if (--texts_[number].users > 0)
        return;
    numbers_.erase(numbers_.find(*texts_[number].text));
    texts_[number].text = nullptr;
    free_.push_back(number);
}

LabelBook::Entry LabelBook::enter(const Labels& labels) {
    Entry entry;
    entry.reserve(labels.size());
    for (const auto& [key, value] : labels) {
        const auto number = number_of(key);
        entry.emplace_back(number, number_of(value));
    }
    return entry;
}

void LabelBook::drop(const Entry& entry) {
    for (const auto& [key, value] : entry) {
        release(key);
        release(value);
    }
}

bool LabelBook::says(const Entry& entry, const Labels& labels) const {
    if (entry.size() != labels.size())
        return false;
    auto at = entry.begin();
    for (const auto& [key, value] : labels) {
        if (*texts_[at->first].text != key || *texts_[at->second].text != value)
            return false;
        ++at;
    }
    return true;
}

LabelViews LabelBook::read(const Entry& entry) const {
    LabelViews views;
    views.reserve(entry.size());
    for (const auto& [key, value] : entry) {
        views.emplace_back(*texts_[key].text, *texts_[value].text);
    }
    return views;
}

}  // namespace echelon::model
